//! What cannot be recorded is said, with the reason and what to do.

use super::super::Harness;
use super::super::programs::{self, Build};
use crate::e2e::Tally;
use crate::process;
use crate::trial::LIMIT;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("native programs that cannot be recorded");
    tally.check("without callbacks", uninstrumented(harness));
    tally.check("static", static_program(harness));
    tally.check("32-bit", small(harness));
    tally.check("setuid", setuid(harness));
    tally.check("a script", script(harness));
    tally.check("no gdb", no_gdb(harness));
    tally.check("built again since", changed(harness));
    tally.check("addresses at random", random_addresses(harness));
}

fn plain(harness: &Harness) -> Result<PathBuf, String> {
    programs::named("locked-counter")?.compile(harness, &harness.compilers[0], Build::Plain)
}

/// Recording must fail with this code and these words.
fn says(
    harness: &Harness,
    options: &[&str],
    program: &Path,
    code: i32,
    words: &[&str],
) -> Result<(), String> {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    let outcome = harness
        .trials()
        .record(&options, &[&program.display().to_string()])?;
    expect(&outcome, code, words)
}

fn expect(outcome: &process::Outcome, code: i32, words: &[&str]) -> Result<(), String> {
    let text = outcome.stderr_text();
    let ended = outcome.end == process::End::Exit(code);
    match words.iter().find(|word| !text.contains(*word)) {
        None if ended => Ok(()),
        _ => Err(format!("{}, said:\n{text}", outcome.end)),
    }
}

fn uninstrumented(harness: &Harness) -> Result<(), String> {
    let program = plain(harness)?;
    says(
        harness,
        &["--level", "serial"],
        &program,
        125,
        &["without the callbacks", "reweave cc", "--level sync"],
    )
}

fn static_program(harness: &Harness) -> Result<(), String> {
    let binary = harness.scratch.join("static");
    let source = harness.scratch.join("empty.c");
    fs::write(&source, "int main(void) { return 0; }\n").map_err(|error| error.to_string())?;
    let built = Command::new("cc")
        .args(["-static", "-o"])
        .arg(&binary)
        .arg(&source)
        .output();
    if !built.is_ok_and(|output| output.status.success()) {
        println!("  skipped: no static C library here");
        return Ok(());
    }
    says(
        harness,
        &[],
        &binary,
        126,
        &["linked statically", "-static"],
    )
}

/// Only its header is looked at, so that no 32-bit compiler is needed.
fn small(harness: &Harness) -> Result<(), String> {
    let program = plain(harness)?;
    let copy = harness.scratch.join("small");
    let mut bytes = fs::read(&program).map_err(|error| error.to_string())?;
    bytes[4] = 1;
    fs::write(&copy, bytes)
        .and_then(|()| fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)))
        .map_err(|error| error.to_string())?;
    says(harness, &[], &copy, 126, &["32-bit", "x86-64"])
}

fn setuid(harness: &Harness) -> Result<(), String> {
    let program = plain(harness)?;
    let copy = harness.scratch.join("setuid");
    fs::copy(&program, &copy)
        .and_then(|_| fs::set_permissions(&copy, fs::Permissions::from_mode(0o4755)))
        .map_err(|error| error.to_string())?;
    says(harness, &[], &copy, 126, &["setuid", "record a copy"])
}

fn script(harness: &Harness) -> Result<(), String> {
    let file = harness.scratch.join("script.sh");
    fs::write(&file, "#!/bin/sh\ntrue\n")
        .and_then(|()| fs::set_permissions(&file, fs::Permissions::from_mode(0o755)))
        .map_err(|error| error.to_string())?;
    says(harness, &["--native"], &file, 125, &["is a script"])
}

fn serial_recording(harness: &Harness) -> Result<PathBuf, String> {
    let program = programs::named("locked-counter")?;
    let binary = program.compile(harness, &harness.compilers[0], Build::Instrumented)?;
    let copy = harness.scratch.join("changing");
    fs::copy(&binary, &copy).map_err(|error| error.to_string())?;
    let options = ["--level", "serial"].map(str::to_owned);
    harness
        .trials()
        .record(&options, &[&copy.display().to_string()])?;
    Ok(copy)
}

fn no_gdb(harness: &Harness) -> Result<(), String> {
    serial_recording(harness)?;
    let mut command = harness.reweave.command();
    command
        .arg("replay")
        .arg(harness.trials().recording())
        .arg("--gdb")
        .env("PATH", &harness.scratch);
    let outcome = process::run(&mut command, LIMIT, &harness.scratch)?;
    expect(&outcome, 127, &["there is no gdb", "install gdb"])
}

/// Runs a command without the right to switch random addresses off, as some containers do.
const NO_PERSONALITY: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **arguments) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {4, program};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 99;
    execv(arguments[1], arguments + 1);
    return 98;
}
"#;

fn random_addresses(harness: &Harness) -> Result<(), String> {
    let program = programs::named("locked-counter")?;
    let binary = program.compile(harness, &harness.compilers[0], Build::Instrumented)?;
    let source = harness.scratch.join("no-personality.c");
    let confined = harness.scratch.join("no-personality");
    fs::write(&source, NO_PERSONALITY).map_err(|error| error.to_string())?;
    let built = Command::new("cc")
        .arg("-o")
        .arg(&confined)
        .arg(&source)
        .output();
    if !built.is_ok_and(|output| output.status.success()) {
        return Err("the program that forbids personality() does not compile".to_owned());
    }
    let recording = harness.trials().recording();
    let record = |level: &str| {
        let _ = fs::remove_file(&recording);
        let mut command = Command::new(&confined);
        command
            .arg(harness.reweave.binary())
            .args(["record", "--native", "--level", level, "-o"])
            .arg(&recording)
            .arg("--")
            .arg(&binary);
        process::run(&mut command, LIMIT, &harness.scratch)
    };
    expect(
        &record("serial")?,
        125,
        &["addresses are chosen at random", "--level sync"],
    )?;
    // What it offers instead works.
    expect(&record("sync")?, 0, &[])
}

fn changed(harness: &Harness) -> Result<(), String> {
    let binary = serial_recording(harness)?;
    let mut bytes = fs::read(&binary).map_err(|error| error.to_string())?;
    bytes.push(0);
    fs::write(&binary, bytes).map_err(|error| error.to_string())?;
    let mut command = harness.reweave.command();
    command.arg("replay").arg(harness.trials().recording());
    let outcome = process::run(&mut command, LIMIT, &harness.scratch)?;
    expect(
        &outcome,
        125,
        &["was built again since", "--ignore-changes"],
    )
}
