//! Projects with a build system: make, CMake and Cargo build them with `reweave cc`, `c++` and `flags`; the result is recorded serially and replayed.

use super::super::Harness;
use crate::e2e::Tally;
use crate::setup::{self, Need};
use crate::workspace;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// By which make and CMake are told apart from the compiler behind them.
const FAMILIES: &[(&str, &str)] = &[("gcc", "g++"), ("clang", "clang++")];

pub fn check(harness: &Harness, count: usize, tally: &mut Tally) {
    tally.heading("projects built by make, CMake and Cargo");
    for (cc, cxx) in FAMILIES {
        if workspace::first_line_of(cc, &["--version"]).is_none() {
            println!("  skipped: there is no {cc}");
            continue;
        }
        for (name, need) in [("make", Need::Make), ("cmake", Need::Cmake)] {
            if let Err(why) = setup::ensure(need) {
                println!("  skipped: {why}");
                continue;
            }
            let project = Project::new(harness, name, cc);
            let built = project.and_then(|project| match name {
                "make" => project.make(cc),
                _ => project.cmake(cc, cxx),
            });
            let result = built.and_then(|binary| races(harness, &binary, count));
            tally.check_with(&format!("{name} with {cc}"), result);
        }
    }
    for (cc, _) in FAMILIES {
        let built = Project::new(harness, "plugin", cc).and_then(|project| project.plugin(cc));
        let options = ["--quantum", "0", "--tick", "50"];
        let result = built.and_then(|binary| records(harness, &binary, &options, count));
        tally.check_with(&format!("a library loaded by dlopen, {cc}"), result);
    }
    let stops = stops_in_library(harness, "nothing");
    let result = stops.and_then(|stops| match stops {
        0 => Err("no thread was stopped there".to_owned()),
        stops => Ok(format!("{stops} stops between its instructions")),
    });
    tally.check_with("stops in a library loaded by dlopen", result);
    let built = Project::new(harness, "make", "flags").and_then(|project| project.make_by_flags());
    let result = built.and_then(|binary| races(harness, &binary, count));
    tally.check_with("make with options of `reweave flags`", result);
    let built = Project::new(harness, "cargo", "rustc").and_then(|project| project.cargo());
    let result = built.and_then(|binary| races(harness, &binary, count));
    tally.check_with("cargo", result);
}

/// How often threads were stopped between two instructions of a library that was loaded by `dlopen`, with a hook left out.
pub fn stops_in_library(harness: &Harness, without: &str) -> Result<usize, String> {
    let project = Project::new(harness, "plugin", without)?;
    let binary = project.plugin("gcc")?;
    let recording = harness.scratch.join("plugin.rwv");
    let _ = std::fs::remove_file(&recording);
    let mut record = harness.reweave.command();
    record
        .args(["-q", "record", "--level", "serial", "--quantum", "0"])
        .args(["--tick", "50", "-o"])
        .arg(&recording)
        .arg("--")
        .arg(&binary)
        .env("REWEAVE_TEST_WITHOUT", without);
    run(&mut record)?;
    let mut view = harness.reweave.command();
    let schedule = run(view.args(["view", "--schedule"]).arg(&recording))?;
    let stops = schedule
        .lines()
        .filter(|line| line.contains(" instruction ") && line.contains("libplugin.so"));
    Ok(stops.count())
}

/// A project in a folder of its own.
struct Project<'a> {
    harness: &'a Harness,
    folder: PathBuf,
}

