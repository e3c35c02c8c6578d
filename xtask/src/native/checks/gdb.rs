//! The paper's claim end to end: record, replay in gdb with breakpoints, switch threads at a chosen instruction, save the new interleaving,
//! replay it three times with the new result.

use super::super::Harness;
use super::super::programs::{self, Build, Program};
use crate::e2e::Tally;
use crate::process::{self, Outcome};
use crate::reweave::Enforcement;
use crate::setup;
use crate::trial::LIMIT;
use std::path::Path;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("gdb");
    if let Err(why) = setup::ensure(setup::Need::Gdb) {
        println!("  skipped: {why}");
        return;
    }
    let program = match programs::named("two-steps") {
        Ok(program) => program,
        Err(why) => return tally.check("two-steps", Err(why)),
    };
    tally.check(
        "an experimental interleaving",
        experiment(harness, &program),
    );
    tally.check("the commands", commands(harness, &program));
    tally.check("the paper's conditional breakpoint", condition(harness));
    tally.check(
        "a breakpoint where threads were interrupted",
        clash(harness),
    );
}

/// Runs gdb on the last recording with a script.
pub fn gdb(harness: &Harness, script: &str) -> Result<Outcome, String> {
    let file = harness.scratch.join("script.gdb");
    std::fs::write(&file, script)
        .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let mut command = harness.reweave.command();
    command
        .arg("replay")
        .arg(harness.trials().recording())
        .args(["--gdb", "--", "-batch", "-x"])
        .arg(&file);
    // Single steps take their time on a busy machine.
    process::run(&mut command, 5 * LIMIT, &harness.scratch)
}

fn record(harness: &Harness, program: &Program, seed: u64) -> Result<String, String> {
    let binary = program.compile(harness, &harness.compilers[0], Build::Blocks)?;
    let options = [
        "--level",
        "serial",
        "--quantum",
        "0",
        "--seed",
        &seed.to_string(),
    ]
    .map(str::to_owned);
    let recorded = harness
        .trials()
        .record(&options, &[&binary.display().to_string()])?;
    harness.trials().same(&recorded)?;
    Ok(recorded.stdout_text())
}

fn experiment(harness: &Harness, program: &Program) -> Result<(), String> {
    let printed = record(harness, program, 1)?;
    if printed != "2\n" {
        return Err(format!("without interruption it printed {printed}"));
    }
    let saved = harness.scratch.join("experiment.rwv");
    let _ = std::fs::remove_file(&saved);
    // Stop between the read and the write, and let the other thread go on.
    let script = format!(
        "break between\ncontinue\npython gdb.execute('reweave switch %d' % (5 - u32('reweave_current')))\n\
         continue\ninfo reweave\ndelete\ncontinue\nreweave save {}\n",
        saved.display()
    );
    let session = gdb(harness, &script)?;
    let text = session.stdout_text();
    for expected in ["experiment, switch 2", "saved", "\n1\n"] {
        if !text.contains(expected) {
            return Err(format!(
                "`{expected}` is not in what gdb printed:\n{text}{}",
                session.stderr_text()
            ));
        }
    }
    for _ in 0..3 {
        replays_as(harness, &saved, "1\n")?;
    }
    // And the first recording still gives what it gave.
    replays_as(harness, &harness.trials().recording(), "2\n")
}

pub fn replays_as(harness: &Harness, recording: &Path, expected: &str) -> Result<(), String> {
    let report = harness.scratch.join("report.json");
    let replayed = process::run(
        &mut harness.reweave.replay(recording, &report, Enforcement::On),
        LIMIT,
        &harness.scratch,
    )?;
    match replayed.stdout_text() {
        text if text == expected => Ok(()),
        text => Err(format!(
            "{} printed {text} instead of {expected}{}",
            recording.display(),
            replayed.stderr_text()
        )),
    }
}

fn commands(harness: &Harness, program: &Program) -> Result<(), String> {
    record(harness, program, 1)?;
    let script = "info reweave\nreweave schedule 0 3\nreweave next-switch\nreweave until 2\ninfo reweave\nreweave start\nreweave block 1 3\nprint $bb()\nreweave thread\n\
        reweave next-switch\npython print('switched %d' % u64('reweave_position'))\ncontinue\n";
    let session = gdb(harness, script)?;
    let text = session.stdout_text();
    for expected in [
        "replay, switch 0 of 3",
        "thread 1 to thread",
        "switch 1\n",
        "switch 2\n",
        "$1 = 3",
        "switched 1",
        "\n2\n",
    ] {
        if !text.contains(expected) {
            return Err(format!(
                "`{expected}` is not in what gdb printed:\n{text}{}",
                session.stderr_text()
            ));
        }
    }
    Ok(())
}

/// `break … thread T if $bb() == N` is not looked at by gdb at every hit, but found by the program's own count.
fn condition(harness: &Harness) -> Result<(), String> {
    let program = programs::named("racy-counter")?;
    let binary = program.compile(harness, &harness.compilers[0], Build::Blocks)?;
    let options = ["--level", "serial", "--quantum", "1000"].map(str::to_owned);
    let recorded = harness
        .trials()
        .record(&options, &[&binary.display().to_string()])?;
    // 60,000 hits in which gdb looks at the count would take ten seconds and more.
    let script = "break work\ncontinue\ndelete\npython\nimport time\nchosen = gdb.selected_thread().num\n\
        begun = time.time()\nend\n\
        python gdb.execute('break main.c:12 thread %d if $bb() == 60001' % chosen)\ncontinue\n\
        python print('stopped at block %d, %s' % (int(gdb.parse_and_eval('$bb()')), 'fast' if time.time() - begun < 8 else 'slow'))\n\
        info reweave\ndelete\ncontinue\n";
    let session = gdb(harness, script)?;
    let text = session.stdout_text();
    for expected in [
        "the program itself counts to block 60001",
        "stopped at block 60001, fast",
        recorded.stdout_text().trim(),
    ] {
        if !text.contains(expected) {
            return Err(format!(
                "`{expected}` is not in what gdb printed:\n{text}{}",
                session.stderr_text()
            ));
        }
    }
    Ok(())
}

/// A software breakpoint at an address at which a switch is to be made becomes a hardware one.
fn clash(harness: &Harness) -> Result<(), String> {
    let program = programs::named("racy-counter")?;
    let binary = program.compile(harness, &harness.compilers[0], Build::Blocks)?;
    let options = ["--level", "serial", "--quantum", "0", "--tick", "100"].map(str::to_owned);
    let recorded = harness
        .trials()
        .record(&options, &[&binary.display().to_string(), "20000"])?;
    let script = "python\nplaces = [where for (_, _, _, where, _, reason, _) in schedule() if reason == 1]\n\
        if places: gdb.execute('break *%#x' % places[0])\nend\ncontinue\ncontinue\ndelete\ncontinue\n";
    let session = gdb(harness, script)?;
    let text = session.stdout_text();
    if text.contains(recorded.stdout_text().trim()) {
        return Ok(());
    }
    Err(format!(
        "recorded {}, but gdb showed\n{text}{}",
        recorded.stdout_text(),
        session.stderr_text()
    ))
}
