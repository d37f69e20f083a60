//! `zn5 info`: the tree of a container with everything worth knowing about its arrays.
//!
//! Blocks are looked at for their number and size, those at the edge also for how they are stored;
//! no payload is decoded. What cannot be looked at is named, and the rest is shown.

mod fold;

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use zn5::block;
use zn5::dataset::{Dataset, Surveyed};
use zn5::error::{Error, ErrorKind};
use zn5::image::{self, Axes, Child, numpy_order};
use zn5::metadata::{self, Language};
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
Shapes are in the order of the metadata; NumPy's order stands beside: for N5 it is the reverse, for
Zarr the same.
Edges: 'truncated' blocks end with the array (n5-java, z5), 'padded' ones are whole blocks
(zarr-python 2, tensorstore).
Four siblings or more that are alike but for shapes and sizes stand in one line, with sums over all
of them; what differs, is damaged or cannot be read stands alone. --all shows each, --json always.

Exit codes: 0 all is shown, 1 metadata or a block's header are damaged, 3 something could not be
read; the rest is shown all the same. 4 if PATH itself is something that zn5 does not support; where
something below it is, that is told, and the exit code stays 0.

Examples:
  zn5 info tour/demo.n5
  zn5 info --quick /data/petabyte.n5             metadata only, no look at the blocks
  zn5 info --depth 2 /data/plate.n5              two levels of groups and arrays
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
    /// As many levels below PATH
    #[arg(long, value_name = "N")]
    depth: Option<u16>,
    /// Show each of many siblings that are alike
    #[arg(long)]
    all: bool,
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

#[derive(Clone, Serialize)]
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
    /// What is damaged, or cannot be looked at; of blocks the first few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Entry>,
    /// Groups and arrays below that are not shown because of --depth.
    #[serde(skip_serializing_if = "is_zero")]
    below: u64,
}

/// A group whose arrays are one volume at several scales.
#[derive(Clone, Serialize)]
struct Pyramid {
    dialect: &'static str,
    levels: Vec<Level>,
}

/// One level of a pyramid.
#[derive(Clone, Serialize)]
struct Level {
    path: String,
    /// How many voxels of the first level one of this is wide, per axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    downsampling: Option<Vec<f64>>,
}

/// What is wrong at one place.
#[derive(Clone, Serialize)]
struct Problem {
    path: String,
    reason: String,
    #[serde(skip)]
    exit: Exit,
}

#[derive(Clone, Serialize)]
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
    /// Where one stands for many alike: how they differ.
    #[serde(skip)]
    many: Option<Box<fold::Many>>,
}

/// What is stored of an array.
#[derive(Clone, Debug, Default, Serialize)]
struct Blocks {
    stored: u64,
    /// More than there are if `unlisted` is not 0.
    missing: u128,
    stored_bytes: u64,
    edges: &'static str,
    empty: u64,
    /// Blocks with a damaged header among those looked at.
    #[serde(skip_serializing_if = "is_zero")]
    damaged: u64,
    /// Blocks that cannot be looked at.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: u64,
    /// Folders of blocks that cannot be listed.
    #[serde(skip_serializing_if = "is_zero")]
    unlisted: u64,
    /// Blocks of another mode than `default` among those looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
}

/// Problems of one array that are told; blocks have counts beside.
const MOST_PROBLEMS: usize = 20;

/// Problems of one array that are shown as text.
const SHOWN_PROBLEMS: usize = 3;

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(count: &u64) -> bool {
    *count == 0
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
        let (report, shown) = report;
        exit = exit.worst(shown);
        if args.json {
            reports.push(report);
        } else {
            print(&mut out, &report, args.all)?;
        }
    }
    if args.json {
        out.json(&reports)?;
    }
    out.flush()?;
    Ok(exit)
}

fn report(path: &std::path::Path, args: &Args, context: Context) -> Result<(Report, Exit)> {
    let container = Container::open(path)?;
    let root = tree::read_levels(&container, args.depth.map_or(tree::MAX_DEPTH, usize::from))?;
    let mut progress = Progress::new("looking at blocks", context.quiet);
    let mut ancestors = container.above.clone();
    let mut builder = Builder { container: &container, args, progress: &mut progress };
    let entry = builder.entry(&root, &mut ancestors)?;
    let exit = entry.exit().worst(root.exit());
    Ok((Report { path: container.shown.clone(), n5_version: n5_version(&container), root: entry }, exit))
}

impl Entry {
    /// The last part of the path.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The worst of the problems here and below.
    fn exit(&self) -> Exit {
        let own = self.problems.iter().fold(Exit::Fine, |exit, problem| exit.worst(problem.exit));
        self.children.iter().fold(own, |exit, child| exit.worst(child.exit()))
    }
}

fn n5_version(container: &Container) -> Option<String> {
    let mut text = Vec::new();
    container.store.get("attributes.json", 0, u64::MAX, &mut text).ok()?;
    metadata::n5_version_text(&text).ok()?
}

struct Builder<'a> {
    container: &'a Container,
    args: &'a Args,
    progress: &'a mut Progress,
}

