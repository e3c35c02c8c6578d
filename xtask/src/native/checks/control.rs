//! With enforcement off the same programs print something else: it is the recording that holds them.

use super::super::Harness;
use super::super::programs::{self, Build, Level};
use crate::e2e::Tally;
use crate::reweave::Enforcement;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("native programs that are not held to their recording");
    for name in ["bounded-buffer", "world"] {
        tally.check(name, once(harness, name));
    }
}

fn once(harness: &Harness, name: &str) -> Result<(), String> {
    let program = programs::named(name)?;
    let compiler = harness
        .compilers
        .iter()
        .find(|compiler| compiler.language == program.language)
        .ok_or("there is no compiler for it")?;
    let binary = program.compile(harness, compiler, Build::Plain)?;
    let trials = harness.trials();
    let recorded = trials.trial(&program, &binary, &program.record_options(Level::Sync))?;
    for _ in 0..20 {
        let (free, _) = trials.replay(Enforcement::Off)?;
        if free.stdout != recorded.stdout {
            return Ok(());
        }
    }
    Err("20 runs without enforcement printed what was recorded".to_owned())
}
