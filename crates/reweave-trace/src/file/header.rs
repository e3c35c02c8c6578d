//! The fixed parts of a file as bytes: the file header and the header of a section.
//! The offsets are public because a live file is written through memory maps, some fields by atomic operations.

use crate::ids::{Position, ProcessNumber};
use thiserror::Error;

pub const FILE_MAGIC: [u8; 8] = *b"REWEAVE\0";
pub const FORMAT_VERSION: u32 = 1;
pub const FILE_HEADER_SIZE: usize = 4096;
/// Sections of a live file start at multiples of this, those of a sealed file at multiples of 8.
pub const LIVE_ALIGNMENT: u64 = 4096;

pub const OFFSET_VERSION: usize = 8;
pub const OFFSET_HEADER_SIZE: usize = 12;
pub const OFFSET_NEXT_FREE: usize = 16;
pub const OFFSET_STATE: usize = 24;
pub const OFFSET_PROCESSES: usize = 28;
pub const OFFSET_FAULTS: usize = 32;
pub const OFFSET_CRC: usize = 40;
pub const OFFSET_SEALED_CRC: usize = 44;

/// Bit in the faults of the file header: the disk was full and recording stopped.
pub const FAULT_DISK_FULL: u64 = 1;
/// Another: the recording was bounded, and what came first is not there any more.
pub const FAULT_THINNED: u64 = 2;

pub const SECTION_MAGIC: [u8; 4] = *b"RWVS";
pub const SECTION_HEADER_SIZE: usize = 64;

pub const SECTION_OFFSET_STATE: usize = 7;
pub const SECTION_OFFSET_PAYLOAD_CRC: usize = 20;
pub const SECTION_OFFSET_STORED: usize = 32;
pub const SECTION_OFFSET_DECODED: usize = 40;

pub const SECTION_STATE_OPEN: u8 = 1;
pub const SECTION_STATE_CLOSED: u8 = 2;

pub const INDEX_ENTRY_SIZE: usize = 32;
pub const TRAILER_MAGIC: [u8; 8] = *b"RWVINDEX";
pub const TRAILER_SIZE: usize = 16;

/// Whether processes may still be writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    Live = 0,
    Sealed = 1,
}

/// The first 4096 bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeader {
    pub next_free: u64,
    pub state: FileState,
    /// How many processes joined the recording.
    pub processes: u32,
    /// Bit set of `FAULT_…`.
    pub faults: u64,
}

/// Why bytes are not a header this version can read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    #[error("not a reweave file: it starts with {found:02x?}, not with \"REWEAVE\"")]
    Magic { found: [u8; 8] },
    #[error("written in format {found}, this reweave reads format {FORMAT_VERSION}")]
    Version { found: u32 },
    #[error("{what}: checksum {stored:#010x} expected, {computed:#010x} found")]
    Checksum {
        what: &'static str,
        stored: u32,
        computed: u32,
    },
    #[error("{what} is {found}, which has no meaning")]
    Field { what: &'static str, found: u64 },
}

impl FileHeader {
    pub fn live(next_free: u64) -> FileHeader {
        FileHeader {
            next_free,
            state: FileState::Live,
            processes: 0,
            faults: 0,
        }
    }

    pub fn encode(&self) -> [u8; FILE_HEADER_SIZE] {
        let mut bytes = [0; FILE_HEADER_SIZE];
        put(&mut bytes, 0, &FILE_MAGIC);
        put(&mut bytes, OFFSET_VERSION, &FORMAT_VERSION.to_le_bytes());
        put(
            &mut bytes,
            OFFSET_HEADER_SIZE,
            &(FILE_HEADER_SIZE as u32).to_le_bytes(),
        );
        put(&mut bytes, OFFSET_NEXT_FREE, &self.next_free.to_le_bytes());
        put(&mut bytes, OFFSET_STATE, &(self.state as u32).to_le_bytes());
        put(&mut bytes, OFFSET_PROCESSES, &self.processes.to_le_bytes());
        put(&mut bytes, OFFSET_FAULTS, &self.faults.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..16]);
        put(&mut bytes, OFFSET_CRC, &crc.to_le_bytes());
        if self.state == FileState::Sealed {
            let crc = crc32fast::hash(&bytes[..OFFSET_SEALED_CRC]);
            put(&mut bytes, OFFSET_SEALED_CRC, &crc.to_le_bytes());
        }
        bytes
    }

    pub fn decode(bytes: &[u8; FILE_HEADER_SIZE]) -> Result<FileHeader, HeaderError> {
        let magic: [u8; 8] = get(bytes, 0);
        if magic != FILE_MAGIC {
            return Err(HeaderError::Magic { found: magic });
        }
        let version = get_u32(bytes, OFFSET_VERSION);
        if version != FORMAT_VERSION {
            return Err(HeaderError::Version { found: version });
        }
        check_crc("file header", get_u32(bytes, OFFSET_CRC), &[&bytes[..16]])?;
        let state = match get_u32(bytes, OFFSET_STATE) {
            0 => FileState::Live,
            1 => FileState::Sealed,
            other => {
                return Err(HeaderError::Field {
                    what: "state of the file",
                    found: other.into(),
                });
            }
        };
        let sealed_crc = get_u32(bytes, OFFSET_SEALED_CRC);
        // A live file has zero here, so a sealed file whose state was damaged is noticed.
        if state == FileState::Sealed || sealed_crc != 0 {
            check_crc("file header", sealed_crc, &[&bytes[..OFFSET_SEALED_CRC]])?;
        }
        Ok(FileHeader {
            next_free: get_u64(bytes, OFFSET_NEXT_FREE),
            state,
            processes: get_u32(bytes, OFFSET_PROCESSES),
            faults: get_u64(bytes, OFFSET_FAULTS),
        })
    }
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    Manifest = 1,
    Events = 2,
    Table = 3,
    Index = 4,
    Result = 5,
}

