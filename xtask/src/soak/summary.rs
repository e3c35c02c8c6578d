//! The table at the end of a soak, counted from the results file.

use super::results::{Results, Run};
use crate::Verdict;
use crate::jdk::Jdk;
use crate::programs::Program;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Row {
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

    pub fn of(results: &Results, program: &Program, jdk: &Jdk) -> Row {
        let mut row = Row {
            name: program.name.clone(),
            jdk: jdk.major,
            ..Row::default()
        };
        for line in results.of(program, jdk) {
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

    /// Whether the program varied as much as it promises for 30 plain runs, or in proportion if fewer were made.
    fn varies_enough(&self, program: &Program) -> bool {
        self.distinct_plain.len() >= program.distinct_min * self.plain.min(30) / 30
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (plain, recorded) = (self.distinct_plain.len(), self.distinct_recorded.len());
        write!(
            f,
            "| {} | {} | {plain}/{} ",
            self.name, self.jdk, self.plain
        )?;
        write!(
            f,
            "| {recorded}/{} | {}/{} ",
            self.recordings, self.identical, self.recordings
        )?;
        write!(f, "| {}/{} |", self.unenforced_differ, self.unenforced)
    }
}

/// Prints the table; bad if any replay was not identical or a program hardly varied.
pub fn print(results: &Results, programs: &[Program], jdks: &[Jdk]) -> Verdict {
    let commits: Vec<&str> = results.commits().into_iter().collect();
    println!("\nCommit {}\n\n{}", commits.join(", "), Row::HEAD);
    let (mut identical, mut recordings, mut dull) = (0, 0, Vec::new());
    for program in programs {
        for jdk in jdks {
            let row = Row::of(results, program, jdk);
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
