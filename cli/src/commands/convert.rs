//! `zn5 convert`: metadata in place for readers of the other format, or a new container with other blocks, compression or format.
//!
//! In place nothing is written before every document is ready, and a failure on the way takes back
//! what was written. Into a new container goes whatever can be read; the rest is named.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use serde::Serialize;
use zn5::dataset::{self, Dataset};
use zn5::error::{Error, ErrorKind};
use zn5::metadata::{self, Grid, IMPLICIT_GROUP, Language};
use zn5::model::{ArraySettings, BloscInner, BloscShuffle, Chain, CodecOptions, Compressor, DataType, XzCheck};
use zn5::store::join;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::open::{self, Container, Reader};
use crate::output::{Out, Style, complain, counted, remark};
use crate::progress::Progress;
use crate::regions::{BUDGET_BYTES, Pieces, Region, common_cell};
use crate::tree::{self, Kind, Node};

/// Convert between N5 and Zarr in place, or into a new container with other blocks or compression
#[derive(Debug, clap::Args)]
#[command(after_help = "\
In place, zn5 adds a zarr.json beside each attributes.json (codec 'n5_default'), or with --to-n5
the other way round; no block is touched or copied. All or nothing: if one array cannot be read or
described, nothing is written and each reason is told. Warning: z5 and z5py refuse folders that
hold both files, and n5-universe (Fiji) prefers zarr.json.

Into a new container, an array that cannot be read is told and left out as a whole; the rest is
converted, and the exit code says it: 1 damaged, 3 not readable, 4 not supported.

Compression: raw, gzip[:0-9], zlib[:0-9], zstd[:LEVEL], bzip2[:1-9], xz[:0-9], lz4[:BLOCK],
blosc[:blosclz|lz4|lz4hc|zlib|zstd[:0-9[:none|byte|bit]]].

Examples:
  zn5 convert tour/demo.n5 --in-place --dry-run
  zn5 convert tour/demo.n5 --in-place
  zn5 convert volume.zarr --in-place --to-n5
  zn5 convert tour/demo.n5 small.n5 --compression zstd:9 --block-size 128,128,64
  zn5 convert tour/demo.n5 demo.zarr --to-zarr")]
pub(crate) struct Args {
    /// Folder of the container, group or array
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Folder of the new container
    #[arg(value_name = "OUTPUT", required_unless_present = "in_place", conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Only add metadata of the other format beside those that are there
    #[arg(long)]
    in_place: bool,
    /// Tell what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// To N5: attributes.json
    #[arg(long, conflicts_with = "to_zarr")]
    to_n5: bool,
    /// To Zarr v3: zarr.json; what --in-place does by itself
    #[arg(long)]
    to_zarr: bool,
    /// How zarr.json describes the blocks at the edge
    #[arg(long, value_enum, default_value = "regular")]
    grid: GridName,
    /// Replace metadata that are there and differ (only with --in-place)
    #[arg(long, requires = "in_place")]
    overwrite: bool,
    /// Compression of the new container; without, each array keeps its own
    #[arg(long, value_name = "NAME[:…]", value_parser = parse_compression, conflicts_with = "in_place")]
    compression: Option<Compressor>,
    /// Block size, one number an axis in the order of the shape; without, each array keeps its own
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "in_place")]
    block_size: Option<Vec<u64>>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GridName {
    /// Whole chunks everywhere; every reader knows it
    Regular,
    /// `zarrs.regular_bounded`: cut at the end of the array
    Bounded,
    /// `rectilinear`: the size of each chunk listed
    Rectilinear,
}

impl GridName {
    fn grid(self) -> Grid {
        match self {
            Self::Regular => Grid::Regular,
            Self::Bounded => Grid::RegularBounded,
            Self::Rectilinear => Grid::Rectilinear,
        }
    }
}

#[derive(Serialize)]
struct Report {
    target: &'static str,
    dry_run: bool,
    /// Files of metadata in place, else paths of the new container.
    written: Vec<String>,
    unchanged: Vec<String>,
    refused: Vec<Refusal>,
}

#[derive(Serialize)]
struct Refusal {
    path: String,
    reason: String,
    #[serde(skip)]
    exit: Exit,
}

