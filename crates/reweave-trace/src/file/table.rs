//! The records of a table section: what a process tells about itself besides its events.
//!
//! A record is u16 tag, u16 zero, u32 payload length, payload, zero padding to a multiple of 8. Strings are u16 length and UTF-8.

use crate::ids::{ClassId, SiteId, StreamId};
use crate::launch::Launch;

mod read;
#[cfg(test)]
mod tests;

pub use read::{Records, TableError};

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

    /// Writes a record of an input into `out`, in place of what is there; `fill` puts the bytes where they belong. Saves copies of what may be long.
    pub fn encode_input(
        out: &mut Vec<u8>,
        stream: StreamId,
        position: u64,
        length: usize,
        fill: impl FnOnce(&mut [u8]),
    ) {
        const FIXED: usize = RECORD_HEADER_SIZE + 12;
        // What is there already is overwritten, but for the padding: setting it all to zero first would take as long as filling it.
        out.resize((FIXED + length).next_multiple_of(8), 0);
        out[FIXED + length..].fill(0);
        out[2..RECORD_OFFSET_LENGTH].fill(0);
        let payload = (FIXED - RECORD_HEADER_SIZE + length) as u32;
        out[..2].copy_from_slice(&TAG_INPUT.to_le_bytes());
        out[RECORD_OFFSET_LENGTH..RECORD_HEADER_SIZE].copy_from_slice(&payload.to_le_bytes());
        out[RECORD_HEADER_SIZE..RECORD_HEADER_SIZE + 4].copy_from_slice(&stream.0.to_le_bytes());
        out[RECORD_HEADER_SIZE + 4..FIXED].copy_from_slice(&position.to_le_bytes());
        fill(&mut out[FIXED..FIXED + length]);
    }

    /// The whole record, padding included. Strings longer than 65,535 bytes are cut at a character.
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
