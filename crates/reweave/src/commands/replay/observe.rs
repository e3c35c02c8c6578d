//! `replay --observe`: what a replay did, as text. Also how others get at it.

use super::{Replay, verdict};
use crate::cli::Observing;
use crate::exit::{Exit, Failure};
use crate::launch::session::Observe;
use reweave_analysis::order;
use reweave_analysis::races::observation::{
    HEADER, Header, Lasts, Names, Printer, Record, records,
};
use reweave_trace::Process;
use reweave_trace::file::table::ThreadKind;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Records that are read at once.
const PIECE: usize = 1 << 16;

/// What the user asked for.
pub fn wanted(options: &Observing) -> Observe {
    Observe {
        log: options.observe.is_some(),
        values: true,
        stacks: options.observe_stacks,
        classes: options.observe_class.clone(),
        locations: options.observe_location.clone(),
        ..Observe::default()
    }
}

/// Replays and writes the text.
pub fn run(replay: &Replay<'_>, file: &Path) -> Result<Exit, Failure> {
    refuse_native(replay)?;
    let session = replay.session()?;
    let (ended, outcome) = replay.run_in(&session, |_| (), |_| ())?;
    let failed =
        |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", file.display()));
    let mut count = 0;
    for (index, process) in replay.trace.processes.iter().enumerate() {
        let Some(log) = Log::open(session.folder(), process)? else {
            continue;
        };
        // A file for each process; the names of the others say which.
        let mut name = file.as_os_str().to_owned();
        if index > 0 {
            name.push(format!("-{}", process.path));
        }
        let mut out = BufWriter::new(File::create(name).map_err(failed)?);
        count += print(&log, process, &mut out).map_err(failed)?;
        out.flush().map_err(failed)?;
        if log.header.full {
            replay
                .terminal
                .warning("there was no room for all of it: the rest is missing");
        }
    }
    replay
        .terminal
        .note(format!("{count} lines in {}", file.display()));
    verdict::report(replay, &ended, outcome.as_ref())
}

fn print(log: &Log, process: &Process, out: &mut impl Write) -> std::io::Result<u64> {
    writeln!(out, "{}", Printer::title())?;
    let mut printer = Printer::new(&log.names, thread_paths(process));
    log.each(|record| {
        printer.introduce(record);
        Ok(())
    })?;
    let (mut text, mut lines) = (String::new(), 1);
    log.each(|record| {
        text.clear();
        let _ = printer.print(record, &mut text);
        lines += text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        out.write_all(text.as_bytes())
    })?;
    Ok(lines)
}

/// Native programs are not observed this way.
pub fn refuse_native(replay: &Replay<'_>) -> Result<(), Failure> {
    match replay.trace.manifest.native {
        None => Ok(()),
        Some(_) => Err(Failure::new(
            "only replays of Java programs can be observed so far",
        )),
    }
}

/// `main.2.1`, by stream.
fn thread_paths(process: &Process) -> HashMap<u32, String> {
    let names = order::threads::names(process).into_iter();
    names
        .map(|name| (name.stream.0, name.path.replace(char::is_whitespace, "_")))
        .collect()
}

/// `main.2 "worker-2"` in reports, by stream.
pub fn thread_names(process: &Process) -> HashMap<u32, String> {
    let names = order::threads::names(process).into_iter();
    names
        .filter(|name| name.kind == ThreadKind::Thread)
        .map(|name| {
            let java = if name.java.is_empty() {
                name.path
            } else {
                name.java
            };
            (name.stream.0, java)
        })
        .collect()
}

/// What one process left behind.
pub struct Log {
    file: PathBuf,
    pub header: Header,
    pub names: Names,
}

impl Log {
    /// `None` if the process wrote nothing.
    pub fn open(folder: &Path, process: &Process) -> Result<Option<Log>, Failure> {
        let file = folder.join(format!("observed-{}.log", process.path));
        let names = folder.join(format!("observed-{}.names", process.path));
        let unreadable =
            |error: &dyn std::fmt::Display| Failure::new(format!("what was observed: {error}"));
        let Ok(text) = std::fs::read(&names) else {
            return Ok(None);
        };
        let names = Names::read(&String::from_utf8_lossy(&text)).map_err(|e| unreadable(&e))?;
        let mut head = [0; HEADER];
        let mut opened = File::open(&file).map_err(|e| unreadable(&e))?;
        opened.read_exact(&mut head).map_err(|e| unreadable(&e))?;
        let header = Header::read(&head).ok_or_else(|| unreadable(&"not a log"))?;
        Ok(Some(Log {
            file,
            header,
            names,
        }))
    }

    /// Gives all records to `take`, in their order.
    pub fn each(
        &self,
        mut take: impl FnMut(&Record) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        self.each_at(|_, record| take(record))
    }

    /// The same with the place of each record among all, finished or not.
    pub fn each_at(
        &self,
        mut take: impl FnMut(u64, &Record) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut pieces = self.pieces()?;
        for number in 0..pieces.count() {
            let (first, bytes) = pieces.read(number)?;
            for (place, record) in records(bytes, self.header.size) {
                take(first + place, &record)?;
            }
        }
        Ok(())
    }

    /// Which records are the last of their objects.
    pub fn lasts(&self) -> std::io::Result<Lasts> {
        let mut lasts = Lasts::new(self.header.records());
        let mut pieces = self.pieces()?;
        for number in (0..pieces.count()).rev() {
            let (first, bytes) = pieces.read(number)?;
            for (place, record) in records(bytes, self.header.size).rev() {
                lasts.note(first + place, &record);
            }
        }
        Ok(lasts)
    }

    fn pieces(&self) -> std::io::Result<Pieces> {
        Ok(Pieces {
            file: File::open(&self.file)?,
            header: self.header,
            bytes: vec![0; PIECE * self.header.size],
        })
    }
}

/// A log, read piece by piece.
struct Pieces {
    file: File,
    header: Header,
    bytes: Vec<u8>,
}

impl Pieces {
    fn count(&self) -> u64 {
        self.header.records().div_ceil(PIECE as u64)
    }

    /// A piece and the place of its first record.
    fn read(&mut self, number: u64) -> std::io::Result<(u64, &[u8])> {
        let first = number * PIECE as u64;
        let count = (self.header.records() - first).min(PIECE as u64) as usize;
        let bytes = &mut self.bytes[..count * self.header.size];
        let at = HEADER as u64 + first * self.header.size as u64;
        self.file.read_exact_at(bytes, at)?;
        Ok((first, bytes))
    }
}
