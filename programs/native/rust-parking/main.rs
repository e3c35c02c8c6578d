//! Rust: parking, scoped threads, read-write locks, barriers, a racy check of an atomic.
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Barrier, OnceLock, RwLock};
use std::time::Duration;

fn main() {
    let order = RwLock::new(1469598103934665603u64);
    let barrier = Barrier::new(3);
    let first = OnceLock::new();
    let racy = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let parked = scope.spawn(|| {
            while racy.load(SeqCst) < 100 {
                std::thread::park_timeout(Duration::from_micros(200));
            }
        });
        for n in 1..=3u64 {
            let (order, barrier, first, racy, parked) = (&order, &barrier, &first, &racy, parked.thread().clone());
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..50 {
                    let who = *first.get_or_init(|| n);
                    let mut order = order.write().unwrap();
                    *order = (*order ^ (n * 10 + who)).wrapping_mul(1099511628211);
                    drop(order);
                    // Not atomic: two loads and stores may overlap.
                    let seen = racy.load(SeqCst);
                    racy.store(seen + 1, SeqCst);
                    parked.unpark();
                }
                racy.fetch_add(100, SeqCst);
                parked.unpark();
            });
        }
    });
    println!("order {:016x} racy {}", *order.read().unwrap(), racy.load(SeqCst));
}
