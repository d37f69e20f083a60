//! The threads of one call: they take numbered pieces of work until none is left, one fails, or the caller has enough.
//!
//! There is no pool that outlives a call. Results do not depend on timing: of several failures the one of the lowest number counts, and
//! since numbers ascend, every piece below it was done.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::codec::{Pool, Retained};
use crate::error::{Error, ErrorKind, Result};
use crate::store::Buffer;

/// More threads than this help nobody, and a count from a caller may be anything.
const MAX_THREADS: usize = 256;

/// What reports how many of how many pieces are done; `false` ends the call.
pub type Progress<'a> = Option<&'a mut dyn FnMut(u64, u64) -> bool>;

/// Memory that one thread uses again for each piece.
#[derive(Default)]
pub(super) struct Scratch {
    /// A block as it is stored.
    pub(super) stored: Buffer,
    /// A block that is about to be stored.
    pub(super) encoded: Vec<u8>,
    /// A block's elements.
    pub(super) elements: Vec<u8>,
}

impl Retained for Scratch {
    fn retained_bytes(&self) -> usize {
        let Self { stored, encoded, elements } = self;
        stored.retained_bytes().saturating_add(encoded.capacity()).saturating_add(elements.capacity())
    }
}

/// Numbers from 0 on, each for one thread.
pub(super) struct Numbers {
    next: AtomicU64,
    count: u64,
}

impl Numbers {
    pub(super) fn new(count: u64) -> Self {
        Self { next: AtomicU64::new(0), count }
    }

    pub(super) fn take(&self) -> Option<(u64, u64)> {
        let more = |number: u64| (number < self.count).then(|| number.saturating_add(1));
        let number = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some((number, number))
    }
}

/// What the threads of one call share.
struct Shared {
    done: AtomicU64,
    stop: AtomicBool,
    failure: Mutex<Option<(u64, Error)>>,
}

