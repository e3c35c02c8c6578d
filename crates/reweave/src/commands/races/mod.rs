//! `races`: data races of recordings, of imported logs and of traces as text.
//!
//! Each file is analysed by itself. A race that several files show is reported once, where it was seen first.

mod baseline;
mod describe;
mod names;
mod recording;
mod sarif;
mod subject;
mod suppress;
mod text;

use crate::cli::{FailOn, RaceOptions, Races};
use crate::commands::replay::Prepared;
use crate::exit::{Exit, Failure};
use crate::report::count;
use crate::report::terminal::Terminal;
use crate::store::Store;
use baseline::Baseline;
use describe::{RaceText, Status};
use reweave_analysis::races::observation::AccessName;
use reweave_trace::ProcessNumber;
use serde_json::{Value, json};
use std::collections::HashSet;
use subject::{Counts, Subject};
use suppress::Suppressions;

/// One access of a race of a recording: which race, and whether it is the second access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceSide {
    number: usize,
    second: bool,
}

/// Reads `race:3.a`.
pub fn side_of(text: &str) -> Option<RaceSide> {
    let (number, side) = text.strip_prefix("race:")?.split_once('.')?;
    Some(RaceSide {
        number: number.parse().ok()?,
        second: match side {
            "a" => false,
            "b" => true,
            _ => return None,
        },
    })
}

/// The access that is meant.
pub fn find_access(
    prepared: &Prepared,
    side: RaceSide,
    terminal: &Terminal,
) -> Result<(ProcessNumber, AccessName), Failure> {
    let path = prepared.path.to_string_lossy();
    let subject = recording::analyse(prepared, false, &path, terminal)?;
    let race = side
        .number
        .checked_sub(1)
        .and_then(|n| subject.races.get(n));
    let access = race.and_then(|race| match side.second {
        false => race.first.access,
        true => race.second.access,
    });
    let access = access.ok_or_else(|| {
        Failure::new(format!("this recording has no race {}", side.number))
            .with_exit(Exit::USAGE)
            .with_next(format!("reweave races {path}"))
    })?;
    let name = AccessName {
        stream: access.stream,
        number: access.number,
    };
    Ok((ProcessNumber(access.process), name))
}

/// What the files must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Anything,
    DroidRacer,
}

pub fn run(options: &Races, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = Store::find()?;
    let files = options.runs.iter().map(|run| {
        let path = store.resolve(run)?;
        Ok(path.to_string_lossy().into_owned())
    });
    let files = files.collect::<Result<Vec<_>, Failure>>()?;
    find(&files, Expected::Anything, &options.options, terminal)
}

/// Finds the races of some files and reports them.
pub fn find(
    files: &[String],
    expected: Expected,
    options: &RaceOptions,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let mut suppressions = Suppressions::read(&options.suppress)?;
    let baseline = options
        .baseline
        .as_deref()
        .map(Baseline::read)
        .transpose()?;
    if options.fail_on == FailOn::New && baseline.is_none() {
        return Err(
            Failure::new("--fail-on new compares with a baseline, and none is given")
                .with_next("make one with --write-baseline FILE, then use --baseline FILE"),
        );
    }
    let mut report = Report::default();
    for file in files {
        report.add(subject::open(file, expected, options, terminal)?);
    }
    report.judge(&mut suppressions, baseline.as_ref());
    if let Some(path) = &options.write_baseline {
        Baseline::of(report.reported()).write(path)?;
    }
    if let Some(path) = &options.sarif {
        let all: Vec<&RaceText> = report.races.iter().collect();
        sarif::write(path, &all, baseline.is_some())?;
    }
    for unused in suppressions.unused() {
        terminal.warning(format!("{unused} matches no race"));
    }
    let exit = report.exit(options.fail_on);
    if terminal.json {
        terminal.result(&report.to_json(&suppressions, exit))?;
    } else {
        report.print(options, terminal)?;
    }
    Ok(exit)
}

/// All that is known at the end.
#[derive(Default)]
struct Report {
    subjects: Vec<Subject>,
    races: Vec<RaceText>,
    counts: Counts,
    seen: HashSet<String>,
}

