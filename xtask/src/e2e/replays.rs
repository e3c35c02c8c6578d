//! Every program on every JDK: record it a few times, replay each recording once, and compare what a user can see.

use super::{Harness, Tally};
use crate::programs::Kind;

const RECORDINGS: usize = 3;

pub fn check(harness: &Harness, tally: &mut Tally) {
    for jdk in &harness.jdks {
        tally.heading(&format!("record and replay, {jdk}"));
        for program in &harness.programs {
            if program.kind == Kind::Deadlock {
                continue;
            }
            if let Some(why) = program.unfit(jdk) {
                println!("  skip  {} on JDK {}: {why}", program.name, jdk.major);
                continue;
            }
            let result = program.compile(jdk).and_then(|compiled| {
                (1..=RECORDINGS).try_for_each(|number| {
                    match harness.bench().trial(&compiled)?.wrong {
                        Some(why) => Err(format!("recording {number}: {why}")),
                        None => Ok(()),
                    }
                })
            });
            tally.check(&format!("{} on JDK {}", program.name, jdk.major), result);
        }
    }
}