impl Report {
    fn refuse(&mut self, path: String, error: &Error) {
        self.refused.push(Refusal { path, reason: error.message().to_owned(), exit: Exit::of(error.kind()) });
    }

    fn exit(&self) -> Exit {
        self.refused.iter().fold(Exit::Fine, |exit, refusal| exit.worst(refusal.exit))
    }
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let report = match &args.output {
        None => in_place(args, context)?,
        Some(output) => anew(args, output, context)?,
    };
    let mut out = Out::new();
    if args.json {
        out.json(&report)?;
    } else {
        print(&mut out, &report, args)?;
    }
    out.flush()?;
    Ok(report.exit())
}

fn print(out: &mut Out, report: &Report, args: &Args) -> Result<()> {
    for refusal in &report.refused {
        out.line(format!("{}  {}: {}", out.paint(Style::Yellow, "refused"), refusal.path, refusal.reason))?;
    }
    let nothing_written = args.in_place && !report.refused.is_empty();
    if nothing_written {
        return out.line(format!(
            "nothing was written, because {} cannot be described in {}; convert a folder without it, or into a new container",
            if report.refused.len() == 1 { "one node" } else { "some nodes" },
            report.target
        ));
    }
    let verb = if report.dry_run { "would write" } else { "wrote" };
    if args.in_place {
        for path in &report.written {
            out.line(format!("{verb} {path}"))?;
        }
    }
    let unchanged = report.unchanged.len() as u64;
    if unchanged > 0 {
        out.line(format!("{} there already", counted(unchanged, "document")))?;
    }
    if !args.in_place {
        let target = args.output.as_deref().map(|output| output.display().to_string()).unwrap_or_default();
        out.line(format!("{verb} {target} ({}): {}", report.target, counted(report.written.len() as u64, "node")))?;
    } else if report.written.is_empty() && unchanged == 0 {
        out.line("nothing to convert")?;
    }
    Ok(())
}

/// One document to be written in place.
struct Document {
    key: String,
    text: String,
    /// What is there, if it is to be replaced.
    before: Option<Vec<u8>>,
}

fn in_place(args: &Args, context: Context) -> Result<Report> {
    let container = if args.dry_run { Container::open(&args.input)? } else { Container::writable(&args.input, false)? };
    let root = tree::read(&container)?;
    let to_zarr = !args.to_n5;
    let (from, to) = if to_zarr { ("attributes.json", "zarr.json") } else { ("zarr.json", "attributes.json") };
    let target = if to_zarr { "Zarr v3" } else { "N5" };
    let mut report = Report { target, dry_run: args.dry_run, written: Vec::new(), unchanged: Vec::new(), refused: Vec::new() };
    let mut documents = Vec::new();
    root.each(&mut |node| {
        interrupt::check()?;
        if let Some(error) = node.failure() {
            report.refuse(container.place(&node.path), error);
            return Ok(());
        }
        let mut read = |key: String| match read(&container, &key) {
            Ok(text) => Some(text),
            Err(error) => {
                report.refuse(container.place(&key), &error);
                None
            }
        };
        let (Some(source), Some(present)) = (read(join(&node.path, from)), read(join(&node.path, to))) else { return Ok(()) };
        let converted = match (&source, to_zarr) {
            (Some(json), true) => metadata::n5_to_zarr(json, args.grid.grid()),
            (Some(json), false) if node.path.is_empty() && !container.is_inside_n5() => root_to_n5(json, present.as_deref()),
            (Some(json), false) => metadata::zarr_to_n5(json),
            // A group of N5 needs no document, a group of Zarr does; one of Zarr version 2 has
            // another.
            (None, true) if present.is_none() => dataset::node_language(&container.store, &node.path).map(|_| IMPLICIT_GROUP.to_owned()),
            (None, _) => return Ok(()),
        };
        let key = join(&node.path, to);
        match converted {
            Err(error) => report.refuse(container.place(&join(&node.path, from)), &error),
            Ok(text) if present.as_deref() == Some(text.as_bytes()) => report.unchanged.push(container.place(&key)),
            Ok(_) if present.is_some() && !args.overwrite => {
                let message = "exists already and says something else; --overwrite replaces it";
                report.refuse(container.place(&key), &Error::new(ErrorKind::AlreadyExists, message));
            }
            Ok(text) => documents.push(Document { key, text, before: present }),
        }
        Ok(())
    })?;
    if !report.refused.is_empty() {
        return Ok(report);
    }
    if !args.dry_run {
        write_all(&container, &documents)?;
    }
    report.written = documents.iter().map(|document| container.place(&document.key)).collect();
    if !report.written.is_empty() {
        remark(
            context.quiet,
            "zn5: warning: z5 and z5py refuse folders with both attributes.json and zarr.json; n5-universe (Fiji) prefers zarr.json",
        );
    }
    Ok(report)
}

