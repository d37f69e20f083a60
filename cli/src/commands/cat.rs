//! `zn5 cat`: the elements of a region as bytes, as a NumPy file, as CSV, or as text to read.
//!
//! Bytes and lines come with the first axis fastest; text to read has x to the right and y down, as pictures have. A region of any
//! size needs bounded memory.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use zn5::image::{self, numpy_order};
use zn5::metadata::Language;
use zn5::model::{DataType, Endian};

use crate::Context;
use crate::failure::{Exit, Result};
use crate::open::{self, Container, Reader};
use crate::output::{extents_text, remark, tuple_text};
use crate::outputs::Output;
use crate::progress::Progress;
use crate::regions::{BUDGET_BYTES, Pieces, Region};
use crate::values::Elements;

/// Print the values of a region: raw bytes, .npy, CSV or text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A region has one part per axis in the order of the shape: 'begin:end', ':' for all, or one index; negative
numbers count from the end. Bytes always come with the first axis fastest. An .npy file says so in
its header: its shape is the array's, in Fortran order. With --axes numpy the shape is what Python's
programs show: that of a Zarr array as it is, that of N5 reversed (C order), over the same bytes.
Text has x to the right and y down where the metadata name the axes.

Examples:
  zn5 cat tour/demo.n5/raw/s0 --region 100:110,80:85,40        text on a terminal
  zn5 cat tour/demo.n5/raw/s0 -o s0.npy                        for numpy.load: axes x, y, z
  zn5 cat tour/demo.n5/raw/s0 --axes numpy -o s0.npy           the same, axes z, y, x
  zn5 cat tour/demo.n5/labels/s2 --format csv | head
  zn5 cat tour/demo.n5/raw/s0 --format raw --endian big > s0.raw")]
