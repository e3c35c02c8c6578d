//! `cargo xtask soak`: many recordings of every program, each replayed once, and what came out, counted.
//!
//! Many recordings say more than many replays of one. Plain runs show how much the program varies by itself, and replays
//! with enforcement off show that the same output is not luck. Every line of the results file is one run, so a soak that
//! was stopped goes on where it was.

use crate::e2e::LIMIT;
use crate::jdk::Jdk;
use crate::process;
use crate::programs::{self, Compiled, Kind, Program};
use crate::reweave::{Enforcement, Report, Reweave};
use crate::{Ended, Verdict, build, setup, workspace};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Every so many recordings, one is also replayed with enforcement off.
const UNENFORCED_EVERY: usize = 5;

#[derive(Args)]
pub struct Options {
    /// Recordings, and plain runs, of each program on each JDK
    #[arg(long, value_name = "N", default_value_t = 100)]
    recordings: usize,
    /// Only these programs; `*` stands for anything
    #[arg(long, value_name = "GLOB", default_value = "*")]
    programs: String,
    /// Only the JDK of this major version, or `all`
    #[arg(long, value_name = "VERSION", default_value = "all")]
    jdk: String,
    /// Where results are kept; what is there already is not run again
    #[arg(long, value_name = "FILE", default_value = "soak/results.jsonl")]
    results: PathBuf,
}

/// One line of the results file.
#[derive(Serialize, Deserialize)]
struct Line {
    program: String,
    jdk: u32,
    number: usize,
    commit: String,
    #[serde(flatten)]
    run: Run,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "run", rename_all = "lowercase")]
enum Run {
    Plain {
        result: String,
    },
    Recording {
        result: String,
        /// `None` when the replay was identical and followed the recording, otherwise what was wrong.
        wrong: Option<String>,
        /// Whether a replay with enforcement off gave another result, if one was made.
        differs_unenforced: Option<bool>,
    },
}

pub fn run(options: &Options) -> Ended {
    let jdks = chosen(setup::jdks()?, &options.jdk)?;
    let reweave = build::run()?;
    let programs = programs::matching(&options.programs)?;
    let results = workspace::root().join(&options.results);
    let mut soak = Soak::open(&results, reweave)?;
    for program in programs
        .iter()
        .filter(|program| program.kind != Kind::Deadlock)
    {
        for jdk in &jdks {
            let compiled = program.compile(jdk)?;
            for number in 0..options.recordings {
                soak.plain(&compiled, jdk, number)?;
                soak.recording(&compiled, jdk, number)?;
            }
            println!("{}", Row::of(&soak.lines, program, jdk));
        }
    }
    Ok(summary(&soak.lines, &programs, &jdks))
}

fn chosen(found: Vec<Jdk>, wanted: &str) -> Result<Vec<Jdk>, String> {
    if wanted == "all" {
        return Ok(found);
    }
    let have: Vec<String> = found.iter().map(|jdk| jdk.major.to_string()).collect();
    let chosen: Vec<Jdk> = found
        .into_iter()
        .filter(|jdk| jdk.major.to_string() == wanted)
        .collect();
    if chosen.is_empty() {
        return Err(format!(
            "no JDK {wanted} here; there is {}",
            have.join(", ")
        ));
    }
    Ok(chosen)
}

struct Soak {
    reweave: Reweave,
    lines: Vec<Line>,
    results: PathBuf,
    /// Beside the results: what is needed to look into a replay that was not identical.
    failures: PathBuf,
    scratch: PathBuf,
    commit: String,
}

impl Soak {
    fn open(results: &Path, reweave: Reweave) -> Result<Soak, String> {
        let folder = results.parent().expect("a file lies in a folder");
        workspace::create(folder)?;
        let text = if results.exists() {
            fs::read_to_string(results).map_err(|error| error.to_string())?
        } else {
            String::new()
        };
        let lines = text
            .lines()
            .enumerate()
            .map(|(at, line)| {
                serde_json::from_str(line)
                    .map_err(|error| format!("{} line {}: {error}", results.display(), at + 1))
            })
            .collect::<Result<_, _>>()?;
        Ok(Soak {
            reweave,
            lines,
            results: results.to_owned(),
            failures: folder.join("failures"),
            scratch: workspace::scratch("soak")?,
            commit: workspace::commit(),
        })
    }

