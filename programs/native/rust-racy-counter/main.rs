//! Four threads increment a counter without a lock, in Rust: updates are lost. The twin of racy-counter.

use std::cell::UnsafeCell;
use std::hint::black_box;

struct Shared(UnsafeCell<u32>);

// SAFETY: it is not; that is the point.
unsafe impl Sync for Shared {}

static COUNTER: Shared = Shared(UnsafeCell::new(0));

fn work(rounds: u32) {
    let counter = COUNTER.0.get();
    for _ in 0..rounds {
        // SAFETY: a data race on purpose, by volatile accesses, so that the compiler keeps both.
        unsafe {
            // Not one instruction: the processor would make that without a stop.
            let seen = black_box(counter.read_volatile());
            counter.write_volatile(seen + 1);
        }
    }
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(100_000);
    let threads: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(move || work(rounds)))
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    // The addresses show that a replay has the same memory.
    let heap = Box::new([0u8; 100]);
    let stack = black_box(0u8);
    // SAFETY: the others have ended.
    let value = unsafe { COUNTER.0.get().read_volatile() };
    println!("{value} heap {heap:p} stack {:p}", &stack);
}
