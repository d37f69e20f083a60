//! `zn5 view`: a picture of an array, as PNG or made of characters in the terminal.
//!
//! Two axes become the picture's, a third may be colour; along the others one position is shown, or the maximum of a range.
//! Which axis is which the engine knows, from the array's metadata.

use std::io::IsTerminal;
use std::path::PathBuf;

use zn5::dataset::Dataset;
use zn5::image::{self, Axes, AxisKind};
use zn5::model::DataType;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::open::{self, Container, Reader};
use crate::output::{Out, extents_text, remark};
use crate::outputs::Output;
use crate::progress::Progress;
use crate::regions::{Region, count};
use crate::render::{self, Colours, Contrast, Plane};
use crate::spatial;
use crate::tree;
use crate::values::{Number, numbers, with_number};

/// Show a slice or a maximum projection, as PNG or in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = "\
x goes right and y down where the metadata name the axes. Where they do not, the axis that varies
fastest goes right: N5's first, the last of a Zarr array with plain chunks. Axes are given by name
or by number, from 0 in the order of the shape. An axis of channels with 3 bytes is colour, and so
is the first or the last axis with 3 bytes where no name says what it is. Of a pyramid's group the terminal gets the level that suits
its size, a file the finest. Contrast is from the 0.5th to the 99.5th percentile; pictures that
are bytes in three colours stay as they are.

Examples:
  zn5 view tour/demo.n5                            a picture in the terminal
  zn5 view tour/demo.n5/raw/s0 --at z=40 -o slice.png
  zn5 view tour/demo.n5/raw/s0 --max 2 -o projection.png
  zn5 view tour/demo.n5/raw/s0 --axes x,z --at y=90          x right, z down
  zn5 view tour/demo.n5/labels/s0 --labels -o labels.png
  zn5 view tour/demo.n5/raw/s0 --range 0,120 -o dark.png")]
pub(crate) struct Args {
    /// Folder of an array, or of a group with arrays
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// PNG file to write, complete or not at all, '-' for standard output; without it the picture
    /// appears in the terminal
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Axes that go right and down, by name or number
    #[arg(long, value_name = "RIGHT,DOWN", value_delimiter = ',')]
    axes: Option<Vec<String>>,
    /// Position on another axis; the middle without
    #[arg(long, value_name = "AXIS=INDEX", value_parser = parse_at)]
    at: Vec<(String, i64)>,
    /// Maximum along an axis instead of one position; all other axes without a number
    #[arg(long, visible_alias = "mip", value_name = "AXIS", num_args = 0..=1, default_missing_value = "all")]
    max: Vec<String>,
    /// Part of the array, in the order of its shape
    #[arg(short, long, value_name = "A:B,C:D,…", allow_hyphen_values = true)]
    region: Option<String>,
    /// Axis of red, green and blue; 'none' if an axis of 3 is not colour
    #[arg(long, value_name = "AXIS")]
    rgb: Option<String>,
    /// Colours for numbers of segments; taken by itself for arrays that are called labels
    #[arg(long, conflicts_with_all = ["grey", "contrast", "range"])]
    labels: bool,
    /// Shades of grey also for labels
    #[arg(long, visible_alias = "gray")]
    grey: bool,
    /// Percentiles that become black and white
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',', conflicts_with = "range")]
    contrast: Option<Vec<f64>>,
    /// Values that become black and white
    #[arg(long, value_name = "MIN,MAX", value_delimiter = ',', allow_hyphen_values = true)]
    range: Option<Vec<f64>>,
    /// Columns of the picture in the terminal
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// What the terminal can show; found out without
    #[arg(long, value_enum)]
    color: Option<Colours>,
}

