//! The records of a table section: what a process tells about itself besides its events.
//!
//! A record is u16 tag, u16 zero, u32 payload length, payload, zero padding to a multiple of 8. Strings are u16 length and UTF-8.

use crate::ids::{ClassId, SiteId, StreamId};
use crate::launch::Launch;
use thiserror::Error;

pub const RECORD_HEADER_SIZE: usize = 8;
/// Offset of the length in a record; it is written before the tag at offset 0.
pub const RECORD_OFFSET_LENGTH: usize = 4;

/// What a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadKind {
    Thread = 0,
    ClassInitialiser = 1,
}

/// What stands at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    MonitorBlock = 0,
    SynchronizedMethod = 1,
    Call = 2,
    Method = 3,
    Access = 4,
    /// Not a method but an offset in a module; `method` is `+0x1139`.
    Address = 16,
}

impl SiteKind {
    pub const fn name(self) -> &'static str {
        match self {
            SiteKind::MonitorBlock => "monitor block",
            SiteKind::SynchronizedMethod => "synchronized method",
            SiteKind::Call => "call",
            SiteKind::Method => "method",
            SiteKind::Access => "access",
            SiteKind::Address => "address",
        }
    }
}

/// A site as a class describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSite {
    pub site: SiteId,
    /// 0 if unknown.
    pub line: u16,
    pub kind: SiteKind,
    /// Method name and descriptor, as in `run()V`.
    pub method: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Process {
        /// `0`, `0.1`, …: which child of which process this is.
        path: String,
        pid: u32,
        /// Main class or jar.
        main: String,
        jdk: String,
    },
    Thread {
        stream: StreamId,
        parent: Option<StreamId>,
        kind: ThreadKind,
        /// Of the thread or the class.
        name: String,
    },
    Class {
        class: ClassId,
        name: String,
    },
    Code {
        /// xxh3 of the class file as the program has it.
        digest: u64,
        class: String,
        source: String,
        sites: Vec<CodeSite>,
    },
    /// A method left alone, and why.
    Skipped(String),
    /// Something the user should know.
    Note(String),
    /// The process ended in order.
    End,
    /// How to start this JVM again without what started it.
    Launch(Launch),
    /// The bytes of an input event.
    Input {
        stream: StreamId,
        position: u64,
        bytes: Vec<u8>,
    },
}

pub const TAG_PROCESS: u16 = 1;
pub const TAG_THREAD: u16 = 2;
pub const TAG_CLASS: u16 = 3;
pub const TAG_CODE: u16 = 4;
pub const TAG_SKIPPED: u16 = 5;
pub const TAG_NOTE: u16 = 6;
pub const TAG_END: u16 = 7;
pub const TAG_LAUNCH: u16 = 8;
pub const TAG_INPUT: u16 = 16;

impl Record {
    pub fn tag(&self) -> u16 {
        match self {
            Record::Process { .. } => TAG_PROCESS,
            Record::Thread { .. } => TAG_THREAD,
            Record::Class { .. } => TAG_CLASS,
            Record::Code { .. } => TAG_CODE,
            Record::Skipped(_) => TAG_SKIPPED,
            Record::Note(_) => TAG_NOTE,
            Record::End => TAG_END,
            Record::Launch(_) => TAG_LAUNCH,
            Record::Input { .. } => TAG_INPUT,
        }
    }

