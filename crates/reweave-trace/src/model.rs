//! A trace in memory: what ran, and for each process its threads, classes, sites and events.

use crate::event::Events;
use crate::file::header::FileState;
use crate::file::table::{SiteKind, ThreadKind};
use crate::ids::{ClassId, Link, Position, ProcessNumber, SiteId, StreamId};
use crate::launch::Launch;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// A whole run.
#[derive(Clone, Debug)]
pub struct Trace {
    #[cfg(feature = "host")]
    pub manifest: crate::manifest::Manifest,
    /// Absent if the run was not sealed, or nobody saw its end.
    #[cfg(feature = "host")]
    pub result: Option<crate::manifest::RunResult>,
    pub state: FileState,
    /// By number.
    pub processes: Vec<Process>,
    /// Every process ended in order, and nothing is missing.
    pub complete: bool,
    /// What is known to be missing.
    pub faults: Vec<Fault>,
}

impl Trace {
    pub fn process(&self, number: ProcessNumber) -> Option<&Process> {
        self.processes
            .iter()
            .find(|process| process.number == number)
    }
}

/// In the place of a JVM's build: a program that needs none.
pub const NATIVE: &str = "native";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub number: ProcessNumber,
    /// `0`, `0.1`, …: which child of which process this is.
    pub path: String,
    pub pid: u32,
    /// Main class or jar.
    pub main: String,
    /// Build of the JVM, or [`NATIVE`].
    pub jdk: String,
    /// Of a JVM that something else than this recording's command and its JVMs started.
    pub launch: Option<Launch>,
    /// By stream.
    pub threads: Vec<Thread>,
    pub classes: BTreeMap<ClassId, String>,
    pub sites: HashMap<SiteId, Site>,
    /// Digest of each class file that was seen.
    pub code: Vec<Code>,
    /// Methods left alone, and why.
    pub skipped: Vec<String>,
    pub notes: Vec<String>,
    /// The bytes of input events.
    pub inputs: HashMap<Link, Vec<u8>>,
    /// The process ended in order.
    pub ended: bool,
}

impl Process {
    /// Of a program that is no JVM.
    pub fn is_native(&self) -> bool {
        self.jdk == NATIVE
    }

    pub fn new(number: ProcessNumber) -> Process {
        Process {
            number,
            path: number.to_string(),
            pid: 0,
            main: String::new(),
            jdk: String::new(),
            launch: None,
            threads: Vec::new(),
            classes: BTreeMap::new(),
            sites: HashMap::new(),
            code: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
            inputs: HashMap::new(),
            ended: false,
        }
    }

    pub fn thread(&self, stream: StreamId) -> Option<&Thread> {
        let index = self
            .threads
            .binary_search_by_key(&stream, |thread| thread.stream)
            .ok()?;
        Some(&self.threads[index])
    }

    /// The thread of that stream, made if it is not there yet.
    pub fn thread_mut(&mut self, stream: StreamId) -> &mut Thread {
        let index = match self
            .threads
            .binary_search_by_key(&stream, |thread| thread.stream)
        {
            Ok(index) => index,
            Err(index) => {
                self.threads.insert(index, Thread::new(stream));
                index
            }
        };
        &mut self.threads[index]
    }

    /// Number of events of all threads, each repetition counted.
    pub fn events(&self) -> u64 {
        let events = self
            .threads
            .iter()
            .flat_map(|thread| thread.events().flatten());
        events.map(|event| event.times()).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub stream: StreamId,
    pub parent: Option<StreamId>,
    pub kind: ThreadKind,
    /// Of the thread or the class; empty if the recording ended before it was written.
    pub name: String,
    /// Position of the first word: 1, unless the recording was bounded.
    pub first: Position,
    /// Contiguous; whole events, checked when the trace was read.
    pub words: Vec<u64>,
}

impl Thread {
    pub fn new(stream: StreamId) -> Thread {
        Thread {
            stream,
            parent: None,
            kind: ThreadKind::Thread,
            name: String::new(),
            first: Position::FIRST,
            words: Vec::new(),
        }
    }

    pub fn events(&self) -> Events<'_> {
        Events::new(self.stream, self.first, &self.words)
    }

