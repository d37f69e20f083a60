//! `zn5 info`: the tree of a container with everything worth knowing about its arrays.
//!
//! Blocks are looked at for their number and size, those at the edge also for how they are stored; no payload is decoded.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use zn5::block::{self, Mode};
use zn5::dataset::Dataset;
use zn5::error::Error;
use zn5::image::{self, Axes, Child, numpy_order};
use zn5::metadata::Language;
use zn5::model::{BloscShuffle, Chain, Compressor};

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::open::Container;
use crate::output::{Out, Style, bytes_text, complain, counted, extents_text, json_text, number_text, tuple_text};
use crate::progress::Progress;
use crate::spatial::{self, Spatial};
use crate::tree::{self, Kind, Node};
use crate::values::element_text;

/// Show what is in a container: shapes, types, blocks, compression, sizes, pixel sizes, pyramids
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shapes are in N5 order (first axis fastest); NumPy's order stands beside.
Edges: 'truncated' blocks end with the array (n5-java, z5), 'padded' ones are whole blocks
(zarr-python 2, tensorstore).

Examples:
  zn5 info tour/demo.n5
  zn5 info --quick /data/petabyte.n5             metadata only, no look at the blocks
  zn5 info --attributes tour/demo.n5/raw/s0      with the attributes of users and programs
  zn5 info --json a.n5 b.n5 | jq '.[].root'")]
pub(crate) struct Args {
    /// Folders of containers, groups or arrays
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read metadata only: no sizes, edges and missing blocks
    #[arg(long)]
    quick: bool,
    /// Show user attributes, too
    #[arg(short, long)]
    attributes: bool,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    n5_version: Option<String>,
    root: Entry,
}

#[derive(Serialize)]
struct Entry {
    /// Below the root.
    path: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<Array>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pyramid: Option<Pyramid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Entry>,
}

/// A group whose arrays are one volume at several scales.
#[derive(Serialize)]
struct Pyramid {
    dialect: &'static str,
    levels: Vec<Level>,
}

/// One level of a pyramid.
#[derive(Serialize)]
struct Level {
    path: String,
    /// How many voxels of the first level one of this is wide, per axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    downsampling: Option<Vec<f64>>,
}

#[derive(Serialize)]
struct Array {
    metadata: &'static str,
    data_type: &'static str,
    shape: Vec<u64>,
    shape_numpy: Vec<u64>,
    block_size: Vec<u64>,
    block_grid: Vec<u64>,
    compression: String,
    fill_value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spatial: Option<Spatial>,
    #[serde(skip)]
    axes: Axes,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Blocks>,
}

/// What is stored of an array.
#[derive(Clone, Debug, Default, Serialize)]
struct Blocks {
    stored: u64,
    missing: u128,
    stored_bytes: u64,
    edges: &'static str,
    empty: u64,
    /// Blocks of another mode than `default` among those looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let mut out = Out::new();
    let mut reports = Vec::new();
    let mut exit = Exit::Fine;
    for path in &args.paths {
        let report = match report(path, args, context) {
            Ok(report) => report,
            // The other paths are worth their answer all the same.
            Err(Failure::Message { exit: failed, message }) if args.paths.len() > 1 => {
                out.flush()?;
                complain(message);
                exit = exit.worst(failed);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        if args.json {
            reports.push(report);
        } else {
            print(&mut out, &report)?;
        }
    }
    if args.json {
        out.json(&reports)?;
    }
    out.flush()?;
    Ok(exit)
}

fn report(path: &std::path::Path, args: &Args, context: Context) -> Result<Report> {
    let container = Container::open(path)?;
    let root = tree::read(&container)?;
    let mut progress = Progress::new("looking at blocks", context.quiet);
    let mut ancestors = container.above.clone();
    let mut builder = Builder { container: &container, args, progress: &mut progress };
    let entry = builder.entry(&root, &mut ancestors)?;
    Ok(Report { path: container.shown.clone(), n5_version: n5_version(&container), root: entry })
}

fn n5_version(container: &Container) -> Option<String> {
    let mut text = Vec::new();
    container.store.get("attributes.json", 0, u64::MAX, &mut text).ok()?;
    // A remark only, so a document with comments may go without.
    let document: Value = serde_json::from_slice(&text).ok()?;
    document.get("n5")?.as_str().map(str::to_owned)
}

struct Builder<'a> {
    container: &'a Container,
    args: &'a Args,
    progress: &'a mut Progress,
}

impl Builder<'_> {
    /// `ancestors`: attributes of the groups around, nearest first.
    fn entry(&mut self, node: &Node, ancestors: &mut Vec<Value>) -> Result<Entry> {
        let array = match &node.kind {
            Kind::Array(dataset) => Some(self.array(node, dataset, ancestors)?),
            Kind::Group | Kind::Unsupported(_) => None,
        };
        let kind = match node.kind {
            Kind::Group => "group",
            Kind::Array(_) => "array",
            Kind::Unsupported(_) => "unsupported",
        };
        let pyramid = if matches!(node.kind, Kind::Group) { self.pyramid(node, ancestors) } else { None };
        ancestors.insert(0, node.attributes.clone());
        let children = node.children.iter().map(|child| self.entry(child, ancestors)).collect::<Result<Vec<_>>>();
        ancestors.remove(0);
        let attributes = self.args.attributes.then(|| node.attributes.clone());
        Ok(Entry {
            path: node.path.clone(),
            kind,
            array,
            pyramid,
            content: image::content(&node.attributes),
            reason: match &node.kind {
                Kind::Unsupported(error) => Some(error.message().to_owned()),
                _ => None,
            },
            attributes: attributes.filter(|attributes| attributes.as_object().is_some_and(|members| !members.is_empty())),
            children: children?,
        })
    }

