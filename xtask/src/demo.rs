//! `cargo xtask demo`: three plain runs that differ, one recording, three replays that do not. Under a minute.

use crate::process::{self, Outcome};
use crate::programs::{self, Program};
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use crate::{Ended, Verdict, build, setup, workspace};
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "three-waiters";
/// Enough to see the columns without filling the screen.
const VIEW_LINES: usize = 20;

pub fn run() -> Ended {
    let jdks = setup::jdks()?;
    let reweave = build::run()?;
    let scratch = workspace::scratch("demo")?;
    let program = programs::matching(PROGRAM)?.remove(0);
    let compiled = program.compile(&jdks[0])?;
    let recording = scratch.join("demo.rwv");
    let report = scratch.join("report.json");

    println!(
        "\nThree threads wait, one notify wakes one of them: programs/java/{PROGRAM}. Three plain runs:"
    );
    for _ in 0..3 {
        show(&run_command(&mut compiled.java(), &scratch)?);
    }
    println!("\nOne recording:");
    println!("  $ reweave record -o demo.rwv -- java -cp … ThreeWaiters");
    let recorded = run_command(&mut reweave.record(&compiled.java(), &recording), &scratch)?;
    show(&recorded);
    println!("\nThree replays of it:");
    println!("  $ reweave replay demo.rwv");
    let mut same = true;
    for _ in 0..3 {
        let replayed = run_command(
            &mut reweave.replay(&recording, &report, Enforcement::On),
            &scratch,
        )?;
        show(&replayed);
        same &= is_same(&program, &recorded, &replayed);
    }
    println!("\nWhat happened, a column per thread:");
    println!("  $ reweave view demo.rwv --columns");
    let view = process::run(
        reweave
            .command()
            .arg("view")
            .arg(&recording)
            .arg("--columns"),
        LIMIT,
        &scratch,
    )?;
    for line in view.success("reweave view")?.lines().take(VIEW_LINES) {
        println!("  {line}");
    }
    println!("  …");
    if !same {
        println!("\nThe replays differ from the recording: that is a bug in reweave.");
        return Ok(Verdict::Bad);
    }
    println!("\nAll three replays printed what the recording printed. Now try:");
    println!(
        "  {0} view {1} --columns",
        reweave.binary().display(),
        recording.display()
    );
    println!(
        "  {0} replay {1} --debug        # and attach a Java debugger",
        reweave.binary().display(),
        recording.display()
    );
    println!(
        "  {0} record -o mine.rwv -- java -cp … YourProgram",
        reweave.binary().display()
    );
    Ok(Verdict::Good)
}

fn run_command(command: &mut Command, scratch: &Path) -> Result<Outcome, String> {
    process::run(command, LIMIT, scratch)
}

fn show(outcome: &Outcome) {
    match outcome.stdout_text().lines().next() {
        Some(line) => println!("    {line}"),
        None => println!(
            "    (nothing printed; {})\n{}",
            outcome.end,
            outcome.stderr_text()
        ),
    }
}

fn is_same(program: &Program, recorded: &Outcome, replayed: &Outcome) -> bool {
    program.result(recorded) == program.result(replayed)
}
