//! Who has the processor, and who gets it next.

mod countdown;
mod events;
mod gdb;
mod number;
mod plan;
mod processor;
mod replay;

pub use countdown::{arm, blocks, countdown_is_over, interrupted, pass, point, set_countdown};
pub use gdb::{reweave_current, reweave_force};
pub use plan::Plan;
pub use processor::{Given, come_back, give_up, kernel_word, park};

use super::schedule::Schedule;
use super::{Settings, planted, waits};
use crate::log;
use crate::order::From;
use crate::state::Mode;
use crate::sys::{self, Nanos};
use crate::thread::{State, Thread, reweave_thread_count};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use countdown::NEVER;
use gdb::{reweave_position, reweave_schedule, reweave_schedule_length};
use reweave_runtime::outcome::Outcome;
use reweave_runtime::session::ReplayOptions;
use reweave_trace::file::table::Record;
use reweave_trace::{Kind, Reason, SiteId, StreamId, Tag};

pub static SCHEDULER: Guarded = Guarded {
    lock: AtomicU32::new(0),
    scheduler: UnsafeCell::new(None),
};

/// The scheduler behind a lock. It is held for moments only, and never by a thread that is interrupted: those are not in our code.
pub struct Guarded {
    lock: AtomicU32,
    scheduler: UnsafeCell<Option<Scheduler>>,
}

// SAFETY: the scheduler is only touched under the lock.
unsafe impl Sync for Guarded {}

impl Guarded {
    pub fn with<R>(&self, work: impl FnOnce(&mut Scheduler) -> R) -> R {
        while self
            .lock
            .compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            sys::yield_now();
        }
        // SAFETY: the lock is held.
        let scheduler = unsafe { &mut *self.scheduler.get() };
        let result = work(scheduler.get_or_insert_default());
        self.lock.store(0, Ordering::Release);
        result
    }
}

#[derive(Default)]
pub struct Scheduler {
    random: u64,
    quantum: u64,
    /// Numbers those who wait.
    waits: u64,
    /// The event of the last switch.
    last: u64,
    /// A switch that is written once somebody goes on.
    pending: Option<Leaving>,
    /// A thread that has ended, whom the next one to go on waits for.
    ended: Option<&'static Thread>,
    schedule: Schedule,
    /// What a person wants to happen instead.
    plan: Plan,
    /// How many of its events each thread has followed, by stream.
    followed: Vec<usize>,
    options: Option<ReplayOptions>,
    said_deadlock: bool,
}

/// A thread at the moment it gives the processor away.
#[derive(Clone, Copy)]
struct Leaving {
    thread: &'static Thread,
    reason: Reason,
    site: SiteId,
    from: From,
    blocks: u64,
}

/// What becomes of a thread that offered the processor.
enum Next {
    Stay,
    Give(&'static Thread),
    /// Nobody can go on now, but somebody may later.
    Later,
    Finish(Box<Outcome>),
}

impl Scheduler {
    pub fn start(&mut self, settings: &Settings) {
        // A child that was forked begins anew.
        *self = Scheduler::default();
        reweave_position.store(0, Ordering::SeqCst);
        // Never zero, which this kind of generator does not leave.
        self.random = settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        self.quantum = settings.quantum;
        reweave_current.store(1, Ordering::SeqCst);
    }

    pub fn follow(&mut self, schedule: Schedule, options: ReplayOptions) {
        reweave_schedule.store(schedule.switches.as_ptr().cast_mut(), Ordering::Relaxed);
        reweave_schedule_length.store(schedule.switches.len() as u64, Ordering::Relaxed);
        self.schedule = schedule;
        self.options = Some(options);
    }

    /// Leaves the recording from the start and keeps to a plan.
    pub fn keep_to(&mut self, plan: Plan) {
        self.plan = plan;
    }

    pub fn next_stream(&self) -> StreamId {
        StreamId(reweave_thread_count.load(Ordering::Relaxed) + 1)
    }

    /// The thread comes last among those who wait.
    pub fn line_up(&mut self, thread: &Thread) {
        self.waits += 1;
        thread.since.store(self.waits, Ordering::Relaxed);
    }

    pub fn wake(&mut self, object: usize, count: usize) -> usize {
        let mut waiting: Vec<&Thread> = Thread::all()
            .filter(|thread| {
                thread.state() == State::Blocked && thread.object.load(Ordering::Relaxed) == object
            })
            .collect();
        waiting.sort_by_key(|thread| thread.since.load(Ordering::Relaxed));
        waiting.truncate(count);
        for thread in &waiting {
            thread.set_state(State::Runnable);
        }
        waiting.len()
    }

    fn decide(&mut self, leaving: &Leaving) -> Next {
        if reweave_force.load(Ordering::Relaxed) != 0 && Mode::now() == Mode::SerialReplay {
            Mode::SerialFree.set();
            planted::unplant();
        }
        if Mode::now() == Mode::SerialReplay {
            return self.follow_switch(leaving);
        }
        match self.choose(leaving) {
            Some(next) if core::ptr::eq(next, leaving.thread) && stays(leaving) => Next::Stay,
            Some(next) => self.switch(leaving, next),
            None if leaving.reason == Reason::Ended && !anybody_left() => Next::Later,
            None if somebody_may_come() => {
                self.pending = Some(*leaving);
                self.note_ended(leaving);
                reweave_current.store(0, Ordering::SeqCst);
                Next::Later
            }
            None => self.deadlock(leaving),
        }
    }