    fn array(&mut self, node: &Node, dataset: &Dataset, ancestors: &[Value]) -> Result<Array> {
        let settings = dataset.codec().settings();
        let groups: Vec<&Value> = ancestors.iter().collect();
        let axes = spatial::axes(dataset, &self.container.full_path(&node.path), &node.attributes, &groups);
        let blocks = if self.args.quick { None } else { Some(self.blocks(node, dataset)?) };
        Ok(Array {
            metadata: match dataset.language() {
                Language::N5 => "N5",
                Language::Zarr => "Zarr v3",
            },
            data_type: settings.data_type.name(),
            shape: dataset.shape().to_vec(),
            shape_numpy: numpy_order(dataset.language(), dataset.shape()),
            block_size: settings.chunk_shape.clone(),
            block_grid: dataset.block_grid(),
            compression: chain_text(&settings.chain),
            fill_value: element_text(settings.data_type, &settings.fill_value),
            data_bytes: dataset.codec().decoded_size(dataset.shape()).ok(),
            spatial: Spatial::of(&axes),
            axes,
            blocks,
        })
    }

    fn pyramid(&self, node: &Node, ancestors: &[Value]) -> Option<Pyramid> {
        let parents: Vec<&Value> = ancestors.iter().collect();
        let path = self.container.full_path(&node.path);
        let found = image::pyramid_of(&path, &node.attributes, &parents, &child_arrays(node))?;
        let level = |level: image::Level| Level { path: level.path, downsampling: level.downsampling };
        Some(Pyramid { dialect: found.dialect.name(), levels: found.levels.into_iter().map(level).collect() })
    }

    fn blocks(&mut self, node: &Node, dataset: &Dataset) -> Result<Blocks> {
        self.progress.title(&format!("looking at blocks of {}", self.container.place(&node.path)));
        let mut blocks = Blocks::default();
        let mut edges = Edges::new(dataset);
        let store = &self.container.store;
        let progress = &mut *self.progress;
        let mut header = Vec::new();
        let header_len = block::header_len(dataset.shape().len()) as u64 + 4;
        let looked = dataset.stored_blocks(&mut |position, key| {
            if interrupt::requested() {
                return Err(Error::new(zn5::error::ErrorKind::Cancelled, "interrupted"));
            }
            progress.count();
            let len = match store.stamp(key)? {
                Some(stamp) => stamp.len,
                None => 0,
            };
            blocks.empty += u64::from(len == 0);
            blocks.stored_bytes = blocks.stored_bytes.saturating_add(len);
            blocks.stored += 1;
            if len > 0 && edges.wants(position, blocks.stored) {
                store.get(key, 0, header_len, &mut header)?;
                edges.look(position, &header);
            }
            Ok(())
        });
        looked.map_err(|error| Failure::at(self.container.place(&node.path), &error))?;
        let expected = dataset.block_grid().iter().fold(1_u128, |count, &extent| count.saturating_mul(u128::from(extent)));
        blocks.missing = expected.saturating_sub(u128::from(blocks.stored));
        blocks.edges = edges.text();
        blocks.mode = edges.mode;
        Ok(blocks)
    }
}

