//! `zn5 stats`: minimum, maximum, mean, deviation, percentiles and the number of different values, in one pass and bounded memory.
//!
//! 8-bit and 16-bit values are counted each, so everything about them is exact; wider ones are counted in bins of 0.1 %.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Serialize;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::open::{Container, Reader};
use crate::output::{Out, Style, counted, number_text};
use crate::progress::Progress;
use crate::regions::{BUDGET_BYTES, Pieces, Region};
use crate::values::{Elements, Number, with_number};

/// Different values of which no more are counted.
const MAX_UNIQUE: usize = 4_000_000;

/// Minimum, maximum, mean, standard deviation, percentiles; for labels the number of different values
#[derive(Debug, clap::Args)]
#[command(after_help = "\
NaN counts apart. Percentiles of types wider than 16 bits are right to 0.1 % of their value.

Examples:
  zn5 stats tour/demo.n5/raw/s0
  zn5 stats tour/demo.n5/labels/s0 --region :,:,40
  zn5 stats --json tour/demo.n5/raw/s0 | jq .percentiles")]
pub(crate) struct Args {
    /// Folder of an array
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Part of the array, in N5 order; all of it without
    #[arg(short, long, value_name = "A:B,C:D,…", allow_hyphen_values = true)]
    region: Option<String>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    path: String,
    data_type: &'static str,
    region: String,
    count: u64,
    nan_count: u64,
    zero_count: u64,
    min: Option<serde_json::Number>,
    max: Option<serde_json::Number>,
    mean: Option<f64>,
    std: Option<f64>,
    percentiles: Vec<Percentile>,
    percentiles_exact: bool,
    /// Integers only; `None` above four million.
    unique: Option<u64>,
    #[serde(skip)]
    texts: (String, String),
}

#[derive(Serialize)]
struct Percentile {
    percent: f64,
    value: f64,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Exit> {
    let container = Container::open(&args.path)?;
    let dataset = container.array()?;
    let data_type = dataset.codec().settings().data_type;
    let region = Region::given(args.region.as_deref(), dataset.shape())?;
    let reader = Reader { dataset: &dataset, place: container.shown.clone(), jobs: context.jobs };
    let mut progress = Progress::new("reading", context.quiet);
    let pieces = Pieces::of_blocks(&region, &dataset.codec().settings().chunk_shape, reader.element_size(), BUDGET_BYTES);
    progress.expect(pieces.total());
    let mut report = with_number!(
        data_type,
        T => {
            let mut sums = Sums::<T>::new();
            for piece in pieces {
                sums.add(&reader.read(&piece, &mut progress)?);
            }
            sums.report()
        },
        return Err(Failure::unsupported(format!("{}: holds strings, which have no statistics; `zn5 cat` prints them", container.shown)))
    );
    drop(progress);
    report.path.clone_from(&container.shown);
    report.data_type = data_type.name();
    report.region = region.text();
    let mut out = Out::new();
    if args.json {
        out.json(&report)?;
    } else {
        print(&mut out, &report)?;
    }
    out.flush()?;
    Ok(Exit::Fine)
}

/// What is known of the elements so far.
struct Sums<T> {
    count: u64,
    nan_count: u64,
    zero_count: u64,
    extremes: Option<(T, T)>,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
    bins: Vec<u64>,
    unique: Option<HashSet<u64>>,
}

impl<T: Number> Sums<T> {
    fn new() -> Self {
        let exact = size_of::<T>() <= 2;
        Self {
            count: 0,
            nan_count: 0,
            zero_count: 0,
            extremes: None,
            mean: 0.0,
            squares: 0.0,
            bins: vec![0; if exact { 1 << 16 } else { BINS }],
            unique: None,
        }
    }

    fn is_exact() -> bool {
        size_of::<T>() <= 2
    }

    fn add(&mut self, elements: &Elements) {
        let (mut count, mut sum) = (0_u64, 0.0);
        let is_integer = T::read(&[]).to_i128().is_some();
        // A run of one value needs one look-up.
        let mut last = None;
        if is_integer && !Self::is_exact() && self.unique.is_none() && self.count == 0 {
            self.unique = Some(HashSet::new());
        }
        for number in elements.numbers::<T>() {
            let value = number.to_f64();
            if value.is_nan() {
                self.nan_count += 1;
                continue;
            }
            count += 1;
            sum += value;
            self.zero_count += u64::from(value == 0.0);
            let (min, max) = self.extremes.unwrap_or((number, number));
            self.extremes = Some((if number < min { number } else { min }, if number > max { number } else { max }));
            let bin = if Self::is_exact() { exact_bin(number) } else { coarse_bin(value) };
            if let Some(bin) = self.bins.get_mut(bin) {
                *bin += 1;
            }
            let bits = number.bits();
            if last != Some(bits)
                && let Some(unique) = &mut self.unique
            {
                unique.insert(bits);
                last = Some(bits);
                if unique.len() > MAX_UNIQUE {
                    self.unique = None;
                }
            }
        }
        self.merge(elements, count, sum);
    }

