//! One file to look for races in: which kind it is, and what an analysis makes of it.

use super::Expected;
use super::describe::{self, RaceText};
use super::names::LogNames;
use super::recording;
use crate::cli::{Count, RaceOptions};
use crate::exit::Failure;
use crate::report::terminal::Terminal;
use reweave_analysis::races::Options;
use reweave_analysis::races::analyse::{Counting, analyse};
use reweave_analysis::races::count::Counts as Tables;
use reweave_analysis::races::droidracer::{ImportError, Importer, Limits, Problem, Progress};
use reweave_analysis::races::findings::Findings;
use reweave_analysis::races::log::TraceTable;
use reweave_analysis::races::pairs::Coverage;
use reweave_analysis::races::rules::{Rule, RuleSet};
use reweave_analysis::races::text::{Reader, TITLE};
use reweave_trace::file::header::FILE_MAGIC;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that are read at once.
const PIECE: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    DroidRacer,
    Text,
    /// One of ours, seen in a replay.
    Recording,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::DroidRacer => "droidracer",
            Format::Text => "text",
            Format::Recording => "recording",
        }
    }
}

/// Locations with a race, per class, and the rest of what is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub multi_threaded: u64,
    pub cross_posted: u64,
    pub co_enabled: u64,
    pub delayed: u64,
    pub uncategorised: u64,
    /// Of the co-enabled ones, those on classes of the user interface; counted for DroidRacer's tables only.
    pub co_enabled_ui: Option<u64>,
    pub locations: u64,
    pub pairs: u64,
}

impl Counts {
    fn of_tables(tables: &Tables) -> Counts {
        Counts {
            multi_threaded: tables.multi_threaded,
            cross_posted: tables.cross_posted,
            co_enabled: tables.co_enabled(),
            delayed: tables.delayed,
            uncategorised: tables.uncategorised,
            co_enabled_ui: Some(tables.co_enabled_ui),
            locations: tables.locations,
            pairs: tables.pairs,
        }
    }

    pub fn of_findings(findings: &Findings) -> Counts {
        let locations: std::collections::BTreeSet<_> =
            findings.races.iter().map(|race| race.location).collect();
        let counts = findings.counts;
        Counts {
            multi_threaded: counts.multi_threaded,
            cross_posted: counts.cross_posted,
            co_enabled: counts.co_enabled,
            delayed: counts.delayed,
            uncategorised: counts.uncategorised,
            co_enabled_ui: None,
            locations: locations.len() as u64,
            pairs: findings.pairs,
        }
    }

    pub fn add(&mut self, other: &Counts) {
        self.multi_threaded += other.multi_threaded;
        self.cross_posted += other.cross_posted;
        self.co_enabled += other.co_enabled;
        self.delayed += other.delayed;
        self.uncategorised += other.uncategorised;
        self.locations += other.locations;
        self.pairs += other.pairs;
        self.co_enabled_ui = match (self.co_enabled_ui, other.co_enabled_ui) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }

    pub fn to_json(self) -> Value {
        let mut counts = json!({
            "multi_threaded": self.multi_threaded,
            "cross_posted": self.cross_posted,
            "co_enabled": self.co_enabled,
            "delayed": self.delayed,
            "uncategorised": self.uncategorised,
        });
        if let (Some(ui), Some(fields)) = (self.co_enabled_ui, counts.as_object_mut()) {
            fields.insert("co_enabled_ui".to_owned(), ui.into());
            fields.insert("co_enabled_other".to_owned(), (self.co_enabled - ui).into());
        }
        counts
    }
}

/// An analysed file.
#[derive(Debug)]
pub struct Subject {
    pub file: String,
    pub format: Format,
    pub counting: Counting,
    pub races: Vec<RaceText>,
    pub counts: Counts,
    /// The size of the trace, if it was kept whole.
    pub table: Option<TraceTable>,
    pub notes: Vec<String>,
}

impl Subject {
    pub fn counting_name(&self) -> &'static str {
        match self.counting {
            Counting::Places => "places",
            Counting::DroidRacer => "droidracer",
        }
    }

    pub fn stats_json(&self) -> Value {
        match &self.table {
            None => Value::Null,
            Some(table) => json!({
                "length": table.length,
                "fields": table.fields,
                "threads_without_queue": table.threads_without_queue,
                "threads_with_queue": table.threads_with_queue,
                "tasks": table.tasks,
                "nodes": table.nodes,
                "accesses": table.accesses,
            }),
        }
    }

    pub fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "format": self.format.name(),
            "count": self.counting_name(),
            "counts": self.counts.to_json(),
            "locations": self.counts.locations,
            "pairs": self.counts.pairs,
            "stats": self.stats_json(),
            "notes": self.notes,
        })
    }
}

/// Reads and analyses a file.
pub fn open(
    path: &str,
    expected: Expected,
    options: &RaceOptions,
    terminal: &Terminal,
) -> Result<Subject, Failure> {
    let mut file =
        File::open(path).map_err(|error| Failure::new(format!("cannot open {path}: {error}")))?;
    let mut head = vec![0; PIECE];
    let length = read(&mut file, &mut head, path)?;
    head.truncate(length);
    if head.starts_with(&FILE_MAGIC) {
        return match expected {
            Expected::Anything => recording::open(path, options, terminal),
            Expected::DroidRacer => Err(Failure::new(format!(
                "{path} is a recording, not a DroidRacer log"
            ))
            .with_next(format!("reweave races {path}"))),
        };
    }
    let is_text = std::str::from_utf8(&head[..head.len().min(TITLE.len())]) == Ok(TITLE);
    match expected {
        Expected::Anything if is_text => text_trace(path, file, head, options),
        Expected::Anything | Expected::DroidRacer => {
            droidracer(path, file, head, expected, options)
        }
    }
}

