//! Serial runs stay on one processor. Only one thread has its turn at a time, so nothing is lost, and handing the turn on becomes a switch on that processor instead
//! of waking another one that has gone to sleep, which takes several times as long.
//!
//! Nobody is to notice: the program is told its own set of processors, what it starts gets that set, and once it places a thread itself it is left alone.

use crate::latest::Latest;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};

/// As the kernel has it: a bit for each processor, of so many at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set([u64; 16]);

/// What the program may use, as long as it is confined to less.
static OWN: Latest<Set> = Latest::none();
/// The processor that the threads are confined to.
static ONE: AtomicUsize = AtomicUsize::new(0);

/// This thread, for those of the kernel's calls that take a number.
const CALLER: usize = 0;

impl Set {
    const EMPTY: Set = Set([0; 16]);

    fn only(processor: usize) -> Set {
        let mut set = Set::EMPTY;
        set.0[processor / 64] = 1 << (processor % 64);
        set
    }

    fn has(&self, processor: usize) -> bool {
        self.0[processor / 64] & 1 << (processor % 64) != 0
    }

    /// The first of them that comes after this one, if need be from the start again.
    fn after(&self, processor: usize) -> Option<usize> {
        let count = self.0.len() * 64;
        (1..=count)
            .map(|step| (processor + step) % count)
            .find(|&next| self.has(next))
    }

    fn of_caller() -> Option<Set> {
        let mut set = Set::EMPTY;
        let room = size_of::<Set>();
        // SAFETY: the kernel fills no more than there is room for.
        let result = unsafe {
            let start = set.0.as_mut_ptr() as usize;
            sys::call(libc::SYS_sched_getaffinity, [CALLER, room, start, 0, 0, 0])
        };
        // It refuses a machine with more processors than fit.
        (result > 0).then_some(set)
    }

    /// As `/proc/self/status` writes it: groups of eight digits, the highest first.
    fn parse(text: &str) -> Option<Set> {
        let mut set = Set::EMPTY;
        for (index, group) in text.trim().rsplit(',').enumerate() {
            let bits = u64::from(u32::from_str_radix(group, 16).ok()?);
            *set.0.get_mut(index / 2)? |= bits << (index % 2 * 32);
        }
        Some(set)
    }

    fn apply(&self, thread: usize) {
        let start = self.0.as_ptr() as usize;
        let length = size_of::<Set>();
        // SAFETY: the kernel only reads the set. If it refuses, threads are where they were, which is slower at worst.
        unsafe {
            sys::call(
                libc::SYS_sched_setaffinity,
                [thread, length, start, 0, 0, 0],
            )
        };
    }

    /// Puts as much of it as fits where the program wants it.
    ///
    /// # Safety
    /// There is so much room.
    unsafe fn show(&self, start: *mut u8, room: usize) {
        let length = room.min(size_of::<Set>());
        // SAFETY: by the caller.
        unsafe { core::ptr::copy_nonoverlapping(self.0.as_ptr().cast(), start, length) };
    }
}

/// Confines the only thread that there is, and so all that it will start. A child that was forked goes to the processor next to its parent's.
pub fn stay_on_one() {
    let (own, one) = match OWN.get() {
        Some(own) => (*own, own.after(ONE.load(Ordering::Relaxed))),
        None => {
            let Some(own) = Set::of_caller() else {
                return;
            };
            // The kernel has just put the program where there was room for it.
            let current = current().filter(|&now| own.has(now));
            (own, current.or_else(|| own.after(0)))
        }
    };
    let Some(one) = one else {
        return;
    };
    OWN.set(own);
    ONE.store(one, Ordering::Relaxed);
    Set::only(one).apply(CALLER);
}

fn current() -> Option<usize> {
    let mut processor = 0u32;
    // SAFETY: the kernel writes a number into ours.
    let result = unsafe {
        let place = &raw mut processor as usize;
        sys::call(libc::SYS_getcpu, [place, 0, 0, 0, 0, 0])
    };
    (result == 0).then_some(processor as usize)
}

/// What the calling thread starts meanwhile may use all that the program may.
pub fn as_the_program<R>(work: impl FnOnce() -> R) -> R {
    let Some(own) = OWN.get() else {
        return work();
    };
    own.apply(CALLER);
    let result = work();
    Set::only(ONE.load(Ordering::Relaxed)).apply(CALLER);
    result
}

/// The program places a thread itself: from now on all are where it or the kernel wants them.
pub fn let_go() {
    let Some(own) = OWN.get() else {
        return;
    };
    OWN.clear();
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    for thread in threads.flatten() {
        let number = thread.file_name().to_str().and_then(|n| n.parse().ok());
        if let Some(number) = number {
            own.apply(number);
        }
    }
}

/// The program has asked for a set, and got the one processor: it is to see its own.
///
/// # Safety
/// There is so much room.
pub unsafe fn show_own(start: *mut u8, room: usize) {
    if let Some(own) = OWN.get() {
        // SAFETY: by the caller.
        unsafe { own.show(start, room) };
    }
}

/// A program of the run that is none of ours, started by one that was confined: the command says what it may use.
pub fn undo_inherited(processors: &str) {
    if let Some(set) = Set::parse(processors) {
        set.apply(CALLER);
    }
}
