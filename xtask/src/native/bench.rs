//! `cargo xtask native --bench`: what callbacks and switches cost, against the same compiler without them and against real ThreadSanitizer, in one run.

use super::Harness;
use crate::process::{self, End};
use crate::trial::LIMIT;
use crate::{Ended, Verdict, workspace};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const KERNELS: &[&str] = &["matrix", "rows", "hash", "sort"];
const ROUNDS: usize = 5;
const YIELDS: u32 = 100_000;
/// Microseconds that a switch may cost.
const SWITCH: f64 = 3.0;

/// One way to build the kernels.
struct Build {
    compiler: &'static str,
    name: &'static str,
    /// `REWEAVE_INSTRUMENT` and `REWEAVE_HOOK`; `None` for ThreadSanitizer itself.
    points: Option<(&'static str, &'static str)>,
    limit: Limit,
}

/// What it may cost, times the program without it.
enum Limit {
    None,
    /// For every kernel, and for the matrix, in which a block is a few instructions.
    Times {
        most: f64,
        matrix: f64,
    },
    /// As much as ThreadSanitizer by the same compiler.
    Sanitizer,
}

const BUILDS: &[Build] = &[
    Build {
        compiler: "gcc",
        name: "ThreadSanitizer",
        points: None,
        limit: Limit::None,
    },
    Build {
        compiler: "gcc",
        name: "blocks, inlined",
        points: Some(("block", "inline")),
        limit: Limit::Times {
            most: 2.3,
            matrix: 6.0,
        },
    },
    Build {
        compiler: "gcc",
        name: "blocks, called",
        points: Some(("block", "library")),
        limit: Limit::Times {
            most: 2.3,
            matrix: 6.0,
        },
    },
    Build {
        compiler: "gcc",
        name: "blocks and accesses, inlined",
        points: Some(("access", "inline")),
        limit: Limit::Sanitizer,
    },
    Build {
        compiler: "gcc",
        name: "blocks and accesses, called",
        points: Some(("access", "library")),
        limit: Limit::Sanitizer,
    },
    Build {
        compiler: "clang",
        name: "ThreadSanitizer",
        points: None,
        limit: Limit::None,
    },
    Build {
        compiler: "clang",
        name: "blocks, inlined",
        points: Some(("block", "inline")),
        limit: Limit::Times {
            most: 1.2,
            matrix: 1.2,
        },
    },
    Build {
        compiler: "clang",
        name: "blocks, called",
        points: Some(("block", "library")),
        limit: Limit::Times {
            most: 2.2,
            matrix: 2.2,
        },
    },
    Build {
        compiler: "clang",
        name: "blocks and accesses, inlined",
        points: Some(("access", "inline")),
        limit: Limit::Sanitizer,
    },
    Build {
        compiler: "clang",
        name: "blocks and accesses, called",
        points: Some(("access", "library")),
        limit: Limit::Sanitizer,
    },
];

pub fn run(harness: &Harness) -> Ended {
    let mut table = String::from(
        "| compiler | build | matrix | rows | hash | sort | limit |\n|---|---|---|---|---|---|---|\n",
    );
    print!("{table}");
    let mut over = Vec::new();
    let mut sanitizer = [f64::INFINITY; KERNELS.len()];
    for build in BUILDS {
        if workspace::first_line_of(build.compiler, &["--version"]).is_none() {
            println!("there is no {}", build.compiler);
            continue;
        }
        let plain = compile_plain(harness, build.compiler)?;
        let binary = build.compile(harness)?;
        let mut row = format!("| {} | {} |", build.compiler, build.name);
        for (index, kernel) in KERNELS.iter().enumerate() {
            let ratio = ratio(harness, &plain, &binary, kernel)?;
            write!(row, " {ratio:.2} |").expect("writing to a string");
            if build.points.is_none() {
                sanitizer[index] = ratio;
            }
            let most = build.limit.of(kernel, sanitizer[index]);
            if ratio > most {
                over.push(format!(
                    "{} {} {kernel}: {ratio:.2} is over {most:.2}",
                    build.compiler, build.name
                ));
            }
        }
        writeln!(row, " {} |", build.limit.text()).expect("writing to a string");
        print!("{row}");
        table.push_str(&row);
    }
    let (switches, dearest) = switches(harness)?;
    println!("{switches}");
    if dearest > SWITCH {
        over.push(format!("a switch: {dearest:.2} µs is over {SWITCH} µs"));
    }
    let verdict = match over.is_empty() {
        true => "Everything is within its limit.".to_owned(),
        false => format!("Over the limit: {}.", over.join("; ")),
    };
    println!("{verdict}");
    let path = workspace::root().join(format!("bench/results/native-{}.md", workspace::commit()));
    let text = format!(
        "# Cost of callbacks and switches in native programs, commit {}\n\nMade by `cargo xtask native --bench`: processor time of one thread, times that of the same compiler at -O2; the smallest of {ROUNDS} rounds, all in one run. \
         The callbacks count and would give the processor away at zero, as in a recording.\n\n{table}\n{switches}\n\n{verdict}\n",
        workspace::commit()
    );
    std::fs::write(&path, text)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("saved in {}", path.display());
    Ok(match over.is_empty() {
        true => Verdict::Good,
        false => Verdict::Bad,
    })
}

