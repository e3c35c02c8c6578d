//! Not every access is written down. Each rule that leaves some out has a program that fails once the rule leaves out more than it may.

use super::{Harness, Tally};
use crate::trial::Conditions;

/// What is left out too eagerly, a program that needs it, and why.
const TOO_EAGER: &[(&str, &str, &str)] = &[
    ("fields", "racy-counter", "fields without order"),
    ("elements", "racy-arrays", "elements without order"),
    (
        "repeated-reads",
        "racy-spin-flag",
        "what was read before is not read in order again",
    ),
    (
        "late-writes",
        "racy-late-write",
        "who made an object writes to it without regard to those who read it",
    ),
];
/// One of so many recordings has to go wrong.
const TRIES: usize = 10;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("rules that leave out too much");
    for (rule, name, why) in TOO_EAGER {
        let Some(program) = harness.program(name) else {
            continue;
        };
        let conditions = Conditions {
            unordered: Some(rule),
            ..Conditions::default()
        };
        let result = program.compile(&harness.jdks[0]).and_then(|compiled| {
            for _ in 0..TRIES {
                let trial = harness.bench().trial_under(&compiled, &conditions)?;
                if trial.wrong.is_some() {
                    return Ok(());
                }
            }
            Err(format!(
                "{TRIES} of {TRIES} recordings replayed all the same"
            ))
        });
        tally.check(&format!("{name} notices: {why}"), result);
    }
}
