//! The programs in `programs/java`: what each `expect.toml` promises, and how to run them on a JDK.

use crate::jdk::Jdk;
use crate::outside::Outside;
use crate::process::{End, Outcome};
use crate::workspace;
use regex_lite::Regex;
use serde::Deserialize;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Different runs print different things.
    Varies,
    /// Never ends by itself.
    Deadlock,
    /// Independent work: always the same output.
    Parallel,
}

/// What has to be recorded for a replay to be exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Free of data races.
    #[default]
    Sync,
    /// Has data races.
    Access,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Sync => "sync",
            Level::Access => "access",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    #[default]
    Stdout,
    StdoutAndStderr,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    main: String,
    args: Vec<String>,
    exit: Vec<i32>,
    kind: Kind,
    distinct_min: usize,
    lines: Vec<String>,
    #[serde(default)]
    stderr: bool,
    #[serde(default = "oldest_jdk")]
    jdk_min: u32,
    #[serde(default)]
    level: Level,
    pending: Option<String>,
    /// A C file with its native methods.
    native: Option<String>,
    #[serde(default)]
    outside: Outside,
}

/// The oldest JDK that is supported.
fn oldest_jdk() -> u32 {
    17
}

pub struct Program {
    pub name: String,
    pub kind: Kind,
    pub compare: Compare,
    /// How many different results 30 plain runs should give.
    pub distinct_min: usize,
    pub level: Level,
    jdk_min: u32,
    /// Why it cannot be replayed yet.
    pending: Option<String>,
    folder: PathBuf,
    main: String,
    arguments: Vec<String>,
    exit: Vec<i32>,
    lines: Vec<Regex>,
    native: Option<String>,
    outside: Outside,
}

