//! Writes a process's part of a live trace file. Events are not copied: the front end stores them straight into mapped chunks,
//! so whatever it has stored survives the death of the process.

mod chunk;
mod ring;
mod table;

pub use ring::Keep;

use crate::sys::{Mapping, allocate, preallocate};
use chunk::Chunk;
use reweave_trace::file::header::{
    FAULT_DISK_FULL, FAULT_THINNED, FILE_HEADER_SIZE, FileHeader, FileState, HeaderError,
    LIVE_ALIGNMENT, OFFSET_FAULTS, OFFSET_NEXT_FREE, OFFSET_PROCESSES, SECTION_HEADER_SIZE,
    SectionHeader,
};
use reweave_trace::file::table::{Record, ThreadKind};
use reweave_trace::{ProcessNumber, StreamId};
use ring::{Ring, Size};
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use table::Table;

/// One process's hand in the file.
pub struct Recorder {
    space: Space,
    streams: Mutex<Vec<Option<Chunk>>>,
    next_stream: AtomicU32,
    table: Mutex<Table>,
}

/// The file as something to take extents from. Several processes do so at once, through the header they all map.
pub(crate) struct Space {
    file: File,
    header: Mapping,
    pub(crate) process: ProcessNumber,
    /// Set if not everything is kept.
    ring: Option<Ring>,
    /// Windows of a bounded recording that nobody uses: all zero.
    unused: Mutex<Vec<Mapping>>,
    /// Bytes of input that were kept.
    input: AtomicU64,
    /// What is left of a part of the file that sections are written to.
    piece: Mutex<Range<u64>>,
}

#[derive(Debug)]
pub enum JoinError {
    Io(io::Error),
    Header(HeaderError),
    /// Shorter than a header: mapped, it would kill the program.
    TooShort,
    /// Nobody collects what is written there any more.
    Sealed,
}

impl std::fmt::Display for JoinError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JoinError::Io(error) => error.fmt(f),
            JoinError::Header(error) => error.fmt(f),
            JoinError::TooShort => write!(f, "it is shorter than the header of a recording"),
            JoinError::Sealed => write!(f, "the recording is over"),
        }
    }
}

impl std::error::Error for JoinError {}

impl Space {
    /// Reserves bytes of the file. `None` once the disk was full, in whichever process: recording has stopped, and a part of what came later would mislead.
    fn reserve(&self, len: usize) -> Option<u64> {
        (!self.has_stopped()).then(|| {
            self.header
                .atomic_u64(OFFSET_NEXT_FREE)
                .fetch_add(len as u64, Ordering::Relaxed)
        })
    }

    /// The same for a section that is written and not mapped. The file system takes a fifth less time for it if a larger piece was allocated before.
    fn reserve_for_writing(&self, len: usize) -> Option<u64> {
        if len > PIECE / 4 || self.has_stopped() {
            return self.reserve(len);
        }
        let mut piece = lock(&self.piece);
        if piece.end - piece.start < len as u64 {
            let start = self.reserve(PIECE)?;
            allocate(&self.file, start, PIECE as u64);
            *piece = start..start + PIECE as u64;
        }
        let offset = piece.start;
        piece.start += len as u64;
        Some(offset)
    }

    fn has_stopped(&self) -> bool {
        self.faults().load(Ordering::Relaxed) & FAULT_DISK_FULL != 0
    }

    fn disk_is_full(&self) {
        self.faults().fetch_or(FAULT_DISK_FULL, Ordering::Relaxed);
    }

    fn faults(&self) -> &AtomicU64 {
        self.header.atomic_u64(OFFSET_FAULTS)
    }