impl Report {
    fn add(&mut self, mut subject: Subject) {
        let races = std::mem::take(&mut subject.races);
        let earlier = self.seen.clone();
        for mut race in races {
            // Within one file the same race on two objects is two races; in a second file it is nothing new.
            if earlier.contains(&race.fingerprint) {
                continue;
            }
            self.seen.insert(race.fingerprint.clone());
            race.number = self.races.len() + 1;
            self.races.push(race);
        }
        self.counts.add(&subject.counts);
        self.subjects.push(subject);
    }

    fn judge(&mut self, suppressions: &mut Suppressions, baseline: Option<&Baseline>) {
        for race in &mut self.races {
            if suppressions.matches(race) {
                race.status = Status::Suppressed;
            } else if baseline.is_some_and(|baseline| baseline.knows(race)) {
                race.status = Status::Known;
            }
        }
    }

    fn with(&self, status: Status) -> u64 {
        let matching = self.races.iter().filter(|race| race.status == status);
        matching.count() as u64
    }

    /// Races that are not suppressed.
    fn reported(&self) -> impl Iterator<Item = &RaceText> {
        let wanted = |race: &&RaceText| race.status != Status::Suppressed;
        self.races.iter().filter(wanted)
    }

    fn exit(&self, fail_on: FailOn) -> Exit {
        let failing = match fail_on {
            FailOn::Any => self.reported().count() as u64,
            FailOn::New => self.with(Status::New),
            FailOn::Never => 0,
        };
        if failing > 0 {
            Exit::RACES
        } else {
            Exit::SUCCESS
        }
    }

    fn to_json(&self, suppressions: &Suppressions, exit: Exit) -> Value {
        let files: Vec<Value> = self.subjects.iter().map(Subject::to_json).collect();
        let unused: Vec<String> = suppressions
            .unused()
            .map(|unused| unused.to_string())
            .collect();
        let mut result = json!({
            "verdict": if self.reported().next().is_some() { "races" } else { "none" },
            "counts": self.counts.to_json(),
            "locations": self.counts.locations,
            "pairs": self.counts.pairs,
            "races": self.races,
            "new": self.with(Status::New),
            "known": self.with(Status::Known),
            "suppressed": self.with(Status::Suppressed),
            "unused_suppressions": unused,
            "files": files,
            "exit_code": exit.code(),
        });
        // One file is the common case: what is said of it is found at the top, too.
        if let ([subject], Some(fields)) = (&self.subjects[..], result.as_object_mut()) {
            fields.insert("stats".to_owned(), subject.stats_json());
            fields.insert("format".to_owned(), subject.format.name().into());
            fields.insert("count".to_owned(), subject.counting_name().into());
        }
        result
    }

    fn print(&self, options: &RaceOptions, terminal: &Terminal) -> Result<(), Failure> {
        for subject in &self.subjects {
            for note in &subject.notes {
                terminal.note(format!("{}: {note}", subject.file));
            }
        }
        terminal.print(|out| {
            if options.stats {
                text::stats(&self.subjects, out)?;
            }
            for race in self.reported().take(options.show) {
                text::race(race, out)?;
            }
            let left = self.reported().count().saturating_sub(options.show);
            if left > 0 {
                writeln!(
                    out,
                    "… and {} more; --show {} prints all",
                    count(left as u64, "race"),
                    options.show + left
                )?;
            }
            text::summary(&self.subjects, &self.counts, self.tallies(), out)
        })?;
        let next = match (self.subjects.first(), self.reported().next()) {
            (Some(subject), Some(_)) if options.sarif.is_none() => {
                format!("reweave races {} --sarif races.sarif", subject.file)
            }
            (_, Some(_)) => {
                "reweave races … --write-baseline FILE, to see only new ones".to_owned()
            }
            (_, None) => return Ok(()),
        };
        terminal.note(format!("next: {next}"));
        Ok(())
    }

    fn tallies(&self) -> text::Tallies {
        text::Tallies {
            reported: self.reported().count() as u64,
            known: self.with(Status::Known),
            suppressed: self.with(Status::Suppressed),
        }
    }
}
