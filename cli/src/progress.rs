//! Progress of long work: a bar on stderr if that is a terminal, and the question whether to go on.
//!
//! The bar never mixes with standard output, and a log file never gets one.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt;

/// A bar that counts blocks or other steps.
pub(crate) struct Progress {
    bar: ProgressBar,
    before: u64,
}

impl Progress {
    /// A bar with a title; invisible where stderr is no terminal or the user wants it quiet.
    pub(crate) fn new(title: &str, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(None, target);
        let template = "{msg} {wide_bar} {human_pos}/{human_len} {eta}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(title.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, before: 0 }
    }

    /// Sets how many steps there are, where it is known beforehand.
    pub(crate) fn set_total(&mut self, total: u64) {
        self.bar.set_length(total);
    }

    /// One step is done.
    pub(crate) fn step(&mut self) {
        self.bar.inc(1);
    }

    /// The engine did `done` of `total` steps of this call. Gives whether it shall go on.
    pub(crate) fn engine(&mut self, done: u64, total: u64) -> bool {
        self.bar.set_length(self.before.saturating_add(total));
        self.bar.set_position(self.before.saturating_add(done));
        !interrupt::requested()
    }

    /// One call of the engine ended; the next one counts on from here.
    pub(crate) fn next_call(&mut self) {
        self.before = self.bar.position();
    }

    /// Shows another title.
    pub(crate) fn title(&self, title: &str) {
        self.bar.set_message(title.to_owned());
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
