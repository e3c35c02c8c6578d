//! `cargo xtask test`: all that CI checks, cheapest first, with one line of result at the end.

use crate::e2e::{self, Chosen, Harness, Tally};
use crate::reweave::Reweave;
use crate::{Ended, build, native, setup, workspace};
use clap::Args;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

#[derive(Args)]
pub struct Options {
    /// Only what needs no JVM: format, lints and unit tests
    #[arg(long)]
    no_programs: bool,
    /// Only these programs, end to end, and nothing else; `*` stands for anything
    #[arg(long, value_name = "GLOB", conflicts_with = "no_programs")]
    programs: Option<String>,
    /// Only this end-to-end check, by the name of its file in xtask/src/e2e, or `native`
    #[arg(long, value_name = "NAME", conflicts_with = "no_programs")]
    only: Option<String>,
}

pub fn run(options: &Options) -> Ended {
    let started = Instant::now();
    let jdks = setup::jdks()?;
    let mut tally = Tally::default();
    if options.programs.is_none() && options.only.is_none() {
        tally.heading("format and lints");
        tally.check(
            "cargo fmt --check",
            step(workspace::cargo(&["fmt", "--all", "--check"])),
        );
        let clippy = [
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ];
        tally.check("cargo clippy", step(workspace::cargo(&clippy)));
        tally.heading("unit tests");
        unit_tests(&mut tally)?;
        tally.heading("class rewriter, java.base of the default JDK");
        tally.check("cargo xtask rewriter", crate::rewriter(false));
    }
    if !options.no_programs {
        let reweave = build::run()?;
        let pattern = options.programs.as_deref().unwrap_or("*");
        let native = Reweave::at(reweave.binary().to_owned());
        if options.only.as_deref() == Some("native") {
            native::check(native, &mut tally)?;
            return Ok(tally.finish());
        }
        let harness = Harness::new(reweave, jdks, pattern)?;
        let chosen = options.only.clone().map_or(Chosen::All, Chosen::Only);
        e2e::run(&harness, &chosen, &mut tally)?;
        if options.programs.is_none() && options.only.is_none() {
            native::check(native, &mut tally)?;
        }
    }
    println!("\n{} s", started.elapsed().as_secs());
    Ok(tally.finish())
}

/// Runs a command whose output matters only if it fails.
fn step(mut command: Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Runs the unit tests of all crates and takes their own counts over.
fn unit_tests(tally: &mut Tally) -> Result<(), String> {
    let mut child = workspace::cargo(&["test", "--quiet", "--workspace", "--no-fail-fast"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let mut counted = Counts::default();
    let mut output = String::new();
    for line in BufReader::new(child.stdout.take().expect("stdout is piped")).lines() {
        let line = line.map_err(|error| format!("cannot read from cargo test: {error}"))?;
        counted.add(&line);
        output.push_str(&line);
        output.push('\n');
    }
    let status = child
        .wait()
        .map_err(|error| format!("cannot wait for cargo test: {error}"))?;
    if !status.success() {
        print!("{output}");
        // Tests that do not even build fail no test of their own.
        counted.failed = counted.failed.max(1);
    }
    println!("  {} passed, {} failed", counted.passed, counted.failed);
    tally.add(counted.passed, counted.failed);
    Ok(())
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: usize,
    failed: usize,
}

impl Counts {
    /// Adds what a line like `test result: ok. 3 passed; 0 failed; …` says.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        for part in result.split(['.', ';']) {
            match part.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<usize>().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse::<usize>().unwrap_or(0),
                _ => (),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn counts_come_from_cargos_result_lines() {
        let mut counts = Counts::default();
        counts.add("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.03s");
        counts.add("running 3 tests");
        counts.add("test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
        assert_eq!(
            counts,
            Counts {
                passed: 14,
                failed: 1
            }
        );
    }
}
