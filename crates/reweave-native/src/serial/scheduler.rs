//! Who has the processor, and who gets it next.

use super::schedule::{Recorded, Schedule, Switch, kind_and_site};
use super::{Settings, bury, name, place_of, site_of, ticks, waits};
use crate::ending;
use crate::order::From;
use crate::state::{Inside, Mode};
use crate::sys::{self, Nanos};
use crate::thread::{State, Thread, reweave_thread_count};
use crate::{log, tls};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use reweave_runtime::outcome::Outcome;
use reweave_runtime::session::{AtEnd, ReplayOptions};
use reweave_runtime::turns::Divergence;
use reweave_trace::file::table::Record;
use reweave_trace::{Kind, Link, Position, Reason, SiteId, StreamId, Tag};

/// A countdown that is never over.
pub const NEVER: i64 = 1 << 62;

// Read and written by gdb, at a stop.
/// Stream of the thread that has the processor; 0 nobody.
#[unsafe(no_mangle)]
pub static reweave_current: AtomicU32 = AtomicU32::new(0);
/// Switches made so far.
#[unsafe(no_mangle)]
pub static reweave_position: AtomicU64 = AtomicU64::new(0);
/// Stream of the thread that is to go on at the next opportunity; 0 as the recording says.
#[unsafe(no_mangle)]
pub static reweave_force: AtomicU32 = AtomicU32::new(0);
/// Where gdb wants to stop: thread and block count; 0 nowhere.
#[unsafe(no_mangle)]
pub static reweave_stop_thread: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)]
pub static reweave_stop_blocks: AtomicU64 = AtomicU64::new(0);
/// The number of switches at which gdb wants to stop; 0 none.
#[unsafe(no_mangle)]
pub static reweave_stop_position: AtomicU64 = AtomicU64::new(0);
/// The recorded switches, and their number.
#[unsafe(no_mangle)]
pub static reweave_schedule: AtomicPtr<Switch> = AtomicPtr::new(core::ptr::null_mut());
#[unsafe(no_mangle)]
pub static reweave_schedule_length: AtomicU64 = AtomicU64::new(0);

/// gdb stops here at every switch.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_switch(from: u32, to: u32) {
    core::hint::black_box((from, to));
}

/// gdb stops here when as many switches have been made as it asked for.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_position() {
    core::hint::black_box(());
}

/// gdb stops here when a thread has come to the block it asked for.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_block() {
    core::hint::black_box(());
}

/// gdb stops here when a replay left its recording.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_divergence() {
    core::hint::black_box(());
}

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

/// Blocks that a thread has executed.
pub fn blocks(thread: &Thread) -> u64 {
    let countdown = thread.countdown.load(Ordering::Relaxed);
    // SAFETY: the thread's own word, which is there until the thread is gone; whoever asks has the processor.
    let left = unsafe { countdown.read_volatile() };
    thread.base.load(Ordering::Relaxed).wrapping_sub(left) as u64
}

pub fn set_countdown(thread: &Thread, blocks_to_go: i64) {
    let done = blocks(thread) as i64;
    thread.base.store(done + blocks_to_go, Ordering::Relaxed);
    // SAFETY: as above.
    unsafe {
        thread
            .countdown
            .load(Ordering::Relaxed)
            .write_volatile(blocks_to_go);
    };
}

/// Where the kernel keeps the thread's number until it is gone: in glibc's record of it. Found by looking for our own.
pub fn kernel_word(thread: &Thread) -> Option<*const AtomicU32> {
    static OFFSET: AtomicU32 = AtomicU32::new(0);
    if OFFSET.load(Ordering::Relaxed) == 0 {
        // SAFETY: no preconditions.
        let own = unsafe { libc::pthread_self() } as *const u32;
        let number = sys::thread_number() as u32;
        // SAFETY: glibc's record is more than 2,000 bytes long.
        let found = (0..500).find(|index| unsafe { *own.add(*index) } == number)?;
        OFFSET.store(found as u32 * 4, Ordering::Relaxed);
    }
    let handle = thread.handle.load(Ordering::Relaxed);
    Some((handle + OFFSET.load(Ordering::Relaxed) as usize) as *const AtomicU32)
}

