//! Finds the sections of a file and reads their payloads, whatever state the file was left in.
//!
//! Guarantees for hostile input: nothing is allocated by a length that the file merely claims, a compressed payload is
//! never decoded beyond its announced and permitted length, and every checksum there is gets checked.

use super::ReadError;
use super::header::{
    Codec, FAULT_THINNED, FILE_HEADER_SIZE, FileHeader, FileState, LIVE_ALIGNMENT,
    SECTION_HEADER_SIZE, SectionHeader, SectionKind, SectionState,
};
use super::table::Records;
use crate::event::{DecodeError, Events};
use crate::ids::{Position, ProcessNumber, StreamId};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// How much a reader is willing to decode.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest payload of one section after decoding.
    pub section_bytes: u64,
    /// Largest sum of all payloads after decoding.
    pub total_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            section_bytes: 1 << 30,
            total_bytes: 16 << 30,
        }
    }
}

/// A file whose sections have been found but not yet read.
#[derive(Debug)]
pub struct Scan {
    source: Source,
    path: PathBuf,
    limits: Limits,
    pub header: FileHeader,
    /// Ordered by process, stream and number, so that a stream's pieces follow each other.
    pub sections: Vec<Section>,
    /// Length of the whole file.
    pub length: u64,
}

/// A section as found in the file.
#[derive(Clone, Debug)]
pub struct Section {
    pub offset: u64,
    pub header: SectionHeader,
    /// Bytes that really are there for the payload; less than announced if the file was cut.
    pub available: u64,
}

impl Section {
    /// What makes a section unique in its file.
    fn key(&self) -> (SectionKind, ProcessNumber, u32, u32) {
        let header = &self.header;
        (header.kind, header.process, header.stream, header.number)
    }

    /// Whether the file ends before the payload does.
    pub fn is_cut(&self) -> bool {
        match self.header.state {
            SectionState::Open => self.available < self.header.capacity,
            SectionState::Closed { stored, .. } => self.available < stored,
        }
    }
}

/// The payload of an events section: whole events only.
#[derive(Debug)]
pub struct EventWords {
    pub words: Vec<u64>,
    /// Words follow after zeros: something was lost in between.
    pub hole: bool,
}

/// Whether a section must start here or is only looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    Expected,
    Skipping,
}

#[derive(Debug)]
enum Source {
    File(File),
    Bytes(Vec<u8>),
}

impl Source {
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Source::File(file) => file.read_exact_at(buffer, offset),
            Source::Bytes(bytes) => {
                let part = usize::try_from(offset)
                    .ok()
                    .and_then(|start| bytes.get(start..start.checked_add(buffer.len())?))
                    .ok_or(io::ErrorKind::UnexpectedEof)?;
                buffer.copy_from_slice(part);
                Ok(())
            }
        }
    }
}