/// The attributes.json of a root, which states a version: its own, else that of the document which
/// it is to replace, else the current one.
fn root_to_n5(json: &[u8], present: Option<&[u8]>) -> std::result::Result<String, Error> {
    let text = metadata::zarr_to_n5(json)?;
    if present == Some(text.as_bytes()) {
        return Ok(text);
    }
    // What cannot be read has no version to keep.
    let version = present.and_then(|present| metadata::n5_version(present).ok().flatten());
    Ok(metadata::with_n5_version(text.as_bytes(), version.as_deref())?.unwrap_or(text))
}

fn read(container: &Container, key: &str) -> std::result::Result<Option<Vec<u8>>, Error> {
    let mut value = Vec::new();
    Ok(container.store.get(key, 0, u64::MAX, &mut value)?.then_some(value))
}

/// Writes all documents, or takes back those that were written.
fn write_all(container: &Container, documents: &[Document]) -> Result<()> {
    for (count, document) in documents.iter().enumerate() {
        let written = interrupt::check().and_then(|()| {
            let set = container.store.set(&document.key, document.text.as_bytes());
            set.map_err(|error| Failure::at(container.place(&document.key), &error))
        });
        let Err(failure) = written else { continue };
        let mut left = Vec::new();
        for document in documents.iter().take(count) {
            let undone = match &document.before {
                Some(before) => container.store.set(&document.key, before),
                None => container.store.erase(&document.key),
            };
            if undone.is_err() {
                left.push(container.place(&document.key));
            }
        }
        if left.is_empty() {
            complain("nothing was converted; what had been written was taken back");
        } else {
            complain(format!("some of what had been written could not be taken back; remove it: {}", left.join(", ")));
        }
        return Err(failure);
    }
    Ok(())
}

fn anew(args: &Args, output: &Path, context: Context) -> Result<Report> {
    let output = &*open::local(output)?;
    let input = Container::open(&args.input)?;
    let occupied = std::fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_some());
    if occupied || output.is_file() {
        return Err(Failure::Message {
            exit: Exit::Io,
            message: format!("{}: exists already and is not empty; choose another folder", output.display()),
        });
    }
    if real(&input.root).zip(real(output)).is_some_and(|(input, output)| output.starts_with(input)) {
        return Err(Failure::usage(format!("{}: lies inside the input; choose a folder outside", output.display())));
    }
    let root = tree::read(&input)?;
    let source_language = root.arrays().first().map_or(Language::N5, |(_, dataset)| dataset.language());
    let language = match (args.to_n5, args.to_zarr) {
        (true, _) => Language::N5,
        (_, true) => Language::Zarr,
        _ => source_language,
    };
    let target = if language == Language::N5 { "N5" } else { "Zarr v3" };
    let report = Report { target, dry_run: args.dry_run, written: Vec::new(), unchanged: Vec::new(), refused: Vec::new() };
    let created = if args.dry_run { None } else { Some(Container::writable(output, true)?) };
    let mut copy = Copy {
        args,
        input: &input,
        output: created.as_ref(),
        shown: output.display().to_string(),
        language,
        // A document that cannot be read is told with its node.
        version: read(&input, "attributes.json").ok().flatten().and_then(|json| metadata::n5_version(&json).ok().flatten()),
        report,
        progress: Progress::new("converting", context.quiet),
        jobs: context.jobs,
        quiet: context.quiet,
    };
    let copied = root.each(&mut |node| copy.node(node));
    if let Err(failure) = copied {
        drop(copy.progress);
        if !args.dry_run {
            complain(format!("{} is not complete; remove it", output.display()));
        }
        return Err(failure);
    }
    Ok(copy.report)
}

