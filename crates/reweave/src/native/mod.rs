//! Native programs: what they are, how they are started with our library in them, how they are compiled, and gdb.

pub mod compiler;
pub mod gdb;
pub mod planned;
mod program;

use crate::cli;
use crate::exit::Failure;
use crate::launch::agent::find_library;
use crate::launch::checks::{Mismatch, Readiness};
use crate::launch::facts::digest_of;
use crate::launch::java;
use crate::launch::session::Session;
use reweave_trace::manifest::{Level, Native};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const LIBRARY: &str = "libreweave_native.so";

/// Texts that the program finds in its environment are padded to these lengths, so that a replay's are as long as the recording's:
/// they lie on the stack and shift it.
const PRELOAD_LENGTH: usize = 200;
const SESSION_LENGTH: usize = 120;

pub fn library() -> Result<PathBuf, Failure> {
    find_library(LIBRARY, "REWEAVE_NATIVE")
}

/// The program that a command means, if it is one to be recorded itself.
pub fn program_of(options: &cli::Record, cwd: &Path) -> Result<Option<Native>, Failure> {
    let wanted = options.native || options.level == cli::Level::Serial;
    let name = &options.command[0];
    let Some(path) = java::find_program(name, cwd, std::env::var_os("PATH").as_deref()) else {
        // Whoever starts it will say so.
        return Ok(None);
    };
    if !wanted && (java::is_java(name) || program::is_launcher(&path)) {
        return Ok(None);
    }
    let executable = path.canonicalize().unwrap_or(path);
    match program::examine(&executable)? {
        program::Format::Script if wanted => {
            return Err(Failure::new(format!(
                "{} is a script; reweave records the programs themselves",
                executable.display()
            ))
            .with_next("put the program that it starts after `--`"));
        }
        program::Format::Script => return Ok(None),
        program::Format::Plain if options.level == cli::Level::Serial => {
            return Err(Failure::new(format!(
                "{} was compiled without the callbacks that --level serial counts",
                executable.display()
            ))
            .with_next(
                "build it with `reweave cc`, `reweave c++` or `reweave rustc`, or record it as it is with --level sync",
            ));
        }
        program::Format::Plain | program::Format::Instrumented => (),
    }
    if options.level == cli::Level::Access {
        return Err(Failure::new("--level access is for Java programs")
            .with_next("record native programs with --level sync or --level serial"));
    }
    let digest = digest_of(&executable)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", executable.display())))?;
    Ok(Some(Native {
        executable: text(&executable)?,
        digest: format!("{digest:016x}"),
        environment: environment(),
        seed: options
            .seed
            .unwrap_or_else(|| RandomState::new().hash_one(0) >> 1),
        quantum: options.quantum,
        tick: options.tick,
    }))
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::new(format!("the path {} is not UTF-8", path.display())))
}

/// All variables but those that we set ourselves.
fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| !name.starts_with("REWEAVE_") && name != "_")
        .map(|(name, value)| match looks_secret(&name) {
            true => (name, "x".repeat(value.len())),
            false => (name, value),
        })
        .collect()
}

fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "SECRET",
        "TOKEN",
        "PASSWORD",
        "PASSWD",
        "CREDENTIAL",
        "API_KEY",
        "PRIVATE",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// What does not fit any more.
pub fn check(program: &Native, cwd: &Path) -> Readiness {
    let mut mismatches = Vec::new();
    if !cwd.is_dir() {
        mismatches.push(Mismatch::NoDirectory {
            cwd: cwd.to_owned(),
        });
    }
    let executable = PathBuf::from(&program.executable);
    match digest_of(&executable) {
        Err(_) => mismatches.push(Mismatch::NoProgram {
            program: program.executable.clone(),
        }),
        Ok(digest) if format!("{digest:016x}") != program.digest => {
            mismatches.push(Mismatch::Program {
                path: program.executable.clone(),
            });
        }
        Ok(_) => (),
    }
    Readiness {
        program: executable,
        mismatches,
    }
}

/// A program about to be started with our library in it.
pub struct Launch<'a> {
    pub program: &'a Native,
    pub level: Level,
    pub library: &'a Path,
    pub session: &'a Session,
    /// Where a replay leaves what the program sends.
    pub sent: Option<&'a Path>,
}