    fn plain(&mut self, compiled: &Compiled, jdk: &Jdk, number: usize) -> Result<(), String> {
        if self.has(compiled.program, jdk, number, |run| {
            matches!(run, Run::Plain { .. })
        }) {
            return Ok(());
        }
        let outcome = process::run(&mut compiled.java(), LIMIT, &self.scratch)?;
        compiled
            .program
            .check(&outcome)
            .map_err(|why| format!("{} without reweave: {why}", compiled.program.name))?;
        self.add(
            compiled.program,
            jdk,
            number,
            Run::Plain {
                result: compiled.program.result(&outcome).digest(),
            },
        )
    }

    fn recording(&mut self, compiled: &Compiled, jdk: &Jdk, number: usize) -> Result<(), String> {
        let program = compiled.program;
        if self.has(program, jdk, number, |run| {
            matches!(run, Run::Recording { .. })
        }) {
            return Ok(());
        }
        let recording = self.scratch.join("soak.rwv");
        let _ = fs::remove_file(&recording);
        let recorded = process::run(
            &mut self.reweave.record(&compiled.java(), &recording),
            LIMIT,
            &self.scratch,
        )?;
        let result = program.result(&recorded);
        let replayed = self.replay(program, &recording, Enforcement::On)?;
        let wrong = program
            .check(&recorded)
            .map_err(|why| format!("while recording: {why}"))
            .err()
            .or_else(|| {
                result
                    .difference(&replayed.result)
                    .or(match replayed.verdict.as_str() {
                        Report::FOLLOWED => None,
                        verdict => Some(format!("verdict {verdict}")),
                    })
            });
        if let Some(why) = &wrong {
            println!(
                "  {} on JDK {}, recording {number}: {why}",
                program.name, jdk.major
            );
            self.keep(program, jdk, number, &recording, why)?;
        }
        let differs_unenforced = if number.is_multiple_of(UNENFORCED_EVERY) {
            Some(self.replay(program, &recording, Enforcement::Off)?.result != result)
        } else {
            None
        };
        self.add(
            program,
            jdk,
            number,
            Run::Recording {
                result: result.digest(),
                wrong,
                differs_unenforced,
            },
        )
    }

    fn replay(
        &self,
        program: &Program,
        recording: &Path,
        enforcement: Enforcement,
    ) -> Result<Replayed, String> {
        let report = self.scratch.join("report.json");
        let outcome = process::run(
            &mut self.reweave.replay(recording, &report, enforcement),
            LIMIT,
            &self.scratch,
        )?;
        let verdict = Report::read(&report).map_or_else(|why| why, |report| report.verdict);
        Ok(Replayed {
            result: program.result(&outcome),
            verdict,
        })
    }

    fn has(
        &self,
        program: &Program,
        jdk: &Jdk,
        number: usize,
        wanted: impl Fn(&Run) -> bool,
    ) -> bool {
        self.lines
            .iter()
            .any(|line| line.is_of(program, jdk) && line.number == number && wanted(&line.run))
    }

    fn add(&mut self, program: &Program, jdk: &Jdk, number: usize, run: Run) -> Result<(), String> {
        let line = Line {
            program: program.name.clone(),
            jdk: jdk.major,
            number,
            commit: self.commit.clone(),
            run,
        };
        let text = serde_json::to_string(&line).expect("a line has only strings and numbers");
        let write = || {
            writeln!(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&self.results)?,
                "{text}"
            )
        };
        write().map_err(|error| format!("cannot write {}: {error}", self.results.display()))?;
        self.lines.push(line);
        Ok(())
    }

    /// Keeps a recording that did not replay, with the reason beside it.
    fn keep(
        &self,
        program: &Program,
        jdk: &Jdk,
        number: usize,
        recording: &Path,
        why: &str,
    ) -> Result<(), String> {
        let folder = self
            .failures
            .join(format!("{}-jdk{}-{number}", program.name, jdk.major));
        workspace::create(&folder)?;
        // If there is no recording at all, the reason says so.
        let _ = fs::copy(recording, folder.join("recording.rwv"));
        let _ = fs::copy(self.scratch.join("stderr"), folder.join("replay-stderr"));
        fs::write(folder.join("why"), why)
            .map_err(|error| format!("cannot write to {}: {error}", folder.display()))
    }
}

