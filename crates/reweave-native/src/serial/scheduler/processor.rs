//! Giving the processor away, and sleeping until it comes back.

use super::super::{bury, site_of, ticks};
use super::countdown::{arm, blocks};
use super::gdb::{
    reweave_on_divergence, reweave_on_position, reweave_on_switch, reweave_position,
    reweave_stop_position,
};
use super::number::number_in;
use super::{Leaving, Next, SCHEDULER};
use crate::order::From;
use crate::state::Mode;
use crate::thread::{State, Thread};
use crate::{ending, sys};
use core::sync::atomic::{AtomicU32, Ordering};
use reweave_trace::Reason;

/// Where the kernel keeps the thread's number until it is gone: in glibc's record of it. Found by looking for our own.
pub fn kernel_word(thread: &Thread) -> Option<*const AtomicU32> {
    static OFFSET: AtomicU32 = AtomicU32::new(0);
    if OFFSET.load(Ordering::Relaxed) == 0 {
        // SAFETY: no preconditions.
        let own = unsafe { libc::pthread_self() } as *const u32;
        // SAFETY: glibc's record is more than 2,000 bytes long, and ours.
        let words = unsafe { core::slice::from_raw_parts(own, 500) };
        let found = number_in(words, sys::thread_number() as u32)?;
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