    /// Adds the mean and the squares of one piece to those of all before.
    #[allow(clippy::cast_precision_loss)] // Counts far below 2^53.
    fn merge(&mut self, elements: &Elements, count: u64, sum: f64) {
        if count == 0 {
            return;
        }
        let mean = sum / count as f64;
        let squares: f64 = elements.numbers::<T>().map(T::to_f64).filter(|value| !value.is_nan()).map(|value| (value - mean).powi(2)).sum();
        let (before, all) = (self.count as f64, (self.count + count) as f64);
        let distance = mean - self.mean;
        self.squares += squares + distance * distance * before * count as f64 / all;
        self.mean += distance * count as f64 / all;
        self.count += count;
    }

    fn report(&self) -> Report {
        #[allow(clippy::cast_precision_loss)] // Counts far below 2^53.
        let std = (self.squares / self.count as f64).sqrt();
        let known = self.count > 0;
        let number = |value: T| -> Option<serde_json::Number> {
            match value.to_i128() {
                Some(integer) => serde_json::Number::from_i128(integer),
                None => serde_json::Number::from_f64(value.to_f64()),
            }
        };
        let is_integer = T::read(&[]).to_i128().is_some();
        let unique = if Self::is_exact() && is_integer {
            Some(self.bins.iter().filter(|&&count| count > 0).count() as u64)
        } else {
            self.unique.as_ref().map(|unique| unique.len() as u64)
        };
        Report {
            path: String::new(),
            data_type: "",
            region: String::new(),
            count: self.count + self.nan_count,
            nan_count: self.nan_count,
            zero_count: self.zero_count,
            min: self.extremes.and_then(|(min, _)| number(min)),
            max: self.extremes.and_then(|(_, max)| number(max)),
            mean: known.then_some(self.mean),
            std: known.then_some(std),
            percentiles: if known {
                [1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0].into_iter().map(|percent| self.percentile(percent)).collect()
            } else {
                Vec::new()
            },
            percentiles_exact: Self::is_exact(),
            unique,
            texts: self.extremes.map(|(min, max)| (min.to_string(), max.to_string())).unwrap_or_default(),
        }
    }

    /// The smallest value that has at least this share of the values at or below it.
    fn percentile(&self, percent: f64) -> Percentile {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A rank between 1 and the count.
        let wanted = ((percent / 100.0 * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        let bin = bin.unwrap_or(0);
        let value = if Self::is_exact() { exact_value::<T>(bin) } else { coarse_value(bin) };
        // A bin may reach past the extremes.
        let value = self.extremes.map_or(value, |(min, max)| value.clamp(min.to_f64(), max.to_f64()));
        Percentile { percent, value }
    }
}

/// The bin of a value of at most 16 bits; bins are in ascending order of the values.
fn exact_bin<T: Number>(number: T) -> usize {
    usize::try_from(number.to_i128().unwrap_or(0) + lowest::<T>()).unwrap_or(0)
}

#[allow(clippy::cast_precision_loss)] // 16 bits.
fn exact_value<T: Number>(bin: usize) -> f64 {
    bin as f64 - lowest::<T>() as f64
}

/// What makes signed 16-bit values start at 0; unsigned ones are below 2^16 as they are, and start at 0 already.
fn lowest<T: Number>() -> i128 {
    // All bits set is -1 in a signed type and the largest value of an unsigned one.
    let ones = T::read(&[0xff; 8]).to_i128().unwrap_or(0);
    if ones < 0 { 1 << (8 * size_of::<T>() - 1) } else { 0 }
}

/// Sign, exponent and ten bits of the fraction: bins of 0.1 %.
const BIN_SHIFT: u32 = 42;
const BINS: usize = 1 << (64 - BIN_SHIFT);

fn coarse_bin(value: f64) -> usize {
    let bits = value.to_bits();
    // Makes the order of the numbers that of the floating point values.
    let ordered = if bits >> 63 == 1 { !bits } else { bits | (1 << 63) };
    usize::try_from(ordered >> BIN_SHIFT).unwrap_or(0)
}

fn coarse_value(bin: usize) -> f64 {
    let middle = 1 << (BIN_SHIFT - 1);
    let ordered = ((bin as u64) << BIN_SHIFT) | middle;
    let bits = if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered };
    let value = f64::from_bits(bits);
    // Zero and what is next to it are one bin.
    if value.abs() < f64::MIN_POSITIVE { 0.0 } else { value }
}

fn print(out: &mut Out, report: &Report) -> Result<()> {
    out.line(format!("{}  {}  region {}", out.paint(Style::Bold, &report.path), report.data_type, report.region))?;
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number_text);
    let extreme = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
    let mut rows = vec![
        vec!["elements".to_owned(), report.count.to_string()],
        vec!["zeros".to_owned(), report.zero_count.to_string()],
        vec!["min".to_owned(), extreme(&report.texts.0)],
        vec!["max".to_owned(), extreme(&report.texts.1)],
        vec!["mean".to_owned(), or_none(report.mean)],
        vec!["std".to_owned(), or_none(report.std)],
    ];
    if report.nan_count > 0 {
        rows.insert(1, vec!["NaN".to_owned(), report.nan_count.to_string()]);
    }
    let about = if report.percentiles_exact { "" } else { "≈ " };
    for percentile in &report.percentiles {
        rows.push(vec![format!("p{}", number_text(percentile.percent)), format!("{about}{}", number_text(percentile.value))]);
    }
    if let Some(unique) = report.unique {
        rows.push(vec!["unique".to_owned(), counted(unique, "value")]);
    }
    out.columns(&rows, &[])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::float_cmp)]
