//! The negative control: without enforcement a replay must be able to come out differently, or identical replays mean nothing.

use super::{Harness, Tally};
use crate::programs::{Kind, Program};

/// Results that vary this much are not the same by chance several times in a row.
const PROGRAM: &str = "nested-locks";
const TRIES: usize = 3;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("replays with enforcement off");
    if let Some(program) = harness.program(PROGRAM) {
        let differs = differing(harness, program).and_then(|differing| match differing {
            0 => Err(format!("{TRIES} of {TRIES} came out as recorded")),
            _ => Ok(()),
        });
        tally.check(&format!("{PROGRAM} comes out differently"), differs);
    }
    // And the control itself must not see differences where there can be none.
    for program in harness
        .programs
        .iter()
        .filter(|program| program.kind == Kind::Parallel)
    {
        let same = differing(harness, program).and_then(|differing| match differing {
            0 => Ok(()),
            _ => Err(format!(
                "{differing} of {TRIES} came out differently, which no schedule explains"
            )),
        });
        tally.check(&format!("{} comes out the same", program.name), same);
    }
}

/// How many of several recordings came out differently without enforcement.
fn differing(harness: &Harness, program: &Program) -> Result<usize, String> {
    let compiled = program.compile(&harness.jdks[0])?;
    let bench = harness.bench();
    let mut differing = 0;
    for _ in 0..TRIES {
        let trial = bench.trial(&compiled)?;
        differing += usize::from(bench.differs_unenforced(&trial)?);
    }
    Ok(differing)
}