/// All programs, by name.
pub fn all() -> Result<Vec<Program>, String> {
    let folder = workspace::root().join("programs/java");
    let entries = fs::read_dir(&folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut programs = Vec::new();
    for entry in entries.flatten() {
        if entry.path().join("expect.toml").is_file() {
            programs.push(Program::read(&entry.path())?);
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Those whose name matches `pattern`, in which `*` stands for anything.
pub fn matching(pattern: &str) -> Result<Vec<Program>, String> {
    // `*` for anything, commas between patterns.
    let escaped = regex_lite::escape(pattern);
    let alternatives = escaped.replace(r"\*", ".*").replace(',', "|");
    let regex = Regex::new(&format!("^({alternatives})$"))
        .map_err(|error| format!("{pattern}: {error}"))?;
    let found: Vec<Program> = all()?
        .into_iter()
        .filter(|program| regex.is_match(&program.name))
        .collect();
    if found.is_empty() {
        return Err(format!("no program in programs/java matches {pattern}"));
    }
    Ok(found)
}

impl Program {
    fn read(folder: &Path) -> Result<Program, String> {
        let path = folder.join("expect.toml");
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let expect: Expect =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let whole_line = |pattern: &String| {
            Regex::new(&format!("^(?:{pattern})$"))
                .map_err(|error| format!("{}: {pattern}: {error}", path.display()))
        };
        Ok(Program {
            name: folder
                .file_name()
                .expect("a folder has a name")
                .to_string_lossy()
                .into_owned(),
            kind: expect.kind,
            compare: if expect.stderr {
                Compare::StdoutAndStderr
            } else {
                Compare::Stdout
            },
            distinct_min: expect.distinct_min,
            level: expect.level,
            jdk_min: expect.jdk_min,
            pending: expect.pending,
            folder: folder.to_owned(),
            main: expect.main,
            arguments: expect.args,
            exit: expect.exit,
            lines: expect
                .lines
                .iter()
                .map(whole_line)
                .collect::<Result<_, _>>()?,
            native: expect.native,
            outside: expect.outside,
        })
    }

    /// Why it cannot be recorded and replayed on this JDK, if so.
    pub fn unfit(&self, jdk: &Jdk) -> Option<String> {
        if jdk.major < self.jdk_min {
            return Some(format!("needs JDK {}", self.jdk_min));
        }
        self.pending.clone()
    }

    /// Compiles it with this JDK and returns the program ready to run.
    pub fn compile(&self, jdk: &Jdk) -> Result<Compiled<'_>, String> {
        let classes = workspace::target()
            .join("xtask/classes")
            .join(format!("jdk{}", jdk.major))
            .join(&self.name);
        compile(
            jdk,
            &self.folder.join(format!("{}.java", self.main)),
            &classes,
            None,
        )?;
        if let Some(source) = &self.native {
            compile_native(jdk, &self.folder.join(source), &classes)?;
        }
        Ok(Compiled {
            program: self,
            java: jdk.java(),
            classes,
        })
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

    /// Runs `command`, which runs this program, with what it finds outside.
    pub fn run(&self, command: &mut Command, scratch: &Path) -> Result<Outcome, String> {
        self.outside.run(command, scratch)
    }

    /// What a replay changed that it must not.
    pub fn touched(&self, scratch: &Path) -> Option<String> {
        self.outside.touched(scratch)
    }

    /// What two runs are compared by.
    pub fn result(&self, outcome: &Outcome) -> ProgramResult {
        let stderr = match self.compare {
            Compare::Stdout => Vec::new(),
            Compare::StdoutAndStderr => outcome.stderr.clone(),
        };
        ProgramResult {
            end: outcome.end,
            stdout: outcome.stdout.clone(),
            stderr,
        }
    }
}

/// Compiles one source file into `classes`.
pub fn compile(
    jdk: &Jdk,
    source: &Path,
    classes: &Path,
    class_path: Option<&Path>,
) -> Result<(), String> {
    workspace::create(classes)?;
    let mut javac = jdk.javac();
    javac
        .arg("-d")
        .arg(classes)
        .args(["-g", "-nowarn", "-proc:none"]);
    if let Some(class_path) = class_path {
        javac.arg("-cp").arg(class_path);
    }
    let output = javac
        .arg(source)
        .output()
        .map_err(|error| format!("cannot run javac: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{} does not compile:\n{}",
        source.display(),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Compiles a C file into a library that `System.loadLibrary` finds in `folder` by the file's name.
fn compile_native(jdk: &Jdk, source: &Path, folder: &Path) -> Result<(), String> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    let include = jdk.home.join("include");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(folder.join(format!("lib{name}.so")))
        .arg("-I")
        .arg(&include)
        .arg("-I")
        .arg(include.join("linux"))
        .arg(source)
        .output()
        .map_err(|error| format!("cannot run cc: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{} does not compile:\n{}",
        source.display(),
        String::from_utf8_lossy(&output.stderr)
    ))
}

pub struct Compiled<'a> {
    pub program: &'a Program,
    java: PathBuf,
    classes: PathBuf,
}

impl Compiled<'_> {
    /// The same with these options for the JVM.
    pub fn with_options(&self, options: &[&str]) -> Command {
        let plain = self.java();
        let mut command = Command::new(plain.get_program());
        command.args(options).args(plain.get_args());
        command
    }

    /// `java -cp … Main args`
    pub fn java(&self) -> Command {
        let arguments: Vec<&str> = self.program.arguments.iter().map(String::as_str).collect();
        self.java_with(&arguments)
    }

    /// The same with other arguments for the program.
    pub fn java_with(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.java);
        if self.program.native.is_some() {
            let folder = self.classes.display();
            command.arg(format!("-Djava.library.path={folder}"));
        }
        command
            .arg("-cp")
            .arg(&self.classes)
            .arg(&self.program.main)
            .args(arguments);
        command
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramResult {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl ProgramResult {
    /// A number that tells results apart, the same in every run of xtask.
    pub fn digest(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (self.end.to_string(), &self.stdout, &self.stderr).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// What differs in `other`, in words, or `None`.
    pub fn difference(&self, other: &ProgramResult) -> Option<String> {
        if self == other {
            return None;
        }
        if self.end != other.end {
            return Some(format!(
                "the recording ended with {}, the replay with {}",
                self.end, other.end
            ));
        }
        let (stream, recorded, replayed) = if self.stdout == other.stdout {
            ("stderr", &self.stderr, &other.stderr)
        } else {
            ("stdout", &self.stdout, &other.stdout)
        };
        let (recorded, replayed) = (
            String::from_utf8_lossy(recorded),
            String::from_utf8_lossy(replayed),
        );
        let line = recorded
            .lines()
            .zip(replayed.lines())
            .take_while(|(a, b)| a == b)
            .count();
        let show = |text: &str| {
            text.lines()
                .nth(line)
                .map_or("(end)".to_owned(), str::to_owned)
        };
        Some(format!(
            "{stream} differs in line {}:\n  recorded: {}\n  replayed: {}",
            line + 1,
            show(&recorded),
            show(&replayed)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, all};

    #[test]
    fn every_expectation_is_understood() {
        let programs = all().unwrap();
        let at = |level| programs.iter().filter(move |p| p.level == level);
        assert!(at(Level::Access).all(|program| program.name.starts_with("racy-")));
        assert!(at(Level::Sync).all(|program| !program.name.starts_with("racy-")));
        assert!(
            programs
                .iter()
                .all(|p| p.name.starts_with("virtual-") == (p.jdk_min == 21))
        );
    }
}
