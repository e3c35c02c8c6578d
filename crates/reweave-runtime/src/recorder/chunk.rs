//! One mapped section of a stream's events.

use super::Space;
use crate::sys::Mapping;
use reweave_trace::file::header::{
    SECTION_HEADER_SIZE, SECTION_OFFSET_DECODED, SECTION_OFFSET_PAYLOAD_CRC, SECTION_OFFSET_STATE,
    SECTION_OFFSET_STORED, SECTION_STATE_CLOSED, SectionHeader,
};
use reweave_trace::{Position, StreamId};
use std::sync::atomic::Ordering;

/// Small at first, because most threads of most programs do little; large later, because every change costs.
const SIZES: [usize; 3] = [4096, 64 << 10, 1 << 20];

pub(super) struct Chunk {
    mapping: Mapping,
    number: u32,
    first: Position,
}

/// What the next chunk of the stream must know of the one before it.
pub(super) struct Finished {
    number: u32,
    next: Position,
}

impl Chunk {
    pub(super) fn start(space: &Space, stream: StreamId, previous: Option<Finished>) -> Option<Chunk> {
        let (number, first) = match previous {
            Some(finished) => (finished.number + 1, finished.next),
            None => (0, Position(1)),
        };
        let size = SIZES[(number as usize).min(SIZES.len() - 1)];
        let mapping = space.extent(size)?;
        let capacity = (size - SECTION_HEADER_SIZE) as u64;
        let header =
            SectionHeader::open_events(space.process, stream.0, number, first, capacity).encode();
        write_header(&mapping, &header);
        Some(Chunk { mapping, number, first })
    }

    pub(super) fn start_address(&self) -> usize {
        self.mapping.address() + SECTION_HEADER_SIZE
    }

    /// Closes the section: the words up to `address` are all there will be.
    pub(super) fn finish(self, address: usize) -> Finished {
        let capacity = self.mapping.len() - SECTION_HEADER_SIZE;
        let used = address.saturating_sub(self.start_address()).min(capacity);
        close(&self.mapping, used);
        Finished { number: self.number, next: Position(self.first.0 + used as u64 / 8) }
    }
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
    mapping.atomic_u8(SECTION_OFFSET_STATE).store(SECTION_STATE_CLOSED, Ordering::Release);
}