struct Replayed {
    result: programs::ProgramResult,
    verdict: String,
}

impl Line {
    fn is_of(&self, program: &Program, jdk: &Jdk) -> bool {
        self.program == program.name && self.jdk == jdk.major
    }
}

/// One line of the summary, counted from the results file.
#[derive(Default)]
struct Row {
    name: String,
    jdk: u32,
    plain: usize,
    recordings: usize,
    distinct_plain: BTreeSet<String>,
    distinct_recorded: BTreeSet<String>,
    identical: usize,
    unenforced: usize,
    unenforced_differ: usize,
}

impl Row {
    const HEAD: &str = "| program | JDK | distinct plain | distinct recorded | identical | enforcement off: differ |\n|---|---|---|---|---|---|";

    fn of(lines: &[Line], program: &Program, jdk: &Jdk) -> Row {
        let mut row = Row {
            name: program.name.clone(),
            jdk: jdk.major,
            ..Row::default()
        };
        for line in lines.iter().filter(|line| line.is_of(program, jdk)) {
            match &line.run {
                Run::Plain { result } => {
                    row.plain += 1;
                    row.distinct_plain.insert(result.clone());
                }
                Run::Recording {
                    result,
                    wrong,
                    differs_unenforced,
                } => {
                    row.recordings += 1;
                    row.distinct_recorded.insert(result.clone());
                    row.identical += usize::from(wrong.is_none());
                    row.unenforced += usize::from(differs_unenforced.is_some());
                    row.unenforced_differ += usize::from(*differs_unenforced == Some(true));
                }
            }
        }
        row
    }

    /// Whether the program varied as much as it promises, scaled to the number of plain runs made.
    fn varies_enough(&self, program: &Program) -> bool {
        self.distinct_plain.len()
            >= program
                .distinct_min
                .min(self.plain * program.distinct_min / 30)
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "| {} | {} | {}/{} | {}/{} | {}/{} | {}/{} |",
            self.name,
            self.jdk,
            self.distinct_plain.len(),
            self.plain,
            self.distinct_recorded.len(),
            self.recordings,
            self.identical,
            self.recordings,
            self.unenforced_differ,
            self.unenforced
        )
    }
}

/// Prints the table; bad if any replay was not identical or a program hardly varied.
fn summary(lines: &[Line], programs: &[Program], jdks: &[Jdk]) -> Verdict {
    let commits: BTreeSet<&str> = lines.iter().map(|line| line.commit.as_str()).collect();
    println!(
        "\nCommit {}\n\n{}",
        commits.into_iter().collect::<Vec<_>>().join(", "),
        Row::HEAD
    );
    let (mut identical, mut recordings, mut dull) = (0, 0, Vec::new());
    for program in programs
        .iter()
        .filter(|program| program.kind != Kind::Deadlock)
    {
        for jdk in jdks {
            let row = Row::of(lines, program, jdk);
            println!("{row}");
            identical += row.identical;
            recordings += row.recordings;
            if !row.varies_enough(program) {
                dull.push(format!("{} on JDK {}", program.name, jdk.major));
            }
        }
    }
    println!("\n{identical} of {recordings} replays were identical to their recordings.");
    if !dull.is_empty() {
        println!("Hardly varied: {}", dull.join(", "));
    }
    if identical == recordings && dull.is_empty() {
        Verdict::Good
    } else {
        Verdict::Bad
    }
}
