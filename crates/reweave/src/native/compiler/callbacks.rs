//! Callbacks that are called, in the program itself (`callbacks.s`): a call into a library goes through a table, and finds the countdown by another.
//!
//! Shared libraries call those of ours: what counts for them lies in whichever program loads them.

use super::status;
use crate::exit::{Exit, Failure};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const SOURCE: &str = include_str!("callbacks.s");

/// An object to be linked, for as long as this is there.
pub struct Linked {
    folder: TempDir,
}

impl Linked {
    pub fn object(&self) -> PathBuf {
        self.folder.path().join("callbacks.o")
    }

    /// For rustc.
    pub fn option(&self) -> String {
        format!("-Clink-arg={}", self.object().display())
    }
}

/// For what a C compiler links, if that is a program.
pub fn for_program(compiler: &str, arguments: &[String]) -> Result<Option<Linked>, Failure> {
    let other = ["-shared", "-r", "-static", "-nostdlib"];
    match arguments
        .iter()
        .any(|argument| other.contains(&argument.as_str()))
    {
        true => Ok(None),
        false => assemble(compiler).map(Some),
    }
}

/// For what rustc links, if that is a program. Cargo asks it for other things, too.
pub fn for_rust(arguments: &[String]) -> Result<Option<Linked>, Failure> {
    let library = |kind: &str| !kind.split(',').all(|kind| kind == "bin");
    let of_option = |index: usize| {
        let argument = &arguments[index];
        match argument.strip_prefix("--crate-type") {
            Some("") => arguments.get(index + 1).is_some_and(|kind| library(kind)),
            Some(joined) => library(joined.trim_start_matches('=')),
            None => false,
        }
    };
    let source = arguments.iter().any(|argument| argument.ends_with(".rs"));
    match source && !(0..arguments.len()).any(of_option) {
        true => assemble("cc").map(Some),
        false => Ok(None),
    }
}

fn assemble(compiler: &str) -> Result<Linked, Failure> {
    let cannot =
        |error: std::io::Error| Failure::new(format!("cannot make a temporary folder: {error}"));
    let folder = TempDir::with_prefix("reweave-cc-").map_err(cannot)?;
    let linked = Linked { folder };
    let source = linked.folder.path().join("callbacks.s");
    std::fs::write(&source, SOURCE).map_err(cannot)?;
    match status(&mut assembler(compiler, &source, &linked.object()))? {
        Exit::SUCCESS => Ok(linked),
        _ => Err(Failure::new(format!(
            "{compiler} cannot assemble our callbacks"
        ))),
    }
}

fn assembler(compiler: &str, source: &Path, object: &Path) -> Command {
    let mut command = Command::new(compiler);
    command.arg("-c").arg(source).arg("-o").arg(object);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn only_programs_have_callbacks_of_their_own() {
        for other in ["-shared -o x.so a.o", "-r -o x.o a.o"] {
            assert!(
                for_program("cc", &words(other)).is_ok_and(|linked| linked.is_none()),
                "{other}"
            );
        }
        for other in [
            "--crate-type lib a.rs",
            "--crate-type=proc-macro a.rs",
            "--crate-type bin,cdylib a.rs",
            "--version",
        ] {
            assert!(
                for_rust(&words(other)).is_ok_and(|linked| linked.is_none()),
                "{other}"
            );
        }
    }
}