    /// Writes a closed section of its own. False if the disk is full; the file then says so.
    pub(crate) fn write_section(&self, header: &SectionHeader, payload: &[u8]) -> bool {
        let len = (SECTION_HEADER_SIZE + payload.len()).next_multiple_of(LIVE_ALIGNMENT as usize);
        let Some(offset) = self.reserve_for_writing(len) else {
            return false;
        };
        // The header last: until it is there, no reader takes the extent for a section.
        let written = self
            .file
            .write_all_at(payload, offset + SECTION_HEADER_SIZE as u64)
            .and_then(|()| self.file.write_all_at(&header.encode(), offset));
        if written.is_err() {
            self.disk_is_full();
        }
        written.is_ok()
    }

    pub(crate) fn is_bounded(&self) -> bool {
        self.ring.is_some()
    }

    /// Something was overwritten, or left out.
    fn thinned(&self) {
        self.faults().fetch_or(FAULT_THINNED, Ordering::Relaxed);
    }

    /// Writes a closed section of events; in a bounded recording perhaps in place of the oldest. False if the disk is full.
    fn write_events(&self, mut header: SectionHeader, payload: &[u8], size: Size) -> bool {
        let Some(ring) = &self.ring else {
            return self.write_section(&header, payload);
        };
        let again = ring.oldest(size);
        if again.is_some() {
            self.thinned();
        }
        let Some(offset) = again.or_else(|| self.reserve(size.bytes())) else {
            return false;
        };
        // Whole slots, so that readers find the next one.
        header.capacity = (size.bytes() - SECTION_HEADER_SIZE) as u64;
        let written = self
            .file
            .write_all_at(&[0; 4], offset)
            .and_then(|()| {
                self.file
                    .write_all_at(payload, offset + SECTION_HEADER_SIZE as u64)
            })
            .and_then(|()| self.file.write_all_at(&header.encode(), offset));
        match written {
            Ok(()) => ring.filled(size, offset),
            Err(_) => self.disk_is_full(),
        }
        written.is_ok()
    }

    /// A window of zero bytes, or `None` if the disk is full.
    fn window(&self, size: Size) -> Option<Mapping> {
        let mut unused = lock(&self.unused);
        let found = unused
            .iter()
            .rposition(|window| window.len() == size.bytes());
        match found {
            Some(index) => Some(unused.swap_remove(index)),
            None => {
                drop(unused);
                self.extent(size.bytes())
            }
        }
    }

    /// For the next stream that needs one. It is all zero.
    fn give_back(&self, window: Mapping) {
        lock(&self.unused).push(window);
    }

    /// Whether so many more bytes of input are kept.
    fn keeps_input(&self, length: usize) -> bool {
        let Some(ring) = &self.ring else { return true };
        let used = self.input.fetch_add(length as u64, Ordering::Relaxed);
        if ring.has_enough_input(used) {
            self.thinned();
        }
        self.faults().load(Ordering::Relaxed) & FAULT_THINNED == 0
    }

    /// A fresh extent of zero bytes, or `None` if the disk is full; the file then says so.
    pub(crate) fn extent(&self, len: usize) -> Option<Mapping> {
        let offset = self.reserve(len)?;
        let mapping = preallocate(&self.file, offset, len as u64)
            .and_then(|()| Mapping::new(&self.file, offset, len));
        if mapping.is_err() {
            self.disk_is_full();
        }
        mapping.ok()
    }
}

