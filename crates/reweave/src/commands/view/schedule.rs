//! `view --schedule`: who went on when, as text that a person can change.

use crate::exit::{Exit, Failure};
use crate::report::terminal::Terminal;
use reweave_trace::Process;
use reweave_trace::schedule::{self, HEADING};
use serde_json::json;

pub fn print(process: &Process, terminal: &Terminal) -> Result<Exit, Failure> {
    let lines = schedule::of(process);
    if lines.is_empty() {
        return Err(
            Failure::new("this recording has no switches between threads").with_next(
                "record a native program with --level serial, in which one thread runs at a time",
            ),
        );
    }
    if terminal.json {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        terminal
            .result(&json!({"verdict": "shown", "process": process.number.0, "schedule": lines}))?;
        return Ok(Exit::SUCCESS);
    }
    terminal.print(|out| {
        writeln!(out, "# {}", process.main)?;
        writeln!(out, "{HEADING}")?;
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    })?;
    Ok(Exit::SUCCESS)
}