impl Builder<'_> {
    /// `ancestors`: attributes of the groups around, nearest first.
    fn entry(&mut self, node: &Node, ancestors: &mut Vec<Value>) -> Result<Entry> {
        let mut problems = Vec::new();
        if let Some(error) = &node.unlisted {
            problems.push(Problem::of(self.container.place(&node.path), error));
        }
        let array = match &node.kind {
            Kind::Array(dataset) => Some(self.array(node, dataset, ancestors, &mut problems)?),
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
            problems,
            children: children?,
            below: node.below,
        })
    }

    fn array(&mut self, node: &Node, dataset: &Dataset, ancestors: &[Value], problems: &mut Vec<Problem>) -> Result<Array> {
        let settings = dataset.codec().settings();
        let groups: Vec<&Value> = ancestors.iter().collect();
        let axes = spatial::axes(dataset, &self.container.full_path(&node.path), &node.attributes, &groups);
        let blocks = if self.args.quick { None } else { self.blocks(node, dataset, problems)? };
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
            many: None,
        })
    }

    fn pyramid(&self, node: &Node, ancestors: &[Value]) -> Option<Pyramid> {
        let parents: Vec<&Value> = ancestors.iter().collect();
        let path = self.container.full_path(&node.path);
        let found = image::pyramid_of(&path, &node.attributes, &parents, &child_arrays(node))?;
        let level = |level: image::Level| Level { path: level.path, downsampling: level.downsampling };
        Some(Pyramid { dialect: found.dialect.name(), levels: found.levels.into_iter().map(level).collect() })
    }

    /// What is stored of an array; `None` if its folder cannot be listed.
    fn blocks(&mut self, node: &Node, dataset: &Dataset, problems: &mut Vec<Problem>) -> Result<Option<Blocks>> {
        self.progress.title(&format!("looking at blocks of {}", self.container.place(&node.path)));
        let mut look =
            Look { container: self.container, blocks: Blocks::default(), edges: Edges::new(dataset), header: Vec::new(), problems };
        let progress = &mut *self.progress;
        let looked = dataset.survey(&mut |stored| {
            if interrupt::requested() {
                return Err(Error::new(ErrorKind::Cancelled, "interrupted"));
            }
            progress.count();
            look.at(stored);
            Ok(())
        });
        let Look { mut blocks, edges, problems, .. } = look;
        match looked {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(Failure::Interrupted),
            Err(error) => {
                // Already told where its children are listed.
                if node.unlisted.is_none() {
                    problems.push(Problem::of(self.container.place(&node.path), &error));
                }
                return Ok(None);
            }
        }
        let expected = dataset.block_grid().iter().fold(1_u128, |count, &extent| count.saturating_mul(u128::from(extent)));
        blocks.missing = expected.saturating_sub(u128::from(blocks.stored)).saturating_sub(u128::from(blocks.unreadable));
        blocks.edges = edges.text();
        blocks.mode = edges.mode;
        Ok(Some(blocks))
    }
}

impl Problem {
    fn of(path: String, error: &Error) -> Self {
        let at = error.offset().map(|offset| format!(" (at byte {offset})")).unwrap_or_default();
        Self { path, reason: format!("{}{at}", error.message()), exit: tree::exit_of(error.kind()) }
    }
}

/// A look at the blocks of one array.
struct Look<'a> {
    container: &'a Container,
    blocks: Blocks,
    edges: Edges<'a>,
    header: Vec<u8>,
    problems: &'a mut Vec<Problem>,
}

