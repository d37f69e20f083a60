//! `zn5 demo`: writes a synthetic microscopy volume to try everything on, and tells what to type next.
//!
//! The container has pictures and labels at three scales, blocks that do not divide the size, and absent blocks.

use std::path::PathBuf;
use std::sync::Arc;

use zn5::dataset::{self, Dataset};
use zn5::error::Error;
use zn5::metadata::{Language, n5_array_document};
use zn5::model::{ArraySettings, Chain, CodecOptions, Compressor, DataType};
use zn5::store::{Directory, Options, Store};

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::open;
use crate::output::{Out, Style, extents_text, is_harmless};
use crate::outputs::{NewFolder, Output};
use crate::progress::Progress;
use crate::regions::Region;
use crate::render::{self, Contrast, Plane};
use crate::synthetic::{self, Volume};

/// Write a small synthetic microscopy volume and tell what to try on it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
FOLDER/demo.n5 gets raw (uint8) and labels (uint16), each at three scales s0, s1, s2, with pixel
sizes as n5-viewer and neuroglancer know them. The blocks do not divide the size, and those
outside the field of view are absent.

Examples:
  zn5 demo tour
  zn5 demo --size 64,48,20 small     a smaller one, for tests")]
pub(crate) struct Args {
    /// Folder for demo.n5 and demo.png; it is made if it is missing
    #[arg(value_name = "FOLDER", default_value = "tour")]
    folder: PathBuf,
    /// Voxels along x, y and z
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', default_values_t = [250, 200, 90])]
    size: Vec<usize>,
    /// Block size along x, y and z
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', default_values_t = [64, 64, 32])]
    block_size: Vec<u64>,
    /// Another number makes other cells
    #[arg(long, default_value_t = 5)]
    seed: u64,
    /// Replace FOLDER/demo.n5 if it is there
    #[arg(long)]
    overwrite: bool,
}

/// Scales of the pyramid.
const LEVELS: usize = 3;

/// Micrometres from voxel to voxel at the finest scale.
const PIXEL_SIZE: [f64; 3] = [0.2, 0.2, 0.5];

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let &[width, height, depth] = args.size.as_slice() else { return Err(Failure::usage("--size needs three numbers")) };
    let voxels = [width, height, depth].iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent));
    if !voxels.is_some_and(|voxels| (1..=1 << 30).contains(&voxels)) {
        return Err(Failure::usage(format!("--size {width},{height},{depth}: give 1 to 2^30 voxels")));
    }
    let folder = open::local(&args.folder)?;
    let container = folder.join("demo.n5");
    if container.exists() {
        if !args.overwrite {
            return Err(Failure::Message {
                exit: Exit::Io,
                message: format!("{}: exists already; choose another folder, or replace it with --overwrite", container.display()),
            });
        }
        // Only what this command once made is removed, never a folder of somebody's data.
        if !container.join("raw/s0/attributes.json").is_file() || !container.join("labels/s0/attributes.json").is_file() {
            return Err(Failure::usage(format!("{}: was not made by this command; remove it yourself", container.display())));
        }
    }
    let new = NewFolder::begin(&folder).map_err(|error| Failure::file(&folder, "make a folder in it", &error))?;
    let mut progress = Progress::new("growing cells", context.quiet);
    progress.expect(2 * LEVELS as u64 + 1);
    let mut volume = synthetic::volume([width, height, depth], args.seed);
    progress.call_done();
    let store = Directory::open(new.path(), Options { write: true, create: false });
    let store: Arc<dyn Store> = Arc::new(store.map_err(|error| Failure::at(container.display(), &error))?);
    let failed = |error: Error| Failure::at(container.display(), &error);
    for group in ["", "raw", "labels"] {
        dataset::create_group(&store, group, Some(Language::N5)).map_err(failed)?;
    }
    let [x, y, z] = PIXEL_SIZE;
    for group in ["raw", "labels"] {
        let attributes = format!(r#"{{"axes":["x","y","z"],"units":["um","um","um"],"resolution":[{x},{y},{z}]}}"#);
        dataset::set_attributes(&store, group, attributes.as_bytes()).map_err(failed)?;
    }
    let picture = slice(&volume);
    for level in 0..LEVELS {
        if level > 0 {
            volume = volume.halved();
        }
        progress.title("writing");
        let labels: Vec<u8> = volume.labels.iter().flat_map(|label| label.to_ne_bytes()).collect();
        for (group, data_type, bytes) in [("raw", DataType::UInt8, &volume.raw), ("labels", DataType::UInt16, &labels)] {
            interrupt::check()?;
            write(&store, &container, args, (group, level), data_type, volume.size, bytes, context, &mut progress)?;
        }
    }
    drop(progress);
    drop(store);
    new.finish(&container).map_err(|error| Failure::file(&container, "put the new demo there", &error))?;
    let png = folder.join("demo.png");
    let mut output = Output::open(Some(&png))?;
    render::write_png(&picture, &mut output)?;
    output.finish()?;
    print(args, &container, &png)?;
    Ok(Exit::Fine)
}

