//! Makes files: a new live file for a program to join, and the rows of sections that `seal` and `unseal` write.

use super::header::{
    Codec, FILE_HEADER_SIZE, FileHeader, FileState, LIVE_ALIGNMENT, OFFSET_NEXT_FREE,
    OFFSET_PROCESSES, SECTION_HEADER_SIZE, SectionHeader, SectionKind, SectionState,
};
use super::table::Record;
use crate::ids::{Position, ProcessNumber, StreamId};
use crate::manifest::Manifest;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What to do with a file that already has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

/// Why a file cannot be made.
#[derive(Debug, Error)]
pub enum WriteError {
    #[error("{} exists already; nothing is overwritten unless you say so", path.display())]
    Exists { path: PathBuf },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Read(#[from] super::ReadError),
}

/// Makes a new live file with header and manifest. Processes that find it in their session join it.
pub fn create_live(
    path: &Path,
    manifest: &Manifest,
    existing: Existing,
) -> Result<LiveFile, WriteError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => WriteError::Exists {
            path: path.to_owned(),
        },
        _ => WriteError::Write {
            path: path.to_owned(),
            source,
        },
    };
    if existing == Existing::Replace {
        // A new file instead of a truncated one: somebody may still have the old one mapped.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => (),
        }
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed)?;
    let live = LiveFile {
        file,
        next_free: FILE_HEADER_SIZE as u64,
        processes: 0,
    };
    live.with_manifest(manifest).map_err(|error| {
        // Half a header helps nobody, and stands in the way of the next try.
        let _ = std::fs::remove_file(path);
        failed(error)
    })
}

/// A live file written with plain file operations. Programs under test write through memory maps instead; this is for
/// tests, for tools, and for the first section.
#[derive(Debug)]
pub struct LiveFile {
    file: File,
    next_free: u64,
    processes: u32,
}

impl LiveFile {
    fn with_manifest(mut self, manifest: &Manifest) -> io::Result<LiveFile> {
        let start = FileHeader::live(self.next_free).encode();
        self.file.write_all_at(&start, 0)?;
        let header = closed(SectionKind::Manifest, ProcessNumber(0), 0, 0, 0);
        self.append(header, &manifest.to_json())?;
        self.file.sync_all()?;
        Ok(self)
    }

    pub fn append_events(
        &mut self,
        process: ProcessNumber,
        stream: StreamId,
        number: u32,
        first: Position,
        words: &[u64],
    ) -> io::Result<()> {
        let header = closed(SectionKind::Events, process, stream.0, number, first.0);
        self.append(header, &words_to_bytes(words))
    }

    pub fn append_table(
        &mut self,
        process: ProcessNumber,
        number: u32,
        records: &[Record],
    ) -> io::Result<()> {
        let bytes: Vec<u8> = records.iter().flat_map(Record::encode).collect();
        self.append(closed(SectionKind::Table, process, 0, number, 0), &bytes)
    }

    /// Appends a section as a process leaves it that is killed while writing: open, zeros after the payload.
    pub fn append_open(&mut self, header: SectionHeader, payload: &[u8]) -> io::Result<()> {
        self.place(
            SectionHeader {
                state: SectionState::Open,
                ..header
            },
            payload,
        )
    }

    fn append(&mut self, header: SectionHeader, payload: &[u8]) -> io::Result<()> {
        self.place(
            close(header, Codec::Plain, payload, payload.len() as u64),
            payload,
        )
    }

