//! `zn5 diff`: compares two arrays or two trees voxel by voxel, whatever their formats, block sizes and compressors.
//!
//! Values are compared bit by bit unless a tolerance is given; ends with 1 if anything differs.
//! What cannot be read is named, and the rest is compared. Where neither side has stored anything the
//! fill values stand for all elements.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::Serialize;
use zn5::dataset::{self, Dataset};
use zn5::image::numpy_order;
use zn5::model::DataType;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::interrupt;
use crate::open::{self, Container, Reader};
use crate::output::{Out, Style, counted, extents_text, position_text};
use crate::progress::Progress;
use crate::regions::{BUDGET_BYTES, Region, common_cell, count};
use crate::tree::{self, Node};
use crate::values::{Number, element_text, with_number};

/// Compare two arrays or containers voxel by voxel
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Values matter; format, block size, compression and attributes do not. The first differing voxel
is the first where the first axis varies fastest. What cannot be read is named, and the rest is compared.

Exit codes: 0 all is equal, 1 something differs or is damaged, 3 something could not be read,
4 something is not supported; where several of these are so, the first of 1, 3, 4.

Examples:
  zn5 diff a.n5/raw/s0 b.zarr/raw/s0
  zn5 diff old.n5 new.n5                       all arrays of both
  zn5 diff --tolerance 1e-6 a.n5/f32 b.n5/f32
  zn5 diff --json a.n5 b.n5 | jq '.arrays[] | select(.equal | not)'")]
pub(crate) struct Args {
    /// Folder of an array, or of a group to compare all below
    #[arg(value_name = "A")]
    left: PathBuf,
    /// What to compare with
    #[arg(value_name = "B")]
    right: PathBuf,
    /// Part of the arrays, in the order of their shape; all without
    #[arg(short, long, value_name = "A:B,C:D,…", allow_hyphen_values = true)]
    region: Option<String>,
    /// The most that two numbers may differ and still count as equal; NaN equals NaN
    #[arg(short, long, value_name = "NUMBER")]
    tolerance: Option<f64>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    equal: bool,
    arrays: Vec<Comparison>,
    only_in_a: Vec<String>,
    only_in_b: Vec<String>,
    /// Nodes that cannot be opened, in either.
    unsupported: Vec<String>,
    /// Arrays of both that could not be compared to the end, and why.
    failed: Vec<String>,
}

#[derive(Serialize)]
struct Comparison {
    path: String,
    equal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    differing: u128,
    compared: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<First>,
}

#[derive(Serialize)]
struct First {
    position: Vec<u64>,
    /// As NumPy counts the axes of A.
    position_numpy: Vec<u64>,
    /// As NumPy counts the axes of B, where one is N5 and the other Zarr.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_numpy_b: Option<Vec<u64>>,
    a: String,
    b: String,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let (left, right) = (Container::open(&args.left)?, Container::open(&args.right)?);
    let (left_root, right_root) = (tree::read(&left)?, tree::read(&right)?);
    let mut report = Report {
        equal: true,
        arrays: Vec::new(),
        only_in_a: Vec::new(),
        only_in_b: Vec::new(),
        unsupported: Vec::new(),
        failed: Vec::new(),
    };
    let mut exit = Exit::Fine;
    for (container, root) in [(&left, &left_root), (&right, &right_root)] {
        root.each(&mut |node| {
            if let Some(error) = node.failure() {
                report.unsupported.push(format!("{}: {}", container.place(&node.path), error.message()));
                exit = exit.worst(tree::exit_of(error.kind()));
            }
            Ok(())
        })?;
    }
    let mut progress = Progress::new("comparing", context.quiet);
    let mut compare = Compare { args, left: &left, right: &right, jobs: context.jobs, progress: &mut progress };
    exit = exit.worst(compare.trees(&left_root, &right_root, &mut report)?);
    drop(progress);
    let differs = !report.only_in_a.is_empty() || !report.only_in_b.is_empty() || report.arrays.iter().any(|array| !array.equal);
    report.equal = !differs && report.failed.is_empty();
    if report.arrays.is_empty() && report.equal && report.unsupported.is_empty() {
        return Err(Failure::usage(format!("{} and {} hold no arrays; give folders that do", left.shown, right.shown)));
    }
    if differs {
        exit = Exit::Damaged;
    }
    let mut out = Out::new();
    if args.json {
        out.json(&report)?;
    } else {
        print(&mut out, &report, &left, &right)?;
    }
    out.flush()?;
    Ok(exit)
}

