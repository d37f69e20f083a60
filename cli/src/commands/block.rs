//! `zn5 block`: one block file byte by byte: header, compressed stream, values, and what is wrong with it.
//!
//! The array's metadata are looked for in the folders above; without them the header and the stream still speak.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use zn5::array::Destination;
use zn5::block::{self, Header, Mode};
use zn5::codec::Codec;
use zn5::dataset::Dataset;
use zn5::error::{Error, ErrorKind};
use zn5::model::{ArraySettings, Chain, CodecOptions, Compressor, DataType, Order, byte_count, try_vec};
use zn5::store::{Directory, Options};

use crate::commands::info::chain_text;
use crate::commands::verify::kind_text;
use crate::failure::{Exit, Failure, Result};
use crate::open;
use crate::output::{Out, Style, bytes_text, counted, extents_text, position_text};
use crate::streams::{self, Field};
use crate::values::Elements;

/// Explain one block file byte by byte
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The array's attributes.json or zarr.json is looked for in the folders above. Without it
--data-type gives the values, and the first bytes tell the compression.

Examples:
  zn5 block tour/demo.n5/raw/s0/1/1/1
  zn5 block --data-type uint16 lost-block
  zn5 block --json tour/demo.n5/raw/s0/1/1/1 | jq .error")]
pub(crate) struct Args {
    /// The file of one block
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Type of the values, where no metadata tell
    #[arg(long, value_name = "TYPE", value_parser = parse_data_type)]
    data_type: Option<DataType>,
    /// Values to show
    #[arg(long, value_name = "N", default_value_t = 12)]
    values: usize,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

fn parse_data_type(text: &str) -> std::result::Result<DataType, String> {
    DataType::from_name(text).ok_or_else(|| format!("N5 has {}", DataType::N5.map(DataType::name).join(", ")))
}

#[derive(Serialize)]
struct Report {
    file: String,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<Array>,
    fields: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extents: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_bytes: Option<u64>,
    remarks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Damage>,
}

/// The array that the block belongs to.
#[derive(Serialize)]
struct Array {
    path: String,
    data_type: &'static str,
    compression: String,
    shape: Vec<u64>,
    block_size: Vec<u64>,
    /// Of the block in the grid.
    position: Vec<u64>,
}

#[derive(Serialize)]
struct Line {
    offset: u64,
    len: u64,
    hex: String,
    meaning: String,
}

#[derive(Serialize)]
struct Damage {
    kind: String,
    offset: Option<u64>,
    message: String,
    #[serde(skip)]
    exit: Exit,
}

pub(crate) fn run(args: &Args) -> Result<Exit> {
    let file = &*open::local(&args.file)?;
    if file.is_dir() {
        return Err(Failure::usage(format!("{}: is a folder; give the file of one block", file.display())));
    }
    let bytes = read(file)?;
    let home = home(file);
    let report = report(args, &bytes, home.as_ref());
    let mut out = Out::new();
    if args.json {
        out.json(&report)?;
    } else {
        print(&mut out, &report)?;
    }
    out.flush()?;
    Ok(report.error.as_ref().map_or(Exit::Fine, |damage| damage.exit))
}

/// The bytes of a file, or of whatever else has the name, that may be a block.
fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |error| Failure::file(path, "read the block", &error);
    let file = File::open(path).map_err(failed)?;
    // What is decoded without a limit of the caller's holds less than 2^31 bytes; compression that gains nothing adds a little.
    let limit = (1 << 31) + (1 << 28);
    let known_len = file.metadata().map_err(failed)?.len();
    let mut bytes = Vec::new();
    let is_longer = known_len > limit || {
        file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
        bytes.len() as u64 > limit
    };
    if is_longer {
        return Err(Failure::usage(format!(
            "{}: is longer than {limit} bytes, and this looks at blocks of less than 2^31; give the file of one block",
            path.display()
        )));
    }
    Ok(bytes)
}

/// The array around a block file, and the position that the file's path means.
struct Home {
    path: String,
    dataset: Dataset,
    position: Vec<u64>,
}

