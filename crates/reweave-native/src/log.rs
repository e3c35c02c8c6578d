//! Recording: events go straight into mapped pages of the trace file.

use crate::latest::Latest;
use crate::thread::Thread;
use core::sync::atomic::{AtomicU64, Ordering};
use reweave_runtime::recorder::Recorder;
use reweave_trace::event::first_word;
use reweave_trace::file::table::{Record, ThreadKind};
use reweave_trace::{Form, Kind, Link, Position, SiteId, StreamId, Tag};

static RECORDER: Latest<Recorder> = Latest::none();

/// Bytes that the longest event needs.
const LONGEST: usize = 24;
/// In place of an address: the stream has ended.
const OVER: usize = usize::MAX;

pub fn start(recorder: Recorder) {
    RECORDER.set(recorder);
}

/// What is written from now on is not this process's: its own part has not begun.
pub fn stop() {
    RECORDER.clear();
}

/// Adds to the process's table, if this is a recording.
pub fn table(record: &Record) {
    if let Some(recorder) = RECORDER.get() {
        recorder.record(record);
    }
}

/// A new stream, if this is a recording.
pub fn stream(parent: Option<StreamId>, name: &str) -> Option<StreamId> {
    RECORDER.get()?.stream(parent, ThreadKind::Thread, name)
}

impl Thread {
    /// What the next event of this thread will be called by others.
    #[inline]
    pub fn link(&self) -> u64 {
        let position = Position(self.position.load(Ordering::Relaxed));
        Link::new(self.id(), position).pack()
    }

    /// An event of two words. Only the thread itself writes, or who has its turn while it waits.
    #[inline]
    pub fn log_linked(&self, kind: Kind, site: SiteId, tag: Tag, link: u64) {
        self.log(
            first_word(kind, Form::Linked, site, tag.0),
            Form::Linked,
            link,
            0,
        );
    }

    #[inline]
    pub fn log_valued(&self, kind: Kind, site: SiteId, tag: Tag, link: u64, value: u64) {
        self.log(
            first_word(kind, Form::Valued, site, tag.0),
            Form::Valued,
            link,
            value,
        );
    }

    /// What a call brought in. The bytes come first: an event is never there without them.
    pub fn log_input(
        &self,
        from: usize,
        descriptor: u32,
        link: u64,
        result: isize,
        bytes: Vec<u8>,
    ) {
        if RECORDER.get().is_none() {
            return;
        }
        if !bytes.is_empty() {
            table(&Record::Input {
                stream: self.id(),
                position: self.position.load(Ordering::Relaxed),
                bytes,
            });
        }
        let site = self.places.site(from);
        let tag = Tag(descriptor & 0xff_ffff);
        self.log_valued(Kind::Input, site, tag, link, result as u64);
    }

    /// The program's handler of a signal is about to run.
    pub fn log_signal(&self, link: u64, value: u64, information: Vec<u8>) {
        if RECORDER.get().is_none() {
            return;
        }
        table(&Record::Input {
            stream: self.id(),
            position: self.position.load(Ordering::Relaxed),
            bytes: information,
        });
        self.log_valued(Kind::Signal, SiteId(0), Tag::NONE, link, value);
    }

    pub fn log_short(&self, kind: Kind, site: SiteId) {
        self.log(first_word(kind, Form::Short, site, 0), Form::Short, 0, 0);
    }

    #[inline]
    fn log(&self, first: u64, form: Form, second: u64, third: u64) {
        let mut at = self.next.load(Ordering::Relaxed);
        if at >= self.last.load(Ordering::Relaxed) {
            at = match self.next_window(at) {
                Some(at) => at,
                // The disk is full, and the file says so.
                None => return,
            };
        }
        let words = form.words();
        // SAFETY: inside this thread's window, which is mapped as long as the process lives.
        unsafe {
            let at = at as *mut u64;
            if words > 1 {
                *at.add(1) = second;
            }
            if words > 2 {
                *at.add(2) = third;
            }
            // Last, because a reader takes an event as written once its first word is there.
            AtomicU64::from_ptr(at).store(first, Ordering::Release);
        }
        self.next.store(at + words * 8, Ordering::Relaxed);
        let position = self.position.load(Ordering::Relaxed);
        self.position
            .store(position + words as u64, Ordering::Relaxed);
    }

    #[cold]
    fn next_window(&self, at: usize) -> Option<usize> {
        let recorder = RECORDER.get().filter(|_| at != OVER)?;
        let errno = Errno::save();
        let start = recorder.next_chunk(self.id(), at);
        errno.restore();
        let start = start?;
        // The section's header is in front of it; at its offset 48 the capacity.
        // SAFETY: the recorder has just written it.
        let capacity = unsafe { *((start - 16) as *const u64) } as usize;
        self.next.store(start, Ordering::Relaxed);
        self.last
            .store(start + capacity - LONGEST, Ordering::Relaxed);
        Some(start)
    }

    /// The thread has written its last event.
    pub fn log_end(&self) {
        if let Some(recorder) = RECORDER.get() {
            recorder.finish(self.id(), self.next.load(Ordering::Relaxed));
            self.next.store(OVER, Ordering::Relaxed);
        }
    }
}

/// What the program's last call left behind, which our own calls must not change.
pub struct Errno(i32);

impl Errno {
    pub fn save() -> Errno {
        // SAFETY: the calling thread's own word.
        Errno(unsafe { *libc::__errno_location() })
    }

    pub fn restore(self) {
        Errno::set(self.0);
    }

    pub fn set(number: i32) {
        // SAFETY: the calling thread's own word.
        unsafe { *libc::__errno_location() = number };
    }

    pub fn get() -> i32 {
        Errno::save().0
    }
}