impl Look<'_> {
    fn at(&mut self, stored: Surveyed<'_>) {
        match stored {
            Surveyed::Unlisted { key, error } => {
                self.blocks.unlisted += 1;
                self.problem(key, error);
            }
            Surveyed::Block { position, key } => {
                if let Err(error) = self.block(position, key) {
                    self.blocks.unreadable += 1;
                    self.problem(key, &error);
                }
            }
        }
    }

    fn problem(&mut self, key: &str, error: &Error) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(Problem::of(self.container.place(key), error));
        }
    }

    fn block(&mut self, position: &[u64], key: &str) -> std::result::Result<(), Error> {
        let store = &self.container.store;
        let Some(stamp) = store.stamp(key)? else {
            // Gone since it was listed, unless it is a link that leads nowhere, which is an error.
            store.get(key, 0, 0, &mut self.header)?;
            return Ok(());
        };
        let len = stamp.len;
        let wants = len > 0 && self.edges.wants(position, len, self.blocks.stored == 0);
        if wants && !store.get(key, 0, self.edges.header_len(), &mut self.header)? {
            return Ok(());
        }
        self.blocks.stored += 1;
        self.blocks.stored_bytes = self.blocks.stored_bytes.saturating_add(len);
        if len == 0 {
            self.blocks.empty += 1;
            self.problem(key, &Error::new(ErrorKind::EmptyBlock, "the block has no byte; its writer was interrupted"));
        }
        if wants && let Err(error) = self.edges.look(position, &self.header) {
            self.blocks.damaged += 1;
            self.problem(key, &error);
        }
        Ok(())
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

    /// The most bytes that a block's header has, whatever its mode.
    fn header_len(&self) -> u64 {
        block::header_len(self.chunk.len()) as u64 + 4
    }

    /// Whether a block's header tells something: at the edge, of the first block, and where there
    /// is hardly more than a header.
    fn wants(&self, position: &[u64], len: u64, is_first: bool) -> bool {
        self.has_headers && (is_first || len < self.header_len() || self.inside(position) != self.chunk)
    }

    fn look(&mut self, position: &[u64], header: &[u8]) -> std::result::Result<(), Error> {
        let extents = match block::parse_default(header, self.chunk.len()) {
            Ok((extents, _)) => extents,
            Err(error) if error.kind() == ErrorKind::UnsupportedBlockMode => {
                self.mode = Some(block::parse(header).map_or("unknown", |header| header.mode().name()));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let inside = self.inside(position);
        if inside == self.chunk {
        } else if extents[..] == inside[..] {
            self.truncated = true;
        } else if extents[..] == *self.chunk {
            self.padded = true;
        } else {
            self.other = true;
        }
        Ok(())
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

fn print(out: &mut Out, report: &Report, all: bool) -> Result<()> {
    let version = report.n5_version.as_deref().map(|version| format!("  N5 {version}")).unwrap_or_default();
    let mut line = format!("{}{}", out.paint(Style::Bold, &report.path), out.paint(Style::Dim, version));
    line.push_str(&headline(out, &report.root));
    out.line(line)?;
    print_details(out, &report.root, "", !report.root.children.is_empty())?;
    print_children(out, &report.root, "", all)
}

fn print_children(out: &mut Out, entry: &Entry, indent: &str, all: bool) -> Result<()> {
    let items = fold::siblings(entry, all);
    let last = items.len().saturating_sub(1);
    for (at, item) in items.iter().enumerate() {
        let (branch, below) = if at == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let child = &*item.entry;
        let name = |name: &str| match child.kind {
            "group" => out.paint(Style::Blue, format!("{name}/")),
            "array" => out.paint(Style::Bold, name),
            _ => out.paint(Style::Yellow, name),
        };
        let mut names = name(child.name());
        if let Some(last) = &item.last {
            let _ = write!(names, " … {}", name(last));
        }
        let mut line = format!("{indent}{branch}{names}{}", headline(out, child));
        if item.count > 1 {
            line.push_str(&out.paint(Style::Dim, format!("  {} alike, sizes are sums; --all shows each", item.count)));
        }
        out.line(line)?;
        let indent = format!("{indent}{below}");
        print_details(out, child, &indent, !child.children.is_empty())?;
        print_children(out, child, &indent, all)?;
    }
    Ok(())
}

/// What stands on the line of the name.
fn headline(out: &Out, entry: &Entry) -> String {
    let mut text = String::new();
    if let Some(array) = &entry.array {
        let many = array.many.as_deref();
        let shape = fold::spans(&array.shape, many.map(|many| &*many.shape));
        let _ = write!(text, "  {}  {}", array.data_type, extents_text(&shape));
        if shape.len() > 1 {
            let shape = fold::spans(&array.shape_numpy, many.map(|many| &*many.shape_numpy));
            text.push_str(&out.paint(Style::Dim, format!("  NumPy {}", tuple_text(&shape))));
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
    if entry.below > 0 {
        text.push_str(&out.paint(Style::Dim, format!("  {} below", entry.below)));
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
    for problem in entry.problems.iter().take(SHOWN_PROBLEMS) {
        lines.push(out.paint(Style::Red, format!("{}: {}", problem.path, problem.reason)));
    }
    if entry.problems.len() > SHOWN_PROBLEMS {
        lines.push(out.paint(Style::Red, "and more; `zn5 verify` names all"));
    }
    for line in lines {
        out.line(format!("{indent}{rule}  {line}"))?;
    }
    Ok(())
}

fn array_lines(out: &Out, array: &Array) -> Vec<String> {
    let grid = extents_text(&fold::spans(&array.block_grid, array.many.as_deref().map(|many| &*many.block_grid)));
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
            let _ = write!(line, ", {}{} missing", if blocks.unlisted > 0 { "at most " } else { "" }, blocks.missing);
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
        for (count, what) in [(blocks.damaged, "damaged"), (blocks.unreadable, "unreadable")] {
            if count > 0 {
                line.push_str(&out.paint(Style::Red, format!(", {count} {what}")));
            }
        }
        if blocks.unlisted > 0 {
            line.push_str(&out.paint(Style::Red, format!(", {} cannot be listed", counted(blocks.unlisted, "folder"))));
        }
        if let Some(mode) = blocks.mode {
            line.push_str(&out.paint(Style::Yellow, format!(", {mode} blocks, which zn5 does not decode")));
        }
        lines.push(line);
    }
    let is_shifted = array.many.as_ref().is_some_and(|many| many.is_shifted);
    lines.extend(spatial::lines(&array.axes, is_shifted));
    lines
}