fn home(file: &Path) -> Option<Home> {
    let file = file.canonicalize().ok()?;
    let mut names = Vec::new();
    let mut here = file.as_path();
    while let (Some(parent), Some(name)) = (here.parent(), here.file_name().and_then(|name| name.to_str())) {
        names.insert(0, name.to_owned());
        here = parent;
        let Ok(directory) = Directory::open(here, Options::default()) else { break };
        let Ok(dataset) = Dataset::open(Arc::new(directory), "", CodecOptions::default()) else {
            if names.len() > 64 {
                break;
            }
            continue;
        };
        // The numbers in the names, whatever the separator; the key made of them must be the file's.
        let key = names.join("/");
        let position: Vec<u64> = key.split(['/', '.']).filter_map(|part| part.parse().ok()).collect();
        let ndim = dataset.shape().len();
        let position = if ndim == 0 { Vec::new() } else { position };
        let fits = position.len() == ndim && dataset.block_key(&position) == key;
        return fits.then(|| Home { path: here.display().to_string(), dataset, position });
    }
    None
}

fn report(args: &Args, bytes: &[u8], home: Option<&Home>) -> Report {
    let settings = home.map(|home| home.dataset.codec().settings());
    let mut report = Report {
        file: args.file.display().to_string(),
        bytes: bytes.len() as u64,
        array: home.map(|home| {
            let settings = home.dataset.codec().settings();
            Array {
                path: home.path.clone(),
                data_type: settings.data_type.name(),
                compression: chain_text(&settings.chain),
                shape: home.dataset.shape().to_vec(),
                block_size: settings.chunk_shape.clone(),
                position: home.position.clone(),
            }
        }),
        fields: Vec::new(),
        mode: None,
        extents: None,
        payload_bytes: None,
        remarks: Vec::new(),
        values: Vec::new(),
        error: None,
    };
    if home.is_none() {
        report.remarks.push("no attributes.json or zarr.json in the folders above describes an array with this block".to_owned());
    }
    if let Some(settings) = settings.filter(|settings| matches!(settings.chain, Chain::Plain { .. })) {
        report.remarks.push("a chunk of a Zarr array without 'n5_default': no header, all bytes are payload".to_owned());
        report.payload(bytes, 0);
        let shape = settings.chunk_shape.clone();
        report.decode(args, bytes, settings.clone(), &shape);
        return report;
    }
    match block::parse(bytes) {
        Err(error) => {
            report.header_bytes(bytes);
            report.damage(&error);
        }
        Ok(header) => report.block(args, bytes, &header, home),
    }
    report
}

impl Report {
    fn line(&mut self, bytes: &[u8], offset: usize, len: usize, meaning: impl Into<String>) {
        const SHOWN: usize = 12;
        let part = bytes.get(offset..).unwrap_or_default();
        let part = part.get(..len).unwrap_or(part);
        let mut hex: Vec<String> = part.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
        if part.len() > SHOWN {
            hex.push("…".to_owned());
        }
        self.fields.push(Line { offset: offset as u64, len: part.len() as u64, hex: hex.join(" "), meaning: meaning.into() });
    }

    /// Of a block without a readable header: the bytes that are there.
    fn header_bytes(&mut self, bytes: &[u8]) {
        if bytes.len() >= 2 {
            self.line(bytes, 0, 2, format!("mode {}", u16::from_be_bytes([byte(bytes, 0), byte(bytes, 1)])));
        }
        if bytes.len() >= 4 {
            let ndim = u16::from_be_bytes([byte(bytes, 2), byte(bytes, 3)]);
            self.line(bytes, 2, 2, counted(ndim, "dimension"));
            for (axis, part) in bytes.get(4..).unwrap_or_default().chunks_exact(4).take(usize::from(ndim)).enumerate() {
                let extent = part.first_chunk().map_or(0, |part| u32::from_be_bytes(*part));
                self.line(bytes, 4 + 4 * axis, 4, format!("extent of axis {axis}: {extent}"));
            }
        }
    }

