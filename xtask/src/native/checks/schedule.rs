//! A schedule as text: printed, changed by hand, and made a recording again.

use super::super::Harness;
use super::super::programs::{self, Build};
use super::gdb::replays_as;
use crate::e2e::Tally;
use crate::process::{self, Outcome};
use crate::trial::LIMIT;
use std::path::Path;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("schedules as text");
    tally.check("changed and replayed", changed(harness));
    tally.check("as printed", unchanged(harness));
    tally.check("lines that cannot be followed", impossible(harness));
    tally.check("mistakes", mistakes(harness));
}

/// Records `two-steps` without interruption, so that no update is lost, and prints its schedule.
fn printed(harness: &Harness) -> Result<String, String> {
    let program = programs::named("two-steps")?;
    let binary = program.compile(harness, &harness.compilers[0], Build::Blocks)?;
    // With this seed both threads run, one after the other, before the first goes on.
    let options = ["--level", "serial", "--quantum", "0", "--seed", "1"].map(str::to_owned);
    let recorded = harness
        .trials()
        .record(&options, &[&binary.display().to_string()])?;
    if recorded.stdout_text() != "2\n" {
        return Err(format!("recorded {}", recorded.stdout_text()));
    }
    let mut view = harness.reweave.command();
    view.args(["view", "--schedule"])
        .arg(harness.trials().recording());
    let shown = process::run(&mut view, LIMIT, &harness.scratch)?;
    Ok(shown.stdout_text())
}

/// Runs the last recording's program by a schedule.
fn run_by(harness: &Harness, schedule: &str, save: &Path) -> Result<Outcome, String> {
    let file = harness.scratch.join("schedule.txt");
    std::fs::write(&file, schedule).map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(save);
    let mut replay = harness.reweave.command();
    replay
        .arg("replay")
        .arg(harness.trials().recording())
        .arg("--schedule")
        .arg(&file)
        .arg("--save")
        .arg(save);
    process::run(&mut replay, LIMIT, &harness.scratch)
}

/// The thread that ends first is stopped between its read and its write (its second block), and the other one goes on.
fn with_a_stop(schedule: &str) -> Result<String, String> {
    let ended = schedule
        .lines()
        .find(|line| line.contains(" ended "))
        .ok_or_else(|| format!("no thread ends in\n{schedule}"))?;
    let words: Vec<&str> = ended.split_whitespace().collect();
    let (first, second) = (words[0], words[4]);
    let lines = schedule.lines().map(|line| match line == ended {
        true => format!("{first} 2 callback - {second}\n{second} 3 ended - {first}\n{first} 3 ended - 1 # changed\n"),
        false if line.starts_with(second) => String::new(),
        false => format!("{line}\n"),
    });
    Ok(lines.collect())
}

fn changed(harness: &Harness) -> Result<(), String> {
    let schedule = with_a_stop(&printed(harness)?)?;
    let saved = harness.scratch.join("changed.rwv");
    let outcome = run_by(harness, &schedule, &saved)?;
    let (text, said) = (outcome.stdout_text(), outcome.stderr_text());
    if text != "1\n" || !said.contains("4 of 4 lines of the schedule were followed") {
        return Err(format!("{schedule}printed {text}{said}"));
    }
    for _ in 0..3 {
        replays_as(harness, &saved, "1\n")?;
    }
    replays_as(harness, &harness.trials().recording(), "2\n")
}

fn unchanged(harness: &Harness) -> Result<(), String> {
    let schedule = printed(harness)?;
    let saved = harness.scratch.join("unchanged.rwv");
    let outcome = run_by(harness, &schedule, &saved)?;
    if outcome.stdout_text() != "2\n" {
        return Err(format!("printed {}", outcome.stdout_text()));
    }
    let mut view = harness.reweave.command();
    view.args(["view", "--schedule"]).arg(&saved);
    let again = process::run(&mut view, LIMIT, &harness.scratch)?.stdout_text();
    match again == schedule {
        true => Ok(()),
        false => Err(format!("{schedule}became\n{again}")),
    }
}

fn impossible(harness: &Harness) -> Result<(), String> {
    let schedule = printed(harness)?;
    let first = schedule
        .lines()
        .position(|line| !line.starts_with('#'))
        .unwrap_or(0);
    let mut lines: Vec<&str> = schedule.lines().collect();
    lines.insert(first, "1 1 callback - 17");
    let saved = harness.scratch.join("impossible.rwv");
    let outcome = run_by(harness, &lines.join("\n"), &saved)?;
    let said = outcome.stderr_text();
    let expected = format!("line {} is the first that was not", first + 1);
    if outcome.stdout_text() == "2\n" && said.contains(&expected) {
        return replays_as(harness, &saved, "2\n");
    }
    Err(format!("`{expected}` was not said:\n{said}"))
}

fn mistakes(harness: &Harness) -> Result<(), String> {
    printed(harness)?;
    let saved = harness.scratch.join("mistake.rwv");
    let outcome = run_by(harness, "# nothing\n1 2 tired - 2\n", &saved)?;
    let said = outcome.stderr_text();
    match said.contains("line 2: `tired` is none of") && !saved.exists() {
        true => Ok(()),
        false => Err(said),
    }
}
