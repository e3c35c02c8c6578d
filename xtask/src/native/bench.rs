//! `cargo xtask native --bench`: what callbacks and switches cost, against the same compiler without them and against real ThreadSanitizer, in one run.

use super::Harness;
use crate::process::{self, End};
use crate::trial::LIMIT;
use crate::{Ended, Verdict, workspace};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const KERNELS: &[&str] = &["matrix", "hash", "sort"];
const ROUNDS: usize = 3;
const YIELDS: u32 = 100_000;

/// One way to build the kernels.
struct Variant {
    name: String,
    binary: PathBuf,
}

pub fn run(harness: &Harness) -> Ended {
    let mut table =
        String::from("| compiler | build | matrix | hash | sort |\n|---|---|---|---|---|\n");
    print!("{table}");
    for compiler in ["gcc", "clang"] {
        if workspace::first_line_of(compiler, &["--version"]).is_none() {
            println!("there is no {compiler}");
            continue;
        }
        let plain = build(harness, compiler, "plain", &[], None)?;
        let variants = [
            ("blocks", &[][..], Some("block")),
            ("blocks and accesses", &[], Some("access")),
            ("ThreadSanitizer", &["-fsanitize=thread"], None),
        ];
        for (name, options, points) in variants {
            let variant = match build(harness, compiler, name, options, points) {
                Ok(variant) => variant,
                Err(why) => {
                    println!("{compiler}, {name}: {why}");
                    continue;
                }
            };
            let mut row = format!("| {compiler} | {} |", variant.name);
            for kernel in KERNELS {
                let ratio = ratio(harness, &plain, &variant, kernel)?;
                write!(row, " {ratio:.2} |").expect("writing to a string");
            }
            println!("{row}");
            table.push_str(&row);
            table.push('\n');
        }
    }
    let switches = switches(harness)?;
    println!("{switches}");
    let path = workspace::root().join(format!("bench/results/native-{}.md", workspace::commit()));
    let text = format!(
        "# Cost of callbacks and switches in native programs, commit {}\n\nMade by `cargo xtask native --bench`: processor time of one thread, times that of the same compiler at -O2; the smallest of {ROUNDS} rounds, all in one run. \
         The callbacks count and do nothing else, as in a recording.\n\n{table}\n{switches}\n",
        workspace::commit()
    );
    std::fs::write(&path, text)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("saved in {}", path.display());
    Ok(Verdict::Good)
}

fn build(
    harness: &Harness,
    compiler: &str,
    name: &str,
    options: &[&str],
    points: Option<&str>,
) -> Result<Variant, String> {
    let binary = harness
        .scratch
        .join(format!("kernels-{compiler}-{name}").replace(' ', "-"));
    let mut command = match points {
        None => Command::new(compiler),
        Some(points) => {
            let mut command = harness.reweave.command();
            command
                .arg("cc")
                .env("REWEAVE_CC", compiler)
                .env("REWEAVE_INSTRUMENT", points);
            command
        }
    };
    compile(command.arg("-O2").args(options), "kernels.c", &binary)?;
    Ok(Variant {
        name: name.to_owned(),
        binary,
    })
}

fn compile(command: &mut Command, source: &str, binary: &Path) -> Result<(), String> {
    let output = command
        .arg("-o")
        .arg(binary)
        .arg(workspace::root().join("bench/native").join(source))
        .arg("-pthread")
        .output()
        .map_err(|error| format!("cannot run the compiler: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn cpu(harness: &Harness, binary: &Path, kernel: &str) -> Result<Duration, String> {
    let outcome = process::run(Command::new(binary).arg(kernel), LIMIT, &harness.scratch)?;
    match outcome.end {
        End::Exit(0) => Ok(outcome.cpu),
        end => Err(format!("{}: {end}", binary.display())),
    }
}

/// The smallest times, taken in turns.
fn ratio(harness: &Harness, plain: &Variant, other: &Variant, kernel: &str) -> Result<f64, String> {
    let (mut least, mut least_other) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        least = least.min(cpu(harness, &plain.binary, kernel)?);
        least_other = least_other.min(cpu(harness, &other.binary, kernel)?);
    }
    Ok(least_other.as_secs_f64() / least.as_secs_f64())
}

fn switches(harness: &Harness) -> Result<String, String> {
    let binary = harness.scratch.join("switches");
    let mut command = harness.reweave.command();
    command
        .args(["cc", "-O2"])
        .env("REWEAVE_INSTRUMENT", "block");
    compile(&mut command, "switches.c", &binary)?;
    let name = binary.display().to_string();
    let options = ["--level", "serial", "--quantum", "0"].map(str::to_owned);
    let cost = |rounds: u32| -> Result<(Duration, Duration), String> {
        let recorded = harness
            .trials()
            .record(&options, &[&name, &rounds.to_string()])?;
        let (replayed, _) = harness.trials().replay(crate::reweave::Enforcement::On)?;
        Ok((recorded.cpu, replayed.cpu))
    };
    let (idle, many) = (cost(1)?, cost(YIELDS)?);
    let each = |many: Duration, idle: Duration| {
        many.saturating_sub(idle).as_secs_f64() * 1e6 / f64::from(2 * YIELDS)
    };
    Ok(format!(
        "A switch costs {:.2} µs of processor time while recording, {:.2} µs in a replay ({} switches, the command's own work on the file included).",
        each(many.0, idle.0),
        each(many.1, idle.1),
        2 * YIELDS
    ))
}