impl Recorder {
    /// Joins the recording in the live file at `path`.
    pub fn join(path: &Path, keep: Keep) -> Result<Recorder, JoinError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(JoinError::Io)?;
        Recorder::join_file(file, keep)
    }

    /// The same with a file that is open already, for reading and writing.
    pub fn join_file(file: File, keep: Keep) -> Result<Recorder, JoinError> {
        let length = file.metadata().map_err(JoinError::Io)?.len();
        if length < FILE_HEADER_SIZE as u64 {
            return Err(JoinError::TooShort);
        }
        let header = Mapping::new(&file, 0, FILE_HEADER_SIZE).map_err(JoinError::Io)?;
        let mut bytes = [0; FILE_HEADER_SIZE];
        bytes.copy_from_slice(&header.read(0, FILE_HEADER_SIZE));
        match FileHeader::decode(&bytes).map_err(JoinError::Header)?.state {
            FileState::Live => (),
            FileState::Sealed => return Err(JoinError::Sealed),
        }
        let number = header
            .atomic_u32(OFFSET_PROCESSES)
            .fetch_add(1, Ordering::Relaxed);
        let space = Space {
            file,
            header,
            process: ProcessNumber(number),
            ring: Ring::new(keep),
            unused: Mutex::default(),
            input: AtomicU64::new(0),
            piece: Mutex::default(),
        };
        Ok(Recorder {
            table: Mutex::new(Table::new()),
            streams: Mutex::new(vec![]),
            next_stream: AtomicU32::new(1),
            space,
        })
    }

    pub fn process(&self) -> ProcessNumber {
        self.space.process
    }

    /// A new stream, named in the table. The first one is the main thread's.
    /// `None` if there are more than an order word has room for: such a thread stays outside.
    pub fn stream(
        &self,
        parent: Option<StreamId>,
        kind: ThreadKind,
        name: &str,
    ) -> Option<StreamId> {
        let stream = StreamId(self.next_stream.fetch_add(1, Ordering::Relaxed));
        if stream.0 >= MOST_STREAMS {
            return None;
        }
        self.record(&Record::Thread {
            stream,
            parent,
            kind,
            name: name.to_owned(),
        });
        Some(stream)
    }

    /// The stream's section is full up to `address`: starts the next one. Returns the address of its first word, right behind its section header, or
    /// `None` if recording must stop.
    pub fn next_chunk(&self, stream: StreamId, address: usize) -> Option<usize> {
        // Taken out, so that other threads do not wait while this one writes.
        let taken = slot(&mut lock(&self.streams), stream).take();
        let chunk = match taken {
            None => Chunk::start(&self.space, stream)?,
            Some(mut chunk) => {
                let result = chunk.next(&self.space, address);
                if result.is_none() {
                    *slot(&mut lock(&self.streams), stream) = Some(chunk);
                    return None;
                }
                chunk
            }
        };
        let start = chunk.start_address();
        *slot(&mut lock(&self.streams), stream) = Some(chunk);
        Some(start)
    }

    /// Ends a stream that was filled up to `address`.
    pub fn finish(&self, stream: StreamId, address: usize) {
        let taken = slot(&mut lock(&self.streams), stream).take();
        if let Some(chunk) = taken {
            chunk.finish(&self.space, address);
        }
    }

    /// Adds what came in from outside to the table: as many bytes as `fill` then writes.
    pub fn input(
        &self,
        stream: StreamId,
        position: u64,
        length: usize,
        fill: impl FnOnce(&mut [u8]),
    ) {
        if !self.space.keeps_input(length) {
            return;
        }
        thread_local! {
            static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        BUFFER.with_borrow_mut(|buffer| {
            Record::encode_input(buffer, stream, position, length, fill);
            lock(&self.table).append(&self.space, buffer);
            // A thread that once read much need not keep it.
            buffer.shrink_to(KEPT);
        });
    }

    /// Adds a record to the process's table.
    pub fn record(&self, record: &Record) {
        lock(&self.table).append(&self.space, &record.encode());
    }
}

/// A part of the file, for sections that are written one after the other.
const PIECE: usize = 1 << 20;

/// So much memory a thread keeps for its next input.
const KEPT: usize = 1 << 20;

/// A link has 24 bits for the stream, and order words use the highest of them to mark objects that threads outside have used.
const MOST_STREAMS: u32 = 1 << 23;

fn slot(streams: &mut Vec<Option<Chunk>>, stream: StreamId) -> &mut Option<Chunk> {
    let index = stream.0 as usize;
    if streams.len() <= index {
        streams.resize_with(index + 1, || None);
    }
    &mut streams[index]
}

/// A panic under the lock is impossible by construction; should one happen all the same, the data is still sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