impl Launch<'_> {
    /// Adds what only our library wants to know to the session. `as_run` is a live file for what really happens.
    pub fn write_settings(&self, as_run: Option<&Path>) -> Result<(), Failure> {
        self.write_settings_and(as_run, None)
    }

    /// The same, for a run that keeps to a schedule of its own.
    pub fn write_settings_and(
        &self,
        as_run: Option<&Path>,
        plan: Option<&Path>,
    ) -> Result<(), Failure> {
        let mut lines = Vec::new();
        // For tests: functions that the library is to leave alone.
        if let Ok(names) = std::env::var("REWEAVE_TEST_WITHOUT") {
            lines.push(format!("native.without={names}"));
        }
        if let Some(folder) = self.sent {
            let folder = std::path::absolute(folder)
                .and_then(|folder| std::fs::create_dir_all(&folder).map(|()| folder))
                .map_err(|error| {
                    Failure::new(format!("cannot make {}: {error}", folder.display()))
                })?;
            lines.push(format!("native.sent={}", folder.display()));
        }
        if self.level == Level::Serial {
            self.add_serial_settings(&mut lines, as_run, plan);
        }
        self.session.add(&lines)
    }

    fn add_serial_settings(
        &self,
        lines: &mut Vec<String>,
        as_run: Option<&Path>,
        plan: Option<&Path>,
    ) {
        let Native {
            seed,
            quantum,
            tick,
            ..
        } = self.program;
        lines.extend([
            "native.serial=1".to_owned(),
            format!("native.seed={seed}"),
            format!("native.quantum={quantum}"),
            format!("native.tick={tick}"),
            format!("native.processors={}", processors()),
        ]);
        if let Some(path) = as_run {
            lines.push(format!("native.as-run={}", path.display()));
        }
        if let Some(path) = plan {
            lines.push(format!("native.plan={}", path.display()));
        }
    }

    pub fn command(&self, argv: &[String]) -> Command {
        let mut command = Command::new(&self.program.executable);
        if let Some((name, arguments)) = argv.split_first() {
            command.arg0(name).args(arguments);
        }
        command.env_clear().envs(self.environment());
        command
    }

    /// The recorded variables, and ours. A secret is taken from the present environment if it is as long as it was.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let mut environment = match is_left_out("environment") {
            true => environment(),
            false => self.program.environment.clone(),
        };
        for (name, value) in &mut environment {
            if looks_secret(name)
                && let Ok(now) = std::env::var(name)
                && now.len() == value.len()
            {
                *value = now;
            }
        }
        let mut preload = padded(&self.library.display().to_string(), PRELOAD_LENGTH);
        if let Some(own) = environment.get("LD_PRELOAD").filter(|own| !own.is_empty()) {
            preload = format!("{preload}:{own}");
        }
        environment.insert("LD_PRELOAD".to_owned(), preload);
        let folder = self.session.folder().display().to_string();
        environment.insert(
            "REWEAVE_SESSION".to_owned(),
            padded(&folder, SESSION_LENGTH),
        );
        // Which process of the recording it is: the first. The library changes this for the programs that come after it.
        environment.insert("REWEAVE_PROCESS".to_owned(), format!("{:60}", "0@*"));
        environment
    }
}

/// For tests, which show that things are needed: whether `REWEAVE_TEST_WITHOUT` lists something that the command does.
fn is_left_out(what: &str) -> bool {
    std::env::var("REWEAVE_TEST_WITHOUT")
        .is_ok_and(|names| names.split(',').any(|name| name == what))
}

/// The same path, longer: more than one slash at its start means one.
fn padded(path: &str, length: usize) -> String {
    let missing = length.saturating_sub(path.len());
    format!("{}{path}", "/".repeat(missing))
}

/// Those that the command may use, as the kernel writes them.
fn processors() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    lines
        .find_map(|line| line.strip_prefix("Cpus_allowed:"))
        .map_or_else(String::new, |set| set.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_as_long_as_they_should_be() {
        assert_eq!(padded("/tmp/x", 9), "////tmp/x");
        assert_eq!(padded("/tmp/x", 3), "/tmp/x");
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in ["GITHUB_TOKEN", "db_password", "AWS_SECRET_ACCESS_KEY"] {
            assert!(looks_secret(name), "{name}");
        }
        for name in ["PATH", "HOME", "LANG"] {
            assert!(!looks_secret(name), "{name}");
        }
    }
}
