//! `cargo xtask real`: programs that others wrote, unmodified, recorded many times, each recording replayed once, with everything that they found outside taken away.
//!
//! A replay must print what was recorded, or end with a reason: a divergence or a stall. It never hangs.

mod subjects;

use crate::jdk::Jdk;
use crate::process::{self, End};
use crate::reweave::{Enforcement, Replayed, Report, Reweave};
use crate::{Ended, Verdict, build, setup, workspace};
use clap::Args;
use serde_json::json;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use subjects::{Prepared, Subject};

/// The largest takes a few seconds, recorded or replayed, on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

#[derive(Args)]
pub struct Options {
    /// Only the program of this name
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Recordings of each
    #[arg(long, value_name = "N", default_value_t = 20)]
    recordings: usize,
    /// The JDK of this major version instead of the default one
    #[arg(long, value_name = "VERSION")]
    jdk: Option<u32>,
    /// Results are appended here, a line for each recording
    #[arg(long, value_name = "FILE", default_value = "soak/real.jsonl")]
    results: PathBuf,
}

/// What became of one recording.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Identical,
    /// The replay ended with a reason.
    Typed,
    /// It ended in another way, or printed something else without saying so.
    Wrong,
}

pub fn run(options: &Options) -> Ended {
    let jdks = setup::jdks()?;
    let jdk = match options.jdk {
        None => jdks.first(),
        Some(major) => jdks.iter().find(|jdk| jdk.major == major),
    }
    .ok_or("there is no JDK of that version here")?;
    let reweave = build::run()?;
    let results = workspace::root().join(&options.results);
    workspace::create(results.parent().ok_or("the results need a folder")?)?;
    let bench = Bench {
        reweave,
        jdk,
        scratch: workspace::scratch("real")?,
        results,
    };
    let wanted = |subject: &&Subject| {
        options
            .only
            .as_deref()
            .is_none_or(|name| name == subject.name)
    };
    let chosen: Vec<&Subject> = subjects::ALL.iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err("there is no such program".to_owned());
    }
    println!(
        "| program | identical | ended with a reason | wrong | different outputs |\n|---|---|---|---|---|"
    );
    let (mut exact, mut wrong) = (0, 0);
    for subject in &chosen {
        let row = bench.row(subject, options.recordings)?;
        println!(
            "| {} | {} of {} | {} | {} | {} |",
            subject.name, row.identical, options.recordings, row.typed, row.wrong, row.outputs
        );
        exact += usize::from(row.identical == options.recordings);
        wrong += row.wrong;
    }
    println!("\n{exact} of {} identical in every recording", chosen.len());
    // Four in five may be asked of all of them; a wrong or endless replay of none.
    let enough = exact * 5 >= chosen.len() * 4;
    Ok(if enough && wrong == 0 {
        Verdict::Good
    } else {
        Verdict::Bad
    })
}

#[derive(Default)]
struct Row {
    identical: usize,
    typed: usize,
    wrong: usize,
    outputs: usize,
}

struct Bench<'a> {
    reweave: Reweave,
    jdk: &'a Jdk,
    scratch: PathBuf,
    results: PathBuf,
}

impl Bench<'_> {
    fn row(&self, subject: &Subject, recordings: usize) -> Result<Row, String> {
        let prepared = subject.prepare(self.jdk)?;
        let mut row = Row::default();
        let mut outputs = HashSet::new();
        for number in 0..recordings {
            let (fate, why, output) = self.trial(subject, &prepared)?;
            match fate {
                Fate::Identical => row.identical += 1,
                Fate::Typed => row.typed += 1,
                Fate::Wrong => row.wrong += 1,
            }
            outputs.insert(output);
            if fate != Fate::Identical {
                println!("  {} recording {number}: {why}", subject.name);
                self.keep(subject, number)?;
            }
            self.note(subject, number, fate, &why)?;
        }
        row.outputs = outputs.len();
        Ok(row)
    }

    fn recording(&self, subject: &Subject) -> PathBuf {
        self.scratch.join(format!("{}.rwv", subject.name))
    }

    /// Runs a command in an empty folder.
    fn run_in_folder(&self, mut command: Command) -> Result<process::Outcome, String> {
        let folder = self.scratch.join("folder");
        let _ = fs::remove_dir_all(&folder);
        workspace::create(&folder)?;
        process::run(command.current_dir(&folder), LIMIT, &self.scratch)
    }

    fn trial(
        &self,
        subject: &Subject,
        prepared: &Prepared,
    ) -> Result<(Fate, String, Vec<u8>), String> {
        let recording = self.recording(subject);
        let report = self.scratch.join("report.json");
        let _ = fs::remove_file(&recording);
        let record = self
            .reweave
            .record_at(subject.level, &prepared.java(), &recording);
        let recorded = self.run_in_folder(record)?;
        let said = [&recorded.stdout[..], &recorded.stderr[..]].concat();
        let printed = String::from_utf8_lossy(&said).contains(subject.line);
        if recorded.end != End::Exit(0) || !printed {
            let why = format!(
                "while recording: {}\n{}",
                recorded.end,
                recorded.stderr_text()
            );
            return Ok((Fate::Wrong, why, said));
        }
        let replay = self.reweave.replay(&recording, &report, Enforcement::On);
        let replayed = self.run_in_folder(replay)?;
        let verdict = Report::read(&report).map(|report| report.verdict);
        let (fate, why) = match verdict {
            Ok(Replayed::Followed) if replayed.stdout == recorded.stdout => {
                (Fate::Identical, String::new())
            }
            Ok(Replayed::Diverged | Replayed::Stalled) => (Fate::Typed, replayed.stderr_text()),
            Ok(other) => (Fate::Wrong, format!("verdict {other:?}, {}", replayed.end)),
            Err(why) => (Fate::Wrong, format!("{}: {why}", replayed.end)),
        };
        Ok((fate, why, said))
    }

    /// Keeps a recording that was not replayed exactly.
    fn keep(&self, subject: &Subject, number: usize) -> Result<(), String> {
        let folder = self.results.with_extension("failures");
        workspace::create(&folder)?;
        let to = folder.join(format!("{}-{number}.rwv", subject.name));
        fs::copy(self.recording(subject), &to)
            .map(|_| ())
            .map_err(|error| format!("cannot write {}: {error}", to.display()))
    }

    fn note(&self, subject: &Subject, number: usize, fate: Fate, why: &str) -> Result<(), String> {
        let fate = match fate {
            Fate::Identical => "identical",
            Fate::Typed => "ended with a reason",
            Fate::Wrong => "wrong",
        };
        let line = json!({
            "program": subject.name,
            "jdk": self.jdk.major,
            "commit": workspace::commit(),
            "number": number,
            "replay": fate,
            "why": why.lines().take(12).collect::<Vec<_>>(),
        });
        append(&self.results, &line.to_string())
    }
}

fn append(path: &Path, line: &str) -> Result<(), String> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{line}"))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
