//! Signals that ask for the end: the first lets the command stop and tidy up, the second ends it.
//!
//! Long loops call [`check`]; the engine's progress callbacks ask [`requested`]. What is not
//! complete then is removed, see `outputs`.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::failure::{Failure, Result};
use crate::outputs;

/// The number of the signal that asked for the end; 0 before.
static REQUESTED: AtomicU8 = AtomicU8::new(0);

/// The number of SIGINT, which is what Ctrl-C sends.
const CTRL_C: u8 = 2;

/// Takes over Ctrl-C, SIGTERM and SIGHUP. Where that is impossible they end the process at once, as
/// without it.
pub(crate) fn install() {
    #[cfg(unix)]
    signals::install();
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(|| request(CTRL_C));
}

/// Notes the first request, and obeys the second.
fn request(signal: u8) {
    if REQUESTED.swap(signal, Ordering::Relaxed) != 0 {
        outputs::remove_unfinished();
        std::process::exit(i32::from(code()));
    }
}

/// Whether somebody asked for the end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed) != 0
}

/// Fails if somebody asked for the end.
pub(crate) fn check() -> Result<()> {
    if requested() { Err(Failure::Interrupted) } else { Ok(()) }
}

/// What the shell sees of an interrupted command: 128 and the signal's number.
pub(crate) fn code() -> u8 {
    match REQUESTED.load(Ordering::Relaxed) {
        0 => 128 + CTRL_C,
        signal => 128 + signal,
    }
}

/// A thread waits for the signals, which all threads block: it may do whatever a thread may, and no
/// call of the system is disturbed.
#[cfg(unix)]
mod signals {
    use nix::sys::signal::{SigSet, Signal};

    pub(super) fn install() {
        let mut awaited = SigSet::empty();
        awaited.add(Signal::SIGINT);
        awaited.add(Signal::SIGTERM);
        // `nohup` has it ignored, and so it shall stay.
        if !is_ignored(Signal::SIGHUP) {
            awaited.add(Signal::SIGHUP);
        }
        let mut blocked = awaited;
        // Blocked and never taken: a file that grows beyond the limit is then an error of the call
        // that writes it.
        blocked.add(Signal::SIGXFSZ);
        if blocked.thread_block().is_err() {
            return;
        }
        let waiter = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            while let Ok(signal) = awaited.wait() {
                super::request(u8::try_from(signal as i32).unwrap_or(super::CTRL_C));
            }
        });
        if waiter.is_err() {
            let _ = blocked.thread_unblock();
        }
    }

    /// Whether the process was started with the signal ignored. A blocked signal waits on Linux
    /// also if it is ignored, elsewhere it is dropped.
    fn is_ignored(signal: Signal) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        ignored & (1 << (signal as i32 - 1)) != 0
    }
}