/// The slice in the middle, as `zn5 view` shows it.
fn slice(volume: &Volume) -> render::Picture {
    let [width, height, depth] = volume.size;
    let begin = depth / 2 * width * height;
    let values = volume.raw.iter().skip(begin).take(width * height).map(|&value| f64::from(value)).collect();
    render::picture(&Plane::Grey(values), width, height, Contrast::Percentiles(0.5, 99.5))
}

#[allow(clippy::too_many_arguments)] // One call.
fn write(
    store: &Arc<dyn Store>,
    container: &std::path::Path,
    args: &Args,
    (group, level): (&str, usize),
    data_type: DataType,
    size: [usize; 3],
    bytes: &[u8],
    context: Context,
    progress: &mut Progress,
) -> Result<()> {
    let path = format!("{group}/s{level}");
    let place = container.join(&path).display().to_string();
    let failed = |error: Error| Failure::at(&place, &error);
    let compressor =
        if group == "raw" { Compressor::Gzip { level: 6, zlib: false } } else { Compressor::Zstd { level: 3, checksum: false } };
    let shape = size.map(|extent| extent as u64).to_vec();
    let settings = ArraySettings {
        data_type,
        chunk_shape: args.block_size.clone(),
        array_shape: Some(shape.clone()),
        fill_value: vec![0; data_type.size()],
        chain: Chain::N5 { compressor },
    };
    let document = n5_array_document(&settings).map_err(failed)?;
    let array = Dataset::create(Arc::clone(store), &path, document.as_bytes(), CodecOptions::default()).map_err(failed)?;
    let factor = 1_u32 << level;
    let [x, y, z] = PIXEL_SIZE;
    let attributes =
        format!(r#"{{"pixelResolution":{{"unit":"um","dimensions":[{x},{y},{z}]}},"downsamplingFactors":[{factor},{factor},{factor}]}}"#);
    dataset::set_attributes(store, &path, attributes.as_bytes()).map_err(failed)?;
    open::write(&array, &place, &Region::whole(&shape), bytes, context.jobs, progress)
}

/// A path as a shell takes it; one that would steer the terminal with escapes, which most shells
/// know.
fn for_shell(path: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:\\".contains(character);
    if path.chars().all(is_plain) {
        return path.to_owned();
    }
    if is_harmless(path) {
        return format!("'{}'", path.replace('\'', "'\\''"));
    }
    let mut text = String::from("$'");
    for character in path.chars() {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer);
        match character {
            '\'' | '\\' => text.extend(['\\', character]),
            _ if is_harmless(bytes) => text.push(character),
            _ => text.extend(bytes.bytes().map(|byte| format!("\\x{byte:02x}"))),
        }
    }
    text.push('\'');
    text
}

fn print(args: &Args, container: &std::path::Path, png: &std::path::Path) -> Result<()> {
    let mut out = Out::new();
    let title = out.paint(Style::Bold, container.display());
    let here = for_shell(&container.display().to_string());
    out.line(format!("made {title}: {} voxels, raw and labels at {LEVELS} scales", extents_text(&args.size)))?;
    out.line(format!("made {}: its middle slice", png.display()))?;
    out.line("")?;
    out.line("Try next:")?;
    let rows = [
        (format!("zn5 info {here}"), "what is in it"),
        (format!("zn5 view {here}"), "a picture in the terminal"),
        (format!("zn5 view {here}/raw/s0 --max 2 -o mip.png"), "maximum projection along z"),
        (format!("zn5 view {here}/labels/s0 -o labels.png"), "every cell in its colour"),
        (format!("zn5 stats {here}/raw/s0"), "brightness in numbers"),
        (format!("zn5 verify {here}"), "is every block whole?"),
        (format!("zn5 block {here}/raw/s0/1/1/1"), "one block, byte by byte"),
        (format!("zn5 convert {here} --in-place --dry-run"), "the same blocks for Zarr readers"),
    ];
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|(command, what)| vec![format!("  {command}"), out.paint(Style::Dim, format!("# {what}"))]).collect();
    out.columns(&rows, &[])?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::for_shell;

    #[test]
    fn a_shell_gets_every_path_back() {
        for (path, text) in [
            ("tour/demo.n5", "tour/demo.n5"),
            ("my data", "'my data'"),
            ("it's $HOME", "'it'\\''s $HOME'"),
            ("a\u{1b}[2J'\\\n", "$'a\\x1b[2J\\'\\\\\\x0a'"),
            ("µ\u{202e} x", "$'µ\\xe2\\x80\\xae x'"),
        ] {
            assert_eq!(for_shell(path), text);
        }
    }
}