fn child_arrays(node: &Node) -> Vec<Child<'_>> {
    let prefix = if node.path.is_empty() { 0 } else { node.path.len() + 1 };
    let mut arrays: Vec<Child<'_>> = Vec::new();
    for (child, dataset) in node.arrays() {
        if let Some(name) = child.path.get(prefix..).filter(|name| !name.is_empty()) {
            arrays.push(Child { name, shape: dataset.shape(), attributes: &child.attributes });
        }
    }
    arrays
}

/// How blocks at the array's edge are stored.
struct Edges<'a> {
    shape: &'a [u64],
    chunk: &'a [u64],
    has_headers: bool,
    divides: bool,
    truncated: bool,
    padded: bool,
    other: bool,
    mode: Option<&'static str>,
}

impl<'a> Edges<'a> {
    fn new(dataset: &'a Dataset) -> Self {
        let settings = dataset.codec().settings();
        let chunk = settings.chunk_shape.as_slice();
        let shape = dataset.shape();
        Self {
            shape,
            chunk,
            has_headers: matches!(settings.chain, Chain::N5 { .. }),
            divides: shape.iter().zip(chunk).all(|(shape, chunk)| shape % chunk == 0),
            truncated: false,
            padded: false,
            other: false,
            mode: None,
        }
    }

    /// The extents of the part of a block that lies inside the array.
    fn inside(&self, position: &[u64]) -> Vec<u64> {
        let along = |((&at, &shape), &chunk): ((&u64, &u64), &u64)| shape.saturating_sub(at.saturating_mul(chunk)).min(chunk);
        position.iter().zip(self.shape).zip(self.chunk).map(along).collect()
    }

    /// Whether a block's header tells something: at the edge, and of the first block.
    fn wants(&self, position: &[u64], number: u64) -> bool {
        self.has_headers && (number == 1 || self.inside(position) != self.chunk)
    }

    fn look(&mut self, position: &[u64], header: &[u8]) {
        let Ok(header) = block::parse(header) else { return };
        if header.mode() != Mode::Default {
            self.mode = Some(header.mode().name());
            return;
        }
        let inside = self.inside(position);
        if inside == self.chunk {
            return;
        }
        if header.extents().eq(inside.iter().copied()) {
            self.truncated = true;
        } else if header.extents().eq(self.chunk.iter().copied()) {
            self.padded = true;
        } else {
            self.other = true;
        }
    }

    fn text(&self) -> &'static str {
        match (self.truncated, self.padded, self.other) {
            _ if !self.has_headers => "regular",
            (false, false, false) if self.divides => "none",
            (false, false, false) => "unknown",
            (true, false, false) => "truncated",
            (false, true, false) => "padded",
            (true, true, false) => "mixed",
            _ => "odd",
        }
    }
}

/// The chain of codecs in a few words.
pub(crate) fn chain_text(chain: &Chain) -> String {
    match chain {
        Chain::N5 { compressor } => compressor_text(*compressor),
        Chain::Plain { endian, compressors } => {
            let mut parts = vec![format!("bytes ({})", if *endian == zn5::model::Endian::Little { "little" } else { "big" })];
            parts.extend(compressors.iter().map(|compressor| compressor_text(*compressor)));
            parts.join(", ")
        }
    }
}

/// A compressor with its parameters, as `zn5 convert --compression` takes them.
pub(crate) fn compressor_text(compressor: Compressor) -> String {
    match compressor {
        Compressor::Raw => "raw".to_owned(),
        Compressor::Gzip { level, zlib: false } => format!("gzip:{level}"),
        Compressor::Gzip { level, zlib: true } => format!("zlib:{level}"),
        Compressor::Bzip2 { block_size } => format!("bzip2:{block_size}"),
        Compressor::Xz { preset, .. } => format!("xz:{preset}"),
        Compressor::Lz4 { block_size } => format!("lz4:{block_size}"),
        Compressor::Zstd { level, .. } => format!("zstd:{level}"),
        Compressor::Blosc { inner, level, shuffle, .. } => {
            let shuffle = match shuffle {
                BloscShuffle::None => "none",
                BloscShuffle::Byte => "byte",
                BloscShuffle::Bit => "bit",
                BloscShuffle::Auto => "auto",
            };
            format!("blosc:{}:{level}:{shuffle}", inner.name())
        }
    }
}

