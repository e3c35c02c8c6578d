//! `cargo xtask soak`: many recordings of every program, each replayed once, and what came out, counted.
//!
//! Many recordings say more than many replays of one. Plain runs show how much the program varies by itself, and replays
//! with enforcement off show that the same output is not luck. A soak that was stopped goes on where it was.

mod kills;
mod modes;
mod results;
mod summary;

use crate::jdk::Jdk;
use crate::programs::{self, Compiled, Kind, Program};
use crate::reweave::Reweave;
use crate::trial::{Bench, Conditions, Trial};
use crate::{Ended, build, setup, workspace};
use clap::Args;
use results::{Results, Run};
use std::fs;
use std::path::PathBuf;

/// Every so many recordings, one is also replayed with enforcement off.
const UNENFORCED_EVERY: usize = 5;

#[derive(Args)]
pub struct Options {
    /// Recordings, and plain runs, of each program on each JDK
    #[arg(long, value_name = "N", default_value_t = 100)]
    recordings: usize,
    /// Only these programs, with commas between them; `*` stands for anything
    #[arg(long, value_name = "GLOB", default_value = "*")]
    programs: String,
    /// Only the JDK of this major version, or `all`
    #[arg(long, value_name = "VERSION", default_value = "all")]
    jdk: String,
    /// Where results are kept; what is there already is not run again
    #[arg(long, value_name = "FILE", default_value = "soak/results.jsonl")]
    results: PathBuf,
    /// An option for the JVM, as in -XX:+UseZGC; to be used with --results of its own
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    jvm_option: Option<String>,
    /// Instead: this many recordings that are killed at a random moment, on each JDK
    #[arg(long, value_name = "N", conflicts_with_all = ["recordings", "programs"])]
    kills: Option<usize>,
    /// Instead: leave each way to access memory unordered, one after the other, and see that a program notices
    #[arg(long, conflicts_with_all = ["recordings", "programs", "kills"])]
    modes: bool,
}

pub fn run(options: &Options) -> Ended {
    let jdks = chosen(setup::jdks()?, &options.jdk)?;
    let reweave = build::run()?;
    // A program that never ends has no result to compare; `cargo xtask test` looks after it.
    let ends = |program: &Program| program.kind != Kind::Deadlock;
    let programs: Vec<Program> = programs::matching(&options.programs)?
        .into_iter()
        .filter(ends)
        .collect();
    let mut soak = Soak {
        reweave,
        results: Results::open(&workspace::root().join(&options.results))?,
        scratch: workspace::scratch("soak")?,
        jvm_option: options.jvm_option.clone(),
    };
    if let Some(kills) = options.kills {
        return kills::run(&soak, &jdks, kills);
    }
    if options.modes {
        return modes::run(&soak, &jdks);
    }
    for program in &programs {
        for jdk in &jdks {
            if let Some(why) = program.unfit(jdk) {
                println!("{} on JDK {} is left out: {why}", program.name, jdk.major);
                continue;
            }
            let compiled = program.compile(jdk)?;
            for number in 0..options.recordings {
                soak.plain(&compiled, jdk, number)?;
                soak.recording(&compiled, jdk, number)?;
            }
            println!("{}", summary::Row::of(&soak.results, program, jdk));
        }
    }
    Ok(summary::print(&soak.results, &programs, &jdks))
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
    results: Results,
    scratch: PathBuf,
    jvm_option: Option<String>,
}

impl Soak {
    fn plain(&mut self, compiled: &Compiled, jdk: &Jdk, number: usize) -> Result<(), String> {
        let program = compiled.program;
        if self
            .results
            .of(program, jdk)
            .any(|line| line.number == number && matches!(line.run, Run::Plain { .. }))
        {
            return Ok(());
        }
        let options: Vec<&str> = self.jvm_option.as_deref().into_iter().collect();
        let mut java = compiled.with_options(&options);
        let outcome = program.run(&mut java, &self.scratch)?;
        program
            .check(&outcome)
            .map_err(|why| format!("{} without reweave: {why}", program.name))?;
        self.results.add(
            program,
            jdk,
            number,
            Run::Plain {
                result: program.result(&outcome).digest(),
            },
        )
    }

    fn recording(&mut self, compiled: &Compiled, jdk: &Jdk, number: usize) -> Result<(), String> {
        let program = compiled.program;
        if self
            .results
            .of(program, jdk)
            .any(|line| line.number == number && matches!(line.run, Run::Recording { .. }))
        {
            return Ok(());
        }
        let bench = Bench {
            reweave: &self.reweave,
            scratch: &self.scratch,
        };
        let options: Vec<&str> = self.jvm_option.as_deref().into_iter().collect();
        let conditions = Conditions {
            jvm_options: &options,
            ..Conditions::default()
        };
        let trial = bench.trial_under(compiled, &conditions)?;
        if let Some(why) = &trial.wrong {
            println!(
                "  {} on JDK {}, recording {number}: {why}",
                program.name, jdk.major
            );
            self.keep(
                &trial,
                why,
                &format!("{}-jdk{}-{number}", program.name, jdk.major),
            )?;
        }
        let differs_unenforced = if number.is_multiple_of(UNENFORCED_EVERY) {
            Some(bench.differs_unenforced(&trial)?)
        } else {
            None
        };
        let run = Run::Recording {
            result: trial.recorded.digest(),
            wrong: trial.wrong,
            differs_unenforced,
        };
        self.results.add(program, jdk, number, run)
    }

    /// Keeps a recording that did not replay, with the reason beside it.
    fn keep(&self, trial: &Trial, why: &str, name: &str) -> Result<(), String> {
        let folder = self.results.folder().join("failures").join(name);
        workspace::create(&folder)?;
        // If there is no recording at all, the reason says so.
        let _ = fs::copy(&trial.recording, folder.join("recording.rwv"));
        fs::write(folder.join("stdout"), &trial.recorded.stdout)
            .and_then(|()| fs::write(folder.join("why"), why))
            .map_err(|error| format!("cannot write to {}: {error}", folder.display()))
    }
}