impl Limit {
    fn of(&self, kernel: &str, sanitizer: f64) -> f64 {
        match *self {
            Limit::None => f64::INFINITY,
            // Both multiply matrices.
            Limit::Times { matrix, .. } if matches!(kernel, "matrix" | "rows") => matrix,
            Limit::Times { most, .. } => most,
            Limit::Sanitizer => sanitizer,
        }
    }

    fn text(&self) -> String {
        match *self {
            Limit::None => String::new(),
            Limit::Times { most, matrix } if most == matrix => format!("{most}"),
            Limit::Times { most, matrix } => format!("{most}, matrix {matrix}"),
            Limit::Sanitizer => "ThreadSanitizer's".to_owned(),
        }
    }
}

impl Build {
    fn compile(&self, harness: &Harness) -> Result<PathBuf, String> {
        let binary = harness
            .scratch
            .join(format!("kernels-{}-{}", self.compiler, self.name).replace([' ', ','], "-"));
        let mut command = match self.points {
            None => {
                let mut command = Command::new(self.compiler);
                command.arg("-fsanitize=thread");
                command
            }
            Some((points, hook)) => {
                let mut command = harness.reweave.command();
                command
                    .arg("cc")
                    .env("REWEAVE_CC", self.compiler)
                    .env("REWEAVE_INSTRUMENT", points)
                    .env("REWEAVE_HOOK", hook);
                command
            }
        };
        compile(command.arg("-O2"), "kernels.c", &binary)?;
        Ok(binary)
    }
}

fn compile_plain(harness: &Harness, compiler: &str) -> Result<PathBuf, String> {
    let binary = harness.scratch.join(format!("kernels-{compiler}"));
    if !binary.is_file() {
        compile(Command::new(compiler).arg("-O2"), "kernels.c", &binary)?;
    }
    Ok(binary)
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
fn ratio(harness: &Harness, plain: &Path, other: &Path, kernel: &str) -> Result<f64, String> {
    let (mut least, mut least_other) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        least = least.min(cpu(harness, plain, kernel)?);
        least_other = least_other.min(cpu(harness, other, kernel)?);
    }
    Ok(least_other.as_secs_f64() / least.as_secs_f64())
}

/// In words, and the dearer of the two in microseconds.
fn switches(harness: &Harness) -> Result<(String, f64), String> {
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
    let least = |rounds: u32| -> Result<(Duration, Duration), String> {
        let mut least = cost(rounds)?;
        for _ in 1..ROUNDS {
            let (recorded, replayed) = cost(rounds)?;
            least = (least.0.min(recorded), least.1.min(replayed));
        }
        Ok(least)
    };
    let (idle, many) = (least(1)?, least(YIELDS)?);
    let each = |many: Duration, idle: Duration| {
        many.saturating_sub(idle).as_secs_f64() * 1e6 / f64::from(2 * YIELDS)
    };
    let (recorded, replayed) = (each(many.0, idle.0), each(many.1, idle.1));
    let text = format!(
        "A switch costs {:.2} µs of processor time while recording, {:.2} µs in a replay ({} switches, the smallest of {ROUNDS} rounds, the command's own work on the file included).",
        recorded,
        replayed,
        2 * YIELDS
    );
    Ok((text, recorded.max(replayed)))
}