fn parse_at(text: &str) -> std::result::Result<(String, i64), String> {
    let (axis, index) = text.rsplit_once('=').ok_or("write AXIS=INDEX, such as z=40 or 2=40")?;
    let index = index.trim().parse().map_err(|_| format!("'{index}' is no whole number"))?;
    Ok((axis.trim().to_owned(), index))
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let pair = |name: &str, count: Option<usize>| match count {
        None | Some(2) => Ok(()),
        Some(count) => Err(Failure::usage(format!("--{name} takes two numbers with a comma between, not {count}"))),
    };
    pair("axes", args.axes.as_ref().map(Vec::len))?;
    pair("contrast", args.contrast.as_ref().map(Vec::len))?;
    pair("range", args.range.as_ref().map(Vec::len))?;
    let output = args.output.as_deref().map(open::local).transpose()?;
    let container = Container::open(&args.path)?;
    let (path, dataset) = choose(&container, args)?;
    let place = container.place(&path);
    let (attributes, groups) = (container.attributes(&path), container.groups(&path));
    let groups: Vec<&serde_json::Value> = groups.iter().collect();
    let full_path = container.full_path(&path);
    let layout = Layout::new(args, &dataset, &container.axes(&path, &dataset), &place)?;
    let settings = dataset.codec().settings();
    if matches!(settings.data_type, DataType::FixedUtf32 { .. }) {
        return Err(Failure::unsupported(format!("{place}: holds strings, which make no picture; `zn5 cat` prints them")));
    }
    let is_integer = !matches!(settings.data_type, DataType::Float32 | DataType::Float64);
    let labels = args.labels
        || (!args.grey
            && args.contrast.is_none()
            && args.range.is_none()
            && layout.colour.is_none()
            && is_integer
            && (settings.data_type == DataType::UInt64 || image::holds_labels(&attributes, &groups, &full_path)));
    if args.labels && !is_integer {
        return Err(Failure::usage(format!("{place}: --labels needs integers, the array has {}", settings.data_type.name())));
    }

    let reader = Reader { dataset: &dataset, place: place.clone(), jobs: context.jobs };
    let mut progress = Progress::new("reading", context.quiet);
    let shown = plane(&reader, &layout, labels, &mut progress)?;
    drop(progress);
    let contrast = match (&args.range, &args.contrast, &shown) {
        (Some(range), ..) => Contrast::Range(range.first().copied().unwrap_or(0.0), range.last().copied().unwrap_or(1.0)),
        (_, Some(percentiles), _) => {
            Contrast::Percentiles(percentiles.first().copied().unwrap_or(0.0), percentiles.last().copied().unwrap_or(100.0))
        }
        (_, _, Plane::Colour(_)) if settings.data_type == DataType::UInt8 => Contrast::None,
        _ => Contrast::Percentiles(0.5, 99.5),
    };
    let caption = layout.caption(&place, &shown, contrast);
    match output.as_deref() {
        Some(file) => {
            let picture = render::picture(&shown, layout.width, layout.height, contrast);
            let mut output = Output::open(Some(file))?;
            render::write_png(&picture, &mut output)?;
            output.finish()?;
            if file.as_os_str() != "-" {
                remark(context.quiet, format!("{}: {} × {} pixels; {caption}", file.display(), layout.width, layout.height));
            }
        }
        None => in_terminal(args, &layout, &shown, contrast, &caption, context)?,
    }
    Ok(Exit::Fine)
}