    fn place(&mut self, mut header: SectionHeader, payload: &[u8]) -> io::Result<()> {
        let needed = (SECTION_HEADER_SIZE + payload.len()) as u64;
        let extent = needed.next_multiple_of(LIVE_ALIGNMENT);
        header.capacity = extent - SECTION_HEADER_SIZE as u64;
        let offset = self.next_free;
        self.next_free += extent;
        self.file.set_len(self.next_free)?;
        self.file
            .write_all_at(payload, offset + SECTION_HEADER_SIZE as u64)?;
        self.file.write_all_at(&header.encode(), offset)?;
        self.file
            .write_all_at(&self.next_free.to_le_bytes(), OFFSET_NEXT_FREE as u64)?;
        if matches!(header.kind, SectionKind::Events | SectionKind::Table) {
            self.processes = self.processes.max(header.process.0.saturating_add(1));
            self.file
                .write_all_at(&self.processes.to_le_bytes(), OFFSET_PROCESSES as u64)?;
        }
        Ok(())
    }
}

/// A header whose state, codec and capacity are still to be filled in.
pub(super) fn closed(
    kind: SectionKind,
    process: ProcessNumber,
    stream: u32,
    number: u32,
    first: u64,
) -> SectionHeader {
    SectionHeader {
        kind,
        codec: Codec::Plain,
        state: SectionState::Open,
        process,
        stream,
        number,
        first,
        capacity: 0,
    }
}

fn close(header: SectionHeader, codec: Codec, stored: &[u8], decoded: u64) -> SectionHeader {
    SectionHeader {
        codec,
        state: SectionState::Closed {
            payload_crc: crc32fast::hash(stored),
            stored: stored.len() as u64,
            decoded,
        },
        capacity: stored.len() as u64,
        ..header
    }
}

pub(super) fn words_to_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Whether sections are laid out for a reader (compressed, close together) or for the program under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Sealed,
    Plain,
}

/// Level 3 is where zstd's gain per time flattens for these files.
const ZSTD_LEVEL: i32 = 3;

/// Writes a file from the start to the end, under a temporary name until `finish`.
pub(super) struct Sections {
    file: io::BufWriter<File>,
    layout: Layout,
    offset: u64,
    pub index: Vec<u8>,
}

impl Sections {
    pub fn new(file: File, layout: Layout) -> io::Result<Sections> {
        let mut file = io::BufWriter::with_capacity(1 << 20, file);
        file.write_all(&[0; FILE_HEADER_SIZE])?;
        Ok(Sections {
            file,
            layout,
            offset: FILE_HEADER_SIZE as u64,
            index: Vec::new(),
        })
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub fn add(&mut self, header: SectionHeader, payload: &[u8]) -> io::Result<()> {
        let compressed = match (self.layout, header.kind) {
            (Layout::Plain, _) | (_, SectionKind::Index) => None,
            (Layout::Sealed, _) => Some(zstd::bulk::compress(payload, ZSTD_LEVEL)?),
        };
        let (codec, stored) = match &compressed {
            Some(smaller) if smaller.len() < payload.len() => (Codec::Zstd, smaller.as_slice()),
            _ => (Codec::Plain, payload),
        };
        let mut header = close(header, codec, stored, payload.len() as u64);
        let end = self.offset + (SECTION_HEADER_SIZE + stored.len()) as u64;
        let next = match self.layout {
            Layout::Sealed => end.next_multiple_of(8),
            Layout::Plain => end.next_multiple_of(LIVE_ALIGNMENT),
        };
        if self.layout == Layout::Plain {
            header.capacity = next - self.offset - SECTION_HEADER_SIZE as u64;
        }
        self.index
            .extend_from_slice(&super::verify::index_entry(&header, self.offset));
        self.file.write_all(&header.encode())?;
        self.file.write_all(stored)?;
        io::copy(
            &mut io::Read::take(io::repeat(0), next - end),
            &mut self.file,
        )?;
        self.offset = next;
        Ok(())
    }

    pub fn write_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Puts the file header in front and makes everything durable.
    pub fn finish(mut self, processes: u32, faults: u64) -> io::Result<()> {
        let header = FileHeader {
            next_free: self.offset,
            state: match self.layout {
                Layout::Sealed => FileState::Sealed,
                Layout::Plain => FileState::Live,
            },
            processes,
            faults,
        };
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header.encode())?;
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.sync_all()
    }
}