fn read(file: &mut File, piece: &mut [u8], path: &str) -> Result<usize, Failure> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => (),
            Err(error) => return Err(Failure::new(format!("cannot read {path}: {error}"))),
        }
    }
    Ok(filled)
}

/// Gives a file to `take`, piece by piece, the first of which is read already, until it wants no more.
fn feed(
    path: &str,
    mut file: File,
    mut piece: Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<Progress, Failure>,
) -> Result<(), Failure> {
    while !piece.is_empty() {
        if take(&piece)? == Progress::Done {
            break;
        }
        piece.resize(PIECE, 0);
        let length = read(&mut file, &mut piece, path)?;
        piece.truncate(length);
    }
    Ok(())
}

pub fn rules(no_adhoc: bool, all: RuleSet) -> RuleSet {
    if no_adhoc {
        all.without(Rule::AdHoc)
    } else {
        all
    }
}

fn droidracer(
    path: &str,
    file: File,
    head: Vec<u8>,
    expected: Expected,
    options: &RaceOptions,
) -> Result<Subject, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::new(format!(
            "{path} cannot be read as a DroidRacer log: {error}"
        ))
    };
    let refused = |error: ImportError| match error.problem {
        Problem::TooLong(_) => unreadable(&error)
            .with_next("allow more with --max-operations N, if there is memory for it"),
        _ if error.line == 1 && expected == Expected::Anything => Failure::new(format!(
            "{path} is neither a recording nor a trace as text; as a DroidRacer log it cannot be read either: {error}"
        )),
        _ => unreadable(&error),
    };
    let limits = Limits {
        operations: options.max_operations,
    };
    let mut importer = Importer::new(limits);
    feed(path, file, head, |piece| {
        importer.feed(piece).map_err(refused)
    })?;
    let log = importer.finish().map_err(refused)?;
    let mut notes = log.notes.clone();
    let counting = counting(options.count, &log.table, &mut notes)?;
    let settings = Options {
        rules: match counting {
            Counting::Places => rules(options.no_adhoc, RuleSet::ALL),
            Counting::DroidRacer => RuleSet::DROIDRACER,
        },
        ..Options::default()
    };
    let analysis = analyse(&log, &settings, counting).map_err(|error| unreadable(&error))?;
    let name = Path::new(path).file_name();
    let name = name.map_or(path.into(), |name| name.to_string_lossy());
    let names = LogNames::new(&log, &name);
    let counts = match &analysis.tally {
        Some(tally) => Counts::of_tables(&tally.counts),
        None => Counts::of_findings(&analysis.findings),
    };
    notes.extend(shortcomings(&analysis.findings));
    Ok(Subject {
        file: path.to_owned(),
        format: Format::DroidRacer,
        counting,
        races: describe::races(&analysis.findings, &names, path, 1),
        counts,
        table: Some(log.table),
        notes,
    })
}

/// Tasks up to which races are counted as DroidRacer counts: that takes time quadratic in their number.
const MOST_TASKS: u64 = 5000;

fn counting(
    wanted: Option<Count>,
    table: &TraceTable,
    notes: &mut Vec<String>,
) -> Result<Counting, Failure> {
    match wanted {
        Some(Count::Places) => Ok(Counting::Places),
        Some(Count::Droidracer) | None if table.tasks <= MOST_TASKS => Ok(Counting::DroidRacer),
        Some(Count::Droidracer) => Err(Failure::new(format!(
            "{} tasks are too many to count as DroidRacer counts, at most {MOST_TASKS}: it takes time quadratic in them",
            table.tasks
        ))
        .with_next("use --count=places")),
        None => {
            notes.push(format!(
                "more than {MOST_TASKS} tasks: counted by places, not as DroidRacer counts"
            ));
            Ok(Counting::Places)
        }
    }
}

fn text_trace(
    path: &str,
    file: File,
    head: Vec<u8>,
    options: &RaceOptions,
) -> Result<Subject, Failure> {
    if options.count == Some(Count::Droidracer) {
        return Err(Failure::new(format!(
            "{path} is read once and not kept, so it cannot be counted as DroidRacer counts"
        ))
        .with_next("leave --count=droidracer out"));
    }
    let refused = |error: &dyn std::fmt::Display| Failure::new(format!("{path}: {error}"));
    let settings = Options {
        rules: rules(options.no_adhoc, RuleSet::ALL),
        ..Options::default()
    };
    let mut reader = Reader::new(&settings);
    feed(path, file, head, |piece| {
        let fed = reader.feed(piece).map_err(|error| refused(&error));
        fed.map(|()| Progress::More)
    })?;
    let (findings, names, _) = reader.finish().map_err(|error| refused(&error))?;
    Ok(Subject {
        file: path.to_owned(),
        format: Format::Text,
        counting: Counting::Places,
        races: describe::races(&findings, &names, path, 1),
        counts: Counts::of_findings(&findings),
        table: None,
        notes: shortcomings(&findings),
    })
}

/// What the reader of a report should know about its limits.
pub fn shortcomings(findings: &Findings) -> Vec<String> {
    let mut notes = Vec::new();
    if findings.coverage == Coverage::Bounded {
        notes.push(
            "too many pairs of accesses: not all were compared, and races may be missing"
                .to_owned(),
        );
    }
    if findings.work.unfinished {
        notes.push(
            "the environment's orders contradict each other: some were not applied".to_owned(),
        );
    }
    if findings.work.late_orders > 0 {
        notes.push(format!(
            "{} orders came too late for one pass: races may be reported that they rule out",
            findings.work.late_orders
        ));
    }
    if findings.forgotten > 0 {
        notes.push(format!(
            "{} accesses were forgotten to save memory: races with them are missing",
            findings.forgotten
        ));
    }
    notes
}