impl SectionKind {
    pub const fn from_number(number: u16) -> Option<SectionKind> {
        match number {
            1 => Some(SectionKind::Manifest),
            2 => Some(SectionKind::Events),
            3 => Some(SectionKind::Table),
            4 => Some(SectionKind::Index),
            5 => Some(SectionKind::Result),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            SectionKind::Manifest => "manifest",
            SectionKind::Events => "events",
            SectionKind::Table => "table",
            SectionKind::Index => "index",
            SectionKind::Result => "result",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    Plain = 0,
    Zstd = 1,
}

/// Whether a section is still being written. Only a closed one knows its length and checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionState {
    Open,
    Closed {
        payload_crc: u32,
        /// Bytes in the file.
        stored: u64,
        /// Bytes after decoding.
        decoded: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionHeader {
    pub kind: SectionKind,
    pub codec: Codec,
    pub state: SectionState,
    pub process: ProcessNumber,
    /// 0 for tables and for sections about the whole file.
    pub stream: u32,
    /// Number of this section within its stream, from 0.
    pub number: u32,
    /// Position of the first word of an events section, otherwise 0.
    pub first: u64,
    /// Bytes reserved for the payload.
    pub capacity: u64,
}

impl SectionHeader {
    /// The header with which a process starts to fill a fresh extent. The magic must become visible last.
    pub fn open_events(
        process: ProcessNumber,
        stream: u32,
        number: u32,
        first: Position,
        capacity: u64,
    ) -> SectionHeader {
        SectionHeader {
            kind: SectionKind::Events,
            codec: Codec::Plain,
            state: SectionState::Open,
            process,
            stream,
            number,
            first: first.0,
            capacity,
        }
    }

    pub fn open_table(process: ProcessNumber, number: u32, capacity: u64) -> SectionHeader {
        SectionHeader {
            kind: SectionKind::Table,
            codec: Codec::Plain,
            state: SectionState::Open,
            process,
            stream: 0,
            number,
            first: 0,
            capacity,
        }
    }

    pub fn encode(&self) -> [u8; SECTION_HEADER_SIZE] {
        let mut bytes = [0; SECTION_HEADER_SIZE];
        let (state, crc, stored, decoded) = match self.state {
            SectionState::Open => (SECTION_STATE_OPEN, 0, 0, 0),
            SectionState::Closed {
                payload_crc,
                stored,
                decoded,
            } => (SECTION_STATE_CLOSED, payload_crc, stored, decoded),
        };
        put(&mut bytes, 0, &SECTION_MAGIC);
        put(&mut bytes, 4, &(self.kind as u16).to_le_bytes());
        bytes[6] = self.codec as u8;
        bytes[SECTION_OFFSET_STATE] = state;
        put(&mut bytes, 8, &self.process.0.to_le_bytes());
        put(&mut bytes, 12, &self.stream.to_le_bytes());
        put(&mut bytes, 16, &self.number.to_le_bytes());
        put(&mut bytes, SECTION_OFFSET_PAYLOAD_CRC, &crc.to_le_bytes());
        put(&mut bytes, 24, &self.first.to_le_bytes());
        put(&mut bytes, SECTION_OFFSET_STORED, &stored.to_le_bytes());
        put(&mut bytes, SECTION_OFFSET_DECODED, &decoded.to_le_bytes());
        put(&mut bytes, 48, &self.capacity.to_le_bytes());
        let crc = constant_parts_crc(&bytes);
        put(&mut bytes, 56, &crc.to_le_bytes());
        bytes
    }

    /// `None` if there is no section here.
    pub fn decode(bytes: &[u8; SECTION_HEADER_SIZE]) -> Result<Option<SectionHeader>, HeaderError> {
        if bytes[..4] != SECTION_MAGIC {
            return Ok(None);
        }
        let stored_crc = get_u32(bytes, 56);
        let computed = constant_parts_crc(bytes);
        if stored_crc != computed {
            return Err(HeaderError::Checksum {
                what: "section header",
                stored: stored_crc,
                computed,
            });
        }
        let field = |what, found: u64| HeaderError::Field { what, found };
        let kind_number = u16::from_le_bytes(get(bytes, 4));
        let kind = SectionKind::from_number(kind_number)
            .ok_or(field("kind of the section", kind_number.into()))?;
        let codec = match bytes[6] {
            0 => Codec::Plain,
            1 => Codec::Zstd,
            other => return Err(field("codec of the section", other.into())),
        };
        let state = match bytes[SECTION_OFFSET_STATE] {
            SECTION_STATE_OPEN => SectionState::Open,
            SECTION_STATE_CLOSED => SectionState::Closed {
                payload_crc: get_u32(bytes, SECTION_OFFSET_PAYLOAD_CRC),
                stored: get_u64(bytes, SECTION_OFFSET_STORED),
                decoded: get_u64(bytes, SECTION_OFFSET_DECODED),
            },
            other => return Err(field("state of the section", other.into())),
        };
        Ok(Some(SectionHeader {
            kind,
            codec,
            state,
            process: ProcessNumber(get_u32(bytes, 8)),
            stream: get_u32(bytes, 12),
            number: get_u32(bytes, 16),
            first: get_u64(bytes, 24),
            capacity: get_u64(bytes, 48),
        }))
    }
}

/// What never changes while a section is written: all but codec, state, lengths and checksum of the payload.
fn constant_parts_crc(bytes: &[u8; SECTION_HEADER_SIZE]) -> u32 {
    crc_of(&[&bytes[0..6], &bytes[8..20], &bytes[24..32], &bytes[48..56]])
}

fn crc_of(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

fn check_crc(what: &'static str, stored: u32, parts: &[&[u8]]) -> Result<(), HeaderError> {
    let computed = crc_of(parts);
    if stored == computed {
        Ok(())
    } else {
        Err(HeaderError::Checksum {
            what,
            stored,
            computed,
        })
    }
}

fn put(bytes: &mut [u8], offset: usize, part: &[u8]) {
    bytes[offset..offset + part.len()].copy_from_slice(part);
}

fn get<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let mut part = [0; N];
    part.copy_from_slice(&bytes[offset..offset + N]);
    part
}

fn get_u32(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(get(bytes, offset))
}

fn get_u64(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(get(bytes, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(kind: SectionKind, codec: Codec) -> SectionHeader {
        SectionHeader {
            kind,
            codec,
            state: SectionState::Closed {
                payload_crc: 0xdead_beef,
                stored: 100,
                decoded: 1000,
            },
            process: ProcessNumber(2),
            stream: 7,
            number: 3,
            first: 4711,
            capacity: 104,
        }
    }

    #[test]
    fn headers_lead_back() {
        let sealed = FileHeader {
            next_free: 1 << 33,
            state: FileState::Sealed,
            processes: 5,
            faults: FAULT_DISK_FULL,
        };
        for header in [FileHeader::live(8192), sealed] {
            assert_eq!(FileHeader::decode(&header.encode()), Ok(header));
        }
        for header in [
            SectionHeader::open_events(ProcessNumber(0), 1, 0, Position::FIRST, 4032),
            SectionHeader::open_table(ProcessNumber(9), 2, 1 << 20),
            closed(SectionKind::Index, Codec::Plain),
            closed(SectionKind::Events, Codec::Zstd),
        ] {
            assert_eq!(SectionHeader::decode(&header.encode()), Ok(Some(header)));
        }
        assert_eq!(SectionHeader::decode(&[0; SECTION_HEADER_SIZE]), Ok(None));
    }

    #[test]
    fn a_flipped_bit_in_a_sealed_file_header_is_noticed_or_in_unused_bytes() {
        let header = FileHeader {
            next_free: 4096,
            state: FileState::Sealed,
            processes: 1,
            faults: 0,
        };
        for bit in 0..48 * 8 {
            let mut bytes = header.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(FileHeader::decode(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn another_version_is_told_apart_from_damage() {
        let mut bytes = FileHeader::live(4096).encode();
        bytes[OFFSET_VERSION] = 2;
        let crc = crc32fast::hash(&bytes[..16]);
        put(&mut bytes, OFFSET_CRC, &crc.to_le_bytes());
        assert_eq!(
            FileHeader::decode(&bytes),
            Err(HeaderError::Version { found: 2 })
        );
    }
}