/// The thread offers the processor, or has to give it away. Returns when it has it again; at once if it ended or goes outside.
pub fn give_up(thread: &'static Thread, reason: Reason, from: From) -> Given {
    let leaving = Leaving {
        thread,
        reason,
        site: site_of(thread, from),
        from,
        blocks: blocks(thread),
    };
    let next = SCHEDULER.with(|scheduler| scheduler.decide(&leaving));
    match next {
        Next::Stay => {
            arm(thread);
            Given::Kept
        }
        Next::Give(next) => {
            hand_over(thread, next);
            wait_for_return(thread, reason);
            Given::Away
        }
        Next::Later => {
            wait_for_return(thread, reason);
            Given::Away
        }
        Next::Finish(outcome) => {
            let progress = SCHEDULER.with(|scheduler| scheduler.progress());
            reweave_on_divergence();
            ending::finish(progress, &outcome);
        }
    }
}

/// Whether a thread gave the processor to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Kept,
    Away,
}

/// The thread was outside and wants the processor again.
pub fn come_back(thread: &'static Thread) {
    let replay = Mode::now() == Mode::SerialReplay;
    let taken = SCHEDULER.with(|scheduler| {
        let taken = !replay && scheduler.take_if_free(thread);
        if !taken && thread.go.load(Ordering::SeqCst) == 0 && !replay {
            thread.set_state(State::Runnable);
        }
        taken
    });
    if taken {
        bury_ended();
    } else {
        park(thread);
    }
    arm(thread);
}

fn bury_ended() {
    let ended = SCHEDULER.with(|scheduler| scheduler.ended.take());
    if let Some(ended) = ended {
        bury(ended);
    }
}

fn hand_over(thread: &'static Thread, next: &'static Thread) {
    reweave_on_switch(thread.stream, next.stream);
    let position = reweave_position.load(Ordering::SeqCst);
    if reweave_stop_position.load(Ordering::Relaxed) == position {
        reweave_on_position();
    }
    next.go.store(1, Ordering::SeqCst);
    sys::futex_wake(&next.go);
}

fn wait_for_return(thread: &'static Thread, reason: Reason) {
    match reason {
        Reason::Ended | Reason::Outside => (),
        _ => {
            park(thread);
            arm(thread);
        }
    }
}

/// Sleeps until the thread has the processor.
pub fn park(thread: &'static Thread) {
    let masked = ticks::mask_handled();
    loop {
        if thread.go.swap(0, Ordering::SeqCst) == 1 {
            break;
        }
        let deadline = Some(thread.deadline.load(Ordering::Relaxed))
            .filter(|&deadline| deadline != 0 && Mode::now() == Mode::SerialRecord)
            .filter(|_| thread.state() == State::Blocked);
        sys::futex_wait(&thread.go, 0, deadline);
        // Its time is over, and nobody has the processor: then it takes it.
        if deadline.is_some_and(|deadline| sys::clock(libc::CLOCK_MONOTONIC) >= deadline)
            && SCHEDULER.with(|scheduler| scheduler.take_if_free(thread))
        {
            break;
        }
    }
    bury_ended();
    masked.undo();
}

/// Sets the countdown of the thread that has the processor to where it is to stop next.
pub fn arm(thread: &'static Thread) {
    let (mut countdown, divergence) = SCHEDULER.with(|scheduler| scheduler.countdown(thread));
    if let Some(outcome) = divergence {
        let progress = SCHEDULER.with(|scheduler| scheduler.progress());
        ending::finish(progress, &outcome);
    }
    if reweave_stop_thread.load(Ordering::Relaxed) == thread.stream {
        let to_go = reweave_stop_blocks
            .load(Ordering::Relaxed)
            .saturating_sub(blocks(thread)) as i64;
        if to_go > 0 {
            countdown = countdown.min(to_go);
        }
    }
    set_countdown(thread, countdown);
}

