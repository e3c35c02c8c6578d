//! Stores events the way the Java helper does: straight into the mapped section, first word last.

use reweave_runtime::recorder::Recorder;
use reweave_trace::event::first_word;
use reweave_trace::file::table::ThreadKind;
use reweave_trace::{Form, Kind, Link, Position, SiteId, StreamId};

/// One thread of the program.
pub struct FrontEnd<'r> {
    recorder: &'r Recorder,
    pub stream: StreamId,
    /// Where the next event goes, and the first address at which the longest one might not fit.
    next: usize,
    end: usize,
    events: u64,
    /// Every word stored.
    pub words: Vec<u64>,
}

/// What came of storing an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    Yes,
    /// The disk is full.
    No,
}

impl<'r> FrontEnd<'r> {
    pub fn new(recorder: &'r Recorder, name: &str) -> FrontEnd<'r> {
        let stream = recorder.stream(None, ThreadKind::Thread, name);
        FrontEnd {
            recorder,
            stream: stream.expect("few streams"),
            next: 0,
            end: 0,
            events: 0,
            words: vec![],
        }
    }

    /// Stores the stream's next event.
    pub fn store(&mut self) -> Stored {
        if self.next >= self.end {
            let Some(start) = self.recorder.next_chunk(self.stream, self.next) else {
                return Stored::No;
            };
            // The section header in front tells the first position and the capacity.
            assert_eq!(load(start - 40), self.words.len() as u64 + 1);
            self.end = start + load(start - 16) as usize - 40;
            self.next = start;
        }
        let words = event(self.stream, self.events);
        for (index, word) in words.iter().enumerate().rev() {
            store(self.next + index * 8, *word);
        }
        self.next += words.len() * 8;
        self.events += 1;
        self.words.extend(words);
        Stored::Yes
    }

    pub fn store_many(&mut self, events: usize) {
        for _ in 0..events {
            assert_eq!(self.store(), Stored::Yes);
        }
    }

    /// Stores until the next event would need a new section.
    pub fn fill(&mut self) {
        while self.next < self.end {
            self.store_many(1);
        }
    }

    /// The thread ends.
    pub fn finish(self) -> Vec<u64> {
        self.recorder.finish(self.stream, self.next);
        self.words
    }
}

/// Event number `n` of a stream: of one, two or three words, in an order without a period.
pub fn event(stream: StreamId, n: u64) -> Vec<u64> {
    let site = SiteId(n as u32 + 1);
    match (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % 3 {
        0 => vec![first_word(Kind::Exit, Form::Short, site, 0)],
        1 => vec![
            first_word(Kind::Acquire, Form::Linked, site, 0),
            Link::new(stream, Position::FIRST).pack(),
        ],
        _ => vec![first_word(Kind::Value, Form::Valued, site, 0), 0, n],
    }
}

fn store(address: usize, word: u64) {
    // SAFETY: the address lies in a section that the recorder gave to this stream, before its end, and is a multiple of 8.
    unsafe { (address as *mut u64).write_volatile(word) }
}

fn load(address: usize) -> u64 {
    // SAFETY: as above, or in the header in front of it.
    unsafe { (address as *const u64).read_volatile() }
}
