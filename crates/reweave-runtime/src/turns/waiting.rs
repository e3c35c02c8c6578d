//! How a thread waits until another stream has got far enough, and how it is woken.

use super::Turns;
use super::stream::{Progress, Stream, WAITING};
use crate::sys::{futex_wait, futex_wake_all};
use reweave_trace::{Link, StreamId};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

impl Turns {
    /// Wakes those whose event has happened, and nobody else.
    pub(super) fn wake(&self, progress: &Progress) {
        let reached = progress.reached.load(Ordering::SeqCst);
        let mut sleepers = progress
            .sleepers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        sleepers.retain(|(goal, sleeper)| {
            if *goal > reached {
                return true;
            }
            progress.sleeping.fetch_sub(1, Ordering::SeqCst);
            let number = *sleeper;
            let sleeper = &self.streams[number as usize];
            sleeper.go.store(1, Ordering::SeqCst);
            match sleeper.light.load(Ordering::Relaxed) {
                true => self.unparks.add(StreamId(number + 1)),
                false => futex_wake_all(&sleeper.go),
            }
            false
        });
    }

    /// False if the event has not happened and the stream is light.
    pub(super) fn wait_for(&self, id: StreamId, waiter: &Stream, link: Link) -> bool {
        let Some(target) = self.stream(link.stream) else {
            return true;
        };
        let reached = || target.events.reached.load(Ordering::SeqCst);
        let to_go = || link.position.0.saturating_sub(reached());
        if self.spin(waiter, to_go) {
            return true;
        }
        waiter.detail.store(link.pack(), Ordering::Relaxed);
        waiter.activity.store(WAITING, Ordering::Release);
        self.sleep(id, waiter, &target.events, link.position.0)
    }

    /// False if the stream is light: then it has been noted that it waits.
    pub(super) fn sleep(
        &self,
        id: StreamId,
        waiter: &Stream,
        target: &Progress,
        goal: u64,
    ) -> bool {
        let reached = || target.reached.load(Ordering::SeqCst) >= goal;
        let light = waiter.light.load(Ordering::Relaxed);
        if light && waiter.go.load(Ordering::SeqCst) == LIES_DOWN {
            // Woken by something else. It is noted already.
            return false;
        }
        waiter.go.store(LIES_DOWN, Ordering::SeqCst);
        {
            let mut sleepers = target
                .sleepers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            sleepers.push((goal, id.0 - 1));
            target.sleeping.fetch_add(1, Ordering::SeqCst);
        }
        if reached() {
            // It happened while we lay down, and whoever did it may not have seen us.
            self.wake(target);
        }
        if light {
            return false;
        }
        while waiter.go.load(Ordering::SeqCst) == LIES_DOWN {
            futex_wait(&waiter.go, LIES_DOWN, Duration::from_secs(1));
            if reached() {
                // Whoever did it has not come to wake us yet: perhaps it is stopped in a debugger, holding the lock.
                self.wake(target);
            }
        }
        true
    }

    /// Most turns come within microseconds; going to sleep and being woken costs ten. So a thread first spins, though only some may: a spinning thread keeps a
    /// processor from somebody who has work to do. Then it offers its processor to others, again and again: often the thread it waits for is next in line there. All that
    /// only while the event is near.
    pub(super) fn spin(&self, waiter: &Stream, to_go: impl Fn() -> u64) -> bool {
        match to_go() {
            0 => return true,
            far if far > NEAR => return false,
            _ => (),
        }
        let may = self.spinning.fetch_add(1, Ordering::Relaxed) < self.spinners;
        let found = may
            && (0..SPINS).any(|_| {
                std::hint::spin_loop();
                to_go() == 0
            });
        self.spinning.fetch_sub(1, Ordering::Relaxed);
        // The processor of a light thread has others to carry.
        let yields = match waiter.light.load(Ordering::Relaxed) {
            true => 0,
            false => YIELDS,
        };
        found
            || (0..yields).any(|_| {
                std::thread::yield_now();
                to_go() == 0
            })
    }
}

/// A spin takes about 40 ns on current processors, a yield that finds nobody half a microsecond.
const SPINS: u32 = 60;
const YIELDS: u32 = 500;
/// Value of `Stream::go` while the stream waits for its wake-up.
const LIES_DOWN: u32 = 2;
/// An event this many words ahead, or an access this many accesses ahead, is worth spinning for.
const NEAR: u64 = 64;
