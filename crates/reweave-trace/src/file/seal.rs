//! `seal` turns a live file into a small, indexed one; `unseal` gives the plain form of any file to a replaying program.
//! Both write beside the target and rename, so a file under its final name is always whole.

use super::header::{SectionKind, TRAILER_MAGIC};
use super::scan::{Limits, Scan};
use super::writer::{Existing, Layout, Sections, WriteError, closed, words_to_bytes};
use crate::ids::{Position, ProcessNumber, StreamId};
use crate::manifest::RunResult;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Pieces of a stream are joined up to about this size, which is where zstd gains no more from longer ones.
const JOINED_BYTES: usize = 4 << 20;

/// Compresses `live` into `out`, which may be the same path. The sections of killed processes are kept as far as they go.
pub fn seal(
    live: &Path,
    out: &Path,
    result: Option<&RunResult>,
    existing: Existing,
) -> Result<u64, WriteError> {
    let scan = Scan::open(live, Limits::default())?;
    let replaces = existing == Existing::Replace || same_file(live, out);
    let mut target = Target::create(out, replaces)?;
    let size = target.write(&scan, Layout::Sealed, &|_, _| None, result)?;
    target.publish()?;
    Ok(size)
}

/// Writes the plain form of any file. `end` may cut a stream: words from that position on are left out; it must be the
/// start of an event.
pub fn unseal(
    sealed: &Path,
    out: &Path,
    end: &dyn Fn(ProcessNumber, StreamId) -> Option<Position>,
) -> Result<(), WriteError> {
    let scan = Scan::open(sealed, Limits::default())?;
    let mut target = Target::create(out, false)?;
    target.write(&scan, Layout::Plain, end, None)?;
    target.publish()
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

struct Target {
    out: PathBuf,
    temporary: PathBuf,
    file: Option<File>,
}

impl Target {
    fn create(out: &Path, replaces: bool) -> Result<Target, WriteError> {
        if !replaces && out.symlink_metadata().is_ok() {
            return Err(WriteError::Exists {
                path: out.to_owned(),
            });
        }
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = out.with_file_name(name);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&temporary)
            .map_err(|source| WriteError::Write {
                path: out.to_owned(),
                source,
            })?;
        Ok(Target {
            out: out.to_owned(),
            temporary,
            file: Some(file),
        })
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError::Write {
            path: self.out.clone(),
            source,
        }
    }

    fn write(
        &mut self,
        scan: &Scan,
        layout: Layout,
        end: &dyn Fn(ProcessNumber, StreamId) -> Option<Position>,
        result: Option<&RunResult>,
    ) -> Result<u64, WriteError> {
        let Some(file) = self.file.take() else {
            return Err(self.failed(io::Error::other("written twice")));
        };
        let mut sections = Sections::new(file, layout).map_err(|error| self.failed(error))?;
        self.copy_whole(scan, SectionKind::Manifest, &mut sections)?;
        self.copy_tables(scan, &mut sections)?;
        self.copy_events(scan, end, &mut sections)?;
        match result {
            Some(result) => sections
                .add(
                    closed(SectionKind::Result, ProcessNumber(0), 0, 0, 0),
                    &result.to_json(),
                )
                .map_err(|error| self.failed(error))?,
            None => self.copy_whole(scan, SectionKind::Result, &mut sections)?,
        }
        if layout == Layout::Sealed {
            let at = sections.offset();
            let index = std::mem::take(&mut sections.index);
            sections
                .add(
                    closed(SectionKind::Index, ProcessNumber(0), 0, 0, 0),
                    &index,
                )
                .and_then(|()| sections.write_raw(&at.to_le_bytes()))
                .and_then(|()| sections.write_raw(&TRAILER_MAGIC))
                .map_err(|error| self.failed(error))?;
        }
        let size = sections.offset();
        sections
            .finish(scan.header.processes, scan.header.faults)
            .map_err(|error| self.failed(error))?;
        Ok(size)
    }

    fn copy_whole(
        &self,
        scan: &Scan,
        kind: SectionKind,
        sections: &mut Sections,
    ) -> Result<(), WriteError> {
        for section in scan.of_kind(kind).filter(|section| !section.is_cut()) {
            let payload = scan.payload(section)?;
            sections
                .add(section.header.clone(), &payload)
                .map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    fn copy_tables(&self, scan: &Scan, sections: &mut Sections) -> Result<(), WriteError> {
        let mut joined = Joined::new(SectionKind::Table);
        for section in scan.of_kind(SectionKind::Table) {
            let bytes = scan.table_bytes(section)?;
            joined
                .add(section.header.process, 0, None, bytes, sections)
                .map_err(|error| self.failed(error))?;
        }
        joined.flush(sections).map_err(|error| self.failed(error))
    }

    fn copy_events(
        &self,
        scan: &Scan,
        end: &dyn Fn(ProcessNumber, StreamId) -> Option<Position>,
        sections: &mut Sections,
    ) -> Result<(), WriteError> {
        let mut joined = Joined::new(SectionKind::Events);
        for section in scan.of_kind(SectionKind::Events) {
            let header = &section.header;
            let mut words = match scan.event_words(section) {
                Ok(part) => part.words,
                // The program that is being recorded has just used the place again.
                Err(_) if scan.is_being_thinned() => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(end) = end(header.process, StreamId(header.stream)) {
                let kept = end.0.saturating_sub(header.first).min(words.len() as u64);
                words.truncate(kept as usize);
            }
            if words.is_empty() {
                continue;
            }
            let bytes = words_to_bytes(&words);
            joined
                .add(
                    header.process,
                    header.stream,
                    Some(Position(header.first)),
                    bytes,
                    sections,
                )
                .map_err(|error| self.failed(error))?;
        }
        joined.flush(sections).map_err(|error| self.failed(error))
    }

    fn publish(self) -> Result<(), WriteError> {
        std::fs::rename(&self.temporary, &self.out).map_err(|error| self.failed(error))?;
        // The rename itself must survive a crash of the machine, too.
        let folder = self
            .out
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| self.failed(error))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Gone already if it was published.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Joins small pieces of one stream, or of one process's table, into one section.
struct Joined {
    kind: SectionKind,
    /// Process and stream that the bytes belong to, and the position of their first word.
    owner: Option<(ProcessNumber, u32, Position)>,
    number: u32,
    bytes: Vec<u8>,
}

impl Joined {
    fn new(kind: SectionKind) -> Joined {
        Joined {
            kind,
            owner: None,
            number: 0,
            bytes: Vec::new(),
        }
    }

    fn add(
        &mut self,
        process: ProcessNumber,
        stream: u32,
        first: Option<Position>,
        bytes: Vec<u8>,
        sections: &mut Sections,
    ) -> io::Result<()> {
        let continues = self.owner.is_some_and(|(owner, owned, from)| {
            let next = Position(from.0 + self.bytes.len() as u64 / 8);
            (owner, owned) == (process, stream) && first.is_none_or(|first| first == next)
        });
        if !continues || self.bytes.len() + bytes.len() > JOINED_BYTES {
            let same_owner = self
                .owner
                .is_some_and(|(owner, owned, _)| (owner, owned) == (process, stream));
            self.flush(sections)?;
            if !same_owner {
                self.number = 0;
            }
            self.owner = Some((process, stream, first.unwrap_or(Position(0))));
        }
        self.bytes.extend_from_slice(&bytes);
        Ok(())
    }

    fn flush(&mut self, sections: &mut Sections) -> io::Result<()> {
        let Some((process, stream, first)) = self.owner.take() else {
            return Ok(());
        };
        let header = closed(self.kind, process, stream, self.number, first.0);
        sections.add(header, &self.bytes)?;
        self.number += 1;
        self.bytes.clear();
        Ok(())
    }
}
