//! Reads `abc_log.txt`, the log of the original DroidRacer (PLDI 2014): one line per operation, in the order in which
//! they happened.
//!
//! Reading stops at the line ` HB Graph `: what follows are the original detector's answers and lines that other
//! threads wrote too late. A log may end anywhere (the last task without its end, the last line cut off). Everything
//! else must make sense: a line that cannot be read, or that cannot have happened where it stands, is an error that
//! names the line.
//!
//! Differences from the original reader: it deletes posts that never ran and enables that were never used, we drop the
//! former and keep the latter, which orders nothing; it stops at operations between tasks, we order them after the
//! beginning of the loop.

mod line;
mod translate;

pub use line::LONGEST_LINE;

use super::log::Log;
use line::{Line, read};
use translate::Translator;

/// Why a log could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ImportError {
    /// From 1.
    pub line: u32,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("expected an operation of a DroidRacer log, found {0:?}")]
    Unreadable(String),
    #[error("not text: this is not a DroidRacer log")]
    NotText,
    #[error("longer than {LONGEST_LINE} bytes: this is not a DroidRacer log")]
    TooLongLine,
    #[error("unknown kind of operation {0:?}")]
    UnknownKind(String),
    #[error("unknown state {0:?}")]
    UnknownState(String),
    #[error("no field `{0}`")]
    Missing(&'static str),
    #[error("field `{field}` is not a number this log can hold: {value:?}")]
    NotANumber { field: &'static str, value: String },
    #[error("operation {0} occurs twice")]
    OperationTwice(u32),
    #[error("thread {0} does something before it exists")]
    UnknownThread(i64),
    #[error("message {0} is called but was never posted")]
    NotPosted(i64),
    #[error("message {0} is posted twice")]
    PostedTwice(i64),
    #[error("message {0} is called twice")]
    CalledTwice(i64),
    #[error("message {inner} is called while message {outer} runs on the same thread")]
    Nested { inner: i64, outer: i64 },
    #[error("thread {0} calls a message before it loops")]
    NoLoop(i64),
    #[error("message {0} returns but does not run")]
    NotRunning(i64),
    #[error("more than {0} operations")]
    TooLong(usize),
    #[error("the log is empty")]
    Empty,
}

/// How much is read before giving up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations and accesses. One takes about 40 bytes of memory.
    pub operations: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            operations: 20_000_000,
        }
    }
}

/// Reads a whole log.
pub fn parse(bytes: &[u8]) -> Result<Log, ImportError> {
    let mut importer = Importer::new(Limits::default());
    importer.feed(bytes)?;
    importer.finish()
}

/// What the importer wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    More,
    /// The rest of the file does not matter.
    Done,
}

/// Reads a log piece by piece, so that a file need not fit into memory.
#[derive(Debug)]
pub struct Importer {
    translator: Translator,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    line: u32,
    done: bool,
}

impl Importer {
    pub fn new(limits: Limits) -> Importer {
        Importer {
            translator: Translator::new(limits),
            partial: Vec::new(),
            line: 0,
            done: false,
        }
    }

    /// Takes the next piece of the file, which may end in the middle of a line.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<Progress, ImportError> {
        while !self.done
            && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
        {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            if self.partial.is_empty() {
                self.line(line)?;
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.line(&whole)?;
            }
            bytes = rest;
        }
        if self.done {
            return Ok(Progress::Done);
        }
        if self.partial.len() + bytes.len() > LONGEST_LINE {
            return Err(ImportError {
                line: self.line + 1,
                problem: Problem::TooLongLine,
            });
        }
        self.partial.extend_from_slice(bytes);
        Ok(Progress::More)
    }

    fn line(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.line += 1;
        match read(bytes, self.line)? {
            Line::Skip => Ok(()),
            Line::Graph => {
                self.done = true;
                Ok(())
            }
            Line::Operation { id, kind, fields } => {
                self.translator.operation(self.line, id, kind, &fields)
            }
            Line::Access { id, kind, fields } => {
                self.translator.access(self.line, id, kind, &fields)
            }
        }
    }

    /// The file has ended.
    pub fn finish(mut self) -> Result<Log, ImportError> {
        if !self.done && !self.partial.is_empty() {
            let rest = std::mem::take(&mut self.partial);
            // The writer ends every line, so this one was cut off, maybe in the middle of a number.
            if self.line(&rest).is_err() {
                self.translator
                    .note("the last line is cut off and was left out");
            }
        }
        self.translator.finish(self.line)
    }
}
