//! The process's table: names, code, notes, and what came in from outside.
//!
//! Records go into a **window**, as events do: pages of the file that stay mapped and outlive the process. A full one is written out as a closed section, and used again.

use super::{Space, chunk};
use crate::sys::Mapping;
use reweave_trace::file::header::{SECTION_HEADER_SIZE, SectionHeader, SectionState};
use std::sync::atomic::Ordering;

const WINDOW_SIZE: usize = 128 << 10;
/// A record as large as this is written as a section of its own, which saves a copy.
const LARGE: usize = 32 << 10;

pub(super) struct Table {
    window: Option<Mapping>,
    /// Of the section in the window.
    number: u32,
    /// Of the next section.
    next: u32,
    used: usize,
}

impl Table {
    pub(super) fn new() -> Table {
        Table {
            window: None,
            number: 0,
            next: 0,
            used: 0,
        }
    }

    /// Adds an encoded record; on a full disk it is lost, and the file says that recording stopped.
    pub(super) fn append(&mut self, space: &Space, record: &[u8]) {
        if record.len() >= LARGE {
            if self.write(space, self.next, record) {
                self.next += 1;
            }
            return;
        }
        let room = WINDOW_SIZE - SECTION_HEADER_SIZE;
        if self.window.is_none() || self.used + record.len() > room {
            self.open(space);
        }
        let Some(window) = &self.window else { return };
        let at = SECTION_HEADER_SIZE + self.used;
        // The first eight bytes are tag and length; they become visible together, after the rest.
        window.write(at + 8, &record[8..]);
        let mut head = [0; 8];
        head.copy_from_slice(&record[..8]);
        window
            .atomic_u64(at)
            .store(u64::from_le_bytes(head), Ordering::Release);
        self.used += record.len();
    }

    /// Starts a section in an empty window; there is none if the disk is full.
    fn open(&mut self, space: &Space) {
        let Some(window) = self.empty_window(space) else {
            return;
        };
        let capacity = (WINDOW_SIZE - SECTION_HEADER_SIZE) as u64;
        let header = SectionHeader::open_table(space.process, self.next, capacity).encode();
        chunk::write_header(&window, &header);
        self.number = self.next;
        self.next += 1;
        self.used = 0;
        self.window = Some(window);
    }

    fn empty_window(&mut self, space: &Space) -> Option<Mapping> {
        let Some(full) = self.window.take() else {
            return space.extent(WINDOW_SIZE);
        };
        // A copy of a bounded recording may be made at any moment, and must not miss the section on its way.
        if space.is_bounded() {
            chunk::close(&full, self.used);
            return space.extent(WINDOW_SIZE);
        }
        let records = full.bytes(SECTION_HEADER_SIZE, self.used);
        if !self.write(space, self.number, records) {
            return None;
        }
        chunk::clear(&full, self.used);
        Some(full)
    }

    /// Writes records as a closed section. False if the disk is full.
    fn write(&self, space: &Space, number: u32, records: &[u8]) -> bool {
        let length = records.len() as u64;
        let mut header = SectionHeader::open_table(space.process, number, length);
        header.state = SectionState::Closed {
            payload_crc: crc32fast::hash(records),
            stored: length,
            decoded: length,
        };
        space.write_section(&header, records)
    }
}