mod tests {
    use zn5::model::DataType;

    use super::*;

    fn elements(data_type: DataType, bytes: Vec<u8>) -> Elements {
        Elements { data_type, bytes }
    }

    #[test]
    fn pieces_add_up_to_the_whole() {
        let values: Vec<i16> = (-500..1500).collect();
        let bytes = |values: &[i16]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
        let mut sums = Sums::<i16>::new();
        for part in values.chunks(37) {
            sums.add(&elements(DataType::Int16, bytes(part)));
        }
        let report = sums.report();
        assert_eq!((report.min.unwrap().as_i64(), report.max.unwrap().as_i64()), (Some(-500), Some(1499)));
        assert_eq!((report.count, report.zero_count, report.unique), (2000, 1, Some(2000)));
        assert!((report.mean.unwrap() - 499.5).abs() < 1e-9);
        assert!((report.std.unwrap() - 577.350_05).abs() < 1e-3);
        assert_eq!(report.percentiles.iter().map(|percentile| percentile.value).collect::<Vec<_>>()[3], 499.0);
    }

    #[test]
    fn wide_integers_keep_their_extremes() {
        let bytes = [u64::MAX, 1, u64::MAX - 1].into_iter().flat_map(u64::to_ne_bytes).collect();
        let mut sums = Sums::<u64>::new();
        sums.add(&elements(DataType::UInt64, bytes));
        let report = sums.report();
        assert_eq!(report.max.unwrap().as_u64(), Some(u64::MAX));
        assert_eq!(report.unique, Some(3));
        assert_eq!(report.texts.1, "18446744073709551615");
    }

    #[test]
    fn nan_counts_apart_and_percentiles_are_near() {
        let values = (0..10_000).map(|value| f32::from(i16::try_from(value).unwrap()) * -0.01).chain([f32::NAN]);
        let mut sums = Sums::<f32>::new();
        sums.add(&elements(DataType::Float32, values.flat_map(f32::to_ne_bytes).collect()));
        let report = sums.report();
        assert_eq!((report.count, report.nan_count, report.unique), (10_001, 1, None));
        let median = report.percentiles[3].value;
        assert!((median + 50.0).abs() < 0.1, "{median}");
    }

    #[test]
    fn nothing_has_no_mean() {
        let report = Sums::<u8>::new().report();
        assert!(report.mean.is_none() && report.min.is_none() && report.percentiles.is_empty());
    }

    #[test]
    fn bins_are_ordered_and_lead_back() {
        let values = [f64::NEG_INFINITY, -1e300, -2.0, -1e-300, 0.0, 1e-300, 1.0, 3.25, 1e300, f64::INFINITY];
        assert!(values.windows(2).all(|pair| coarse_bin(pair[0]) <= coarse_bin(pair[1])));
        for value in [-2.0, 1.0, 3.25, 1e300] {
            assert!((coarse_value(coarse_bin(value)) / value - 1.0).abs() < 1e-3);
        }
        assert_eq!(coarse_value(coarse_bin(0.0)), 0.0);
        assert_eq!((exact_bin(-128_i8), exact_bin(127_i8), exact_bin(255_u8)), (0, 255, 255));
    }
}