/// A callback that counts, from code of ours that stands for the compiler's.
#[inline]
pub fn point() {
    let countdown = tls::countdown();
    // SAFETY: the calling thread's own word.
    let left = unsafe {
        *countdown -= 1;
        *countdown
    };
    if left == 0 {
        countdown_is_over(0);
    }
}

/// A call that counts like a block. Code without callbacks may do nothing else for ever, and a thread that holds a lock at all its blocks would never be interrupted
/// without it.
pub fn pass(thread: &'static Thread, from: From) {
    let countdown = thread.countdown.load(Ordering::Relaxed);
    // SAFETY: the calling thread's own word; a signal that comes now does nothing, because the thread is in our code.
    let left = unsafe {
        *countdown -= 1;
        *countdown
    };
    if left == 0 {
        stop(thread, from);
    }
}

/// The slow path of every callback.
pub extern "C" fn countdown_is_over(from: From) {
    let serial = Mode::now().is_serial();
    let Some(inside) = Inside::enter().filter(|_| serial) else {
        // A handler of the program that interrupted our code must not end the countdown; without a recording there is none.
        // SAFETY: the calling thread's own word.
        unsafe { *tls::countdown() = if serial { 1 } else { NEVER } };
        return;
    };
    let errno = log::Errno::save();
    stop(inside.thread, from);
    errno.restore();
}

fn stop(thread: &'static Thread, from: From) {
    if reweave_stop_thread.load(Ordering::Relaxed) == thread.stream
        && reweave_stop_blocks.load(Ordering::Relaxed) == blocks(thread)
    {
        reweave_on_block();
        reweave_stop_thread.store(0, Ordering::Relaxed);
        if SCHEDULER.with(|scheduler| scheduler.goes_on(thread)) {
            arm(thread);
            return;
        }
    }
    match SCHEDULER.with(|scheduler| scheduler.interruption_here(thread)) {
        // From here on by instructions: the next callback would be too late.
        Some(address) => {
            set_countdown(thread, 1);
            ticks::plant(address);
        }
        None => {
            give_up(thread, Reason::Callback, from);
        }
    }
}

/// The thread was stopped between two instructions, by the timer or where the recording says.
pub fn interrupted(thread: &'static Thread, at: From) {
    give_up(thread, Reason::Instruction, at);
}

