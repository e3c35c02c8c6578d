//! Reads the records of a table section.

use super::{
    CodeSite, RECORD_HEADER_SIZE, Record, SiteKind, TAG_CLASS, TAG_CODE, TAG_END, TAG_INPUT,
    TAG_LAUNCH, TAG_NOTE, TAG_PROCESS, TAG_SKIPPED, TAG_THREAD, ThreadKind,
};
use crate::ids::{ClassId, SiteId, StreamId};
use crate::launch::Launch;
use thiserror::Error;

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