    fn block(&mut self, args: &Args, bytes: &[u8], header: &Header<'_>, home: Option<&Home>) {
        let mode = header.mode();
        let meaning = match mode {
            Mode::Default => "an array of the extents that follow",
            Mode::Varlength => "a number of elements that the extents do not tell",
            Mode::Object => "serialised objects",
        };
        self.mode = Some(mode.name());
        self.line(bytes, 0, 2, format!("mode {} ({}): {meaning}", mode.number(), mode.name()));
        if mode == Mode::Object {
            self.line(bytes, 2, 4, format!("{} bytes of objects", header.element_count().unwrap_or(0)));
        } else {
            self.line(bytes, 2, 2, counted(u64::try_from(header.ndim()).unwrap_or(0), "dimension"));
            for (axis, extent) in header.extents().enumerate() {
                self.line(bytes, 4 + 4 * axis, 4, format!("extent of axis {axis}: {extent}"));
            }
            if mode == Mode::Varlength {
                self.line(bytes, header.len() - 4, 4, counted(header.element_count().unwrap_or(0), "element"));
            }
        }
        let extents: Vec<u64> = header.extents().collect();
        self.extents = Some(extents.clone());
        let payload = bytes.get(header.len()..).unwrap_or_default();
        let settings = home.map(|home| home.dataset.codec().settings().clone()).or_else(|| guessed(args, payload, &extents));
        let is_raw = settings.as_ref().is_none_or(|settings| settings.chain == Chain::N5 { compressor: Compressor::Raw });
        self.payload_bytes = Some(payload.len() as u64);
        if is_raw {
            self.line(bytes, header.len(), payload.len(), "payload: values, big-endian, first axis fastest");
        } else {
            self.payload(bytes, header.len());
        }
        if let Some(home) = home {
            self.place(home, &extents);
        }
        if mode != Mode::Default {
            let message = format!(
                "the block has mode {} ({}); zn5 decodes mode 0 (default): read such a dataset with the program that wrote it",
                mode.number(),
                mode.name()
            );
            self.damage(&Error::new(ErrorKind::UnsupportedBlockMode, message).at(0));
            return;
        }
        match settings {
            Some(mut settings) => {
                if home.is_none() {
                    let compression = chain_text(&settings.chain);
                    self.remarks.push(format!("taken for {}, {compression}", settings.data_type.name()));
                }
                // The block as it is stored, whatever the array's block size is.
                if extents.iter().all(|&extent| extent > 0) && extents.len() == settings.ndim() {
                    settings.chunk_shape.clone_from(&extents);
                }
                self.decode(args, bytes, settings, &extents);
            }
            None => self.remarks.push("give --data-type to see the values".to_owned()),
        }
    }

    /// Where the block lies in its array.
    fn place(&mut self, home: &Home, extents: &[u64]) {
        let settings = home.dataset.codec().settings();
        let chunk = &settings.chunk_shape;
        let begin: Vec<u64> = home.position.iter().zip(chunk).map(|(at, chunk)| at.saturating_mul(*chunk)).collect();
        let shape = home.dataset.shape();
        let inside: Vec<u64> =
            begin.iter().zip(chunk).zip(shape).map(|((&begin, &chunk), &shape)| shape.saturating_sub(begin).min(chunk)).collect();
        let edge = if inside.contains(&0) {
            "the block lies outside the array".to_owned()
        } else if inside == *chunk {
            String::new()
        } else if extents == inside {
            format!("at the edge, truncated to {}", extents_text(&inside))
        } else if extents == chunk {
            format!("at the edge, padded: {} of it lie inside the array", extents_text(&inside))
        } else {
            "at the edge".to_owned()
        };
        let edge = if edge.is_empty() { edge } else { format!("; {edge}") };
        self.remarks.push(format!(
            "block {} of the grid {} begins at voxel {}{edge}",
            position_text(&home.position),
            extents_text(&home.dataset.block_grid()),
            position_text(&begin)
        ));
        if inside == *chunk && extents != chunk {
            self.remarks.push(format!(
                "its extents {} differ from the array's block size {}; readers crop and pad",
                extents_text(extents),
                extents_text(chunk)
            ));
        }
    }

    /// The fields of the compressed stream.
    fn payload(&mut self, bytes: &[u8], at: usize) {
        let payload = bytes.get(at..).unwrap_or_default();
        let (name, fields) = streams::explain(payload);
        if fields.is_empty() {
            let what = if payload.is_empty() { "no payload" } else { "payload: no known stream begins so" };
            self.line(bytes, at, payload.len(), what);
        }
        for (index, Field { offset, len, meaning }) in fields.into_iter().enumerate() {
            let meaning = match (index, name) {
                (0, Some(name)) => format!("payload, {name}: {meaning}"),
                _ => meaning,
            };
            self.line(bytes, at + offset, len, meaning);
        }
    }

