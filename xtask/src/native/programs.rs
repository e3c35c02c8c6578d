//! The programs in `programs/native`: what each `expect.toml` promises, and how to build them.

use super::Harness;
use super::compilers::{Compiler, Language};
use crate::process::{End, Outcome};
use crate::workspace;
use regex_lite::Regex;
use serde::Deserialize;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Varies,
    /// Never ends by itself.
    Deadlock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Sync,
    Serial,
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Level::Sync => "sync",
            Level::Serial => "serial",
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    #[serde(default)]
    kind: Kind,
    #[serde(default = "both_levels")]
    levels: Vec<Level>,
    #[serde(default = "success")]
    exit: Vec<i32>,
    #[serde(default = "usual_quantum")]
    quantum: u64,
    #[serde(default)]
    distinct_min: usize,
    lines: Vec<String>,
}

fn both_levels() -> Vec<Level> {
    vec![Level::Sync, Level::Serial]
}

fn success() -> Vec<i32> {
    vec![0]
}

fn usual_quantum() -> u64 {
    1000
}

pub struct Program {
    pub name: String,
    pub kind: Kind,
    pub language: Language,
    pub levels: Vec<Level>,
    /// How many different results 20 recordings should give.
    pub distinct_min: usize,
    source: PathBuf,
    quantum: u64,
    exit: Vec<i32>,
    lines: Vec<Regex>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    Plain,
    /// With callbacks at blocks and accesses.
    Instrumented,
    /// With callbacks at blocks only, and no optimisation.
    Blocks,
}

/// Those whose name matches `pattern`, in which `*` stands for anything.
pub fn matching(pattern: &str) -> Result<Vec<Program>, String> {
    let parts: Vec<String> = pattern.split('*').map(regex_lite::escape).collect();
    let regex = Regex::new(&format!("^{}$", parts.join(".*")))
        .map_err(|error| format!("{pattern}: {error}"))?;
    let folder = workspace::root().join("programs/native");
    let entries = fs::read_dir(&folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut programs = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().join("expect.toml").is_file() && regex.is_match(&name) {
            programs.push(Program::read(&entry.path(), name)?);
        }
    }
    if programs.is_empty() {
        return Err(format!("no program in programs/native matches {pattern}"));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

pub fn named(name: &str) -> Result<Program, String> {
    matching(name)?
        .pop()
        .ok_or_else(|| format!("there is no program {name}"))
}

impl Program {
    fn read(folder: &Path, name: String) -> Result<Program, String> {
        let path = folder.join("expect.toml");
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let expect: Expect =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let whole_line = |pattern: &String| {
            Regex::new(&format!("^(?:{pattern})$"))
                .map_err(|error| format!("{}: {pattern}: {error}", path.display()))
        };
        let sources = [
            ("main.c", Language::C),
            ("main.cpp", Language::Cxx),
            ("main.rs", Language::Rust),
        ];
        let (source, language) = sources
            .into_iter()
            .map(|(file, language)| (folder.join(file), language))
            .find(|(file, _)| file.is_file())
            .ok_or_else(|| format!("{} has no source", folder.display()))?;
        Ok(Program {
            name,
            kind: expect.kind,
            language,
            levels: expect.levels,
            distinct_min: expect.distinct_min,
            source,
            quantum: expect.quantum,
            exit: expect.exit,
            lines: expect
                .lines
                .iter()
                .map(whole_line)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Builds it and returns the binary.
    pub fn compile(
        &self,
        harness: &Harness,
        compiler: &Compiler,
        build: Build,
    ) -> Result<PathBuf, String> {
        let binary = harness
            .scratch
            .join(format!("{}-{}-{build:?}", self.name, compiler.name));
        if binary.is_file() {
            return Ok(binary);
        }
        let (verb, variable) = match self.language {
            Language::C => ("cc", "REWEAVE_CC"),
            Language::Cxx => ("c++", "REWEAVE_CXX"),
            Language::Rust => ("rustc", "REWEAVE_RUSTC"),
        };
        let mut command = match build {
            Build::Plain => Command::new(compiler.name),
            Build::Instrumented | Build::Blocks => {
                let mut command = harness.reweave.command();
                let points = match build {
                    Build::Blocks => "block",
                    _ => "access",
                };
                command
                    .arg(verb)
                    .env(variable, compiler.name)
                    .env("REWEAVE_INSTRUMENT", points);
                command
            }
        };
        let options: &[&str] = match (self.language, build) {
            (Language::C, Build::Blocks) => &["-g", "-O0", "-pthread"],
            (Language::C, _) => &["-g", "-O1", "-pthread"],
            (Language::Cxx, _) => &["-std=c++20", "-g", "-O1", "-pthread"],
            (Language::Rust, _) => &["--edition=2024", "-g", "-Copt-level=1"],
        };
        let output = command
            .args(options)
            .arg("-o")
            .arg(&binary)
            .arg(&self.source)
            .output()
            .map_err(|error| format!("cannot run {}: {error}", compiler.name))?;
        if output.status.success() {
            return Ok(binary);
        }
        Err(format!(
            "{} does not compile:\n{}",
            self.source.display(),
            String::from_utf8_lossy(&output.stderr)
        ))
    }

    pub fn record_options(&self, level: Level) -> Vec<String> {
        match level {
            Level::Sync => vec!["--level".to_owned(), "sync".to_owned()],
            Level::Serial => ["--level", "serial", "--quantum", &self.quantum.to_string()]
                .map(str::to_owned)
                .into(),
        }
    }

    /// Whether this is something the program may print and end with, whatever the schedule.
    pub fn check(&self, outcome: &Outcome) -> Result<(), String> {
        match outcome.end {
            End::Exit(code) if self.exit.contains(&code) => (),
            end => {
                return Err(format!(
                    "{end}, but may only exit with {:?}\n{}",
                    self.exit,
                    outcome.stderr_text()
                ));
            }
        }
        let text = outcome.stdout_text();
        match self
            .lines
            .iter()
            .find(|line| !text.lines().any(|printed| line.is_match(printed)))
        {
            Some(missing) => Err(format!("no line of its output matches {missing}:\n{text}")),
            None => Ok(()),
        }
    }
}
