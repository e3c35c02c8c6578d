//! Reads a whole trace into memory.
//!
//! A live file, a file whose processes were all killed, and a file that was cut are read as far as they go; what is
//! known to be missing is listed in `Trace::faults`. Damage that a checksum shows is an error: nothing is guessed.

use super::ReadError;
use super::header::{FAULT_DISK_FULL, FAULT_THINNED, SectionKind};
use super::scan::{Limits, Scan};
use super::table::{Record, Records};
use crate::ids::{Link, Position, ProcessNumber, StreamId};
use crate::kind::Kind;
use crate::model::{Code, Fault, Process, Site, Thread, Trace};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

impl Trace {
    pub fn open(path: impl AsRef<Path>) -> Result<Trace, ReadError> {
        Trace::open_with(path.as_ref(), Limits::default())
    }

    pub fn open_with(path: &Path, limits: Limits) -> Result<Trace, ReadError> {
        Trace::from_scan(&Scan::open(path, limits)?)
    }

    /// `name` stands for the path in messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Trace, ReadError> {
        Trace::from_scan(&Scan::from_bytes(name, bytes, Limits::default())?)
    }

    pub fn from_scan(scan: &Scan) -> Result<Trace, ReadError> {
        let mut faults = Vec::new();
        if scan.header.faults & FAULT_DISK_FULL != 0 {
            faults.push(Fault::DiskFull);
        }
        let thinned = scan.header.faults & FAULT_THINNED != 0;
        if thinned {
            faults.push(Fault::Thinned);
        }
        // A cut live file may end in an extent that nobody had used; only a sealed one must be whole.
        for section in &scan.sections {
            if section.is_cut() {
                faults.push(Fault::Truncated {
                    offset: section.offset,
                });
            }
        }
        #[cfg(feature = "host")]
        let (manifest, result) = read_json(scan)?;
        #[cfg(feature = "host")]
        if scan.header.state == super::header::FileState::Sealed
            && super::verify::check_index(scan).is_err()
        {
            faults.push(Fault::NoIndex);
        }
        let mut gatherer = Gatherer {
            scan,
            budget: scan.limits().total_bytes,
            processes: BTreeMap::new(),
            faults,
            thinned,
        };
        gatherer.tables()?;
        gatherer.events()?;
        let (processes, faults) = gatherer.finish();
        Ok(Trace {
            #[cfg(feature = "host")]
            manifest,
            #[cfg(feature = "host")]
            result,
            state: scan.header.state,
            complete: !processes.is_empty() && faults.is_empty(),
            processes,
            faults,
        })
    }
}

/// What ran and how it ended, without the events: quick even for large files.
#[cfg(feature = "host")]
#[derive(Clone, Debug)]
pub struct Summary {
    pub manifest: crate::manifest::Manifest,
    pub result: Option<crate::manifest::RunResult>,
    pub state: super::header::FileState,
}

#[cfg(feature = "host")]
impl Summary {
    pub fn open(path: &Path) -> Result<Summary, ReadError> {
        let scan = Scan::open(path, Limits::default())?;
        let (manifest, result) = read_json(&scan)?;
        Ok(Summary {
            manifest,
            result,
            state: scan.header.state,
        })
    }
}

#[cfg(feature = "host")]
type Json = (
    crate::manifest::Manifest,
    Option<crate::manifest::RunResult>,
);

#[cfg(feature = "host")]
fn read_json(scan: &Scan) -> Result<Json, ReadError> {
    use crate::manifest::{Manifest, ManifestError};
    let wrong = |error: ManifestError| ReadError::Manifest {
        path: scan.path().to_owned(),
        error,
    };
    let mut sections = scan.of_kind(SectionKind::Manifest);
    let section =
        sections
            .next()
            .filter(|section| !section.is_cut())
            .ok_or(ReadError::NoManifest {
                path: scan.path().to_owned(),
            })?;
    let manifest = Manifest::from_json(&scan.payload(section)?).map_err(wrong)?;
    let result = match scan.of_kind(SectionKind::Result).next() {
        Some(section) if !section.is_cut() => {
            let bytes = scan.payload(section)?;
            Some(serde_json::from_slice(&bytes).map_err(|error| wrong(error.into()))?)
        }
        _ => None,
    };
    Ok((manifest, result))
}

struct Gatherer<'a> {
    scan: &'a Scan,
    /// Decoded bytes that may still be read.
    budget: u64,
    processes: BTreeMap<ProcessNumber, Building>,
    faults: Vec<Fault>,
    /// Whether only the last part of each stream is expected.
    thinned: bool,
}

struct Building {
    process: Process,
    threads: BTreeMap<StreamId, Thread>,
}