    fn decode(&mut self, args: &Args, bytes: &[u8], settings: ArraySettings, shape: &[u64]) {
        let data_type = settings.data_type;
        let size = data_type.size();
        let count = byte_count(shape.iter().copied(), size).unwrap_or(u64::MAX);
        let decoded = Codec::new(settings, CodecOptions { order: Order::F, ..CodecOptions::default() }).and_then(|codec| {
            // Before memory is taken for it: a box without elements is checked like any other.
            let zeros = vec![0; shape.len()];
            let mut none = Vec::new();
            if !shape.is_empty() {
                codec.decode(bytes, shape, &zeros, Destination::over(&mut none, &zeros, size, Order::F)?, true)?;
            }
            let len = usize::try_from(count).ok().filter(|&len| len <= 1 << 31).ok_or_else(|| {
                Error::new(ErrorKind::LimitExceeded, format!("the extents ask for {}; the header is damaged", bytes_text(count)))
            })?;
            let mut elements = try_vec(len)?;
            elements.resize(len, 0);
            codec.decode(bytes, shape, &zeros, Destination::over(&mut elements, shape, size, Order::F)?, true)?;
            Ok(elements)
        });
        match decoded {
            Err(error) => self.damage(&error),
            Ok(elements) => {
                self.remarks.push(format!(
                    "decodes to {} of {}: {}",
                    counted(elements.len() as u64 / size.max(1) as u64, "value"),
                    data_type.name(),
                    bytes_text(elements.len() as u64)
                ));
                let elements = Elements { data_type, bytes: elements };
                self.values = elements.texts().take(args.values).collect();
            }
        }
    }

    fn damage(&mut self, error: &Error) {
        let exit = Exit::of(error.kind());
        self.error = Some(Damage { kind: kind_text(error.kind()), offset: error.offset(), message: error.message().to_owned(), exit });
    }
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Settings for a block without metadata: the type from the command line, the compression from the first bytes.
fn guessed(args: &Args, payload: &[u8], extents: &[u64]) -> Option<ArraySettings> {
    let data_type = args.data_type?;
    let plain = byte_count(extents.iter().copied(), data_type.size()) == Some(payload.len() as u64);
    let compressor = match streams::explain(payload).0 {
        _ if plain => Compressor::Raw,
        Some("gzip") => Compressor::Gzip { level: 6, zlib: false },
        Some("zlib") => Compressor::Gzip { level: 6, zlib: true },
        Some("zstd") => Compressor::Zstd { level: 3, checksum: false },
        Some("xz") => Compressor::Xz { preset: 6, check: zn5::model::XzCheck::default() },
        Some("bzip2") => Compressor::Bzip2 { block_size: 9 },
        Some("lz4" | "lz4 frame") => Compressor::Lz4 { block_size: 65536 },
        Some("blosc") => Compressor::Blosc {
            inner: zn5::model::BloscInner::BloscLz,
            level: 5,
            shuffle: zn5::model::BloscShuffle::None,
            block_size: 0,
            type_size: None,
        },
        _ => Compressor::Raw,
    };
    let chunk_shape = extents.iter().map(|&extent| extent.max(1)).collect();
    let fill_value = vec![0; data_type.size()];
    Some(ArraySettings { data_type, chunk_shape, array_shape: None, fill_value, chain: Chain::N5 { compressor } })
}

fn print(out: &mut Out, report: &Report) -> Result<()> {
    out.line(format!("{}  {}", out.paint(Style::Bold, &report.file), counted(report.bytes, "byte")))?;
    if let Some(array) = &report.array {
        out.line(format!(
            "of the array {}: {}, {}, blocks {}, {}",
            array.path,
            array.data_type,
            extents_text(&array.shape),
            extents_text(&array.block_size),
            array.compression
        ))?;
    }
    out.line("")?;
    let mut rows = vec![["offset", "length", "bytes", "meaning"].map(|title| out.paint(Style::Dim, title)).to_vec()];
    for line in &report.fields {
        rows.push(vec![line.offset.to_string(), line.len.to_string(), line.hex.clone(), line.meaning.clone()]);
    }
    out.columns(&rows, &[0, 1])?;
    out.line("")?;
    for remark in &report.remarks {
        out.line(remark)?;
    }
    if !report.values.is_empty() {
        let more = if report.extents.as_ref().is_some_and(|extents| extents.iter().product::<u64>() > report.values.len() as u64) {
            " …"
        } else {
            ""
        };
        out.line(format!("values, first axis fastest: {}{more}", report.values.join(" ")))?;
    }
    match &report.error {
        None => Ok(()),
        Some(damage) => {
            let at = damage.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
            out.line(format!("{}{at}: {}", out.paint(Style::Red, &damage.kind), damage.message))
        }
    }
}
