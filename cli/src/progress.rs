//! Progress of long work: a bar on stderr if that is a terminal, and the question whether to go on.
//!
//! The bar never mixes with standard output, and a log file never gets one.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use zn5::error::escaped;

use crate::interrupt;

/// Steps of the bar for one call of the engine.
const STEPS: u64 = 1000;

/// A bar over calls of the engine, each of which tells how far it is, or a count of what was seen.
pub(crate) struct Progress {
    bar: ProgressBar,
    calls_done: u64,
    calls: u64,
    /// For how many calls the next one counts.
    weight: u64,
}

impl Progress {
    /// A bar with a title; invisible where stderr is no terminal or the user wants it quiet.
    pub(crate) fn new(title: &str, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{msg} {human_pos}") {
            bar.set_style(style);
        }
        bar.set_message(escaped(title).into_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, calls_done: 0, calls: 1, weight: 1 }
    }

    /// Tells how many calls there will be, which makes the count a bar.
    pub(crate) fn expect(&mut self, calls: u64) {
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta}") {
            self.bar.set_style(style);
        }
        self.calls = calls.max(1);
        self.calls_done = 0;
        self.weight = 1;
        self.bar.set_length(self.calls.saturating_mul(STEPS));
        self.bar.set_position(0);
    }

    /// Lets the next call count for as many.
    pub(crate) fn weigh(&mut self, calls: u64) {
        self.weight = calls;
    }

    /// One more was seen.
    pub(crate) fn count(&mut self) {
        self.bar.inc(1);
    }

    /// The engine did `done` of `total` steps of this call. Gives whether it shall go on.
    pub(crate) fn engine(&mut self, done: u64, total: u64) -> bool {
        let share = u128::from(done) * u128::from(STEPS) / u128::from(total.max(1));
        let share = u64::try_from(share).unwrap_or(STEPS).min(STEPS);
        self.bar.set_position(self.calls_done.saturating_mul(STEPS).saturating_add(share.saturating_mul(self.weight)));
        !interrupt::requested()
    }

    /// One call ended.
    pub(crate) fn call_done(&mut self) {
        self.calls_done = self.calls_done.saturating_add(self.weight);
        self.weight = 1;
        self.bar.set_position(self.calls_done.saturating_mul(STEPS));
    }

    /// Shows another title.
    pub(crate) fn title(&self, title: &str) {
        self.bar.set_message(escaped(title).into_owned());
    }

    /// Runs `print` with the bar out of the way.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