    /// Position after the last word.
    pub fn end(&self) -> Position {
        Position(self.words.len() as u64 + self.first.0)
    }

    /// The words from that position on.
    pub fn words_from(&self, position: Position) -> Option<&[u64]> {
        let index = position.0.checked_sub(self.first.0)?;
        self.words.get(usize::try_from(index).ok()?..)
    }

    pub fn link(&self, position: Position) -> Link {
        Link::new(self.stream, position)
    }
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub class: Arc<str>,
    /// File name; empty if unknown.
    pub source: Arc<str>,
    /// Name and descriptor.
    pub method: String,
    /// 0 if unknown.
    pub line: u16,
    pub kind: SiteKind,
}

impl Site {
    /// Method name without its descriptor.
    pub fn method_name(&self) -> &str {
        self.method.split('(').next().unwrap_or(&self.method)
    }
}

/// `Bank.run(Bank.java:31)`, as in a stack trace.
impl fmt::Display for Site {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == SiteKind::Address {
            let module = self.class.rsplit('/').next().unwrap_or(&self.class);
            return write!(out, "{module}{}", self.method);
        }
        write!(
            out,
            "{}.{}(",
            self.class.replace('/', "."),
            self.method_name()
        )?;
        match (self.source.as_ref(), self.line) {
            ("", _) => write!(out, "Unknown Source)"),
            (source, 0) => write!(out, "{source})"),
            (source, line) => write!(out, "{source}:{line})"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    pub class: Arc<str>,
    pub source: Arc<str>,
    /// xxh3 of the class file as the program has it.
    pub digest: u64,
}

/// Something that is known to be missing from a trace that can be read otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    DiskFull,
    /// Only the last part was to be kept, and there was more.
    Thinned,
    /// The file ends inside the section that starts at `offset`.
    Truncated {
        offset: u64,
    },
    /// A sealed file does not end with an index that matches its sections.
    NoIndex,
    /// Words of a stream are missing; what follows them is left out.
    Gap {
        process: ProcessNumber,
        stream: StreamId,
        expected: Position,
        found: Position,
    },
    /// Zeros in the middle of a stream that was being written; what follows them is left out.
    Hole {
        process: ProcessNumber,
        stream: StreamId,
        at: Position,
    },
    /// A piece of a process's table is missing.
    TableGap {
        process: ProcessNumber,
    },
    /// So many processes joined but wrote nothing.
    Silent {
        processes: u32,
    },
    /// A process was killed or crashed before it could say that it ended.
    NotEnded {
        process: ProcessNumber,
    },
}

impl Fault {
    /// Whether the file itself has lost something, as opposed to a program that was killed while it was written.
    pub fn is_damage(&self) -> bool {
        match self {
            Fault::Truncated { .. }
            | Fault::NoIndex
            | Fault::Gap { .. }
            | Fault::Hole { .. }
            | Fault::TableGap { .. } => true,
            Fault::DiskFull | Fault::Thinned | Fault::Silent { .. } | Fault::NotEnded { .. } => {
                false
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::DiskFull => write!(out, "the disk was full and recording stopped"),
            Fault::Thinned => write!(
                out,
                "only the last part was kept (--keep-last): what came before is not there"
            ),
            Fault::Truncated { offset } => {
                write!(out, "the file ends inside the section at offset {offset}")
            }
            Fault::NoIndex => write!(out, "the index at the end is missing or does not match"),
            Fault::Gap {
                process,
                stream,
                expected,
                found,
            } => write!(
                out,
                "process {process}, stream {stream}: words {expected} to {} are missing",
                found.0.saturating_sub(1)
            ),
            Fault::Hole {
                process,
                stream,
                at,
            } => {
                write!(
                    out,
                    "process {process}, stream {stream}: zeros from word {at} on, then more words"
                )
            }
            Fault::TableGap { process } => {
                write!(out, "process {process}: part of its table is missing")
            }
            Fault::Silent { processes } => {
                write!(out, "{processes} processes joined but wrote nothing")
            }
            Fault::NotEnded { process } => {
                write!(
                    out,
                    "process {process} did not end in order (killed or crashed)"
                )
            }
        }
    }
}