/// The array that the path is, or the one of a group that suits.
fn choose(container: &Container, args: &Args) -> Result<(String, Dataset)> {
    let failure = match container.array() {
        Ok(dataset) => return Ok((String::new(), dataset)),
        Err(failure) => failure,
    };
    let root = tree::read(container)?;
    let mut candidates: Vec<_> = root.arrays().into_iter().filter(|(_, dataset)| !dataset.shape().contains(&0)).collect();
    // Pictures before labels, if there is a choice.
    let above: Vec<&serde_json::Value> = container.above.iter().collect();
    candidates.sort_by_key(|(node, _)| image::holds_labels(&node.attributes, &above, &container.full_path(&node.path)));
    let Some((first, _)) = candidates.first() else { return Err(failure) };
    let group = first.path.rsplit_once('/').map_or("", |(group, _)| group).to_owned();
    candidates.retain(|(node, _)| node.path.rsplit_once('/').map_or("", |(group, _)| group) == group);
    // Levels of a pyramid lie in one group and shrink; the first that still fills the terminal is enough for it.
    // Positions that the user gives are those of the finest level, whatever the window's size.
    let is_finest = args.output.is_some() || !args.at.is_empty() || args.region.is_some();
    let wanted = if is_finest { u64::MAX } else { terminal_columns(args) as u64 };
    let extent = |dataset: &Dataset| dataset.shape().iter().copied().max().unwrap_or(0);
    let chosen = candidates.iter().filter(|(_, dataset)| extent(dataset) >= wanted).min_by_key(|(_, dataset)| extent(dataset));
    let path = chosen.or(candidates.first()).map(|(node, _)| node.path.clone()).unwrap_or_default();
    let dataset = container.dataset(&path).map_err(|error| Failure::at(container.place(&path), &error))?;
    Ok((path, dataset))
}

/// Pixels of a picture; larger ones are of no use to anybody who looks.
const MAX_PIXELS: u64 = 1 << 27;

/// Which part of the array becomes the picture, and how.
struct Layout {
    region: Region,
    right: usize,
    down: usize,
    colour: Option<usize>,
    width: usize,
    height: usize,
    /// What messages call each axis.
    names: Vec<String>,
}

impl Layout {
    fn new(args: &Args, dataset: &Dataset, known: &Axes, place: &str) -> Result<Self> {
        let shape = dataset.shape();
        let usage = |message: String| Failure::usage(format!("{place}: {message}"));
        let mut region = Region::given(args.region.as_deref(), shape)?;
        if region.count() == 0 {
            return Err(usage(format!("the region {} has no elements, so there is no picture", region.text())));
        }
        let ndim = shape.len();
        let names: Vec<String> = (0..ndim).map(|axis| spatial::axis_name(known, axis)).collect();
        let axis = |text: &str| {
            spatial::find_axis(known, text)
                .ok_or_else(|| usage(format!("there is no axis {text}; the array is {} ({})", extents_text(shape), names.join(", "))))
        };
        let colour = match args.rgb.as_deref() {
            Some("none") => None,
            Some(text) => {
                let colour = axis(text)?;
                if region.extent.get(colour) != Some(&3) {
                    return Err(usage(format!(
                        "--rgb {text}: the axis has {} positions and colour needs 3",
                        region.extent.get(colour).unwrap_or(&0)
                    )));
                }
                Some(colour)
            }
            None => colour_axis(dataset, known, &region, args),
        };
        let (right, down) = if let Some([right, down]) = args.axes.as_deref() {
            (axis(right)?, Some(axis(down)?))
        } else {
            let shown = known.plane_without(colour);
            (shown.right.unwrap_or(ndim), shown.down)
        };
        // An array of one axis is one row, one of none is a pixel.
        let down = down.unwrap_or(ndim + 1);
        if right == down || (Some(right) == colour || Some(down) == colour) && colour.is_some() {
            return Err(usage("the axes to the right, down and of colour must differ".to_owned()));
        }
        let is_shown = |axis: usize| axis == right || axis == down || Some(axis) == colour;
        let mut maxima = Vec::new();
        for text in &args.max {
            if text == "all" {
                maxima.extend((0..ndim).filter(|&axis| !is_shown(axis)));
            } else {
                maxima.push(axis(text)?);
            }
        }
        let at: Vec<(usize, &str, i64)> =
            args.at.iter().map(|(name, index)| Ok((axis(name)?, name.as_str(), *index))).collect::<Result<_>>()?;
        if let Some(&axis) = maxima.iter().chain(at.iter().map(|(axis, ..)| axis)).find(|&&axis| is_shown(axis)) {
            return Err(usage(format!(
                "{} is shown in the picture; choose others with --axes, or another axis for --max and --at",
                spatial::axis_name(known, axis)
            )));
        }
        for &(at_axis, name, index) in &at {
            let size = shape.get(at_axis).copied().unwrap_or(0);
            let from_start = if index < 0 { index.saturating_add_unsigned(size) } else { index };
            let Some(index) = u64::try_from(from_start).ok().filter(|&index| index < size) else {
                return Err(usage(format!("--at {name}={index}: the axis has the positions 0 to {}", size.saturating_sub(1))));
            };
            Self::fix(&mut region, at_axis, index);
        }
        for other in (0..ndim).filter(|&axis| !is_shown(axis) && !maxima.contains(&axis)) {
            let (offset, extent) = (region.offset.get(other).copied().unwrap_or(0), region.extent.get(other).copied().unwrap_or(1));
            Self::fix(&mut region, other, offset + extent / 2);
        }
        let size = |axis: usize| region.extent.get(axis).copied().unwrap_or(1);
        let pixels = size(right).saturating_mul(size(down));
        if pixels > MAX_PIXELS {
            return Err(usage(format!("a picture of {} × {} pixels is too large; choose a part with --region", size(right), size(down))));
        }
        let (width, height) = (usize::try_from(size(right)).unwrap_or(0), usize::try_from(size(down)).unwrap_or(0));
        Ok(Self { region, right, down, colour, width, height, names })
    }

