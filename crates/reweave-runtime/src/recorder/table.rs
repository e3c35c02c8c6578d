//! The process's table: names, code, notes.

use super::{Space, chunk};
use crate::sys::Mapping;
use reweave_trace::file::header::{SECTION_HEADER_SIZE, SectionHeader, SectionState};
use std::sync::atomic::Ordering;

const SIZE: usize = 64 << 10;
/// A record as large as this is written as a section of its own, which is cheaper than to map pages for it.
const LARGE: usize = 8 << 10;

pub(super) struct Table {
    section: Option<Mapping>,
    /// Of the next section.
    number: u32,
    used: usize,
}

impl Table {
    pub(super) fn new() -> Table {
        Table {
            section: None,
            number: 0,
            used: 0,
        }
    }

    /// Adds an encoded record; on a full disk it is lost, and the file says that recording stopped.
    pub(super) fn append(&mut self, space: &Space, record: &[u8]) {
        if record.len() >= LARGE {
            self.append_large(space, record);
            return;
        }
        let room = |section: &Mapping| section.len() - SECTION_HEADER_SIZE;
        let full = self
            .section
            .as_ref()
            .is_none_or(|s| self.used + record.len() > room(s));
        if full {
            if let Some(old) = self.section.take() {
                chunk::close(&old, self.used);
            }
            let Some(section) = space.extent(SIZE) else {
                return;
            };
            let capacity = (SIZE - SECTION_HEADER_SIZE) as u64;
            let header = SectionHeader::open_table(space.process, self.number, capacity).encode();
            chunk::write_header(&section, &header);
            self.number += 1;
            self.section = Some(section);
            self.used = 0;
        }
        let Some(section) = &self.section else { return };
        let at = SECTION_HEADER_SIZE + self.used;
        // The first eight bytes are tag and length; they become visible together, after the rest.
        section.write(at + 8, &record[8..]);
        let mut head = [0; 8];
        head.copy_from_slice(&record[..8]);
        section
            .atomic_u64(at)
            .store(u64::from_le_bytes(head), Ordering::Release);
        self.used += record.len();
    }

    fn append_large(&mut self, space: &Space, record: &[u8]) {
        let length = record.len() as u64;
        let mut header = SectionHeader::open_table(space.process, self.number, length);
        header.state = SectionState::Closed {
            payload_crc: crc32fast::hash(record),
            stored: length,
            decoded: length,
        };
        if space.write_section(&header, record) {
            self.number += 1;
        }
    }
}
