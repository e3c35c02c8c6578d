//! `verify`: checks every byte of a recording, and that its events can be put in order.

use crate::cli;
use crate::exit::{Exit, Failure};
use crate::report::count;
use crate::report::terminal::Terminal;
use crate::store::Store;
use reweave_analysis::order::Cut;
use reweave_trace::Trace;
use reweave_trace::file::verify::verify;
use serde_json::json;

/// What was found out about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Whole,
    /// The program was killed, or is still running; what is there is sound.
    Incomplete,
    Damaged,
}

pub fn run(options: &cli::OneRun, terminal: &Terminal) -> Result<Exit, Failure> {
    let path = Store::find()?.resolve(&options.run)?;
    let report = verify(&path)?;
    let mut damage: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
    let (lost, missing): (Vec<_>, Vec<_>) =
        report.faults.iter().partition(|fault| fault.is_damage());
    damage.extend(lost.iter().map(ToString::to_string));
    let mut missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
    if report.errors.is_empty() {
        let trace = Trace::open(&path)?;
        for process in &trace.processes {
            let cut = Cut::of(process);
            if !cut.is_whole() {
                let text = format!(
                    "process {}: what came before {} is missing",
                    process.path,
                    count(cut.left_out, "event")
                );
                if trace.complete {
                    damage.push(text)
                } else {
                    missing.push(text)
                }
            }
        }
    }
    let verdict = match (damage.is_empty(), missing.is_empty()) {
        (false, _) => Verdict::Damaged,
        (true, false) => Verdict::Incomplete,
        (true, true) => Verdict::Whole,
    };
    let name = match verdict {
        Verdict::Whole => "whole",
        Verdict::Incomplete => "incomplete",
        Verdict::Damaged => "damaged",
    };
    if terminal.json {
        terminal.result(&json!({
            "verdict": name,
            "file": path,
            "sections": report.sections,
            "damage": damage,
            "missing": missing,
        }))?;
    } else {
        terminal.print(|out| {
            for text in damage.iter().chain(&missing) {
                writeln!(out, "{text}")?;
            }
            writeln!(
                out,
                "{}: {name}, {}",
                path.display(),
                count(report.sections as u64, "section")
            )
        })?;
    }
    Ok(match verdict {
        Verdict::Whole | Verdict::Incomplete => Exit::SUCCESS,
        Verdict::Damaged => Exit::FOUND,
    })
}