    /// Whether an axis is one of the picture's.
    fn is_shown(&self, axis: usize) -> bool {
        axis == self.right || axis == self.down || Some(axis) == self.colour
    }

    /// The number of elements of a part along the axes that are none of the picture's.
    fn depth(&self, part: &Region) -> u128 {
        let rest: Vec<u64> = part.extent.iter().enumerate().filter(|&(axis, _)| !self.is_shown(axis)).map(|(_, &extent)| extent).collect();
        count(&rest)
    }

    /// The first elements of a part along the axes that are none of the picture's: one for each
    /// pixel.
    fn front(&self, part: &Region) -> Region {
        let mut front = part.clone();
        for (_, extent) in front.extent.iter_mut().enumerate().filter(|&(axis, _)| !self.is_shown(axis)) {
            *extent = 1;
        }
        front
    }

    fn fix(region: &mut Region, axis: usize, index: u64) {
        if let (Some(offset), Some(extent)) = (region.offset.get_mut(axis), region.extent.get_mut(axis)) {
            *offset = index;
            *extent = 1;
        }
    }

    /// What the picture shows.
    fn caption(&self, place: &str, shown: &Plane, contrast: Contrast) -> String {
        let ndim = self.region.extent.len();
        let name = |axis: usize| self.names.get(axis).map_or("", String::as_str);
        let mut parts = Vec::new();
        if self.right < ndim {
            parts.push(format!("{} right", name(self.right)));
        }
        if self.down < ndim {
            parts.push(format!("{} down", name(self.down)));
        }
        if let Some(colour) = self.colour {
            parts.push(format!("{} red, green, blue", name(colour)));
        }
        for axis in (0..ndim).filter(|&axis| axis != self.right && axis != self.down && Some(axis) != self.colour) {
            let (offset, extent) = (self.region.offset.get(axis).copied().unwrap_or(0), self.region.extent.get(axis).copied().unwrap_or(1));
            parts.push(if extent > 1 {
                format!("maximum over {} ({offset}:{})", name(axis), offset + extent)
            } else {
                format!("{} at {offset}", name(axis))
            });
        }
        match shown {
            Plane::Labels(_) => parts.push("colours are labels".to_owned()),
            Plane::Grey(values) | Plane::Colour(values) if contrast != Contrast::None => {
                let (black, white) = contrast.range(values);
                parts.push(format!("black {}, white {}", crate::output::number_text(black), crate::output::number_text(white)));
            }
            _ => {}
        }
        format!("{place}: {}", parts.join(", "))
    }
}

