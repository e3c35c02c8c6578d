//! The countdown of blocks: one word of each thread that counts and says when to stop.

use super::gdb::{reweave_on_block, reweave_stop_blocks, reweave_stop_thread};
use super::{SCHEDULER, give_up, planted};
use crate::order::From;
use crate::state::{Inside, Mode};
use crate::thread::Thread;
use crate::{ending, log, signals, tls};
use core::sync::atomic::Ordering;
use reweave_trace::Reason;

/// A countdown that is never over.
pub const NEVER: i64 = 1 << 62;

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
    if tls::count() {
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
    if signals::at_block(thread) {
        return;
    }
    if reweave_stop_thread.load(Ordering::Relaxed) == thread.stream
        && reweave_stop_blocks.load(Ordering::Relaxed) == blocks(thread)
    {
        reweave_on_block();
        // gdb may have asked for a later one meanwhile.
        if reweave_stop_blocks.load(Ordering::Relaxed) <= blocks(thread) {
            reweave_stop_thread.store(0, Ordering::Relaxed);
        }
        if SCHEDULER.with(|scheduler| scheduler.goes_on(thread)) {
            arm(thread);
            return;
        }
    }
    match SCHEDULER.with(|scheduler| scheduler.interruption_here(thread)) {
        // From here on by instructions: the next callback would be too late.
        Some(address) => {
            set_countdown(thread, 1);
            planted::plant(address);
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