impl Scan {
    pub fn open(path: &Path, limits: Limits) -> Result<Scan, ReadError> {
        let cannot_open = |source| ReadError::Open {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(cannot_open)?;
        let metadata = file.metadata().map_err(cannot_open)?;
        if !metadata.is_file() {
            return Err(cannot_open(io::Error::other("it is not a regular file")));
        }
        Scan::of(Source::File(file), metadata.len(), path.to_owned(), limits)
    }

    /// `name` stands for the path in messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>, limits: Limits) -> Result<Scan, ReadError> {
        let length = bytes.len() as u64;
        Scan::of(Source::Bytes(bytes), length, PathBuf::from(name), limits)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn of(source: Source, length: u64, path: PathBuf, limits: Limits) -> Result<Scan, ReadError> {
        if length < FILE_HEADER_SIZE as u64 {
            return Err(ReadError::TooShort { path, length });
        }
        let mut bytes = [0; FILE_HEADER_SIZE];
        if let Err(source) = source.read_exact_at(0, &mut bytes) {
            return Err(ReadError::Read {
                path,
                offset: 0,
                source,
            });
        }
        let header = match FileHeader::decode(&bytes) {
            Ok(header) => header,
            Err(error) => {
                return Err(ReadError::Header {
                    path,
                    offset: 0,
                    error,
                });
            }
        };
        let mut scan = Scan {
            source,
            path,
            limits,
            header,
            sections: Vec::new(),
            length,
        };
        scan.find_sections()?;
        Ok(scan)
    }

    fn find_sections(&mut self) -> Result<(), ReadError> {
        let mut offset = FILE_HEADER_SIZE as u64;
        let mut search = Search::Expected;
        while offset.saturating_add(SECTION_HEADER_SIZE as u64) <= self.length {
            let header = match (self.header_at(offset), search) {
                // The words of an extent that is no section any more may happen to look like a header.
                (Err(ReadError::Header { .. }), Search::Skipping) => None,
                (header, _) => header?,
            };
            let Some(header) = header else {
                // A process died between reserving and writing this extent.
                offset = (offset + 1).next_multiple_of(LIVE_ALIGNMENT);
                search = Search::Skipping;
                continue;
            };
            search = Search::Expected;
            let start = offset + SECTION_HEADER_SIZE as u64;
            let alignment = match self.header.state {
                FileState::Sealed => 8,
                FileState::Live => LIVE_ALIGNMENT,
            };
            let end = start
                .checked_add(header.capacity)
                .and_then(|end| end.checked_next_multiple_of(alignment))
                .ok_or_else(|| {
                    self.damaged(offset, format!("a capacity of {} bytes", header.capacity))
                })?;
            if let SectionState::Closed { stored, .. } = header.state
                && stored > header.capacity
            {
                let what = format!("{stored} bytes stored in a capacity of {}", header.capacity);
                return Err(self.damaged(offset, what));
            }
            if self.header.state == FileState::Sealed && header.state == SectionState::Open {
                return Err(self.damaged(offset, "an open section in a sealed file".to_owned()));
            }
            let available = header.capacity.min(self.length - start);
            self.sections.push(Section {
                offset,
                header,
                available,
            });
            offset = end;
        }
        self.sections.sort_by_key(Section::key);
        self.remove_copies()
    }

    /// Of a section that was left twice, open and closed, only the closed one is kept.
    fn remove_copies(&mut self) -> Result<(), ReadError> {
        let mut twice = None;
        self.sections.dedup_by(|next, kept| {
            if Section::key(next) != Section::key(kept) {
                return false;
            }
            match (next.header.state, kept.header.state) {
                (SectionState::Open, SectionState::Closed { .. }) => (),
                (SectionState::Closed { .. }, SectionState::Open) => std::mem::swap(next, kept),
                _ => twice = Some((next.offset, kept.offset)),
            }
            true
        });
        match twice {
            None => Ok(()),
            Some((offset, other)) => {
                Err(self.damaged(offset, format!("the same section as at offset {other}")))
            }
        }
    }

    /// Whether old sections may be overwritten at this very moment.
    pub fn is_being_thinned(&self) -> bool {
        self.header.state == FileState::Live && self.header.faults & FAULT_THINNED != 0
    }

    /// The section header at that offset, if there is one.
    pub fn header_at(&self, offset: u64) -> Result<Option<SectionHeader>, ReadError> {
        let mut bytes = [0; SECTION_HEADER_SIZE];
        self.read_exact_at(offset, &mut bytes)?;
        SectionHeader::decode(&bytes).map_err(|error| ReadError::Header {
            path: self.path.clone(),
            offset,
            error,
        })
    }

    pub fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.source
            .read_exact_at(offset, buffer)
            .map_err(|source| ReadError::Read {
                path: self.path.clone(),
                offset,
                source,
            })
    }

    pub fn of_kind(&self, kind: SectionKind) -> impl Iterator<Item = &Section> {
        self.sections
            .iter()
            .filter(move |section| section.header.kind == kind)
    }

    /// The decoded payload of a section; of an open or cut one, as much as is there.
    pub fn payload(&self, section: &Section) -> Result<Vec<u8>, ReadError> {
        let start = section.offset + SECTION_HEADER_SIZE as u64;
        let (wanted, crc, decoded) = match section.header.state {
            SectionState::Open => (section.header.capacity, None, section.header.capacity),
            SectionState::Closed {
                payload_crc,
                stored,
                decoded,
            } => (stored, Some(payload_crc), decoded),
        };
        let length = wanted.min(section.available);
        self.permit(
            section.offset,
            length.max(decoded.min(section.header.capacity)),
        )?;
        let mut bytes = vec![0; length as usize];
        self.read_exact_at(start, &mut bytes)?;
        let whole = length == wanted;
        if let Some(stored_crc) = crc
            && whole
        {
            let computed = crc32fast::hash(&bytes);
            if computed != stored_crc {
                let what = format!(
                    "checksum {computed:#010x} of the {} section, {stored_crc:#010x} was expected",
                    section.header.kind.name()
                );
                return Err(self.damaged(section.offset, what));
            }
        }
        match section.header.codec {
            Codec::Plain if crc.is_some() && decoded != wanted => {
                let what = format!("{decoded} bytes announced in {wanted} uncompressed ones");
                Err(self.damaged(section.offset, what))
            }
            Codec::Plain => Ok(bytes),
            // A cut compressed section has no checksum to trust it by.
            Codec::Zstd if !whole => Ok(Vec::new()),
            Codec::Zstd if crc.is_none() => Err(self.damaged(
                section.offset,
                "an open section that is compressed".to_owned(),
            )),
            Codec::Zstd => {
                self.permit(section.offset, decoded)?;
                self.decompress(section.offset, &bytes, decoded)
            }
        }
    }