struct Compare<'a> {
    args: &'a Args,
    left: &'a Container,
    right: &'a Container,
    jobs: usize,
    progress: &'a mut Progress,
}

impl Compare<'_> {
    /// Compares all arrays; gives what those end with that cannot be read.
    fn trees(&mut self, left: &Node, right: &Node, report: &mut Report) -> Result<Exit> {
        let (left_arrays, right_arrays) = (left.arrays(), right.arrays());
        let by_path = |arrays: &[(&Node, &Dataset)]| arrays.iter().enumerate().map(|(at, (node, _))| (node.path.clone(), at)).collect();
        let (in_left, in_right): (HashMap<String, usize>, HashMap<String, usize>) = (by_path(&left_arrays), by_path(&right_arrays));
        let mut exit = Exit::Fine;
        for (node, dataset) in &left_arrays {
            match in_right.get(&node.path).and_then(|&at| right_arrays.get(at)) {
                Some((_, other)) => {
                    let (comparison, failure) = self.arrays(&node.path, dataset, other)?;
                    let is_whole = failure.is_none();
                    if let Some((failed, message)) = failure {
                        exit = exit.worst(failed);
                        report.failed.push(message);
                    }
                    if is_whole || comparison.differing > 0 {
                        report.arrays.push(comparison);
                    }
                }
                None if right.may_hide(&node.path) => {}
                None => report.only_in_a.push(self.left.place(&node.path)),
            }
        }
        for (node, _) in &right_arrays {
            if !in_left.contains_key(&node.path) && !left.may_hide(&node.path) {
                report.only_in_b.push(self.right.place(&node.path));
            }
        }
        Ok(exit)
    }

    /// Compares two arrays, as far as they can be read; gives also why not to the end.
    fn arrays(&mut self, path: &str, left: &Dataset, right: &Dataset) -> Result<(Comparison, Option<(Exit, String)>)> {
        let mut comparison = Comparison { path: path.to_owned(), equal: false, reason: None, differing: 0, compared: 0, first: None };
        let types = (left.codec().settings().data_type, right.codec().settings().data_type);
        if left.shape() != right.shape() {
            comparison.reason = Some(format!("shapes {} and {}", extents_text(left.shape()), extents_text(right.shape())));
            return Ok((comparison, None));
        }
        if types.0 != types.1 {
            comparison.reason = Some(format!("types {} and {}", types.0.name(), types.1.name()));
            return Ok((comparison, None));
        }
        let region = Region::given(self.args.region.as_deref(), left.shape())?;
        let reader = |dataset, container: &Container| Reader { dataset, place: container.place(path), jobs: self.jobs };
        let (left_reader, right_reader) = (reader(left, self.left), reader(right, self.right));
        let mut first = Earliest::default();
        self.progress.title(&format!("comparing {}", self.left.place(path)));
        let failure = match self.elements((&left_reader, &right_reader), &region, &mut comparison, &mut first) {
            Ok(()) => None,
            Err(Failure::Message { exit, message }) => Some((exit, message)),
            Err(failure) => return Err(failure),
        };
        comparison.equal = comparison.differing == 0 && failure.is_none();
        comparison.first = first.0.map(|(at, a, b)| First {
            position_numpy: numpy_order(left.language(), &at),
            position_numpy_b: Some(numpy_order(right.language(), &at)).filter(|_| left.language() != right.language()),
            position: at,
            a: element_text(types.0, &a),
            b: element_text(types.0, &b),
        });
        Ok((comparison, failure))
    }

    /// Compares what either side has stored, and the fill values for the rest.
    fn elements(
        &mut self,
        (left, right): (&Reader<'_>, &Reader<'_>),
        region: &Region,
        comparison: &mut Comparison,
        first: &mut Earliest,
    ) -> Result<()> {
        let (data_type, tolerance) = (left.dataset.codec().settings().data_type, self.args.tolerance);
        let size = left.element_size();
        let both = [left.dataset, right.dataset];
        let [left_chunk, right_chunk] = both.map(|dataset| dataset.codec().settings().chunk_shape.as_slice());
        let cell = common_cell((left_chunk, right_chunk), &vec![1; region.extent.len()], size, BUDGET_BYTES / 2);
        let mut boxes = open::touched(&both, &left.place, region, &cell, BUDGET_BYTES / 2)?;
        self.progress.expect(boxes.total().saturating_mul(2));
        let mut uncovered = region.count();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        while let Some((boxes, weight)) = boxes.batch()? {
            left.read_boxes(&boxes, &mut a, (self.progress, weight))?;
            right.read_boxes(&boxes, &mut b, (self.progress, weight))?;
            let mut at = 0_usize;
            for piece in &boxes {
                let elements = count(&piece.extents);
                uncovered = uncovered.saturating_sub(elements);
                comparison.compared = comparison.compared.saturating_add(elements);
                let end = at.saturating_add(usize::try_from(elements).unwrap_or(usize::MAX).saturating_mul(size));
                let (a, b) = (a.get(at..end).unwrap_or_default(), b.get(at..end).unwrap_or_default());
                at = end;
                let mut differing = differences(data_type, a, b, tolerance);
                // Inside a box the first one is the first where the first axis varies fastest.
                if let Some((index, a, b)) = differing.next() {
                    first.offer(position(piece, index), a, b);
                    comparison.differing = comparison.differing.saturating_add(1).saturating_add(differing.count() as u128);
                }
            }
        }
        comparison.compared = region.count();
        let fills = (left.fill_value(), right.fill_value());
        if uncovered > 0 && differences(data_type, fills.0, fills.1, tolerance).next().is_some() {
            comparison.differing = comparison.differing.saturating_add(uncovered);
            let missing = region.to_engine().and_then(|region| dataset::first_missing(&both, &region, &mut || !interrupt::requested()));
            if let Some(at) = missing.map_err(|error| Failure::at(&left.place, &error))? {
                first.offer(at.to_vec(), fills.0, fills.1);
            }
        }
        Ok(())
    }
}