    /// The whole record, padding included. Strings longer than 65,535 bytes are cut at a character.
    /// Writes a record of an input into `out`, in place of what is there; `fill` puts the bytes where they belong. Saves copies of what may be long.
    pub fn encode_input(
        out: &mut Vec<u8>,
        stream: StreamId,
        position: u64,
        length: usize,
        fill: impl FnOnce(&mut [u8]),
    ) {
        const FIXED: usize = RECORD_HEADER_SIZE + 12;
        out.clear();
        out.resize((FIXED + length).next_multiple_of(8), 0);
        let payload = (FIXED - RECORD_HEADER_SIZE + length) as u32;
        out[..2].copy_from_slice(&TAG_INPUT.to_le_bytes());
        out[RECORD_OFFSET_LENGTH..RECORD_HEADER_SIZE].copy_from_slice(&payload.to_le_bytes());
        out[RECORD_HEADER_SIZE..RECORD_HEADER_SIZE + 4].copy_from_slice(&stream.0.to_le_bytes());
        out[RECORD_HEADER_SIZE + 4..FIXED].copy_from_slice(&position.to_le_bytes());
        fill(&mut out[FIXED..FIXED + length]);
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; RECORD_HEADER_SIZE];
        bytes[..2].copy_from_slice(&self.tag().to_le_bytes());
        match self {
            Record::Process {
                path,
                pid,
                main,
                jdk,
            } => {
                put_string(&mut bytes, path);
                bytes.extend_from_slice(&pid.to_le_bytes());
                put_string(&mut bytes, main);
                put_string(&mut bytes, jdk);
            }
            Record::Thread {
                stream,
                parent,
                kind,
                name,
            } => {
                bytes.extend_from_slice(&stream.0.to_le_bytes());
                bytes.extend_from_slice(&parent.map_or(0, |parent| parent.0).to_le_bytes());
                bytes.push(*kind as u8);
                put_string(&mut bytes, name);
            }
            Record::Class { class, name } => {
                bytes.extend_from_slice(&class.0.to_le_bytes());
                put_string(&mut bytes, name);
            }
            Record::Code {
                digest,
                class,
                source,
                sites,
            } => {
                bytes.extend_from_slice(&digest.to_le_bytes());
                put_string(&mut bytes, class);
                put_string(&mut bytes, source);
                bytes.extend_from_slice(&(sites.len() as u32).to_le_bytes());
                for site in sites {
                    bytes.extend_from_slice(&site.site.0.to_le_bytes());
                    bytes.extend_from_slice(&site.line.to_le_bytes());
                    bytes.push(site.kind as u8);
                    put_string(&mut bytes, &site.method);
                }
            }
            Record::Skipped(text) | Record::Note(text) => put_string(&mut bytes, text),
            Record::End => (),
            Record::Launch(launch) => launch.put(&mut bytes),
            Record::Input {
                stream,
                position,
                bytes: input,
            } => {
                bytes.extend_from_slice(&stream.0.to_le_bytes());
                bytes.extend_from_slice(&position.to_le_bytes());
                bytes.extend_from_slice(input);
            }
        }
        let length = (bytes.len() - RECORD_HEADER_SIZE) as u32;
        bytes[RECORD_OFFSET_LENGTH..RECORD_HEADER_SIZE].copy_from_slice(&length.to_le_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }
}

fn put_string(bytes: &mut Vec<u8>, text: &str) {
    let mut length = text.len().min(usize::from(u16::MAX));
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    bytes.extend_from_slice(&(length as u16).to_le_bytes());
    bytes.extend_from_slice(&text.as_bytes()[..length]);
}

/// Why bytes are not a record. `offset` counts from the start of the table's payload.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    #[error("record at {offset}: no record has tag {tag}")]
    Tag { offset: usize, tag: u16 },
    #[error("record at {offset}: {needs} bytes announced, only {has} are left")]
    Length {
        offset: usize,
        needs: usize,
        has: usize,
    },
    #[error("record at {offset}: its payload ends in the middle of a field")]
    Short { offset: usize },
    #[error("record at {offset}: {left} bytes are left over")]
    Long { offset: usize, left: usize },
    #[error("record at {offset}: a text is not UTF-8")]
    Text { offset: usize },
    #[error("record at {offset}: {what} is {found}, which has no meaning")]
    Field {
        offset: usize,
        what: &'static str,
        found: u32,
    },
}

/// The records of a table's payload. Ends at the first zero tag, at the end, or after the first error.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Records<'a> {
    pub fn new(bytes: &'a [u8]) -> Records<'a> {
        Records { bytes, offset: 0 }
    }

    /// Where the next record starts; after the end, how much of the payload was used.
    pub fn offset(&self) -> usize {
        self.offset
    }

    fn read(&mut self) -> Result<Option<Record>, TableError> {
        let offset = self.offset;
        let rest = &self.bytes[offset..];
        if rest.len() < 2 || rest[..2] == [0, 0] {
            return Ok(None);
        }
        if rest.len() < RECORD_HEADER_SIZE {
            return Err(TableError::Length {
                offset,
                needs: RECORD_HEADER_SIZE,
                has: rest.len(),
            });
        }
        let tag = u16::from_le_bytes([rest[0], rest[1]]);
        let length = u32::from_le_bytes([rest[4], rest[5], rest[6], rest[7]]) as usize;
        let body = &rest[RECORD_HEADER_SIZE..];
        let Some(payload) = body.get(..length) else {
            return Err(TableError::Length {
                offset,
                needs: length,
                has: body.len(),
            });
        };
        let record = read_record(offset, tag, payload)?;
        self.offset = (offset + RECORD_HEADER_SIZE + length)
            .next_multiple_of(8)
            .min(self.bytes.len());
        Ok(Some(record))
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read() {
            Ok(record) => record.map(Ok),
            Err(error) => {
                self.bytes = &self.bytes[..self.offset];
                Some(Err(error))
            }
        }
    }
}