    fn permit(&self, offset: u64, size: u64) -> Result<(), ReadError> {
        if size > self.limits.section_bytes {
            return Err(ReadError::TooLarge {
                path: self.path.clone(),
                offset,
                size,
                limit: self.limits.section_bytes,
            });
        }
        Ok(())
    }

    #[cfg(feature = "host")]
    fn decompress(&self, offset: u64, bytes: &[u8], decoded: u64) -> Result<Vec<u8>, ReadError> {
        use std::io::Read;
        let mut output = Vec::new();
        let result = zstd::stream::read::Decoder::with_buffer(bytes).and_then(|decoder| {
            decoder
                .take(decoded.saturating_add(1))
                .read_to_end(&mut output)
        });
        if let Err(error) = result {
            return Err(self.damaged(
                offset,
                format!("compressed data that cannot be read: {error}"),
            ));
        }
        if output.len() as u64 != decoded {
            let found = if output.len() as u64 > decoded {
                "more"
            } else {
                "fewer"
            };
            let what = format!("{decoded} bytes announced, {found} found");
            return Err(self.damaged(offset, what));
        }
        Ok(output)
    }

    #[cfg(not(feature = "host"))]
    fn decompress(&self, offset: u64, _bytes: &[u8], _decoded: u64) -> Result<Vec<u8>, ReadError> {
        Err(ReadError::Compressed {
            path: self.path.clone(),
            offset,
        })
    }

    /// The words of an events section. A section that was still being written ends at its first zero word.
    pub fn event_words(&self, section: &Section) -> Result<EventWords, ReadError> {
        let header = &section.header;
        let bytes = self.payload(section)?;
        if header.stream == 0 || header.stream > StreamId::MAX.0 || header.first == 0 {
            let what = format!(
                "events of stream {} from position {}",
                header.stream, header.first
            );
            return Err(self.damaged(section.offset, what));
        }
        let unfinished = header.state == SectionState::Open || section.is_cut();
        if !unfinished && bytes.len() % 8 != 0 {
            return Err(self.damaged(section.offset, format!("{} bytes of events", bytes.len())));
        }
        let (chunks, _) = bytes.as_chunks::<8>();
        let mut words: Vec<u64> = chunks
            .iter()
            .map(|chunk| u64::from_le_bytes(*chunk))
            .collect();
        let mut events = Events::new(StreamId(header.stream), Position(header.first), &words);
        let mut end = events.position();
        let mut hole = false;
        while let Some(event) = events.next() {
            match event {
                Ok(_) => end = events.position(),
                Err(DecodeError::Unknown { word: 0, .. }) if unfinished => {
                    // Up to two words of the next event may have been written before its first one.
                    let from = (end.0 - header.first) as usize + crate::event::MAX_WORDS;
                    hole = words
                        .get(from..)
                        .is_some_and(|rest| rest.iter().any(|&word| word != 0));
                    break;
                }
                Err(DecodeError::Truncated { .. }) if section.is_cut() => break,
                Err(error) => {
                    let what = format!("stream {}, {error}", header.stream);
                    return Err(self.damaged(section.offset, what));
                }
            }
        }
        words.truncate((end.0 - header.first) as usize);
        Ok(EventWords { words, hole })
    }

    /// The payload of a table section up to its last whole record.
    pub fn table_bytes(&self, section: &Section) -> Result<Vec<u8>, ReadError> {
        let mut bytes = self.payload(section)?;
        let mut records = Records::new(&bytes);
        for record in records.by_ref() {
            if let Err(error) = record {
                if section.is_cut() {
                    break;
                }
                return Err(self.damaged(section.offset, error.to_string()));
            }
        }
        let used = records.offset();
        bytes.truncate(used);
        Ok(bytes)
    }

    pub fn damaged(&self, offset: u64, what: String) -> ReadError {
        ReadError::Damaged {
            path: self.path.clone(),
            offset,
            what,
        }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }
}
