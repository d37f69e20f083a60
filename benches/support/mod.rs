//! What the benches share: the clocks, measuring several ways in turn, and results as lines of JSON.
//!
//! Every ratio comes from sides that are measured in turn in the same rounds, so that a busy machine disturbs all of them alike.
#![allow(dead_code, reason = "each bench uses a part of it")]

pub(crate) mod bare;
pub(crate) mod c_api;
pub(crate) mod data;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Seconds that one side of a comparison runs in one round at least, so that the clock's resolution does not matter.
const ROUND_SECONDS: f64 = 0.008;

/// CPU time of the calling thread, or the time of day where the system does not tell.
pub(crate) fn cpu_time() -> Duration {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the system writes the time into `time`.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
    }
    #[cfg(not(unix))]
    {
        wall_time()
    }
}

/// The time of day, as a distance.
pub(crate) fn wall_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Keeps the calling thread, and those that it makes later, on one core where the system can; `None` lets it run on all again.
pub(crate) fn pin(core: Option<usize>) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: zeros are an empty set.
        let mut cores: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for candidate in 0..libc::CPU_SETSIZE.unsigned_abs() as usize {
            if core.is_none_or(|core| core == candidate) {
                // SAFETY: the number is below the size of the set.
                unsafe { libc::CPU_SET(candidate, &mut cores) };
            }
        }
        // SAFETY: the set is as long as said. Where it is refused, the measurement is a little less steady, no more.
        unsafe { libc::sched_setaffinity(0, size_of_val(&cores), &raw const cores) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = core;
}

/// The core to be pinned to: the last one, since interrupts tend to the first.
pub(crate) fn quiet_core() -> usize {
    std::thread::available_parallelism().map_or(0, |count| count.get() - 1)
}

/// Seconds of one call, by side and round.
pub(crate) type Seconds = Vec<Vec<f64>>;

/// Runs the sides in turn, `rounds` times and once before to warm up.
pub(crate) fn measure(rounds: usize, clock: fn() -> Duration, sides: &mut [&mut dyn FnMut()]) -> Seconds {
    let timed = |side: &mut dyn FnMut(), repeats: usize| {
        let begin = clock();
        for _ in 0..repeats {
            side();
        }
        clock().saturating_sub(begin).as_secs_f64() / repeats as f64
    };
    let repeats: Vec<usize> = sides
        .iter_mut()
        .map(|side| {
            timed(side, 1);
            (ROUND_SECONDS / timed(side, 1).max(1e-8)).ceil().max(1.0) as usize
        })
        .collect();
    let mut seconds = vec![Vec::new(); sides.len()];
    for _ in 0..rounds {
        for ((side, &repeats), seconds) in sides.iter_mut().zip(&repeats).zip(&mut seconds) {
            seconds.push(timed(side, repeats));
        }
    }
    seconds
}

pub(crate) fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// What a line of results is about.
pub(crate) struct Subject<'a> {
    /// Of the table of goals; 0 if it is in none.
    pub(crate) row: u32,
    pub(crate) group: &'a str,
    pub(crate) case: &'a str,
    /// What the group alone knows, as members of the line: `"name":value` joined by commas, or nothing.
    pub(crate) more: String,
}

/// The results of one bench: on standard output to be read, and as lines of JSON in the file of `--json`.
pub(crate) struct Results {
    bench: &'static str,
    file: Option<BufWriter<File>>,
}

impl Results {
    /// `ours` and `other` are seconds of one call that handles `len` bytes; the ratio is how many times as fast ours is, round by round.
    pub(crate) fn compare(&mut self, subject: &Subject, len: usize, ours: &[f64], other: &[f64]) {
        let ratios = || ours.iter().zip(other).map(|(ours, other)| other / ours);
        let ratio = median(ratios());
        let (low, high) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        let speed = |seconds: &[f64]| len as f64 / median(seconds.iter().copied());
        let (ours, other) = (speed(ours), speed(other));
        println!(
            "{:<44} {:<22} {:8.3} {:8.3} GB/s {ratio:7.3} ({low:.3} to {high:.3})",
            subject.group,
            subject.case,
            ours / 1e9,
            other / 1e9
        );
        self.line(subject, &format!("\"ours\":{ours:.0},\"other\":{other:.0},\"ratio\":{ratio:.5},\"low\":{low:.5},\"high\":{high:.5}"));
    }

    /// One line with any members.
    pub(crate) fn line(&mut self, subject: &Subject, members: &str) {
        let Subject { row, group, case, more } = subject;
        let comma = if more.is_empty() { "" } else { "," };
        if let Some(file) = &mut self.file {
            let bench = self.bench;
            writeln!(file, "{{\"bench\":\"{bench}\",\"row\":{row},\"group\":\"{group}\",\"case\":\"{case}\",{members}{comma}{more}}}")
                .unwrap();
            file.flush().unwrap();
        }
    }
}

/// What the command line asks for.
pub(crate) struct Options {
    /// Few cases, to see that all of it works.
    pub(crate) quick: bool,
    pub(crate) rounds: usize,
    /// Only groups whose name contains this.
    pub(crate) only: String,
    /// A folder for large files.
    pub(crate) folder: PathBuf,
    pub(crate) results: Results,
}

impl Options {
    /// `[--quick] [--json FILE] [--only WORD] [--folder FOLDER]`; what `cargo bench` adds is passed over.
    pub(crate) fn from_arguments(bench: &'static str) -> Self {
        let mut options = Self {
            quick: false,
            rounds: 9,
            only: String::new(),
            folder: PathBuf::from("target/bench/data"),
            results: Results { bench, file: None },
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => {
                    options.quick = true;
                    options.rounds = 3;
                }
                "--json" => options.results.file = Some(BufWriter::new(File::create(value()).unwrap())),
                "--only" => options.only = value(),
                "--folder" => options.folder = PathBuf::from(value()),
                "--bench" => {}
                _ => panic!("unknown argument {argument}; there are --quick, --json FILE, --only WORD, --folder FOLDER"),
            }
        }
        options
    }
}
