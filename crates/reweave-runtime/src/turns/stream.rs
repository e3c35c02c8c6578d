//! One stream of a recording during its replay: its words, and how far it got.

use crate::sys::thread_number;
use reweave_trace::event::{FORM_MASK, FORM_SHIFT, KIND_MASK, KIND_SHIFT, SITE_MASK, UPPER_SHIFT};
use reweave_trace::{Form, Kind, Link, SiteId};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

/// How far a stream got in one respect, and who sleeps until it has got further.
pub(super) struct Progress {
    pub(super) reached: AtomicU64,
    /// (how far, stream that sleeps), and how many they are.
    pub(super) sleepers: Mutex<Vec<(u64, u32)>>,
    pub(super) sleeping: AtomicU32,
}

/// One stream of the recording and how far it got.
pub(super) struct Stream {
    pub(super) words: Vec<u64>,
    /// Words of finished events. An event at position p is finished when this is at least p.
    pub(super) events: Progress,
    /// Completed accesses to memory, as far as others want to know.
    pub(super) accesses: Progress,
    /// The numbers of accesses that others wait for, and how many of them have been told.
    pub(super) awaited: Vec<u64>,
    pub(super) told: AtomicU32,
    /// 1 once the event that this stream sleeps for has happened.
    pub(super) go: AtomicU32,
    /// Whether the thread behind it is light, see `light.rs`.
    pub(super) light: AtomicBool,
    /// How often the next event has happened already, if it is one that repeats.
    pub(super) rounds: AtomicU64,
    pub(super) activity: AtomicU64,
    /// The site of an `AtEnd`, the link of a `Waiting`.
    pub(super) detail: AtomicU64,
    /// The operating system's number of the thread that runs the stream.
    pub(super) thread: AtomicI32,
}

pub(super) const NOT_STARTED: u64 = 0;
pub(super) const RUNNING: u64 = 1;
pub(super) const WAITING: u64 = 2;
pub(super) const ENDED: u64 = 3;
pub(super) const WAITING_FOR_ACCESSES: u64 = 4;
/// Plus the kind.
pub(super) const AT_END: u64 = 64;

/// An event as the gate needs it.
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) site: SiteId,
    pub(super) form: Form,
    pub(super) link: Option<Link>,
    pub(super) value: Option<u64>,
}

impl Step {
    /// What must have happened before.
    pub(super) fn predecessors(&self) -> [Option<Link>; 2] {
        let woken_by = match self.kind {
            Kind::Wait => self.value.and_then(Link::unpack),
            _ => None,
        };
        [self.link, woken_by]
    }
}
impl Progress {
    pub(super) fn new() -> Progress {
        Progress {
            reached: AtomicU64::new(0),
            sleepers: Mutex::new(Vec::with_capacity(8)),
            sleeping: AtomicU32::new(0),
        }
    }
}

impl Stream {
    pub(super) fn new(words: Vec<u64>) -> Stream {
        Stream {
            words,
            events: Progress::new(),
            accesses: Progress::new(),
            awaited: vec![],
            told: AtomicU32::new(0),
            go: AtomicU32::new(0),
            light: AtomicBool::new(false),
            rounds: AtomicU64::new(0),
            activity: AtomicU64::new(NOT_STARTED),
            detail: AtomicU64::new(0),
            thread: AtomicI32::new(0),
        }
    }

    /// Notes which thread runs the stream; once, because asking the kernel costs more than the rest of an event. A light thread changes places.
    pub(super) fn introduce(&self) {
        if self.thread.load(Ordering::Relaxed) == 0 || self.light.load(Ordering::Relaxed) {
            self.thread.store(thread_number(), Ordering::Relaxed);
        }
    }

    /// The recording has nothing more for this stream, which is about to do this.
    pub(super) fn stop_at(&self, kind: Kind, site: SiteId) {
        self.detail.store(site.0.into(), Ordering::Relaxed);
        self.activity
            .store(AT_END + u64::from(kind.number()), Ordering::Release);
    }

    /// The stream has a thread, whatever that does before its first event.
    pub(super) fn begin(&self) {
        let _ = self.activity.compare_exchange(
            NOT_STARTED,
            RUNNING,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    /// How often the event before this index is repeated, if it is.
    pub(super) fn repeats(&self, index: u64) -> Option<u64> {
        let word = *self.words.get(usize::try_from(index).ok()?)?;
        let kind = (word >> KIND_SHIFT & KIND_MASK) as u8;
        (kind == Kind::Repeat.number()).then_some(word >> UPPER_SHIFT)
    }

    pub(super) fn at(&self, index: u64) -> Option<Step> {
        let index = usize::try_from(index).ok()?;
        let first = *self.words.get(index)?;
        let form = Form::from_number((first >> FORM_SHIFT & FORM_MASK) as u8)?;
        let word = |k: usize| self.words.get(index + k).copied();
        Some(Step {
            kind: Kind::from_number((first >> KIND_SHIFT & KIND_MASK) as u8)?,
            site: SiteId((first & SITE_MASK) as u32),
            form,
            link: if form == Form::Short {
                None
            } else {
                Link::unpack(word(1)?)
            },
            value: if form == Form::Valued {
                Some(word(2)?)
            } else {
                None
            },
        })
    }
}
