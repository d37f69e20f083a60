//! `zn5 stats`: minimum, maximum, mean, deviation, percentiles and the number of different values, in one pass and bounded memory.
//!
//! 8-bit and 16-bit values are counted each, so everything about them is exact; wider ones are
//! counted in bins of 0.1 %. What is not stored counts as so many times the fill value, and is not
//! gone through.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Serialize;

use crate::Context;
use crate::failure::{Exit, Failure, Result};
use crate::open::{Container, Reader};
use crate::output::{Out, Style, counted, number_text};
use crate::progress::Progress;
use crate::regions::{Region, count};
use crate::values::{Number, numbers, with_number};

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
    /// Part of the array, in the order of its shape; all of it without
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
    count: u128,
    nan_count: u128,
    zero_count: u128,
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
    progress.expect(1);
    let mut report = with_number!(
        data_type,
        T => {
            let mut sums = Sums::<T>::new();
            let mut missing = region.count();
            reader.read_stored(&region, &mut progress, |part, bytes| {
                missing = missing.saturating_sub(count(&part.extent));
                sums.add(bytes);
            })?;
            sums.repeat(T::read(reader.fill_value()), missing);
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
    count: u128,
    nan_count: u128,
    zero_count: u128,
    extremes: Option<(T, T)>,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
    bins: Vec<u64>,
    /// A bin, and how many elements it has that were not gone through.
    repeated: Option<(usize, u128)>,
    unique: Option<HashSet<u64>>,
}

impl<T: Number> Sums<T> {
    fn new() -> Self {
        let exact = Self::is_exact();
        let is_integer = T::read(&[]).to_i128().is_some();
        Self {
            count: 0,
            nan_count: 0,
            zero_count: 0,
            extremes: None,
            mean: 0.0,
            squares: 0.0,
            bins: vec![0; if exact { 1 << 16 } else { BINS }],
            repeated: None,
            unique: (is_integer && !exact).then(HashSet::new),
        }
    }

    fn is_exact() -> bool {
        size_of::<T>() <= 2
    }

    fn bin(number: T) -> usize {
        if Self::is_exact() { exact_bin(number) } else { coarse_bin(number.to_f64()) }
    }

    fn include(&mut self, number: T) {
        let (min, max) = self.extremes.unwrap_or((number, number));
        self.extremes = Some((if number < min { number } else { min }, if number > max { number } else { max }));
    }

    /// Adds elements one by one.
    fn add(&mut self, bytes: &[u8]) {
        let (mut count, mut nan_count, mut zero_count, mut sum) = (0_u64, 0_u64, 0_u64, 0.0);
        // A run of one value needs one look-up.
        let mut last = None;
        for number in numbers::<T>(bytes) {
            let value = number.to_f64();
            if value.is_nan() {
                nan_count += 1;
                continue;
            }
            count += 1;
            sum += value;
            zero_count += u64::from(value == 0.0);
            self.include(number);
            if let Some(bin) = self.bins.get_mut(Self::bin(number)) {
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
        self.nan_count += u128::from(nan_count);
        self.zero_count += u128::from(zero_count);
        if count > 0 {
            #[allow(clippy::cast_precision_loss)] // Elements in memory.
            let mean = sum / count as f64;
            let values = numbers::<T>(bytes).map(T::to_f64).filter(|value| !value.is_nan());
            self.merge(count.into(), mean, values.map(|value| (value - mean).powi(2)).sum());
        }
    }

    /// Adds `count` elements of one value.
    fn repeat(&mut self, number: T, count: u128) {
        let value = number.to_f64();
        if count == 0 {
            return;
        }
        if value.is_nan() {
            self.nan_count = self.nan_count.saturating_add(count);
            return;
        }
        if value == 0.0 {
            self.zero_count = self.zero_count.saturating_add(count);
        }
        self.include(number);
        self.repeated = Some((Self::bin(number), count));
        if let Some(unique) = &mut self.unique {
            unique.insert(number.bits());
        }
        // Infinity has no distance from itself, as where elements are added one by one.
        self.merge(count, value, if value.is_finite() { 0.0 } else { f64::NAN });
    }

    /// Adds the mean and the squared distances from it of `count` elements to those of all before.
    #[allow(clippy::cast_precision_loss)] // Shares, which need no more digits than the result has.
    fn merge(&mut self, count: u128, mean: f64, squares: f64) {
        let (before, new) = (self.count as f64, count as f64);
        self.count = self.count.saturating_add(count);
        let all = before + new;
        let distance = mean - self.mean;
        self.squares += squares + distance * distance * before * (new / all);
        // Either form is right; the one that adds to the mean of the many keeps the digits of both.
        self.mean = if before >= new { self.mean + distance * (new / all) } else { mean - distance * (before / all) };
    }

    fn report(&self) -> Report {
        #[allow(clippy::cast_precision_loss)] // A share, as above.
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
            let repeated = self.repeated.map(|(bin, _)| bin);
            let is_seen = |(bin, &count): (usize, &u64)| count > 0 || Some(bin) == repeated;
            Some(self.bins.iter().enumerate().filter(|&bin| is_seen(bin)).count() as u64)
        } else {
            self.unique.as_ref().map(|unique| unique.len() as u64)
        };
        Report {
            path: String::new(),
            data_type: "",
            region: String::new(),
            count: self.count.saturating_add(self.nan_count),
            nan_count: self.nan_count,
            zero_count: self.zero_count,
            min: self.extremes.and_then(|(min, _)| number(min)),
            max: self.extremes.and_then(|(_, max)| number(max)),
            mean: known.then_some(self.mean),
            std: known.then_some(std),
            percentiles: if known {
                [1, 5, 25, 50, 75, 95, 99].into_iter().map(|percent| self.percentile(percent)).collect()
            } else {
                Vec::new()
            },
            percentiles_exact: Self::is_exact(),
            unique,
            texts: self.extremes.map(|(min, max)| (min.to_string(), max.to_string())).unwrap_or_default(),
        }
    }

    /// The smallest value that has at least this share of the values at or below it.
    fn percentile(&self, percent: u8) -> Percentile {
        // Rounded up, and without passing 2^128 on the way.
        let share = u128::from(percent);
        let wanted = (self.count / 100 * share + (self.count % 100 * share).div_ceil(100)).max(1);
        let mut seen = 0_u128;
        let bin = self.bins.iter().enumerate().position(|(bin, &count)| {
            let repeated = self.repeated.map_or(0, |(at, count)| if at == bin { count } else { 0 });
            seen = seen.saturating_add(count.into()).saturating_add(repeated);
            seen >= wanted
        });
        let bin = bin.unwrap_or(0);
        let value = if Self::is_exact() { exact_value::<T>(bin) } else { coarse_value(bin) };
        // A bin may reach past the extremes.
        let value = self.extremes.map_or(value, |(min, max)| value.clamp(min.to_f64(), max.to_f64()));
        Percentile { percent: percent.into(), value }
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
    if T::is_unsigned() { 0 } else { 1 << (8 * size_of::<T>() - 1) }
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
    use super::*;

    #[test]
    fn pieces_add_up_to_the_whole() {
        let values: Vec<i16> = (-500..1500).collect();
        let bytes = |values: &[i16]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
        let mut sums = Sums::<i16>::new();
        for part in values.chunks(37) {
            sums.add(&bytes(part));
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
        let bytes: Vec<u8> = [u64::MAX, 1, u64::MAX - 1].into_iter().flat_map(u64::to_ne_bytes).collect();
        let mut sums = Sums::<u64>::new();
        sums.add(&bytes);
        let report = sums.report();
        assert_eq!(report.max.unwrap().as_u64(), Some(u64::MAX));
        assert_eq!(report.unique, Some(3));
        assert_eq!(report.texts.1, "18446744073709551615");
    }

    #[test]
    fn nan_counts_apart_and_percentiles_are_near() {
        let values = (0..10_000).map(|value| f32::from(i16::try_from(value).unwrap()) * -0.01).chain([f32::NAN]);
        let mut sums = Sums::<f32>::new();
        sums.add(&values.flat_map(f32::to_ne_bytes).collect::<Vec<u8>>());
        let report = sums.report();
        assert_eq!((report.count, report.nan_count, report.unique), (10_001, 1, None));
        let median = report.percentiles[3].value;
        assert!((median + 50.0).abs() < 0.1, "{median}");
    }

    #[test]
    fn repeated_elements_count_as_if_they_were_added() {
        for fill in [-3_i16, 0, 4, 30_000] {
            let stored = [4_i16, -3, 9, 9, 0];
            let bytes = |values: &[i16]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
            let (mut some, mut all) = (Sums::<i16>::new(), Sums::<i16>::new());
            some.add(&bytes(&stored));
            some.repeat(fill, 1000);
            all.add(&bytes(&[&stored[..], &[fill; 1000]].concat()));
            let (some, all) = (some.report(), all.report());
            assert_eq!((some.count, some.zero_count, some.unique), (all.count, all.zero_count, all.unique));
            assert_eq!((&some.min, &some.max), (&all.min, &all.max));
            let values = |report: &Report| report.percentiles.iter().map(|percentile| percentile.value).collect::<Vec<_>>();
            assert_eq!(values(&some), values(&all));
            assert!((some.mean.unwrap() - all.mean.unwrap()).abs() < 1e-9 * all.mean.unwrap().abs().max(1.0));
            assert!((some.std.unwrap() - all.std.unwrap()).abs() < 1e-9 * all.std.unwrap());
        }
    }

    #[test]
    fn a_few_elements_among_very_many_keep_their_digits() {
        let mut sums = Sums::<f64>::new();
        sums.add(&[3.0_f64, 5.0].into_iter().flat_map(f64::to_ne_bytes).collect::<Vec<u8>>());
        sums.repeat(0.0, (1 << 100) - 2);
        let report = sums.report();
        let all = f64::from(1 << 30).powi(3) * 1024.0;
        assert!((report.mean.unwrap() * all / 8.0 - 1.0).abs() < 1e-12);
        assert!((report.std.unwrap().powi(2) * all / 34.0 - 1.0).abs() < 1e-12);
        assert_eq!((report.count, report.zero_count), (1 << 100, (1 << 100) - 2));
        assert!(report.percentiles.iter().all(|percentile| percentile.value == 0.0));
        let mut sums = Sums::<f32>::new();
        sums.repeat(f32::NAN, u128::MAX);
        sums.add(&1.0_f32.to_ne_bytes());
        assert_eq!((sums.report().count, sums.report().nan_count, sums.report().mean), (u128::MAX, u128::MAX, Some(1.0)));
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
