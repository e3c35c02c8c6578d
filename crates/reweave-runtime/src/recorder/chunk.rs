//! Where the events of one stream go.
//!
//! A thread stores into a **window**: a section of the file mapped into memory, which survives the death of the process. A full window is written out as a
//! closed section of its own and used again, in turns with a second one. Mapping fresh pages of the file instead would be simpler, but the kernel
//! takes 5 µs for each; this costs a tenth. Should the process die in between, the file holds the same events twice; the reader takes the closed copy.

use super::Space;
use super::ring::Size;
use crate::sys::Mapping;
use reweave_trace::file::header::{
    SECTION_HEADER_SIZE, SECTION_OFFSET_DECODED, SECTION_OFFSET_PAYLOAD_CRC, SECTION_OFFSET_STATE,
    SECTION_OFFSET_STORED, SECTION_STATE_CLOSED, SectionHeader, SectionState,
};
use reweave_trace::{Position, StreamId};
use std::sync::atomic::Ordering;

/// Most threads of most programs do little: they get one page.
const FIRST_SIZE: usize = Size::Page.bytes();
const WINDOW_SIZE: usize = Size::Window.bytes();

pub(super) struct Chunk {
    stream: StreamId,
    window: Mapping,
    /// The other window: zero, and without a header.
    spare: Option<Mapping>,
    number: u32,
    first: Position,
}

impl Chunk {
    /// The stream's first section.
    pub(super) fn start(space: &Space, stream: StreamId) -> Option<Chunk> {
        let window = space.window(Size::Page)?;
        let chunk = Chunk {
            stream,
            window,
            spare: None,
            number: 0,
            first: Position(1),
        };
        chunk.open(space);
        Some(chunk)
    }

    pub(super) fn start_address(&self) -> usize {
        self.window.address() + SECTION_HEADER_SIZE
    }

    /// The section is full up to `address`; starts the next one. `None` if there is no room on the disk: then nothing has changed.
    pub(super) fn next(&mut self, space: &Space, address: usize) -> Option<()> {
        let used = self.used(address);
        let fresh = match self.spare.take() {
            Some(spare) => spare,
            None => space.window(Size::Window)?,
        };
        if self.window.len() == FIRST_SIZE && !space.is_bounded() {
            close(&self.window, used);
            self.window = fresh;
            self.advance(space, used);
            return Some(());
        }
        if !self.write_out(space, used) {
            if fresh.len() == WINDOW_SIZE {
                self.spare = Some(fresh);
            }
            return None;
        }
        let old = std::mem::replace(&mut self.window, fresh);
        self.advance(space, used);
        clear(&old, used);
        match old.len() {
            FIRST_SIZE => space.give_back(old),
            _ => self.spare = Some(old),
        }
        Some(())
    }

    /// Writes the words of the window as a section of their own. False if the disk is full.
    fn write_out(&self, space: &Space, used: usize) -> bool {
        let payload = self.window.bytes(SECTION_HEADER_SIZE, used);
        let mut header = self.header(space, used as u64);
        header.state = SectionState::Closed {
            payload_crc: crc32fast::hash(payload),
            stored: used as u64,
            decoded: used as u64,
        };
        let size = match self.window.len() {
            FIRST_SIZE => Size::Page,
            _ => Size::Window,
        };
        space.write_events(header, payload, size)
    }

    /// The stream has ended: the words up to `address` are all there will be.
    pub(super) fn finish(self, space: &Space, address: usize) {
        let used = self.used(address);
        if !space.is_bounded() || !self.write_out(space, used) {
            close(&self.window, used);
            return;
        }
        clear(&self.window, used);
        space.give_back(self.window);
        self.spare
            .into_iter()
            .for_each(|spare| space.give_back(spare));
    }

    fn used(&self, address: usize) -> usize {
        let capacity = self.window.len() - SECTION_HEADER_SIZE;
        address.saturating_sub(self.start_address()).min(capacity)
    }

    /// The current window holds the words that follow.
    fn advance(&mut self, space: &Space, used: usize) {
        self.number += 1;
        self.first = Position(self.first.0 + used as u64 / 8);
        self.open(space);
    }

    fn header(&self, space: &Space, capacity: u64) -> SectionHeader {
        SectionHeader::open_events(
            space.process,
            self.stream.0,
            self.number,
            self.first,
            capacity,
        )
    }

    fn open(&self, space: &Space) {
        let capacity = (self.window.len() - SECTION_HEADER_SIZE) as u64;
        write_header(&self.window, &self.header(space, capacity).encode());
    }
}

/// No section any more, before its words go.
pub(super) fn clear(window: &Mapping, used: usize) {
    window.atomic_u32(0).store(0, Ordering::Release);
    window.zero(SECTION_HEADER_SIZE + used);
}

/// The magic last: until it is there, no reader takes the extent for a section.
pub(super) fn write_header(mapping: &Mapping, header: &[u8; SECTION_HEADER_SIZE]) {
    mapping.write(4, &header[4..]);
    let magic = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
    mapping.atomic_u32(0).store(magic, Ordering::Release);
}

/// Length and checksum first, then the state that makes them count.
pub(super) fn close(mapping: &Mapping, used: usize) {
    let crc = crc32fast::hash(mapping.bytes(SECTION_HEADER_SIZE, used));
    mapping.write(SECTION_OFFSET_PAYLOAD_CRC, &crc.to_le_bytes());
    mapping.write(SECTION_OFFSET_STORED, &(used as u64).to_le_bytes());
    mapping.write(SECTION_OFFSET_DECODED, &(used as u64).to_le_bytes());
    mapping
        .atomic_u8(SECTION_OFFSET_STATE)
        .store(SECTION_STATE_CLOSED, Ordering::Release);
}
