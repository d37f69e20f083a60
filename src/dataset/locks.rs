//! Who may change a block: locks of one handle, so that calls that write parts of the same block
//! lose nothing of each other's.
//!
//! A call that completes a block has it alone, from reading the old one to storing the new one.
//! Whole blocks are stored side by side, but never in between.

use std::cell::RefCell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use crate::error::Result;
use crate::model::try_vec;

/// A block shares its lock with every 256th other. Two threads at work meet there by chance and
/// wait, but lose nothing.
const STRIPES: usize = 256;

/// Which handles a thread changes blocks of: a store's callback that writes by another handle
/// makes them more than one.
type Handles = SmallVec<[usize; 4]>;

thread_local! {
    static HELD: RefCell<Handles> = RefCell::default();
}

/// The locks of one handle.
pub(super) struct Locks {
    stripes: Vec<Stripe>,
}

/// One lock. Who comes first is served first, so that neither those who want it alone nor those
/// who share it can keep the others out for ever.
#[derive(Default)]
struct Stripe {
    queue: Mutex<Queue>,
    moved: Condvar,
}

/// Numbers go round: only that they are equal counts.
#[derive(Default)]
struct Queue {
    /// The number of who comes next.
    next: u32,
    /// Whose turn it is; somebody waits, or has the lock alone, where it is not the next one's.
    serving: u32,
    /// Those who have had their turn, and share the lock.
    sharing: u32,
}

/// The locks as one call uses them.
pub(super) struct Turns<'a> {
    locks: &'a Locks,
    /// What the thread that made the call held already, for all threads of the call.
    outer: Handles,
}

/// Ends a thread's turn when it is dropped, whatever became of the block.
#[must_use]
pub(super) struct Turn<'a> {
    /// The lock, and whether it is had alone; `None` within a turn of the same handle.
    lock: Option<(&'a Stripe, bool)>,
    held_before: usize,
}

impl Locks {
    pub(super) fn new() -> Result<Self> {
        let mut stripes = try_vec(STRIPES)?;
        stripes.resize_with(STRIPES, Stripe::default);
        Ok(Self { stripes })
    }

    /// The locks for a call that this thread makes.
    pub(super) fn turns(&self) -> Turns<'_> {
        Turns { locks: self, outer: HELD.try_with(|held| held.borrow().clone()).unwrap_or_default() }
    }

    /// What tells this handle from others while it lives.
    fn id(&self) -> usize {
        self.stripes.as_ptr().addr()
    }

    fn stripe(&self, position: &[u64]) -> Option<&Stripe> {
        // 2^64 divided by the golden ratio: neighbours along any axis get locks far apart.
        let mix = |hash: u64, &index: &u64| (hash.rotate_left(29) ^ index).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = position.iter().fold(0, mix);
        self.stripes.get(usize::from(hash.to_be_bytes()[0]))
    }
}

impl Stripe {
    /// Nothing that runs under the mutex leaves the queue half changed.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, is_alone: bool) {
        let mut queue = self.queue();
        let number = queue.next;
        queue.next = number.wrapping_add(1);
        let must_wait = |queue: &mut Queue| queue.serving != number || (is_alone && queue.sharing > 0);
        let mut queue = self.moved.wait_while(queue, must_wait).unwrap_or_else(PoisonError::into_inner);
        if !is_alone {
            queue.sharing = queue.sharing.wrapping_add(1);
            self.serve_next(queue);
        }
    }

    fn leave(&self, is_alone: bool) {
        let mut queue = self.queue();
        if is_alone {
            self.serve_next(queue);
        } else {
            queue.sharing = queue.sharing.wrapping_sub(1);
            self.wake(queue);
        }
    }

    fn serve_next(&self, mut queue: MutexGuard<'_, Queue>) {
        queue.serving = queue.serving.wrapping_add(1);
        self.wake(queue);
    }

    /// Has those who wait look at the queue. Where nobody does, a system call is spared.
    fn wake(&self, queue: MutexGuard<'_, Queue>) {
        let somebody_waits = queue.next != queue.serving;
        drop(queue);
        if somebody_waits {
            self.moved.notify_all();
        }
    }
}

