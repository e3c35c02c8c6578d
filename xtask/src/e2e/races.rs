//! Races are found where they are, and only there: a few recordings of each program; `cargo xtask races` makes more.

use super::{Harness, Tally};
use crate::races::{Bench, Subject};

const RECORDINGS: usize = 2;

/// They depend on the schedule: a few recordings may miss them.
const RARE: &[&str] = &["races/DoubleChecked", "races/UnsafePublication"];

pub fn check(harness: &Harness, tally: &mut Tally) {
    // A choice of programs is one of those that are replayed.
    if harness.program("racy-counter").is_none() {
        return;
    }
    tally.heading("races");
    let Some(jdk) = harness.jdks.first() else {
        return;
    };
    let bench = Bench {
        reweave: &harness.reweave,
        jdk,
        scratch: &harness.scratch,
    };
    let subjects = match Subject::all() {
        Ok(subjects) => subjects,
        Err(why) => return tally.check("programs", Err(why)),
    };
    for subject in subjects {
        let result = match bench.check(&subject, RECORDINGS) {
            Err(why) if why.starts_with("not found") && RARE.contains(&&*subject.name) => Ok(why),
            other => other,
        };
        tally.check_with(&subject.name, result);
    }
}