impl Scheduler {
    pub fn start(&mut self, settings: &Settings) {
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
            ticks::unplant();
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
        let others: Vec<&'static Thread> = Thread::all()
            .filter(|thread| !core::ptr::eq(*thread, leaving.thread) && can_run(thread, now))
            .collect();
        if others.is_empty() {
            return Some(leaving.thread).filter(|thread| can_run(thread, now));
        }
        if Mode::now() == Mode::SerialFree {
            // The person in gdb decides; without their word everything stays as calm as possible.
            if can_run(leaving.thread, now) && leaving.reason == Reason::Callback {
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
            _ => NEVER,
        };
        (countdown, None)
    }

    fn countdown_of_replay(&mut self, thread: &'static Thread) -> (i64, Option<Outcome>) {
        let Some(switch) = self.next_switch().copied() else {
            return (NEVER, None);
        };
        let done = blocks(thread);
        if switch.thread != thread.stream {
            return (NEVER, None);
        }
        match switch.reason() {
            Reason::Callback if switch.blocks > done => ((switch.blocks - done) as i64, None),
            Reason::Instruction if switch.blocks > done => ((switch.blocks - done) as i64, None),
            Reason::Instruction if switch.blocks == done => {
                ticks::plant(switch.address);
                (1, None)
            }
            Reason::Callback | Reason::Instruction => {
                let what = format!(
                    "{} has executed {done} blocks, the switch came after {}",
                    name(thread),
                    switch.blocks
                );
                let observed = (Kind::Switch, SiteId(0));
                (NEVER, Some(self.divergence(thread, observed, 0, what)))
            }
            _ => (NEVER, None),
        }
    }

    fn next_switch(&self) -> Option<&Switch> {
        self.schedule
            .switches
            .get(reweave_position.load(Ordering::SeqCst) as usize)
    }

    /// In a replay: where the thread is to be interrupted before its next block, if it is.
    pub fn interruption_here(&self, thread: &Thread) -> Option<usize> {
        if Mode::now() != Mode::SerialReplay || reweave_force.load(Ordering::Relaxed) != 0 {
            return None;
        }
        let switch = self.next_switch()?;
        let here = switch.thread == thread.stream
            && switch.reason() == Reason::Instruction
            && switch.blocks == blocks(thread);
        here.then_some(switch.address)
    }

    /// Whether the thread goes on after a stop for gdb: no switch is due here.
    pub fn goes_on(&self, thread: &Thread) -> bool {
        if reweave_force.load(Ordering::Relaxed) != 0 {
            return false;
        }
        let due = self
            .next_switch()
            .is_some_and(|next| next.thread == thread.stream && next.blocks == blocks(thread));
        Mode::now() != Mode::SerialReplay || !due
    }

    /// A switch in a replay: where, why and to whom the recording says.
    fn follow_switch(&mut self, leaving: &Leaving) -> Next {
        let thread = leaving.thread;
        let Some(switch) = self.next_switch().copied() else {
            return self.after_the_last(leaving);
        };
        let fits = switch.thread == thread.stream
            && switch.reason == leaving.reason as u32
            && switch.blocks == leaving.blocks
            && switch.site == leaving.site.0;
        let observed = (Kind::Switch, leaving.site);
        if !fits {
            let what = format!(
                "switch {} was recorded in thread {} ({} after {} blocks), but {} is here ({} after {} blocks)",
                reweave_position.load(Ordering::SeqCst) + 1,
                switch.thread,
                switch.reason().name(),
                switch.blocks,
                name(thread),
                leaving.reason.name(),
                leaving.blocks
            );
            return self.diverged(thread, observed, leaving.from, what);
        }
        let index = *self.followed(thread);
        let here = self.schedule.event(thread.id(), index);
        if here.is_none_or(|event| event.position.0 != switch.position) {
            let what = "the thread has not read all that it had read before this switch".to_owned();
            return self.diverged(thread, observed, leaving.from, what);
        }
        *self.followed(thread) += 1;
        let Some(next) = Thread::of(StreamId(switch.next)) else {
            let what = format!("thread {} does not exist yet", switch.next);
            return self.diverged(thread, observed, leaving.from, what);
        };
        let waits_for_ever =
            next.state() == State::Blocked && next.deadline.load(Ordering::Relaxed) == 0;
        if waits_for_ever || next.state() == State::Ended {
            let what = format!("{} cannot run, but did", name(next));
            return self.diverged(thread, observed, leaving.from, what);
        }
        self.switch(leaving, next)
    }

    /// The recording has no more switches.
    fn after_the_last(&mut self, leaving: &Leaving) -> Next {
        if leaving.reason == Reason::Ended && !anybody_left() {
            return Next::Later;
        }
        let somebody = Thread::all().any(|thread| can_run(thread, Nanos::MAX));
        if !somebody {
            return self.deadlock(leaving);
        }
        let continues = self
            .options
            .as_ref()
            .is_some_and(|options| options.at_end == AtEnd::Continue);
        if continues {
            Mode::SerialFree.set();
            return self.decide(leaving);
        }
        let (waits, _) = waits();
        if self.schedule.cut {
            return Next::Finish(Box::new(Outcome::EndOfLog { waits }));
        }
        let what = "the recording has no more switches".to_owned();
        self.diverged(
            leaving.thread,
            (Kind::Switch, leaving.site),
            leaving.from,
            what,
        )
    }

    fn diverged(
        &mut self,
        thread: &'static Thread,
        observed: (Kind, SiteId),
        from: From,
        what: String,
    ) -> Next {
        Next::Finish(Box::new(self.divergence(thread, observed, from, what)))
    }

    fn divergence(
        &mut self,
        thread: &'static Thread,
        observed: (Kind, SiteId),
        from: From,
        detail: String,
    ) -> Outcome {
        let index = *self.followed(thread);
        let event = self.schedule.event(thread.id(), index);
        Outcome::Diverged {
            divergence: Divergence {
                stream: thread.id(),
                position: event.map_or(Position::FIRST, |event| event.position),
                expected: event.map(kind_and_site),
                observed,
                detail,
            },
            observed_at: place_of(from),
            stack: vec![],
        }
    }

    fn followed(&mut self, thread: &Thread) -> &mut usize {
        let index = thread.stream as usize;
        if self.followed.len() <= index {
            self.followed.resize(index + 1, 0);
        }
        &mut self.followed[index]
    }

    /// In a replay, the thread's next event, which must be of this kind, from this place, and have this value. `None` if there is nothing to follow.
    pub fn check_event(
        &mut self,
        thread: &'static Thread,
        kind: Kind,
        from: From,
        value: Option<u64>,
    ) -> Option<Recorded> {
        match Mode::now() {
            Mode::SerialReplay => (),
            Mode::SerialFree => return self.next_input(thread, kind),
            _ => return None,
        }
        let site = site_of(thread, from);
        let index = *self.followed(thread);
        let event = self.schedule.event(thread.id(), index).copied();
        let Some(event) = event else {
            if self.schedule.cut {
                let (waits, _) = waits();
                self.leave(&Outcome::EndOfLog { waits });
            }
            let what = "the recording has no more events of this thread".to_owned();
            let outcome = self.divergence(thread, (kind, site), from, what);
            self.leave(&outcome);
        };
        let fits = event.kind == kind
            && event.site == site
            && value.is_none_or(|value| event.value == Some(value));
        if !fits {
            let what = "the program does something else than it did".to_owned();
            let outcome = self.divergence(thread, (kind, site), from, what);
            self.leave(&outcome);
        }
        *self.followed(thread) += 1;
        Some(Recorded {
            value: event.value.unwrap_or(0),
            link: Link::new(thread.id(), event.position),
        })
    }

    /// Off the recording: the thread's next event of this kind still serves, so that it sees the same world for as long as it asks the same questions.
    fn next_input(&mut self, thread: &'static Thread, kind: Kind) -> Option<Recorded> {
        let mut index = *self.followed(thread);
        while let Some(event) = self.schedule.event(thread.id(), index).copied() {
            index += 1;
            match event.kind {
                found if found == kind => {
                    *self.followed(thread) = index;
                    return Some(Recorded {
                        value: event.value?,
                        link: Link::new(thread.id(), event.position),
                    });
                }
                Kind::Switch => (),
                _ => return None,
            }
        }
        None
    }

    /// Off the recording: whether it still has an input for the thread.
    pub fn has_input(&mut self, thread: &'static Thread) -> bool {
        let mut index = *self.followed(thread);
        while let Some(event) = self.schedule.event(thread.id(), index) {
            match event.kind {
                Kind::Input => return true,
                Kind::Switch => index += 1,
                _ => return false,
            }
        }
        false
    }

    /// The lock is held, and the process ends with it.
    fn leave(&mut self, outcome: &Outcome) -> ! {
        let progress = self.progress();
        reweave_on_divergence();
        ending::finish(progress, outcome)
    }

    /// Inputs are kept as long as the process lives.
    pub fn input(&self, link: Link) -> &'static [u8] {
        let bytes = self.schedule.input(link);
        // SAFETY: the schedule is never changed or dropped.
        unsafe { core::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
    }

    /// Events followed, and events there are.
    pub fn progress(&self) -> (u64, u64) {
        let done: usize = self.followed.iter().sum();
        (done as u64, self.schedule.events() as u64)
    }

    pub fn end(&mut self) -> ((u64, u64), Outcome) {
        let outcome = match self.next_switch().copied() {
            Some(switch) if Mode::now() == Mode::SerialReplay => Outcome::Diverged {
                divergence: Divergence {
                    stream: StreamId(switch.thread),
                    position: Position(switch.position),
                    expected: Some((Kind::Switch, SiteId(switch.site))),
                    observed: (Kind::Exit, SiteId(0)),
                    detail: "the program ended before this switch".to_owned(),
                },
                observed_at: "the end of the program".to_owned(),
                stack: vec![],
            },
            _ => Outcome::Followed,
        };
        (self.progress(), outcome)
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
