//! End-to-end checks: the real command and agent on the programs in `programs/java`. One file per check.

mod bad_input;
mod control;
mod deadlock;
mod debugger;
mod kill;
mod replays;

use crate::jdk::Jdk;
use crate::programs::{self, Program};
use crate::reweave::Reweave;
use crate::trial::Bench;
use crate::{Verdict, workspace};
use std::path::PathBuf;

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

/// Runs every check.
pub fn run(harness: &Harness, tally: &mut Tally) {
    replays::check(harness, tally);
    control::check(harness, tally);
    deadlock::check(harness, tally);
    kill::check(harness, tally);
    debugger::check(harness, tally);
    bad_input::check(harness, tally);
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