/// Ends the other threads' work where one panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// Works until there is nothing to do; `after` runs after each piece.
    fn work<T>(
        &self,
        scratch: &mut Scratch,
        take: &(impl Fn() -> Option<(u64, T)> + Sync),
        work: &(impl Fn(&mut Scratch, T) -> Result<()> + Sync),
        after: &mut dyn FnMut(u64) -> bool,
    ) {
        let _guard = StopOnPanic(&self.stop);
        // What was taken is done, whatever happens to others meanwhile.
        while !self.stop.load(Ordering::Relaxed) {
            let Some((number, piece)) = take() else { return };
            match work(scratch, piece) {
                Ok(()) => {
                    let done = self.done.fetch_add(1, Ordering::Relaxed).saturating_add(1);
                    if !after(done) {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(error) => {
                    let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                    if failure.as_ref().is_none_or(|(lowest, _)| number < *lowest) {
                        *failure = Some((number, error));
                    }
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}

/// The number of threads for `count` pieces, where 0 asks for the cores that the process may use.
pub(super) fn thread_count(threads: usize, count: u64) -> usize {
    let threads = if threads == 0 { std::thread::available_parallelism().map_or(1, NonZero::get) } else { threads };
    threads.min(MAX_THREADS).min(usize::try_from(count).unwrap_or(usize::MAX)).max(1)
}

/// Does `count` pieces of work: `take` gives each of them once, numbers ascending, and `work` does it. The calling thread is one of the
/// `threads`, and the only one that reports progress.
///
/// # Errors
/// Of the pieces that failed that of the lowest number; `Cancelled` if `progress` said so.
pub(super) fn run<T>(
    (threads, scratches): (usize, &Pool<Scratch>),
    count: u64,
    mut progress: Progress<'_>,
    take: &(impl Fn() -> Option<(u64, T)> + Sync),
    work: &(impl Fn(&mut Scratch, T) -> Result<()> + Sync),
) -> Result<()> {
    let mut was_cancelled = false;
    let mut reported = None;
    let mut report = |done: u64| {
        // Another thread's report may have come first.
        let news = !was_cancelled && reported.is_none_or(|reported| done > reported);
        if news && let Some(progress) = &mut progress {
            reported = Some(done);
            was_cancelled = !progress(done, count);
        }
        !was_cancelled
    };
    let shared = Shared { done: AtomicU64::new(0), stop: AtomicBool::new(false), failure: Mutex::new(None) };
    if report(0) {
        match thread_count(threads, count) {
            1 => scratches.with(|scratch| shared.work(scratch, take, work, &mut report)),
            threads => std::thread::scope(|scope| {
                let mut others = Vec::new();
                for _ in 1..threads {
                    // A system that gives no more threads gives a slower call, no failed one.
                    let work = || scratches.with(|scratch| shared.work(scratch, take, work, &mut |_| true));
                    match std::thread::Builder::new().spawn_scoped(scope, work) {
                        Ok(other) => others.push(other),
                        Err(_) => break,
                    }
                }
                scratches.with(|scratch| shared.work(scratch, take, work, &mut report));
                for other in others {
                    if let Err(panic) = other.join() {
                        std::panic::resume_unwind(panic);
                    }
                }
            }),
        }
        if let Some((_, error)) = shared.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        report(shared.done.into_inner());
    }
    if was_cancelled { Err(cancelled()) } else { Ok(()) }
}

/// The error of a call that its caller ended.
pub(super) fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the call was cancelled by its progress callback")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_piece_is_done_once_whatever_the_number_of_threads() {
        for threads in [0, 1, 2, 7, 5000] {
            let numbers = Numbers::new(1000);
            let sum = AtomicU64::new(0);
            let mut reports = Vec::new();
            run(
                (threads, &Pool::new()),
                1000,
                Some(&mut |done, total| {
                    reports.push((done, total));
                    true
                }),
                &|| numbers.take(),
                &|_, number| {
                    sum.fetch_add(number, Ordering::Relaxed);
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(sum.into_inner(), 499_500);
            assert_eq!((reports.first(), reports.last()), (Some(&(0, 1000)), Some(&(1000, 1000))));
            assert!(reports.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a < b)));
        }
        assert_eq!(thread_count(5000, u64::MAX), MAX_THREADS);
        assert_eq!(thread_count(4, 0), 1);
    }

    #[test]
    fn the_failure_of_the_lowest_number_counts() {
        for _ in 0..50 {
            let numbers = Numbers::new(64);
            let error = run((8, &Pool::new()), 64, None, &|| numbers.take(), &|_, number| {
                if number % 5 == 3 {
                    // Lower numbers take longer, so that others fail first.
                    std::thread::sleep(Duration::from_micros(300u64.saturating_sub(number * 20)));
                    return Err(Error::new(ErrorKind::CorruptPayload, format!("piece {number}")));
                }
                Ok(())
            })
            .unwrap_err();
            assert_eq!(error.message(), "piece 3");
        }
    }

    #[test]
    fn progress_is_reported_by_the_calling_thread_and_can_cancel() {
        let caller = std::thread::current().id();
        for threads in [1, 4] {
            let numbers = Numbers::new(10_000);
            let mut calls = 0;
            let cancel = &mut |done: u64, _| {
                assert_eq!(std::thread::current().id(), caller);
                calls += 1;
                done < 5
            };
            let result = run((threads, &Pool::new()), 10_000, Some(cancel), &|| numbers.take(), &|_, _| {
                std::thread::sleep(Duration::from_micros(10));
                Ok(())
            });
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
            assert!(numbers.take().is_some(), "the rest is left undone");
            assert!(calls >= 2);
        }
        let numbers = Numbers::new(3);
        let before = run((1, &Pool::new()), 3, Some(&mut |_, _| false), &|| numbers.take(), &|_, _| panic!("nothing begins"));
        assert_eq!(before.unwrap_err().kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn a_panic_reaches_the_caller_with_its_message() {
        let numbers = Numbers::new(1000);
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
            run((3, &Pool::new()), 1000, None, &|| numbers.take(), &|_, number| if number == 17 { panic!("on purpose") } else { Ok(()) })
        }));
        assert_eq!(*result.unwrap_err().downcast::<&str>().unwrap(), "on purpose");
    }
}