impl<'a> Turns<'a> {
    /// The turn of a thread that completes the block at this position with what is stored.
    pub(super) fn alone(&self, position: &[u64]) -> Turn<'a> {
        self.turn(position, true)
    }

    /// The turn of a thread that stores the block at this position, whatever is stored there.
    pub(super) fn shared(&self, position: &[u64]) -> Turn<'a> {
        self.turn(position, false)
    }

    /// Waits for the lock, unless a callback makes the call within a turn of the same handle.
    ///
    /// That turn ends only after the call, and to wait here for another one, which may wait for
    /// that, could be for ever. So such a call is part of the turn that it is made in.
    fn turn(&self, position: &[u64], is_alone: bool) -> Turn<'a> {
        let is_within = self.outer.contains(&self.locks.id());
        let stripe = if is_within { None } else { self.locks.stripe(position) };
        if let Some(stripe) = stripe {
            stripe.enter(is_alone);
        }
        let held_before = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            let before = held.len();
            // A thread that the call made begins with nothing.
            if before == 0 {
                held.extend_from_slice(&self.outer);
            }
            held.push(self.locks.id());
            before
        });
        Turn { lock: stripe.map(|stripe| (stripe, is_alone)), held_before: held_before.unwrap_or(0) }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // A thread that ends may have lost its list already.
        let _ = HELD.try_with(|held| held.borrow_mut().truncate(self.held_before));
        if let Some((stripe, is_alone)) = self.lock {
            stripe.leave(is_alone);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use std::collections::HashSet;
    use std::panic::AssertUnwindSafe;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Whether another thread could have the block alone, or with others, at this moment.
    fn is_free(locks: &Locks, position: &[u64]) -> (bool, bool) {
        let queue = locks.stripe(position).unwrap().queue();
        (queue.next == queue.serving && queue.sharing == 0, queue.next == queue.serving)
    }

    #[test]
    fn whole_blocks_share_and_parts_do_not() {
        let locks = Locks::new().unwrap();
        let turns = locks.turns();
        for position in [&[][..], &[0], &[3, 1], &[u64::MAX; 9]] {
            assert_eq!(is_free(&locks, position), (true, true));
            let turn = turns.shared(position);
            assert_eq!(is_free(&locks, position), (false, true));
            drop(turn);
            let turn = turns.alone(position);
            assert_eq!(is_free(&locks, position), (false, false));
            drop(turn);
        }
        assert_eq!(is_free(&locks, &[]), (true, true));
    }

    #[test]
    fn a_call_within_a_turn_of_the_same_handle_waits_for_nobody() {
        let (a, b) = (Locks::new().unwrap(), Locks::new().unwrap());
        let outer = a.turns().alone(&[1]);
        // Of the same handle, at the same block and at others.
        let inner = a.turns();
        for position in [1, 2] {
            drop(inner.alone(&[position]));
            drop(inner.shared(&[position]));
        }
        assert_eq!((is_free(&a, &[1]), is_free(&a, &[2])), ((false, false), (true, true)));
        // Another handle has locks of its own, and by way of it one gets back to the first. So do
        // threads that a call made.
        let turns = b.turns();
        let work = || {
            let _turn = turns.alone(&[1]);
            assert_eq!(is_free(&b, &[1]), (false, false));
            drop(a.turns().alone(&[1]));
            assert_eq!(is_free(&b, &[1]), (false, false));
        };
        work();
        std::thread::scope(|scope| scope.spawn(work).join().unwrap());
        drop(outer);
        assert_eq!((is_free(&a, &[1]), is_free(&b, &[1])), ((true, true), (true, true)));
        // And after it, calls lock as before.
        let _turn = a.turns().alone(&[1]);
        assert_eq!(is_free(&a, &[1]), (false, false));
    }

    /// Waits until so many have taken a number at this lock.
    fn wait_for(locks: &Locks, position: &[u64], count: u32) {
        while locks.stripe(position).unwrap().queue().next != count {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn who_comes_first_is_served_first() {
        let locks = Locks::new().unwrap();
        let (turns, order) = (locks.turns(), Mutex::new(Vec::new()));
        let first = turns.shared(&[1]);
        std::thread::scope(|scope| {
            for (number, is_alone) in (1..).zip([true, false, false, true, false, true, true, false]) {
                let (turns, order) = (&turns, &order);
                scope.spawn(move || {
                    let _turn = turns.turn(&[1], is_alone);
                    order.lock().unwrap().push((number, is_alone));
                });
                wait_for(&locks, &[1], number + 1);
                assert_eq!(order.lock().unwrap()[..], []);
            }
            drop(first);
        });
        let mut order = order.into_inner().unwrap();
        // Two that share follow each other in any order.
        if order.get(1).is_some_and(|&(number, _)| number == 3) {
            order.swap(1, 2);
        }
        let numbers: Vec<u32> = order.iter().map(|&(number, _)| number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(is_free(&locks, &[1]), (true, true));
    }

    #[test]
    fn who_has_a_block_alone_is_alone() {
        let (locks, inside) = (Locks::new().unwrap(), AtomicUsize::new(0));
        // The numbers go round meanwhile.
        let mut queue = locks.stripe(&[]).unwrap().queue();
        (queue.next, queue.serving) = (u32::MAX - 100, u32::MAX - 100);
        drop(queue);
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (turns, inside) = (locks.turns(), &inside);
                scope.spawn(move || {
                    for round in 0..100 {
                        let is_alone = (thread + round) % 3 == 0;
                        let weight = if is_alone { 1000 } else { 1 };
                        let _turn = turns.turn(&[], is_alone);
                        let before = inside.fetch_add(weight, Ordering::SeqCst);
                        assert!(if is_alone { before == 0 } else { before < 1000 }, "{before}");
                        std::thread::yield_now();
                        inside.fetch_sub(weight, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(is_free(&locks, &[]), (true, true));
        assert_eq!(locks.stripe(&[]).unwrap().queue().next, 499);
    }

    #[test]
    fn a_panic_ends_the_turn() {
        let locks = Locks::new().unwrap();
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let _turn = locks.turns().alone(&[7]);
            panic!("on purpose")
        }));
        assert!(result.is_err());
        // Locked again, by this thread and for others: nothing is left of the turn.
        let _turn = locks.turns().alone(&[7]);
        assert_eq!(is_free(&locks, &[7]), (false, false));
    }

    #[test]
    fn neighbours_seldom_share_a_lock() {
        let locks = Locks::new().unwrap();
        let stripe = |position: &[u64]| std::ptr::from_ref(locks.stripe(position).unwrap());
        for axis in 0..3 {
            let row: HashSet<_> = (0..64)
                .map(|index| {
                    let mut position = [5, 5, 5];
                    position[axis] = index;
                    stripe(&position)
                })
                .collect();
            assert!(row.len() > 40, "{axis}: {}", row.len());
        }
        let cube = (0..4096_u64).map(|index| stripe(&[index % 16, index / 16 % 16, index / 256]));
        assert_eq!(cube.collect::<HashSet<_>>().len(), STRIPES);
    }
}
