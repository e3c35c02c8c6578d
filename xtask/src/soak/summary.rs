//! The table at the end of a soak, counted from the results file.

use super::results::{Results, Run};
use crate::Verdict;
use crate::jdk::Jdk;
use crate::programs::{Kind, Program};
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

    /// Why the row proves less than it seems to, if so.
    fn doubt(&self, program: &Program) -> Option<&'static str> {
        // As much as it promises for 30 plain runs, or in proportion if fewer were made.
        if self.distinct_plain.len() < program.distinct_min * self.plain.min(30) / 30 {
            return Some("hardly varies by itself, so identical replays say little");
        }
        match program.kind {
            Kind::Varies if self.unenforced > 0 && self.unenforced_differ == 0 => {
                Some("is identical with enforcement off, too, so it may be luck")
            }
            // It prints the same in any schedule: whatever differs is not the schedule.
            Kind::Parallel if self.unenforced_differ > 0 => {
                Some("cannot differ, but does with enforcement off: the control is broken")
            }
            Kind::Varies | Kind::Parallel | Kind::Deadlock => None,
        }
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

/// Prints the table; bad if any replay was not identical or a figure is in doubt.
pub fn print(results: &Results, programs: &[Program], jdks: &[Jdk]) -> Verdict {
    let commits: Vec<&str> = results.commits().into_iter().collect();
    println!("\nCommit {}\n\n{}", commits.join(", "), Row::HEAD);
    let (mut identical, mut recordings, mut doubts) = (0, 0, Vec::new());
    for program in programs {
        for jdk in jdks.iter().filter(|jdk| program.unfit(jdk).is_none()) {
            let row = Row::of(results, program, jdk);
            println!("{row}");
            identical += row.identical;
            recordings += row.recordings;
            doubts.extend(
                row.doubt(program)
                    .map(|doubt| format!("{} on JDK {}: {doubt}", program.name, jdk.major)),
            );
        }
    }
    println!("\n{identical} of {recordings} replays were identical to their recordings.");
    for doubt in &doubts {
        println!("{doubt}");
    }
    if identical == recordings && doubts.is_empty() {
        Verdict::Good
    } else {
        Verdict::Bad
    }
}
