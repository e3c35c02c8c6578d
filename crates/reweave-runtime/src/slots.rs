//! Where each stream counts its accesses to memory: a table that the front end's code works on directly, because an access costs less than a call.

use std::sync::atomic::{AtomicU64, Ordering};

/// One stream's line of the table. A thread whose doings are not the program's at the moment uses the second half, where nothing matters.
/// In a recording the front end decides what the words are for; in a replay they are these.
#[repr(C, align(128))]
pub struct Slot {
    /// Completed accesses.
    pub count: AtomicU64,
    /// The access of this number must ask first.
    pub ask_at: AtomicU64,
    /// When this many are completed, others want to know.
    pub tell_at: AtomicU64,
    spare: [AtomicU64; 5],
    quiet: [AtomicU64; 8],
}

/// Bytes from one stream's line to the next.
pub const SLOT_BYTES: usize = std::mem::size_of::<Slot>();
/// Never.
pub const NEVER: u64 = i64::MAX as u64;

impl Slot {
    fn new() -> Slot {
        let mut slot = Slot {
            count: AtomicU64::new(0),
            ask_at: AtomicU64::new(NEVER),
            tell_at: AtomicU64::new(NEVER),
            spare: Default::default(),
            quiet: Default::default(),
        };
        *slot.quiet[1].get_mut() = NEVER;
        *slot.quiet[2].get_mut() = NEVER;
        slot
    }
}

/// The lines of all streams; stream k has line k.
pub struct Slots(Vec<Slot>);

impl Slots {
    pub fn new(streams: usize) -> Slots {
        Slots((0..=streams).map(|_| Slot::new()).collect())
    }

    pub fn get(&self, stream: u32) -> Option<&Slot> {
        self.0.get(stream as usize)
    }

    pub fn count(&self, stream: u32) -> u64 {
        self.get(stream)
            .map_or(0, |slot| slot.count.load(Ordering::SeqCst))
    }

    /// Address of line 0.
    pub fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }
}