/// The axis of red, green and blue: the channels, or the first or last axis of three bytes where no name says what it is.
fn colour_axis(dataset: &Dataset, axes: &Axes, region: &Region, args: &Args) -> Option<usize> {
    let last = dataset.shape().len().checked_sub(1).filter(|&last| last >= 2)?;
    if dataset.codec().settings().data_type != DataType::UInt8 || args.labels || args.grey {
        return None;
    }
    let is = |text: &str, axis: usize| spatial::find_axis(axes, text) == Some(axis);
    let asked = |axis: usize| {
        args.axes.iter().flatten().any(|text| is(text, axis))
            || args.at.iter().any(|(text, _)| is(text, axis))
            || args.max.iter().any(|text| is(text, axis))
    };
    let suits = |axis: &usize| {
        let is_three = dataset.shape().get(*axis) == Some(&3) && region.extent.get(*axis) == Some(&3);
        let kind = axes.axes.get(*axis).and_then(|axis| axis.kind);
        is_three && kind.is_none_or(|kind| kind == AxisKind::Channel) && !asked(*axis)
    };
    axes.channels().filter(suits).or_else(|| [0, last].into_iter().find(suits))
}

/// Reads what is stored of the region and folds it into a plane; the fill value stands for the
/// rest.
fn plane(reader: &Reader<'_>, layout: &Layout, labels: bool, progress: &mut Progress) -> Result<Plane> {
    let data_type = reader.dataset.codec().settings().data_type;
    let planes = if layout.colour.is_some() { 3 } else { 1 };
    let count = layout.width * layout.height * planes;
    progress.expect(1);
    with_number!(
        data_type,
        T => {
            let fill = T::read(reader.fill_value());
            if labels {
                let fold = Fold { value: T::bits, fill: fill.bits(), nothing: 0, fill_is_least: fill.bits() == 0 };
                return fold.plane(reader, layout, (count, progress), |old, new| new > old).map(Plane::Labels);
            }
            let least = if T::is_unsigned() { 0.0 } else { f64::NEG_INFINITY };
            let fill = fill.to_f64();
            let fold = Fold { value: T::to_f64, fill, nothing: f64::NAN, fill_is_least: fill.is_nan() || fill <= least };
            let values = fold.plane(reader, layout, (count, progress), |old, new| new > old || old.is_nan())?;
            Ok(if planes == 3 { Plane::Colour(values) } else { Plane::Grey(values) })
        },
        Ok(Plane::Grey(Vec::new()))
    )
}

/// How elements become pixels.
struct Fold<F, V> {
    /// The value of an element.
    value: F,
    /// The value of one that is not stored.
    fill: V,
    /// A pixel without an element, to which everything wins.
    nothing: V,
    /// Whether every other value wins against the fill value.
    fill_is_least: bool,
}

impl<F, V: Copy> Fold<F, V> {
    /// For each of `count` pixels the winner of the elements that it stands for.
    fn plane<T: Number>(
        self,
        reader: &Reader<'_>,
        layout: &Layout,
        (count, progress): (usize, &mut Progress),
        wins: impl Fn(V, V) -> bool,
    ) -> Result<Vec<V>>
    where
        F: Fn(T) -> V,
    {
        // How many elements one pixel stands for.
        let depth = layout.depth(&layout.region);
        // Else it must be known of which pixels all elements are stored.
        let begins_with_fill = depth == 1 || self.fill_is_least;
        let mut plane = vec![if begins_with_fill { self.fill } else { self.nothing }; count];
        let mut stored = vec![0_u64; if begins_with_fill { 0 } else { count }];
        reader.read_stored(&layout.region, progress, |part, bytes| {
            for (number, index) in numbers::<T>(bytes).zip(Indices::new(layout, part)) {
                if let Some(pixel) = plane.get_mut(index) {
                    let new = (self.value)(number);
                    if depth == 1 || wins(*pixel, new) {
                        *pixel = new;
                    }
                }
            }
            if !stored.is_empty() {
                let front = layout.front(part);
                let elements = u64::try_from(layout.depth(part)).unwrap_or(u64::MAX);
                let pixels = usize::try_from(front.count()).unwrap_or(usize::MAX);
                for index in Indices::new(layout, &front).take(pixels) {
                    if let Some(stored) = stored.get_mut(index) {
                        *stored = stored.saturating_add(elements);
                    }
                }
            }
        })?;
        for (pixel, stored) in plane.iter_mut().zip(stored) {
            if u128::from(stored) < depth && wins(*pixel, self.fill) {
                *pixel = self.fill;
            }
        }
        Ok(plane)
    }
}