fn read_record(offset: usize, tag: u16, payload: &[u8]) -> Result<Record, TableError> {
    let mut fields = Fields {
        offset,
        rest: payload,
    };
    let record = match tag {
        TAG_PROCESS => Record::Process {
            path: fields.string()?,
            pid: fields.u32()?,
            main: fields.string()?,
            jdk: fields.string()?,
        },
        TAG_THREAD => Record::Thread {
            stream: match fields.u32()? {
                0 => return Err(fields.meaningless("stream", 0)),
                stream if stream > StreamId::MAX.0 => {
                    return Err(fields.meaningless("stream", stream));
                }
                stream => StreamId(stream),
            },
            parent: Some(fields.u32()?)
                .filter(|&parent| parent != 0)
                .map(StreamId),
            kind: match fields.u8()? {
                0 => ThreadKind::Thread,
                1 => ThreadKind::ClassInitialiser,
                other => return Err(fields.meaningless("kind of the stream", other.into())),
            },
            name: fields.string()?,
        },
        TAG_CLASS => Record::Class {
            class: ClassId(fields.u32()?),
            name: fields.string()?,
        },
        TAG_CODE => Record::Code {
            digest: fields.u64()?,
            class: fields.string()?,
            source: fields.string()?,
            sites: read_sites(&mut fields)?,
        },
        TAG_SKIPPED => Record::Skipped(fields.string()?),
        TAG_NOTE => Record::Note(fields.string()?),
        TAG_END => Record::End,
        TAG_LAUNCH => {
            let (launch, rest) = Launch::read(fields.rest).ok_or(TableError::Short { offset })?;
            fields.rest = rest;
            Record::Launch(launch)
        }
        TAG_INPUT => Record::Input {
            stream: StreamId(fields.u32()?),
            position: fields.u64()?,
            bytes: {
                let rest = fields.rest.len();
                fields.bytes(rest)?.to_vec()
            },
        },
        _ => return Err(TableError::Tag { offset, tag }),
    };
    match fields.rest.len() {
        0 => Ok(record),
        left => Err(TableError::Long { offset, left }),
    }
}

fn read_sites(fields: &mut Fields<'_>) -> Result<Vec<CodeSite>, TableError> {
    let count = fields.u32()?;
    // The count is not believed: the vector grows only as sites are really there.
    let mut sites = Vec::new();
    for _ in 0..count {
        sites.push(CodeSite {
            site: SiteId(fields.u32()?),
            line: fields.u16()?,
            kind: match fields.u8()? {
                0 => SiteKind::MonitorBlock,
                1 => SiteKind::SynchronizedMethod,
                2 => SiteKind::Call,
                3 => SiteKind::Method,
                4 => SiteKind::Access,
                16 => SiteKind::Address,
                other => return Err(fields.meaningless("kind of a site", other.into())),
            },
            method: fields.string()?,
        });
    }
    Ok(sites)
}

