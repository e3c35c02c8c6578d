use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static HASH: AtomicU64 = AtomicU64::new(5381);

/// Two atomic operations that are none together: what is lost depends on who comes when.
pub fn enter(who: u64) {
    let seen = HASH.load(Relaxed);
    HASH.store(seen.wrapping_mul(33).wrapping_add(who), Relaxed);
}

pub fn order() -> u64 {
    HASH.load(Relaxed)
}
