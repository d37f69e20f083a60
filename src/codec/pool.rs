//! Workspaces that the calls of one codec reuse: buffers and compression contexts.
//!
//! No call ever waits for another: a slot that is busy is passed over, and a call that finds none makes a workspace of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError};

use crate::compress;

/// What one call needs beside its input and output.
#[derive(Default)]
pub(super) struct Workspace {
    /// Contexts of the compression libraries.
    pub(super) compress: compress::Workspace,
    /// A decoded payload, or one about to be encoded.
    pub(super) payload: Vec<u8>,
    /// The stage between two compressors of one chain, or an encoded block that may not fit the output.
    pub(super) staging: Vec<u8>,
}

/// What a pool keeps.
pub(crate) trait Retained: Default {
    /// About how many bytes it holds on to.
    fn retained_bytes(&self) -> usize;
}

impl Retained for Workspace {
    fn retained_bytes(&self) -> usize {
        self.compress.retained_bytes().saturating_add(self.payload.capacity()).saturating_add(self.staging.capacity())
    }
}

/// Workspaces above this size are given back to the system.
const KEPT_BYTES: usize = 64 << 20;

/// As many as threads that can be expected to use one codec at a time.
const SLOTS: usize = 32;

/// Values that are used by one call at a time, and again by the next.
pub(crate) struct Pool<W> {
    slots: [Slot<W>; SLOTS],
}

/// In a cache line of its own, so that threads that use different slots do not wait for each other's memory.
#[repr(align(64))]
struct Slot<W>(Mutex<Option<Box<W>>>);

thread_local! {
    /// Where this thread looks first: mostly it finds what it left there.
    static FIRST: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
}

impl<W: Retained> Pool<W> {
    pub(crate) fn new() -> Self {
        Self { slots: [const { Slot(Mutex::new(None)) }; SLOTS] }
    }

    /// Runs `work` with a workspace. Where `work` panics, its workspace is dropped and the pool is as before.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut W) -> T) -> T {
        let mut workspace = self.take().unwrap_or_default();
        let result = work(&mut workspace);
        if workspace.retained_bytes() <= KEPT_BYTES {
            self.put(workspace);
        }
        result
    }

    /// All slots, this thread's first.
    fn slots(&self) -> impl Iterator<Item = &Slot<W>> {
        // A thread that ends may have lost its number already.
        let first = FIRST.try_with(|first| *first).unwrap_or(0).checked_rem(SLOTS).unwrap_or(0);
        let (before, behind) = self.slots.split_at_checked(first).unwrap_or_default();
        behind.iter().chain(before)
    }

    fn take(&self) -> Option<Box<W>> {
        self.slots().find_map(|slot| try_slot(slot, Option::take))
    }

    fn put(&self, workspace: Box<W>) {
        let mut workspace = Some(workspace);
        for slot in self.slots() {
            let _ = try_slot(slot, |content| {
                if content.is_none() {
                    *content = workspace.take();
                }
                None::<()>
            });
            if workspace.is_none() {
                return;
            }
        }
    }
}

fn try_slot<W, T>(slot: &Slot<W>, act: impl FnOnce(&mut Option<Box<W>>) -> Option<T>) -> Option<T> {
    match slot.0.try_lock() {
        Ok(mut content) => act(&mut content),
        Err(TryLockError::Poisoned(content)) => act(&mut content.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_used_again_and_a_large_one_is_not_kept() {
        let pool = Pool::<Workspace>::new();
        pool.with(|workspace| workspace.payload.reserve_exact(1000));
        pool.with(|workspace| {
            assert!(workspace.payload.capacity() >= 1000);
            workspace.payload.reserve_exact(KEPT_BYTES + 1);
        });
        pool.with(|workspace| assert_eq!(workspace.payload.capacity(), 0));
    }

    #[test]
    fn more_calls_than_slots_run_at_once() {
        fn nest(pool: &Pool<Workspace>, depth: usize) -> usize {
            if depth == 0 { 0 } else { pool.with(|_| 1 + nest(pool, depth - 1)) }
        }
        assert_eq!(nest(&Pool::<Workspace>::new(), 3 * SLOTS), 3 * SLOTS);
    }

    #[test]
    fn a_panic_leaves_the_pool_usable() {
        let pool = Pool::<Workspace>::new();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.with(|_| -> () { panic!("on purpose") })));
        assert!(result.is_err());
        pool.with(|workspace| assert_eq!(workspace.payload.capacity(), 0));
    }
}