struct Fields<'a> {
    offset: usize,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8], TableError> {
        let (part, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(TableError::Short {
                offset: self.offset,
            })?;
        self.rest = rest;
        Ok(part)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], TableError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8, TableError> {
        Ok(self.array::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16, TableError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, TableError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, TableError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn string(&mut self) -> Result<String, TableError> {
        let length = usize::from(self.u16()?);
        let bytes = self.bytes(length)?;
        let text = std::str::from_utf8(bytes).map_err(|_| TableError::Text {
            offset: self.offset,
        })?;
        Ok(text.to_owned())
    }

    fn meaningless(&self, what: &'static str, found: u32) -> TableError {
        TableError::Field {
            offset: self.offset,
            what,
            found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::KeptFile;

    fn one_of_each() -> Vec<Record> {
        vec![
            Record::Process {
                path: "0.1".into(),
                pid: 4711,
                main: "Bank".into(),
                jdk: "17.0.15+6".into(),
            },
            Record::Thread {
                stream: StreamId(2),
                parent: Some(StreamId::MAIN),
                kind: ThreadKind::Thread,
                name: "worker-ä".into(),
            },
            Record::Thread {
                stream: StreamId(3),
                parent: None,
                kind: ThreadKind::ClassInitialiser,
                name: "Bank".into(),
            },
            Record::Class {
                class: ClassId(1),
                name: "Account".into(),
            },
            Record::Code {
                digest: 0x0123_4567_89ab_cdef,
                class: "Bank".into(),
                source: "Bank.java".into(),
                sites: vec![CodeSite {
                    site: SiteId(77),
                    line: 31,
                    kind: SiteKind::MonitorBlock,
                    method: "run()V".into(),
                }],
            },
            Record::Skipped("Big.huge()V: would exceed 64 KiB".into()),
            Record::Note(String::new()),
            Record::End,
            Record::Launch(Launch {
                executable: "/jdk/bin/java".into(),
                directory: "/project".into(),
                arguments: vec!["java".into(), String::new()],
                files: vec![KeptFile {
                    path: "/project/@x".into(),
                    bytes: vec![0, 255],
                }],
            }),
            Record::Input {
                stream: StreamId(2),
                position: 17,
                bytes: b"\0GET /".to_vec(),
            },
        ]
    }

    #[test]
    fn the_documented_tags_are_these() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trace-format.md");
        let text = std::fs::read_to_string(page).expect("the format page is in docs/");
        let documented: Vec<(u16, String)> = text
            .lines()
            .skip_while(|line| !line.starts_with("| tag | record |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .map(|line| {
                let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
                (cells[0].parse().expect("a number"), cells[1].to_owned())
            })
            .collect();
        let mut listed: Vec<(u16, String)> = one_of_each()
            .iter()
            .map(|record| {
                let name = match record {
                    Record::Process { .. } => "process",
                    Record::Thread { .. } => "thread",
                    Record::Class { .. } => "class",
                    Record::Code { .. } => "code",
                    Record::Skipped(_) => "skipped",
                    Record::Note(_) => "note",
                    Record::End => "end",
                    Record::Launch(_) => "launch",
                    Record::Input { .. } => "input",
                };
                (record.tag(), name.to_owned())
            })
            .collect();
        listed.dedup();
        assert_eq!(documented, listed);
    }

    fn encoded() -> Vec<u8> {
        one_of_each().iter().flat_map(Record::encode).collect()
    }

    #[test]
    fn records_lead_back() {
        let mut bytes = encoded();
        let used = bytes.len();
        bytes.extend_from_slice(&[0; 64]);
        let mut records = Records::new(&bytes);
        let read: Result<Vec<Record>, TableError> = records.by_ref().collect();
        assert_eq!(read, Ok(one_of_each()));
        assert_eq!(records.offset(), used);
    }

    #[test]
    fn inputs_are_the_same_either_way() {
        let mut out = vec![7; 100];
        for bytes in [&b""[..], b"abc", b"0123456789"] {
            let fill = |place: &mut [u8]| place.copy_from_slice(bytes);
            Record::encode_input(&mut out, StreamId(3), 17, bytes.len(), fill);
            let record = Record::Input {
                stream: StreamId(3),
                position: 17,
                bytes: bytes.to_vec(),
            };
            assert_eq!(out, record.encode());
        }
    }

    #[test]
    fn any_cut_gives_the_records_before_it() {
        let bytes = encoded();
        for length in 0..bytes.len() {
            let whole: Vec<Record> = Records::new(&bytes[..length])
                .map_while(Result::ok)
                .collect();
            assert_eq!(whole, one_of_each()[..whole.len()]);
        }
    }

    #[test]
    fn any_flipped_byte_is_read_without_panic() {
        let bytes = encoded();
        for place in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] = value;
                assert!(Records::new(&damaged).count() <= one_of_each().len() + 1);
            }
        }
    }

    #[test]
    fn long_strings_are_cut_at_a_character() {
        let bytes = Record::Note("ä".repeat(40_000)).encode();
        let read = Records::new(&bytes).next();
        assert_eq!(read, Some(Ok(Record::Note("ä".repeat(32_767)))));
    }
}
