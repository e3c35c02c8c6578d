//! The programs in `programs/java/races` and `programs/java/clean`: every race is found at its lines, and where there is none, none is.
//!
//! A line that takes part in a race says so, with the locations as reports call them: `// race: LostUpdate.count`. What is reported must lie on such lines, and in
//! several recordings together every line that says so must have shown up. `// race without adhoc:` is the same for `--no-adhoc`.

use crate::e2e::Tally;
use crate::jdk::Jdk;
use crate::process::{self, End};
use crate::programs::{self, Level};
use crate::reweave::Reweave;
use crate::trial::LIMIT;
use crate::{Ended, build, setup, workspace};
use clap::Args;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub struct Options {
    /// How often each program is recorded
    #[arg(long, default_value_t = 20)]
    recordings: usize,
    /// Only programs whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Only this JDK
    #[arg(long, value_name = "MAJOR")]
    jdk: Option<u32>,
}

pub fn run(options: &Options) -> Ended {
    let jdks = setup::jdks()?;
    let reweave = build::run()?;
    let scratch = workspace::scratch("races")?;
    let mut tally = Tally::default();
    for jdk in jdks
        .iter()
        .filter(|jdk| options.jdk.is_none_or(|major| jdk.major == major))
    {
        tally.heading(&format!(
            "races, JDK {}, {} recordings each",
            jdk.major, options.recordings
        ));
        let subjects = Subject::all()?;
        for subject in subjects
            .iter()
            .filter(|subject| subject.name.contains(&options.only))
        {
            let bench = Bench {
                reweave: &reweave,
                jdk,
                scratch: &scratch,
            };
            tally.check_with(&subject.name, bench.check(subject, options.recordings));
        }
    }
    Ok(tally.finish())
}

/// A line of a program, and the location that it accesses.
type Marked = BTreeSet<(u32, String)>;

/// One of the programs.
pub struct Subject {
    pub name: String,
    source: PathBuf,
    races: Marked,
    /// Those that there are if loops that wait are no synchronization.
    without_adhoc: Marked,
}

impl Subject {
    pub fn all() -> Result<Vec<Subject>, String> {
        let mut subjects = vec![];
        for folder in ["races", "clean"] {
            let path = workspace::root().join("programs/java").join(folder);
            let entries = fs::read_dir(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            for source in entries.flatten().map(|entry| entry.path()) {
                subjects.push(Subject::read(source, folder)?);
            }
        }
        subjects.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(subjects)
    }

    fn read(source: PathBuf, folder: &str) -> Result<Subject, String> {
        let text = fs::read_to_string(&source)
            .map_err(|error| format!("cannot read {}: {error}", source.display()))?;
        let class = source.file_stem().unwrap_or_default().to_string_lossy();
        let subject = Subject {
            name: format!("{folder}/{class}"),
            races: marked(&text, "// race: "),
            without_adhoc: marked(&text, "// race without adhoc: "),
            source: source.clone(),
        };
        match subject.races.is_empty() == (folder == "clean") {
            true => Ok(subject),
            false => Err(format!(
                "{}: races are marked if and only if it is in races/",
                subject.name
            )),
        }
    }

    fn class(&self) -> String {
        let class = self.source.file_stem().unwrap_or_default();
        class.to_string_lossy().into_owned()
    }
}

fn marked(text: &str, mark: &str) -> Marked {
    let mut found = Marked::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((_, locations)) = line.split_once(mark) {
            let locations = locations.split(", ");
            found.extend(locations.map(|location| (index as u32 + 1, location.to_owned())));
        }
    }
    found
}

#[derive(Deserialize)]
struct Report {
    races: Vec<Race>,
    files: Vec<File>,
}

/// What is said of one recording.
#[derive(Deserialize)]
struct File {
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct Race {
    location: String,
    first: Side,
    second: Side,
}

#[derive(Deserialize)]
struct Side {
    stack: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    function: String,
    file: Option<String>,
    line: Option<u32>,
}

impl Side {
    /// The line of the program, which may have called a collection.
    fn line(&self, source: &str) -> Option<u32> {
        let frame = self
            .stack
            .iter()
            .find(|frame| !frame.function.starts_with("java."))?;
        frame.line.filter(|_| frame.file.as_deref() == Some(source))
    }
}

/// With what recordings are made.
pub struct Bench<'a> {
    pub reweave: &'a Reweave,
    pub jdk: &'a Jdk,
    pub scratch: &'a Path,
}