impl Gatherer<'_> {
    fn building(&mut self, number: ProcessNumber) -> &mut Building {
        self.processes.entry(number).or_insert_with(|| Building {
            process: Process::new(number),
            threads: BTreeMap::new(),
        })
    }

    fn spend(&mut self, offset: u64, size: usize) -> Result<(), ReadError> {
        match self.budget.checked_sub(size as u64) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(ReadError::TooLarge {
                path: self.scan.path().to_owned(),
                offset,
                size: size as u64,
                limit: self.scan.limits().total_bytes,
            }),
        }
    }

    fn tables(&mut self) -> Result<(), ReadError> {
        let mut expected: Option<(ProcessNumber, u32)> = None;
        for section in self.scan.of_kind(SectionKind::Table) {
            let process = section.header.process;
            let number = match expected {
                Some((last, next)) if last == process => next,
                _ => 0,
            };
            if section.header.number != number {
                self.faults.push(Fault::TableGap { process });
            }
            expected = Some((process, section.header.number.saturating_add(1)));
            let bytes = self.scan.table_bytes(section)?;
            self.spend(section.offset, bytes.len())?;
            let building = self.building(process);
            for record in Records::new(&bytes).flatten() {
                building.add(record);
            }
        }
        Ok(())
    }

    fn events(&mut self) -> Result<(), ReadError> {
        for section in self.scan.of_kind(SectionKind::Events) {
            let header = &section.header;
            let (process, stream) = (header.process, StreamId(header.stream));
            let part = self.scan.event_words(section)?;
            self.spend(section.offset, part.words.len() * 8)?;
            let thinned = self.thinned;
            let thread = self
                .building(process)
                .threads
                .entry(stream)
                .or_insert_with(|| Thread::new(stream));
            if thinned && header.first > thread.end().0 {
                thread.words.clear();
                thread.first = Position(header.first);
            }
            let expected = thread.end();
            if header.first == expected.0 {
                thread.words.extend_from_slice(&part.words);
                if part.hole {
                    let at = thread.end();
                    self.faults.push(Fault::Hole {
                        process,
                        stream,
                        at,
                    });
                }
            } else if header.first > expected.0 {
                let found = Position(header.first);
                let known = matches!(self.faults.last(), Some(Fault::Gap { process: p, stream: s, .. }) if (*p, *s) == (process, stream));
                if !known {
                    self.faults.push(Fault::Gap {
                        process,
                        stream,
                        expected,
                        found,
                    });
                }
            } else {
                let what = format!(
                    "stream {stream} goes on at position {}, but its previous section reaches {expected}",
                    header.first
                );
                return Err(self.scan.damaged(section.offset, what));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> (Vec<Process>, Vec<Fault>) {
        let wrote = self.processes.len() as u32;
        let joined = self.scan.header.processes;
        if wrote < joined {
            self.faults.push(Fault::Silent {
                processes: joined - wrote,
            });
        }
        if self.thinned {
            let threads = self
                .processes
                .values_mut()
                .flat_map(|building| building.threads.values_mut());
            threads.for_each(begin_late);
        }
        let processes: Vec<Process> = self
            .processes
            .into_values()
            .map(|building| Process {
                threads: building.threads.into_values().collect(),
                ..building.process
            })
            .collect();
        for process in processes.iter().filter(|process| !process.ended) {
            self.faults.push(Fault::NotEnded {
                process: process.number,
            });
        }
        (processes, self.faults)
    }
}

/// Of a stream whose beginning is not there: all of it may be gone, or its first word belong to an event that is.
fn begin_late(thread: &mut Thread) {
    while let Some(Ok(event)) = thread.events().next()
        && event.kind == Kind::Repeat
    {
        thread.words.remove(0);
        thread.first.0 += 1;
    }
    if thread.words.is_empty() {
        thread.first = Position::MAX;
    }
}

impl Building {
    fn add(&mut self, record: Record) {
        let process = &mut self.process;
        match record {
            Record::Process {
                path,
                pid,
                main,
                jdk,
            } => {
                process.path = path;
                process.pid = pid;
                process.main = main;
                process.jdk = jdk;
            }
            Record::Thread {
                stream,
                parent,
                kind,
                name,
            } => {
                let thread = self
                    .threads
                    .entry(stream)
                    .or_insert_with(|| Thread::new(stream));
                thread.parent = parent;
                thread.kind = kind;
                thread.name = name;
            }
            Record::Class { class, name } => {
                process.classes.insert(class, name);
            }
            Record::Code {
                digest,
                class,
                source,
                sites,
            } => {
                let class: Arc<str> = class.into();
                let source: Arc<str> = source.into();
                for site in sites {
                    process.sites.insert(
                        site.site,
                        Site {
                            class: class.clone(),
                            source: source.clone(),
                            method: site.method,
                            line: site.line,
                            kind: site.kind,
                        },
                    );
                }
                process.code.push(Code {
                    class,
                    source,
                    digest,
                });
            }
            Record::Skipped(text) => process.skipped.push(text),
            Record::Note(text) => process.notes.push(text),
            Record::End => process.ended = true,
            Record::Launch(launch) => process.launch = Some(launch),
            Record::Input {
                stream,
                position,
                bytes,
            } => {
                let link = Link::new(stream, Position(position));
                process.inputs.insert(link, bytes);
            }
        }
    }
}