/// For each element of a piece the index of its pixel.
struct Indices {
    /// Per axis: elements, those counted so far, and the step from one to the next in the picture.
    axes: Vec<(u64, u64, usize)>,
    index: usize,
}

impl Indices {
    fn new(layout: &Layout, piece: &Region) -> Self {
        let step = |axis: usize| match axis {
            _ if axis == layout.right => 1,
            _ if axis == layout.down => layout.width,
            _ if Some(axis) == layout.colour => layout.width * layout.height,
            _ => 0,
        };
        let mut index = 0;
        let mut axes = Vec::new();
        for (axis, (&offset, &extent)) in piece.offset.iter().zip(&piece.extent).enumerate() {
            let begin = offset - layout.region.offset.get(axis).copied().unwrap_or(0).min(offset);
            index += usize::try_from(begin).unwrap_or(usize::MAX).saturating_mul(step(axis));
            axes.push((extent, 0, step(axis)));
        }
        Self { axes, index }
    }
}

impl Iterator for Indices {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let here = self.index;
        for (extent, at, step) in &mut self.axes {
            *at += 1;
            if *at < *extent {
                self.index += *step;
                break;
            }
            self.index -= *step * usize::try_from(*extent - 1).unwrap_or(0);
            *at = 0;
        }
        Some(here)
    }
}

/// Columns that the picture may have.
fn terminal_columns(args: &Args) -> usize {
    let columns = || console::Term::stdout().size_checked().map_or(80, |(_, columns)| usize::from(columns));
    args.width.unwrap_or_else(columns).clamp(1, 1000)
}

fn in_terminal(args: &Args, layout: &Layout, plane: &Plane, contrast: Contrast, caption: &str, context: Context) -> Result<()> {
    let colours = args.color.unwrap_or_else(|| Colours::of_terminal(std::io::stdout().is_terminal()));
    let columns = terminal_columns(args);
    // A character is about twice as high as wide; with colours it holds two pixels.
    let rows_of = |width: usize| {
        let height = (layout.height * width / layout.width.max(1)).max(1);
        if colours == Colours::None { height.div_ceil(2) } else { height }
    };
    let mut width = layout.width.min(columns).max(1);
    if args.width.is_none()
        && let Some((rows, _)) = console::Term::stdout().size_checked()
    {
        let limit = usize::from(rows).saturating_sub(3).max(4) * if colours == Colours::None { 1 } else { 2 };
        while width > 8 && rows_of(width) > limit {
            width -= 1;
        }
    }
    let small = (width, rows_of(width).min(layout.height));
    let picture = match plane {
        // The contrast of the whole plane, so that the small picture is as bright as the large one.
        Plane::Grey(values) | Plane::Colour(values) => {
            let (black, white) = contrast.range(values);
            render::picture(&plane.shrunk((layout.width, layout.height), small), small.0, small.1, Contrast::Range(black, white))
        }
        Plane::Labels(_) => render::picture(&plane.shrunk((layout.width, layout.height), small), small.0, small.1, contrast),
    };
    let mut out = Out::new();
    out.picture(&picture, colours)?;
    out.flush()?;
    let shrunk =
        if small.0 < layout.width { format!(", 1 of {:.1} pixels", crate::output::ratio(layout.width, small.0)) } else { String::new() };
    remark(context.quiet, format!("{caption}{shrunk}"));
    Ok(())
}