impl Bench<'_> {
    /// Records so often and looks for races each time.
    pub fn check(&self, subject: &Subject, recordings: usize) -> Result<String, String> {
        let class = subject.class();
        let classes = self
            .scratch
            .join(format!("classes-{}-{class}", self.jdk.major));
        programs::compile(self.jdk, &subject.source, &classes, None)?;
        let mut seen = Marked::new();
        let mut unneeded = Marked::new();
        for number in 1..=recordings {
            let in_this = |why: String| format!("recording {number}: {why}");
            let recording = self.record(&class, &classes).map_err(in_this)?;
            seen.extend(
                self.races(subject, &recording, &[], &subject.races)
                    .map_err(in_this)?,
            );
            if !subject.without_adhoc.is_empty() {
                let found =
                    self.races(subject, &recording, &["--no-adhoc"], &subject.without_adhoc);
                unneeded.extend(found.map_err(in_this)?);
            }
        }
        let missing: Vec<String> = subject
            .races
            .difference(&seen)
            .chain(subject.without_adhoc.difference(&unneeded))
            .map(|(line, location)| format!("{location} in line {line}"))
            .collect();
        match missing.is_empty() {
            true => Ok(format!("{} of {} places", seen.len(), subject.races.len())),
            false => Err(format!("not found: {}", missing.join(", "))),
        }
    }

    fn record(&self, class: &str, classes: &Path) -> Result<PathBuf, String> {
        let recording = self.scratch.join(format!("{class}.rwv"));
        let _ = fs::remove_file(&recording);
        let mut java = Command::new(self.jdk.java());
        java.arg("-cp").arg(classes).arg(class);
        let mut record = self.reweave.record_at(Level::Access, &java, &recording);
        let recorded = process::run(&mut record, LIMIT, self.scratch)?;
        match recorded.end {
            End::Exit(0) => Ok(recording),
            end => Err(format!("{end}\n{}", recorded.stderr_text())),
        }
    }

    /// The marked lines that are reported. Whatever else is reported is an error.
    fn races(
        &self,
        subject: &Subject,
        recording: &Path,
        options: &[&str],
        marked: &Marked,
    ) -> Result<Marked, String> {
        let mut command = self.reweave.json("races", recording);
        command.args(options);
        let outcome = process::run(&mut command, LIMIT, self.scratch)?;
        if !matches!(outcome.end, End::Exit(0 | 66)) {
            return Err(format!("{}\n{}", outcome.end, outcome.stderr_text()));
        }
        let report: Report = serde_json::from_slice(&outcome.stdout)
            .map_err(|error| format!("{error}: {}", outcome.stdout_text()))?;
        let source = format!("{}.java", subject.class());
        let mut seen = Marked::new();
        for race in &report.races {
            for side in [&race.first, &race.second] {
                let line = side.line(&source);
                let expected = marked.iter().any(|(marked, _)| Some(*marked) == line);
                match line.filter(|_| expected) {
                    Some(line) => seen.insert((line, race.location.clone())),
                    None => {
                        return Err(format!(
                            "a race on {} in line {line:?}, where none is:\n{}",
                            race.location,
                            outcome.stdout_text()
                        ));
                    }
                };
            }
        }
        match report.files.iter().flat_map(|file| &file.notes).next() {
            Some(note) => Err(note.clone()),
            None => Ok(marked.intersection(&seen).cloned().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Subject;

    #[test]
    fn the_marks_are_understood() {
        let subjects = Subject::all().unwrap();
        assert!(subjects.len() >= 25);
        let lost = subjects
            .iter()
            .find(|subject| subject.name == "races/LostUpdate")
            .unwrap();
        let marked: Vec<_> = lost.races.iter().collect();
        assert_eq!(marked, [&(7, "LostUpdate.count".to_owned())]);
    }
}