pub(crate) struct Args {
    /// Folder of an array
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Part of the array, in the order of its shape; all of it without
    #[arg(short, long, value_name = "A:B,C:D,…", allow_hyphen_values = true)]
    region: Option<String>,
    /// How values are written; by default what the output's name says, text for a terminal, else raw
    #[arg(short, long, value_enum)]
    format: Option<Format>,
    /// Order of the axes that an .npy file tells
    #[arg(long, value_enum, default_value = "n5")]
    axes: Axes,
    /// Order of the bytes in raw and .npy
    #[arg(long, value_enum, default_value = "little")]
    endian: ByteOrder,
    /// File to write, complete or not at all, instead of standard output; '-' is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The bytes alone
    Raw,
    /// A file for numpy.load
    Npy,
    /// One line per element: position in the order of the shape, value
    Csv,
    /// Rows to read: x goes right and y down
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Axes {
    /// As the array has them
    N5,
    /// As NumPy counts them: reversed for N5, the same for Zarr
    Numpy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ByteOrder {
    Little,
    Big,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let output = output(args).map(open::local).transpose()?;
    let output = output.as_deref();
    let container = Container::open(&args.path)?;
    let dataset = container.array()?;
    let region = Region::given(args.region.as_deref(), dataset.shape())?;
    let format = format(args);
    let reader = Reader { dataset: &dataset, place: container.shown.clone(), jobs: context.jobs };
    let size = reader.element_size();
    let axes = container.axes("", &dataset);
    let turn = if format == Format::Text { Turn::to_read(&axes) } else { Turn::none(region.extent.len()) };
    let chunk = turn.apply(&dataset.codec().settings().chunk_shape);
    let pieces = Pieces::in_sequence(&turn.region(&region), &chunk, size, BUDGET_BYTES);
    let quiet = context.quiet || output.is_none();
    let mut progress = Progress::new("reading", quiet);
    progress.expect(pieces.total());

    let mut out = Output::open(output)?;
    let data_type = dataset.codec().settings().data_type;
    if format == Format::Npy {
        let header = npy_header(data_type, &region.extent, shown(args.axes, dataset.language()), args.endian);
        out.write_all(&header).map_err(|error| out.failed(error))?;
    }
    if format == Format::Csv {
        writeln!(out, "{}value", column_names(&axes).concat()).map_err(|error| out.failed(error))?;
    }
    let mut rows = Rows::new(turn.region(&region), &turn);
    for piece in pieces {
        let stored = turn.back(&piece);
        let elements = turn.elements(reader.read(&stored, &mut progress)?, &stored.extent);
        match format {
            Format::Raw | Format::Npy => out.write_all(&in_byte_order(elements, args.endian)),
            Format::Csv => write_csv(&mut out.printed(), &piece, &elements),
            Format::Text => rows.write(&mut out.printed(), &elements),
        }
        .map_err(|error| out.failed(error))?;
    }
    out.finish()?;
    if format == Format::Raw && output.is_some() {
        let numpy = numpy_order(dataset.language(), &region.extent);
        let reshape = match dataset.language() {
            Language::N5 => tuple_text(&numpy),
            Language::Zarr => format!("({}, order='F')", tuple_text(&numpy)),
        };
        remark(
            context.quiet,
            format!(
                "{}: {} elements of {}, first axis fastest; numpy.fromfile(…).reshape{reshape}",
                container.shown,
                extents_text(&region.extent),
                data_type.name()
            ),
        );
    }
    Ok(Exit::Fine)
}

/// The file to write; `None` is standard output.
fn output(args: &Args) -> Option<&Path> {
    args.output.as_deref().filter(|path| path.as_os_str() != "-")
}

fn format(args: &Args) -> Format {
    let output = output(args);
    if let Some(format) = args.format {
        return format;
    }
    let extension = output.and_then(|path| path.extension()).and_then(|extension| extension.to_str());
    match extension {
        Some("npy") => Format::Npy,
        Some("csv") => Format::Csv,
        Some("txt") => Format::Text,
        None if output.is_none() && std::io::stdout().is_terminal() => Format::Text,
        _ => Format::Raw,
    }
}

/// The bytes of elements in the order asked for.
fn in_byte_order(elements: Elements, order: ByteOrder) -> Vec<u8> {
    let unit = elements.data_type.unit_size();
    let mut bytes = elements.bytes;
    let native = if Endian::NATIVE == Endian::Little { ByteOrder::Little } else { ByteOrder::Big };
    if order != native && unit > 1 {
        bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
    bytes
}

/// The order in which a .npy file tells the axes. NumPy counts those of a Zarr array as Zarr does.
fn shown(axes: Axes, language: Language) -> Axes {
    if language == Language::Zarr { Axes::N5 } else { axes }
}

/// The heads of the columns of positions: the axes' names where all have one of their own, else d0, d1 and so on.
fn column_names(axes: &image::Axes) -> Vec<String> {
    let plain = |name: &&str| !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_');
    let names: Vec<&str> = axes.axes.iter().filter_map(|axis| axis.name.as_deref()).filter(plain).collect();
    let all = names.len() == axes.axes.len() && (1..names.len()).all(|at| !names.iter().take(at).any(|name| Some(name) == names.get(at)));
    (0..axes.axes.len()).map(|axis| if all { format!("{},", names.get(axis).unwrap_or(&"")) } else { format!("d{axis},") }).collect()
}

/// Another order of the axes, for reading.
struct Turn {
    /// For each axis of the turned array the axis of the stored one.
    order: Vec<usize>,
}

impl Turn {
    /// The axes as they are.
    fn none(ndim: usize) -> Self {
        Self { order: (0..ndim).collect() }
    }

    /// First the axis that goes right, then the one that goes down, then the others.
    fn to_read(axes: &image::Axes) -> Self {
        let plane = axes.plane();
        let first: Vec<usize> = plane.right.into_iter().chain(plane.down).collect();
        let rest = (0..axes.axes.len()).filter(|axis| !first.contains(axis));
        Self { order: first.iter().copied().chain(rest).collect() }
    }

    fn apply<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.order.iter().filter_map(|&axis| values.get(axis).copied()).collect()
    }

    fn region(&self, region: &Region) -> Region {
        Region { offset: self.apply(&region.offset), extent: self.apply(&region.extent) }
    }

    /// The region of the stored array that a region of the turned one is.
    fn back(&self, region: &Region) -> Region {
        let mut back = region.clone();
        for (&axis, (&offset, &extent)) in self.order.iter().zip(region.offset.iter().zip(&region.extent)) {
            if let (Some(offset_slot), Some(extent_slot)) = (back.offset.get_mut(axis), back.extent.get_mut(axis)) {
                (*offset_slot, *extent_slot) = (offset, extent);
            }
        }
        back
    }

    /// Elements of a stored region with `extent`, in the turned order.
    fn elements(&self, elements: Elements, extent: &[u64]) -> Elements {
        if self.order.is_sorted() {
            return elements;
        }
        let size = elements.data_type.size();
        let mut steps = Vec::new();
        let mut step = size;
        for &extent in extent {
            steps.push(step);
            step = step.saturating_mul(usize::try_from(extent).unwrap_or(usize::MAX));
        }
        let axes: Vec<(u64, usize)> = self.apply(extent).into_iter().zip(self.apply(&steps)).collect();
        let mut position = vec![0; axes.len()];
        let mut bytes = Vec::with_capacity(elements.bytes.len());
        let mut at = 0;
        while bytes.len() < elements.bytes.len() {
            bytes.extend_from_slice(elements.bytes.get(at..at + size).unwrap_or_default());
            for (count, &(extent, step)) in position.iter_mut().zip(&axes) {
                *count += 1;
                at += step;
                if *count < extent {
                    break;
                }
                at -= step * usize::try_from(extent).unwrap_or(0);
                *count = 0;
            }
        }
        Elements { data_type: elements.data_type, bytes }
    }
}

/// The header of a .npy file, version 1.0.
fn npy_header(data_type: DataType, extent: &[u64], axes: Axes, order: ByteOrder) -> Vec<u8> {
    let (kind, size) = match data_type {
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => ('u', data_type.size()),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => ('i', data_type.size()),
        DataType::Float32 | DataType::Float64 => ('f', data_type.size()),
        DataType::FixedUtf32 { length_bytes } => ('U', length_bytes / 4),
    };
    let order = match order {
        _ if data_type.unit_size() == 1 => '|',
        ByteOrder::Little => '<',
        ByteOrder::Big => '>',
    };
    let (shape, fortran) = match axes {
        Axes::N5 => (tuple_text(extent), "True"),
        Axes::Numpy => (tuple_text(&numpy_order(Language::N5, extent)), "False"),
    };
    let mut dictionary = format!("{{'descr': '{order}{kind}{size}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    // The header as a whole is a multiple of 64 bytes and ends with a line feed.
    while (10 + dictionary.len() + 1) % 64 != 0 {
        dictionary.push(' ');
    }
    dictionary.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(u16::try_from(dictionary.len()).unwrap_or(u16::MAX).to_le_bytes());
    header.extend(dictionary.bytes());
    header
}

fn write_csv(out: &mut impl Write, piece: &Region, elements: &Elements) -> std::io::Result<()> {
    let mut position = piece.offset.clone();
    for text in elements.texts() {
        for at in &position {
            write!(out, "{at},")?;
        }
        writeln!(out, "{text}")?;
        advance(&mut position, piece);
    }
    Ok(())
}

/// The next position in a region, first axis fastest.
fn advance(position: &mut [u64], region: &Region) {
    for (at, (&begin, &extent)) in position.iter_mut().zip(region.offset.iter().zip(&region.extent)) {
        *at += 1;
        if *at < begin.saturating_add(extent) {
            return;
        }
        *at = begin;
    }
}

/// Writes elements as rows, with a line before each slice of more than two axes: the region that it is.
struct Rows<'a> {
    region: Region,
    position: Vec<u64>,
    turn: &'a Turn,
}

impl<'a> Rows<'a> {
    fn new(region: Region, turn: &'a Turn) -> Self {
        Self { position: region.offset.clone(), region, turn }
    }

    fn write(&mut self, out: &mut impl Write, elements: &Elements) -> std::io::Result<()> {
        let begins = |position: &[u64], axes: usize| position.iter().zip(&self.region.offset).take(axes).all(|(at, begin)| at == begin);
        let mut position = self.position.clone();
        for text in elements.texts() {
            if begins(&position, 1) {
                if position.len() > 2 && begins(&position, 2) {
                    writeln!(out, "# {}", self.slice(&position))?;
                }
            } else {
                write!(out, "\t")?;
            }
            write!(out, "{text}")?;
            advance(&mut position, &self.region);
            if begins(&position, 1) {
                writeln!(out)?;
            }
        }
        self.position = position;
        Ok(())
    }

    /// The slice at a position, as `--region` takes it.
    fn slice(&self, position: &[u64]) -> String {
        let mut parts = vec![String::from(":"); position.len()];
        for (&axis, at) in self.turn.order.iter().zip(position).skip(2) {
            if let Some(part) = parts.get_mut(axis) {
                *part = at.to_string();
            }
        }
        parts.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numpy_header_tells_type_order_and_shape() {
        let header = npy_header(DataType::UInt16, &[3, 2], Axes::N5, ByteOrder::Little);
        assert_eq!(header.len() % 64, 0);
        assert_eq!(header.last(), Some(&b'\n'));
        let text = String::from_utf8_lossy(&header).into_owned();
        assert!(text.contains("'descr': '<u2', 'fortran_order': True, 'shape': (3, 2), }"), "{text}");
        let text = String::from_utf8_lossy(&npy_header(DataType::UInt8, &[3], Axes::Numpy, ByteOrder::Big)).into_owned();
        assert!(text.contains("'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"), "{text}");
        let text =
            String::from_utf8_lossy(&npy_header(DataType::FixedUtf32 { length_bytes: 48 }, &[], Axes::N5, ByteOrder::Big)).into_owned();
        assert!(text.contains("'descr': '>U12'") && text.contains("'shape': ()"), "{text}");
    }
}