/// The first difference so far: its position, and both values.
#[derive(Default)]
struct Earliest(Option<(Vec<u64>, Vec<u8>, Vec<u8>)>);

impl Earliest {
    fn offer(&mut self, at: Vec<u64>, a: &[u8], b: &[u8]) {
        // Compared from the slowest axis on, positions are in the order of storage.
        if self.0.as_ref().is_none_or(|(first, ..)| at.iter().rev().lt(first.iter().rev())) {
            self.0 = Some((at, a.to_vec(), b.to_vec()));
        }
    }
}

/// Index and bytes of each element that differs.
fn differences<'a>(
    data_type: DataType,
    a: &'a [u8],
    b: &'a [u8],
    tolerance: Option<f64>,
) -> Box<dyn Iterator<Item = (usize, &'a [u8], &'a [u8])> + 'a> {
    let size = data_type.size().max(1);
    if a == b {
        return Box::new(std::iter::empty());
    }
    let pairs = a.chunks_exact(size).zip(b.chunks_exact(size)).enumerate().map(|(index, (a, b))| (index, a, b));
    let differing = pairs.filter(|(_, a, b)| a != b);
    match tolerance {
        None => Box::new(differing),
        Some(tolerance) => {
            Box::new(differing.filter(move |(_, a, b)| with_number!(data_type, T => !near(T::read(a), T::read(b), tolerance), true)))
        }
    }
}

