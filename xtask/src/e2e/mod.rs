//! End-to-end checks: the real command and agent on the programs in `programs/java`. One file per check.

mod bad_input;
mod changed;
mod children;
mod coexist;
mod collectors;
mod control;
mod deadlock;
mod debugger;
mod disk;
mod display;
mod effects;
mod filters;
mod goto;
mod jdb;
mod keep_last;
mod kill;
mod observe;
mod outside;
mod races;
mod replays;
mod stall;
mod surefire;
mod suspend;

use crate::jdk::Jdk;
use crate::process::{Outcome, Running};
use crate::programs::{self, Program};
use crate::reweave::{Replayed, Report, Reweave};
use crate::trial::{Bench, LIMIT};
use crate::{Verdict, workspace};
use std::path::{Path, PathBuf};

/// What the checks work with.
pub struct Harness {
    pub reweave: Reweave,
    /// The default JDK first.
    pub jdks: Vec<Jdk>,
    pub programs: Vec<Program>,
    pub scratch: PathBuf,
}

impl Harness {
    pub fn new(reweave: Reweave, jdks: Vec<Jdk>, pattern: &str) -> Result<Harness, String> {
        Ok(Harness {
            reweave,
            jdks,
            programs: programs::matching(pattern)?,
            scratch: workspace::scratch("e2e")?,
        })
    }

    /// Where recordings are made and replayed.
    pub fn bench(&self) -> Bench<'_> {
        Bench {
            reweave: &self.reweave,
            scratch: &self.scratch,
        }
    }

    /// The program of that name, if it is among those chosen.
    pub fn program(&self, name: &str) -> Option<&Program> {
        self.programs.iter().find(|program| program.name == name)
    }
}

/// A check by the name of its file.
struct Check {
    name: &'static str,
    run: fn(&Harness, &mut Tally),
}

macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        &[$(Check { name: stringify!($name), run: $name::check }),*]
    };
}

const CHECKS: &[Check] = checks![
    replays, collectors, filters, control, deadlock, kill, debugger, suspend, goto, stall,
    children, outside, changed, disk, effects, bad_input, observe, races, surefire, coexist,
    display, keep_last,
];

/// Which checks to make.
#[derive(Clone, Debug)]
pub enum Chosen {
    All,
    Only(String),
}

/// Makes the chosen checks.
pub fn run(harness: &Harness, chosen: &Chosen, tally: &mut Tally) -> Result<(), String> {
    let is_chosen = |check: &&Check| match chosen {
        Chosen::All => true,
        Chosen::Only(name) => check.name == name,
    };
    let mut made = 0;
    for check in CHECKS.iter().filter(is_chosen) {
        (check.run)(harness, tally);
        made += 1;
    }
    match made {
        0 => {
            let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
            Err(format!("no such check; there are {}", names.join(", ")))
        }
        _ => Ok(()),
    }
}

/// Waits for a replay and says what a user could see of it that was not recorded.
fn same_result(recorded: &Outcome, replay: &mut Running, report: &Path) -> Result<(), String> {
    let end = replay.wait(LIMIT);
    let complaint = String::from_utf8_lossy(&replay.stderr()?).into_owned();
    if end != recorded.end {
        return Err(format!(
            "the recording ended with {}, the replay with {end}\n{complaint}",
            recorded.end
        ));
    }
    let printed = replay.stdout()?;
    if printed != recorded.stdout {
        return Err(format!(
            "recorded:\n{}replayed:\n{}{complaint}",
            recorded.stdout_text(),
            String::from_utf8_lossy(&printed)
        ));
    }
    match Report::read(report)?.verdict {
        Replayed::Followed => Ok(()),
        other => Err(format!(
            "the output is the same, but the verdict is {other:?}\n{complaint}"
        )),
    }
}

/// Counts checks and prints each as it is made.
#[derive(Default)]
pub struct Tally {
    passed: usize,
    failures: Vec<String>,
}

impl Tally {
    pub fn heading(&mut self, text: &str) {
        println!("\n{text}");
    }

    pub fn check(&mut self, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.passed += 1;
                println!("  ok    {name}");
            }
            Err(why) => {
                println!("  FAIL  {name}: {why}");
                self.failures.push(name.to_owned());
            }
        }
    }

    /// A check that has something to say when it passes.
    pub fn check_with(&mut self, name: &str, result: Result<String, String>) {
        match result {
            Ok(what) => self.check(&format!("{name}: {what}"), Ok(())),
            Err(why) => self.check(name, Err(why)),
        }
    }

    /// Takes over counts that something else made.
    pub fn add(&mut self, passed: usize, failed: usize) {
        self.passed += passed;
        self.failures
            .extend((0..failed).map(|_| "a unit test (see above)".to_owned()));
    }

    /// Repeats the failures' names and prints the line that CI looks for.
    pub fn finish(self) -> Verdict {
        for failure in &self.failures {
            println!("failed: {failure}");
        }
        println!("{} passed, {} failed", self.passed, self.failures.len());
        if self.failures.is_empty() {
            Verdict::Good
        } else {
            Verdict::Bad
        }
    }
}
