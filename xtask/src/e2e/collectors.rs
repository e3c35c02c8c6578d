//! Racy programs with every collector: the words that order accesses are fields that the collectors move about, and numbers in headers that they use too.

use super::{Harness, Tally};
use crate::programs::Level;
use crate::trial::Conditions;

const COLLECTORS: &[&str] = &[
    "-XX:+UseG1GC",
    "-XX:+UseSerialGC",
    "-XX:+UseParallelGC",
    "-XX:+UseZGC",
];
/// Little memory, so that there is something to collect.
const HEAP: &str = "-Xmx24m";

pub fn check(harness: &Harness, tally: &mut Tally) {
    let racy = || harness.programs.iter().filter(|p| p.level == Level::Access);
    for jdk in &harness.jdks {
        tally.heading(&format!("racy programs with every collector, {jdk}"));
        for collector in COLLECTORS {
            let result = racy().try_for_each(|program| {
                let conditions = Conditions {
                    jvm_options: &[collector, HEAP],
                    ..Conditions::default()
                };
                let compiled = program.compile(jdk)?;
                match harness.bench().trial_under(&compiled, &conditions)?.wrong {
                    Some(why) => Err(format!("{}: {why}", program.name)),
                    None => Ok(()),
                }
            });
            tally.check(&format!("{collector} on JDK {}", jdk.major), result);
        }
    }
}