fn near<T: Number>(a: T, b: T, tolerance: f64) -> bool {
    if let (Some(a), Some(b)) = (a.to_i128(), b.to_i128()) {
        #[allow(clippy::cast_precision_loss)] // Compared with a tolerance.
        return (a - b).unsigned_abs() as f64 <= tolerance;
    }
    let (a, b) = (a.to_f64(), b.to_f64());
    (a.is_nan() && b.is_nan()) || a.total_cmp(&b).is_eq() || (a - b).abs() <= tolerance
}

/// The position of an element of a piece.
fn position(piece: &dataset::Region, index: usize) -> Vec<u64> {
    let mut rest = index as u64;
    piece
        .offset
        .iter()
        .zip(&piece.extents)
        .map(|(&offset, &extent)| {
            let at = offset.saturating_add(rest % extent.max(1));
            rest /= extent.max(1);
            at
        })
        .collect()
}

fn print(out: &mut Out, report: &Report, left: &Container, right: &Container) -> Result<()> {
    for array in &report.arrays {
        if array.equal {
            continue;
        }
        let (a, b) = (left.place(&array.path), right.place(&array.path));
        let what = match (&array.reason, &array.first) {
            (Some(reason), _) => format!("they have the {reason}"),
            (None, Some(first)) => {
                let numpy = match &first.position_numpy_b {
                    _ if first.position.len() < 2 => String::new(),
                    None => format!(" (NumPy {})", position_text(&first.position_numpy)),
                    Some(b) => format!(" (NumPy {} and {})", position_text(&first.position_numpy), position_text(b)),
                };
                format!(
                    "{} of {} differ, the first at {}{numpy}: {} and {}",
                    array.differing,
                    counted(array.compared, "voxel"),
                    position_text(&first.position),
                    first.a,
                    first.b
                )
            }
            (None, None) => String::new(),
        };
        out.line(format!("{}  {a} and {b}: {what}", out.paint(Style::Red, "differ")))?;
    }
    for (only, paths) in [("only in A", &report.only_in_a), ("only in B", &report.only_in_b)] {
        for path in paths {
            out.line(format!("{}  {path}", out.paint(Style::Red, only)))?;
        }
    }
    for path in &report.unsupported {
        out.line(format!("{}  {path}", out.paint(Style::Yellow, "cannot be opened")))?;
    }
    for message in &report.failed {
        out.line(format!("{}  {message}", out.paint(Style::Red, "cannot be compared")))?;
    }
    let equal = report.arrays.iter().filter(|array| array.equal).count() as u64;
    if equal > 0 {
        let voxels = report.arrays.iter().filter(|array| array.equal).fold(0_u128, |sum, array| sum.saturating_add(array.compared));
        out.line(format!("{}  {}, {}", out.paint(Style::Green, "equal"), counted(equal, "array"), counted(voxels, "voxel")))?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_the_first_axis_fastest() {
        let piece = dataset::Region::new(&[10, 20], &[3, 2]).unwrap();
        assert_eq!(position(&piece, 0), [10, 20]);
        assert_eq!(position(&piece, 4), [11, 21]);
    }

    #[test]
    fn tolerance_is_for_numbers_and_nan_equals_nan() {
        assert!(near(1.0_f32, 1.05, 0.1) && !near(1.0_f32, 1.2, 0.1));
        assert!(near(f64::NAN, f64::NAN, 0.0) && !near(f64::NAN, 1.0, 9.0));
        assert!(near(u64::MAX, u64::MAX - 1, 1.0) && !near(0_u64, u64::MAX, 1.0));
        assert!(near(f64::INFINITY, f64::INFINITY, 0.0));
    }
}