/// A path without links and '..', also of a folder that is still to be made.
fn real(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let (there, mut real) = path.ancestors().find_map(|above| above.canonicalize().ok().map(|real| (above, real)))?;
    for part in path.strip_prefix(there).ok()?.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            part => real.push(part),
        }
    }
    Some(real)
}

/// Why a node was not converted.
enum Trouble {
    /// It cannot be read, or not be said in the other format: it is named, and the others are
    /// converted.
    Node(Error),
    /// Its blocks cannot be read: likewise.
    Data { exit: Exit, reason: String },
    /// The new container cannot be written, or the user wants no more.
    Fatal(Failure),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Node(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Fatal(failure)
    }
}

impl Trouble {
    /// A failure of reading the array at `place`, whose message begins with that.
    fn reading(place: &str, failure: Failure) -> Self {
        match failure {
            Failure::Message { exit, message } => {
                let reason = message.strip_prefix(place).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&message);
                Self::Data { exit, reason: reason.to_owned() }
            }
            failure => Self::Fatal(failure),
        }
    }
}

/// Empties a folder.
fn remove_content(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { std::fs::remove_dir_all(entry.path())? } else { std::fs::remove_file(entry.path())? }
    }
    Ok(())
}

struct Copy<'a> {
    args: &'a Args,
    input: &'a Container,
    output: Option<&'a Container>,
    shown: String,
    language: Language,
    /// The version of N5 that the input's root states.
    version: Option<String>,
    report: Report,
    progress: Progress,
    jobs: usize,
    quiet: bool,
}