fn print(out: &mut Out, report: &Report) -> Result<()> {
    let version = report.n5_version.as_deref().map(|version| format!("  N5 {version}")).unwrap_or_default();
    let mut line = format!("{}{}", out.paint(Style::Bold, &report.path), out.paint(Style::Dim, version));
    line.push_str(&headline(out, &report.root));
    out.line(line)?;
    print_details(out, &report.root, "", !report.root.children.is_empty())?;
    print_children(out, &report.root, "")
}

fn print_children(out: &mut Out, entry: &Entry, indent: &str) -> Result<()> {
    let last = entry.children.len().saturating_sub(1);
    for (at, child) in entry.children.iter().enumerate() {
        let (branch, below) = if at == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let name = child.path.rsplit('/').next().unwrap_or_default();
        let name = match child.kind {
            "group" => out.paint(Style::Blue, format!("{name}/")),
            "array" => out.paint(Style::Bold, name),
            _ => out.paint(Style::Yellow, name),
        };
        let line = format!("{indent}{branch}{name}{}", headline(out, child));
        out.line(line)?;
        let indent = format!("{indent}{below}");
        print_details(out, child, &indent, !child.children.is_empty())?;
        print_children(out, child, &indent)?;
    }
    Ok(())
}

/// What stands on the line of the name.
fn headline(out: &Out, entry: &Entry) -> String {
    let mut text = String::new();
    if let Some(array) = &entry.array {
        let _ = write!(text, "  {}  {}", array.data_type, extents_text(&array.shape));
        if array.shape.len() > 1 {
            text.push_str(&out.paint(Style::Dim, format!("  NumPy {}", tuple_text(&array.shape_numpy))));
        }
    }
    if let Some(pyramid) = &entry.pyramid {
        let _ = write!(text, "  pyramid of {} levels", pyramid.levels.len());
    }
    if let Some(content) = &entry.content {
        let _ = write!(text, "  {content}");
    }
    if let Some(reason) = &entry.reason {
        text.push_str(&out.paint(Style::Yellow, format!("  cannot be opened: {reason}")));
    }
    text
}

/// What stands on the lines below.
fn print_details(out: &mut Out, entry: &Entry, indent: &str, has_children: bool) -> Result<()> {
    let rule = if has_children { "│" } else { " " };
    let mut lines = Vec::new();
    if let Some(array) = &entry.array {
        lines.extend(array_lines(out, array));
    }
    if let Some(pyramid) = &entry.pyramid {
        let levels: Vec<String> = pyramid
            .levels
            .iter()
            .map(|level| match &level.downsampling {
                Some(factors) => {
                    format!("{} {}", level.path, factors.iter().map(|&factor| number_text(factor)).collect::<Vec<_>>().join("×"))
                }
                None => level.path.clone(),
            })
            .collect();
        lines.push(format!("levels {}  ({})", levels.join(", "), pyramid.dialect));
    }
    if let Some(attributes) = &entry.attributes {
        lines.push(format!("attributes {}", json_text(attributes)));
    }
    for line in lines {
        out.line(format!("{indent}{rule}  {line}"))?;
    }
    Ok(())
}

fn array_lines(out: &Out, array: &Array) -> Vec<String> {
    let grid = extents_text(&array.block_grid);
    let mut lines = vec![format!("blocks {} (grid {grid})  {}", extents_text(&array.block_size), array.compression)];
    if array.metadata != "N5" {
        lines.push(format!("{}, fill value {}", array.metadata, array.fill_value));
    }
    if let Some(blocks) = &array.blocks {
        let data = array.data_bytes.map(|bytes| format!(" of {}", bytes_text(bytes))).unwrap_or_default();
        let mut line = format!("{}{data} in {}", bytes_text(blocks.stored_bytes), counted(blocks.stored, "block"));
        if blocks.stored == 0 {
            line = format!("none of {} stored", counted(blocks.missing, "block"));
        } else if blocks.missing > 0 {
            let _ = write!(line, ", {} missing", blocks.missing);
        }
        match blocks.edges {
            "none" | "regular" => {}
            "unknown" if blocks.stored == 0 => {}
            "unknown" => line.push_str(", no block at the edge"),
            edges => line.extend([", edges ", edges]),
        }
        if blocks.empty > 0 {
            line.push_str(&out.paint(Style::Red, format!(", {} of 0 bytes", blocks.empty)));
        }
        if let Some(mode) = blocks.mode {
            line.push_str(&out.paint(Style::Yellow, format!(", {mode} blocks, which zn5 does not decode")));
        }
        lines.push(line);
    }
    lines.extend(spatial::lines(&array.axes));
    lines
}
