//! `zn5 cat`: the elements of a region as bytes, as a NumPy file, as CSV, or as text to read.
//!
//! Elements come with the first axis of N5 fastest, in every format; a region of any size needs bounded memory.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use zn5::model::{DataType, Endian};

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::open::{Container, Reader};
use crate::output::{Out, extents_text, remark, reversed, tuple_text};
use crate::progress::Progress;
use crate::regions::{BUDGET_BYTES, Pieces, Region};
use crate::values::Elements;

/// Print the values of a region: raw bytes, .npy, CSV or text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A region has one part per axis in N5 order: 'begin:end', ':' for all, or one index; negative
numbers count from the end. Bytes always come with N5's first axis fastest. An .npy file says so
in its header: --axes n5 gives the shape in N5 order (Fortran order), --axes numpy the reversed
shape (C order), over the same bytes.

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
    /// Part of the array, in N5 order; all of it without
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
    /// File to write instead of standard output; '-' is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The bytes alone
    Raw,
    /// A file for numpy.load
    Npy,
    /// One line per element: position in N5 order, value
    Csv,
    /// Rows to read: the first axis goes right, the second down
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Axes {
    /// As the array has them
    N5,
    /// Reversed
    Numpy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ByteOrder {
    Little,
    Big,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let output = output(args);
    let container = Container::open(&args.path)?;
    let dataset = container.array()?;
    let region = Region::given(args.region.as_deref(), dataset.shape())?;
    let format = format(args);
    let reader = Reader { dataset: &dataset, place: container.shown.clone(), jobs: context.jobs };
    let size = reader.element_size();
    let pieces = Pieces::in_sequence(&region, &dataset.codec().settings().chunk_shape, size, BUDGET_BYTES);
    let quiet = context.quiet || output.is_none();
    let mut progress = Progress::new("reading", quiet);
    progress.expect(pieces.total());

    let mut out: Box<dyn Write> = match output {
        None => Box::new(Out::new()),
        Some(path) => Box::new(BufWriter::new(File::create(path).map_err(|error| Failure::file(path, "make the file", &error))?)),
    };
    let failed = |error: std::io::Error| match output {
        None => Failure::from(error),
        Some(path) => Failure::file(path, "write", &error),
    };
    let data_type = dataset.codec().settings().data_type;
    if format == Format::Npy {
        out.write_all(&npy_header(data_type, &region.extent, args.axes, args.endian)).map_err(failed)?;
    }
    if format == Format::Csv {
        let names: Vec<String> = (0..region.extent.len()).map(|axis| format!("d{axis},")).collect();
        writeln!(out, "{}value", names.concat()).map_err(failed)?;
    }
    let mut rows = Rows::new(&region);
    for piece in pieces {
        let elements = reader.read(&piece, &mut progress)?;
        match format {
            Format::Raw | Format::Npy => out.write_all(&in_byte_order(elements, args.endian)),
            Format::Csv => write_csv(&mut out, &piece, &elements),
            Format::Text => rows.write(&mut out, &elements),
        }
        .map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    if format == Format::Raw && output.is_some() {
        let (n5, numpy) = (extents_text(&region.extent), tuple_text(&reversed(&region.extent)));
        remark(
            context.quiet,
            format!(
                "{}: {n5} elements of {} in N5 order, first axis fastest; numpy.fromfile(…).reshape{numpy}",
                container.shown,
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
        Axes::Numpy => (tuple_text(&reversed(extent)), "False"),
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

/// Writes elements as rows, with a line before each slice of more than two axes.
struct Rows {
    region: Region,
    position: Vec<u64>,
}

impl Rows {
    fn new(region: &Region) -> Self {
        Self { region: region.clone(), position: region.offset.clone() }
    }

    fn write(&mut self, out: &mut impl Write, elements: &Elements) -> std::io::Result<()> {
        let begins = |position: &[u64], axes: usize| position.iter().zip(&self.region.offset).take(axes).all(|(at, begin)| at == begin);
        let mut position = self.position.clone();
        for text in elements.texts() {
            if begins(&position, 1) {
                if position.len() > 2 && begins(&position, 2) {
                    let rest: Vec<String> = position.iter().skip(2).map(|at| format!(",{at}")).collect();
                    writeln!(out, "# :,:{}", rest.concat())?;
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
