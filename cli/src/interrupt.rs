//! Ctrl-C: the first asks the running command to stop and tidy up, the second stops the process.
//!
//! Long loops call [`check`]; the engine's progress callbacks ask [`requested`].

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Exit, Failure, Result};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C. Where that is impossible Ctrl-C ends the process at once, as without it.
pub(crate) fn install() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Fails if Ctrl-C was pressed.
pub(crate) fn check() -> Result<()> {
    if requested() { Err(Failure::Interrupted) } else { Ok(()) }
}