impl Copy<'_> {
    fn node(&mut self, node: &Node) -> Result<()> {
        interrupt::check()?;
        let copied = match &node.kind {
            Kind::Unsupported(error) => Err(Trouble::Node(error.clone())),
            Kind::Group => self.group(node),
            Kind::Array(dataset) => self.array(node, dataset),
        };
        let place = self.input.place(&node.path);
        match copied {
            Ok(()) if node.path.is_empty() => self.report.written.push(self.shown.clone()),
            Ok(()) => self.report.written.push(format!("{}/{}", self.shown, node.path)),
            Err(Trouble::Node(error)) => self.report.refuse(place.clone(), &error),
            Err(Trouble::Data { exit, reason }) => self.report.refused.push(Refusal { path: place.clone(), reason, exit }),
            Err(Trouble::Fatal(failure)) => return Err(failure),
        }
        if let Some(error) = node.unlisted.as_ref().filter(|_| !matches!(node.kind, Kind::Unsupported(_))) {
            self.report.refuse(place, error);
        }
        Ok(())
    }

    fn array(&mut self, node: &Node, dataset: &Dataset) -> std::result::Result<(), Trouble> {
        let document = self.document(node, dataset)?;
        let Some(output) = self.output else { return Ok(()) };
        let created = Dataset::create(Arc::clone(&output.store), &node.path, document.as_bytes(), CodecOptions::default());
        let created = created.map_err(|error| Failure::at(output.place(&node.path), &error))?;
        let copied = self.data(node, dataset, &created, output);
        if matches!(copied, Err(Trouble::Data { .. })) {
            // Half an array would pass for a whole one. Nothing else is below its folder yet.
            let folder = output.root.join(&node.path);
            let removed = if node.path.is_empty() { remove_content(&folder) } else { std::fs::remove_dir_all(&folder) };
            removed.map_err(|error| Failure::file(&folder, "remove what was written", &error))?;
        }
        copied
    }

    fn group(&self, node: &Node) -> std::result::Result<(), Trouble> {
        let attributes = dataset::get_attributes_as_json(&self.input.store, &node.path)?;
        let Some(output) = self.output else { return Ok(()) };
        let copy = || {
            if self.language == Language::N5 && node.path.is_empty() {
                dataset::ensure_n5_version(&*output.store, self.version.as_deref())?;
            }
            dataset::create_group(&output.store, &node.path, Some(self.language))?;
            dataset::set_attributes(&output.store, &node.path, attributes.as_bytes())
        };
        match copy() {
            Err(error) if Exit::of(error.kind()) == Exit::Io => Err(Failure::at(output.place(&node.path), &error).into()),
            copied => Ok(copied?),
        }
    }

    /// The new array's metadata.
    fn document(&self, node: &Node, dataset: &Dataset) -> std::result::Result<String, Error> {
        let settings = dataset.codec().settings();
        if matches!(settings.data_type, DataType::FixedUtf32 { .. }) {
            let message = "its type fixed_length_utf32 is none of N5's, nor of blocks in N5's form; copy the array as it is";
            return Err(Error::new(ErrorKind::UnsupportedDataType, message));
        }
        let kept = match &settings.chain {
            Chain::N5 { compressor } => *compressor,
            Chain::Plain { compressors, .. } => compressors.last().copied().unwrap_or(Compressor::Raw),
        };
        let chunk_shape = match &self.args.block_size {
            None => settings.chunk_shape.clone(),
            Some(size) if size.len() == settings.ndim() => size.clone(),
            Some(size) => {
                let message = format!(
                    "--block-size has {} numbers and the array {} axes; convert arrays of different ranks one by one",
                    size.len(),
                    settings.ndim()
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        };
        let new = ArraySettings {
            data_type: settings.data_type,
            chunk_shape,
            array_shape: Some(dataset.shape().to_vec()),
            // N5 has no place for another value than 0, so there what is missing becomes stored.
            fill_value: match self.language {
                Language::N5 => vec![0; settings.data_type.size()],
                Language::Zarr => settings.fill_value.clone(),
            },
            chain: Chain::N5 { compressor: self.args.compression.unwrap_or(kept) },
        };
        new.validate()?;
        let mut document = match self.language {
            Language::N5 => metadata::n5_array_document(&new)?,
            Language::Zarr => metadata::zarr_array_document(&new, self.args.grid.grid())?,
        };
        let attributes = dataset::get_attributes_as_json(&self.input.store, &node.path)?;
        document = metadata::with_user_attributes(document.as_bytes(), self.language, attributes.as_bytes())?;
        if self.language == Language::Zarr && dataset.language() == Language::Zarr {
            document = metadata::with_dimension_names(document.as_bytes(), dataset.metadata().as_bytes())?;
        }
        if self.language == Language::N5 && dataset.dimension_names().iter().any(Option::is_some) {
            let place = self.input.place(&node.path);
            let remark_text = format!("{place}: N5 has no place for dimension_names; they are left out");
            self.progress.suspend(|| remark(self.quiet, remark_text));
        }
        if self.language == Language::N5 && node.path.is_empty() && self.version.is_some() {
            document = metadata::with_n5_version(document.as_bytes(), self.version.as_deref())?.unwrap_or(document);
        }
        Ok(document)
    }

    /// Copies the elements, whole blocks of the new array at a time; of an array with the same fill
    /// value what is stored alone.
    fn data(&mut self, node: &Node, from: &Dataset, to: &Dataset, output: &Container) -> std::result::Result<(), Trouble> {
        self.progress.title(&format!("converting {}", self.input.place(&node.path)));
        let reader = Reader { dataset: from, place: self.input.place(&node.path), jobs: self.jobs };
        let (place, size, progress) = (output.place(&node.path), reader.element_size(), &mut self.progress);
        let (old, new) = (from.codec().settings(), to.codec().settings());
        // Whole new blocks, so that none is written twice, and as far as possible whole old ones.
        let cell = common_cell((&old.chunk_shape, &new.chunk_shape), &new.chunk_shape, size, BUDGET_BYTES);
        let whole = Region::whole(from.shape());
        let reading = |failure| Trouble::reading(&reader.place, failure);
        if old.fill_value != new.fill_value {
            let pieces = Pieces::of_blocks(&whole, &cell, size, BUDGET_BYTES);
            progress.expect(pieces.total().saturating_mul(2));
            for piece in pieces {
                let elements = reader.read(&piece, progress).map_err(reading)?;
                open::write(to, &place, &piece, &elements.bytes, self.jobs, progress)?;
            }
            return Ok(());
        }
        let datasets = [from];
        let mut boxes = open::touched(&datasets, &reader.place, &whole, &cell, BUDGET_BYTES).map_err(reading)?;
        progress.expect(boxes.total().saturating_mul(2));
        let mut bytes = Vec::new();
        while let Some((boxes, weight)) = boxes.batch().map_err(reading)? {
            reader.read_boxes(&boxes, &mut bytes, (progress, weight)).map_err(reading)?;
            open::write_boxes(to, &place, &boxes, &bytes, self.jobs, (progress, weight))?;
        }
        Ok(())
    }
}

/// Reads "zstd:3" and the like.
fn parse_compression(text: &str) -> std::result::Result<Compressor, String> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let allowed = if name == "blosc" { 3 } else { usize::from(name != "raw") };
    if rest.len() > allowed {
        return Err(format!("{name} takes at most {allowed} parameters"));
    }
    let number = |index: usize, default: i32, low: i32, high: i32| -> std::result::Result<i32, String> {
        let Some(part) = rest.get(index) else { return Ok(default) };
        let parsed = part.parse().ok().filter(|number| (low..=high).contains(number));
        parsed.ok_or_else(|| format!("{name} takes a whole number from {low} to {high}, not '{part}'"))
    };
    let small = |index, default, low, high| number(index, default, low, high).map(|value| u8::try_from(value).unwrap_or(0));
    Ok(match name {
        "raw" => Compressor::Raw,
        "gzip" => Compressor::Gzip { level: small(0, 6, 0, 9)?, zlib: false },
        "zlib" => Compressor::Gzip { level: small(0, 6, 0, 9)?, zlib: true },
        "bzip2" => Compressor::Bzip2 { block_size: small(0, 9, 1, 9)? },
        "xz" => Compressor::Xz { preset: small(0, 6, 0, 9)?, check: XzCheck::default() },
        "lz4" => Compressor::Lz4 { block_size: number(0, 65536, 64, 1 << 25)?.unsigned_abs() },
        "zstd" => Compressor::Zstd { level: number(0, 3, -131_072, 22)?, checksum: false },
        "blosc" => {
            let inner = match rest.first() {
                None => BloscInner::Lz4,
                Some(part) => BloscInner::ALL
                    .into_iter()
                    .find(|inner| inner.name() == *part)
                    .ok_or_else(|| format!("blosc has blosclz, lz4, lz4hc, zlib and zstd inside, not '{part}'"))?,
            };
            let shuffle = match rest.get(2) {
                None | Some(&"byte") => BloscShuffle::Byte,
                Some(&"none") => BloscShuffle::None,
                Some(&"bit") => BloscShuffle::Bit,
                Some(part) => return Err(format!("blosc shuffles none, byte or bit, not '{part}'")),
            };
            Compressor::Blosc { inner, level: small(1, 5, 0, 9)?, shuffle, block_size: 0, type_size: None }
        }
        _ => return Err(format!("'{name}' is none of raw, gzip, zlib, zstd, bzip2, xz, lz4, blosc")),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::commands::info::compressor_text;

    #[test]
    fn compressions_are_read_as_they_are_shown() {
        for text in
            ["raw", "gzip:0", "zlib:9", "bzip2:1", "xz:6", "lz4:65536", "zstd:-5", "zstd:22", "blosc:zstd:9:bit", "blosc:lz4:5:none"]
        {
            assert_eq!(compressor_text(parse_compression(text).unwrap()), text);
        }
        assert_eq!(compressor_text(parse_compression("blosc").unwrap()), "blosc:lz4:5:byte");
        assert_eq!(compressor_text(parse_compression("gzip").unwrap()), "gzip:6");
    }

    #[test]
    fn impossible_compressions_are_refused_with_the_choice() {
        assert!(parse_compression("gzip:10").unwrap_err().contains("from 0 to 9"));
        assert!(parse_compression("jpeg").unwrap_err().contains("none of raw"));
        assert!(parse_compression("raw:1").unwrap_err().contains("at most 0"));
        assert!(parse_compression("blosc:snappy").unwrap_err().contains("not 'snappy'"));
    }
}