impl Project<'_> {
    fn new<'a>(harness: &'a Harness, name: &str, compiler: &str) -> Result<Project<'a>, String> {
        let folder = harness.scratch.join(format!("build-{name}-{compiler}"));
        let from = workspace::root().join("programs/builds").join(name);
        run(Command::new("cp").arg("-r").arg(&from).arg(&folder))?;
        Ok(Project { harness, folder })
    }

    fn reweave(&self, verb: &str) -> String {
        format!("{} {verb}", self.harness.reweave.binary().display())
    }

    fn make(&self, cc: &str) -> Result<PathBuf, String> {
        let make = || {
            let mut make = Command::new("make");
            make.arg("-C")
                .arg(&self.folder)
                .arg(format!("CC={}", self.reweave("cc")))
                .env("REWEAVE_CC", cc);
            make
        };
        run(&mut make())?;
        // The dependency files name what is there, and nothing of ours.
        let again = run(&mut make())?;
        if !again.contains("up to date") {
            return Err(format!("a second make did something:\n{again}"));
        }
        // And they name the header.
        run(Command::new("touch").arg(self.folder.join("entries.h")))?;
        let after = run(&mut make())?;
        if !after.contains("entries.o") {
            return Err(format!("a new header was not noticed:\n{after}"));
        }
        Ok(self.folder.join("race"))
    }

    fn plugin(&self, cc: &str) -> Result<PathBuf, String> {
        run(Command::new("make")
            .arg("-C")
            .arg(&self.folder)
            .arg(format!("CC={}", self.reweave("cc")))
            .env("REWEAVE_CC", cc)
            .env("REWEAVE_INSTRUMENT", "block"))?;
        Ok(self.folder.join("race"))
    }

    /// The compiler is the system's own; only options are added.
    fn make_by_flags(&self) -> Result<PathBuf, String> {
        let flags = |step: &str| {
            let mut flags = self.harness.reweave.command();
            run(flags.args(["flags", "c", step]))
        };
        run(Command::new("make")
            .arg("-C")
            .arg(&self.folder)
            .arg(format!("CFLAGS=-O1 -g {}", flags("compile")?.trim()))
            .arg(format!("LDLIBS=-pthread {}", flags("link")?.trim())))?;
        Ok(self.folder.join("race"))
    }

    fn cmake(&self, cc: &str, cxx: &str) -> Result<PathBuf, String> {
        let build = self.folder.join("build");
        run(Command::new("cmake")
            .arg("-S")
            .arg(&self.folder)
            .arg("-B")
            .arg(&build)
            .env("CC", self.reweave("cc"))
            .env("CXX", self.reweave("c++"))
            .env("REWEAVE_CC", cc)
            .env("REWEAVE_CXX", cxx))?;
        run(Command::new("cmake")
            .arg("--build")
            .arg(&build)
            .env("REWEAVE_CC", cc)
            .env("REWEAVE_CXX", cxx))?;
        Ok(build.join("race"))
    }

    fn cargo(&self) -> Result<PathBuf, String> {
        let mut flags = self.harness.reweave.command();
        let flags = run(flags.args(["flags", "rust", "compile"]))?;
        run(Command::new("cargo")
            .args(["build", "--offline", "--target-dir"])
            .arg(self.folder.join("target"))
            .current_dir(&self.folder)
            .env("RUSTFLAGS", flags.trim())
            .env_remove("CARGO_ENCODED_RUSTFLAGS"))?;
        Ok(self.folder.join("target/debug/race"))
    }
}

/// What it printed; what went wrong, if it did.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => Err(format!(
            "{command:?} failed:\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Records the program some times; each replay is the same, and not all recordings are.
fn races(harness: &Harness, binary: &Path, count: usize) -> Result<String, String> {
    records(harness, binary, &["--quantum", "500"], count)
}

fn records(
    harness: &Harness,
    binary: &Path,
    options: &[&str],
    count: usize,
) -> Result<String, String> {
    let options: Vec<String> = ["--level", "serial"]
        .iter()
        .chain(options)
        .map(|option| (*option).to_owned())
        .collect();
    let mut results = HashSet::new();
    for _ in 0..count {
        let recorded = harness
            .trials()
            .record(&options, &[&binary.display().to_string()])?;
        if !recorded.stdout_text().starts_with("order ") {
            return Err(format!(
                "{}: {}{}",
                recorded.end,
                recorded.stdout_text(),
                recorded.stderr_text()
            ));
        }
        harness.trials().same(&recorded)?;
        results.insert(recorded.stdout);
    }
    if count > 1 && results.len() < 2 {
        return Err(format!("all {count} recordings are the same"));
    }
    Ok(format!(
        "{count} of {count} identical, {} different results",
        results.len()
    ))
}