    fn switch(&mut self, leaving: &Leaving, next: &'static Thread) -> Next {
        self.write(leaving, next);
        self.note_ended(leaving);
        self.let_run(next);
        if core::ptr::eq(next, leaving.thread) {
            return Next::Stay;
        }
        Next::Give(next)
    }

    fn note_ended(&mut self, leaving: &Leaving) {
        if leaving.reason == Reason::Ended {
            self.ended = Some(leaving.thread);
        }
    }

    fn let_run(&mut self, next: &'static Thread) {
        if next.state() == State::Blocked {
            next.timed_out.store(1, Ordering::Relaxed);
        }
        next.set_state(State::Runnable);
        reweave_current.store(next.stream, Ordering::SeqCst);
        reweave_position.fetch_add(1, Ordering::SeqCst);
    }

    fn write(&mut self, leaving: &Leaving, next: &Thread) {
        let thread = leaving.thread;
        let link = thread.link();
        let value = (leaving.reason as u64) << Reason::SHIFT | leaving.blocks;
        let tag = Tag(next.stream);
        thread.log_valued(Kind::Switch, leaving.site, tag, self.last, value);
        self.last = link;
    }

    /// One of those who can run, by chance. Threads whose time is over can; they learn of it when they are chosen, so that a replay need not know when.
    fn choose(&mut self, leaving: &Leaving) -> Option<&'static Thread> {
        let forced = StreamId(reweave_force.swap(0, Ordering::Relaxed));
        if let Some(forced) = Thread::of(forced).filter(|thread| can_run(thread, Nanos::MAX)) {
            return Some(forced);
        }
        let now = match Thread::all().any(|thread| thread.deadline.load(Ordering::Relaxed) != 0) {
            true => sys::clock(libc::CLOCK_MONOTONIC),
            false => 0,
        };
        if Mode::now() == Mode::SerialFree
            && let Some(next) = self.planned_next(leaving)
        {
            return Some(next);
        }
        let others: Vec<&'static Thread> = Thread::all()
            .filter(|thread| !core::ptr::eq(*thread, leaving.thread) && can_run(thread, now))
            .collect();
        if others.is_empty() {
            return Some(leaving.thread).filter(|thread| can_run(thread, now));
        }
        if Mode::now() == Mode::SerialFree {
            // The person in gdb decides; without their word everything stays as calm as possible.
            if can_run(leaving.thread, now) && stays(leaving) {
                return Some(leaving.thread);
            }
            return others.first().copied();
        }
        let index = self.next_random() % others.len() as u64;
        others.get(index as usize).copied()
    }

    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Nobody has the processor: the thread, which can go on now, takes it.
    pub fn take_if_free(&mut self, thread: &'static Thread) -> bool {
        if reweave_current.load(Ordering::SeqCst) != 0 {
            return false;
        }
        let Some(leaving) = self.pending.take() else {
            return false;
        };
        self.write(&leaving, thread);
        self.let_run(thread);
        true
    }

    fn deadlock(&mut self, leaving: &Leaving) -> Next {
        let (waits, cycle) = waits();
        if Mode::now() == Mode::SerialRecord {
            if !self.said_deadlock {
                self.said_deadlock = true;
                log::table(&Record::Note(format!(
                    "every thread waits for another: {}",
                    waits.join("; ")
                )));
                sys::say(
                    "reweave: every thread of the program waits for another one; it would hang without reweave, too\n",
                );
            }
            self.pending = Some(*leaving);
            reweave_current.store(0, Ordering::SeqCst);
            return Next::Later;
        }
        Next::Finish(Box::new(match cycle {
            true => Outcome::Deadlock { waits },
            false => Outcome::Hang { waits },
        }))
    }

    /// Blocks until the thread is to stop.
    fn countdown(&mut self, thread: &'static Thread) -> (i64, Option<Outcome>) {
        let countdown = match Mode::now() {
            Mode::SerialRecord if self.quantum > 0 => {
                1 + (self.next_random() % (2 * self.quantum)) as i64
            }
            Mode::SerialFree if reweave_force.load(Ordering::Relaxed) != 0 => 1,
            Mode::SerialReplay => return self.countdown_of_replay(thread),
            Mode::SerialFree => self.countdown_of_plan(thread),
            _ => NEVER,
        };
        (countdown, None)
    }
}

/// A switch to the thread itself is written only if it is the thread's own doing: a replay comes by there, too.
fn stays(leaving: &Leaving) -> bool {
    matches!(leaving.reason, Reason::Callback | Reason::Instruction)
}

fn can_run(thread: &Thread, now: Nanos) -> bool {
    match thread.state() {
        State::Runnable => !thread.countdown.load(Ordering::Relaxed).is_null(),
        State::Blocked => {
            let deadline = thread.deadline.load(Ordering::Relaxed);
            deadline != 0 && deadline <= now
        }
        State::Outside | State::Ended => false,
    }
}

/// Somebody is outside, or will not wait for ever.
fn somebody_may_come() -> bool {
    Thread::all().any(|thread| {
        thread.state() == State::Outside
            || thread.state() == State::Blocked && thread.deadline.load(Ordering::Relaxed) != 0
    })
}

fn anybody_left() -> bool {
    Thread::all().any(|thread| thread.state() != State::Ended)
}
