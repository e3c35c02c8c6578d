//! Callbacks that are inlined, with clang: a block then costs two instructions instead of a call and what has to be saved around it.
//!
//! clang puts callbacks into the code when it has optimised it, and inlines nothing after that. So it is run twice: the first run makes bitcode in which the callbacks call
//! functions that `hook.h` defines; the second takes that for its source and inlines them. Whatever clang is there can read its own bitcode, and the linker gets ordinary objects.

use super::{Points, status};
use crate::exit::{Exit, Failure};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const HOOK: &str = include_str!("hook.h");

pub fn compile(
    compiler: &str,
    callbacks: &[String],
    points: Points,
    options: &[&String],
    source: &str,
    object: &Path,
) -> Result<Exit, Failure> {
    let folder = TempDir::with_prefix("reweave-cc-")
        .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    let hook = folder.path().join("hook.h");
    std::fs::write(&hook, HOOK)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", hook.display())))?;
    let bitcode = folder.path().join("source.bc");
    let dependencies = Dependencies::of(options, object);
    let mut first = Command::new(compiler);
    first
        .args(options)
        .args(callbacks)
        .args(dependencies.options())
        // The call that the compiler does not know of writes below the stack pointer.
        .arg("-mno-red-zone")
        .arg("-include")
        .arg(&hook);
    if points == Points::Access {
        first.arg("-DREWEAVE_ACCESSES");
    }
    first.args(["-c", "-emit-llvm", "-o"]).arg(&bitcode);
    let exit = status(first.arg(source))?;
    if exit != Exit::SUCCESS {
        return Ok(exit);
    }
    dependencies.forget(&hook)?;
    status(
        Command::new(compiler)
            .args(of_code_generation(options))
            .args(["-Qunused-arguments", "-fno-plt", "-c", "-o"])
            .arg(object)
            .arg(&bitcode),
    )
}

/// Options that matter for bitcode, too.
pub fn of_code_generation<'a>(options: &[&'a String]) -> Vec<&'a String> {
    const KINDS: &[&str] = &["-O", "-f", "-m", "-g", "--target", "-pipe"];
    const ONLY_ONCE: &[&str] = &[
        "-fsanitize",
        "-fprofile",
        "-fcoverage",
        "-fsyntax-only",
        "-fmodule",
    ];
    const WITH_VALUE: &[&str] = &["-target", "-mllvm", "-Xclang"];
    let mut kept = Vec::new();
    let mut options = options.iter();
    while let Some(&option) = options.next() {
        let is = |kinds: &[&str]| kinds.iter().any(|kind| option.starts_with(kind));
        if WITH_VALUE.contains(&option.as_str()) {
            kept.push(option);
            kept.extend(options.next());
        } else if is(KINDS) && !is(ONLY_ONCE) {
            kept.push(option);
        }
    }
    kept
}

/// The file in which a compiler writes for `make` what it has read.
pub struct Dependencies {
    file: Option<PathBuf>,
    /// What the compiler is to be told because the name of what lies between would mislead it.
    missing: Vec<String>,
}

impl Dependencies {
    pub fn of(options: &[&String], object: &Path) -> Dependencies {
        let asked = |option: &&&String| matches!(option.as_str(), "-MD" | "-MMD");
        let value_of = |name: &str| {
            let index = options.iter().position(|option| *option == name)?;
            options.get(index + 1).map(|value| value.to_string())
        };
        let through_preprocessor = options.iter().find_map(|option| {
            let rest = option.strip_prefix("-Wp,-M")?;
            rest.split_once("D,").map(|(_, file)| file.to_owned())
        });
        if let Some(file) = through_preprocessor {
            return Dependencies {
                file: Some(file.into()),
                missing: target(options, object),
            };
        }
        if !options.iter().any(|option| asked(&option)) {
            return Dependencies {
                file: None,
                missing: Vec::new(),
            };
        }
        let mut missing = target(options, object);
        let file = value_of("-MF").map_or_else(
            || {
                let file = object.with_extension("d");
                missing.extend(["-MF".to_owned(), file.display().to_string()]);
                file
            },
            PathBuf::from,
        );
        Dependencies {
            file: Some(file),
            missing,
        }
    }

    pub fn options(&self) -> &[String] {
        &self.missing
    }

    /// Our header is gone after this; `make` would look for it.
    fn forget(&self, hook: &Path) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let cannot = |error| Failure::new(format!("cannot change {}: {error}", file.display()));
        let text = std::fs::read_to_string(file).map_err(cannot)?;
        let hook = hook.display().to_string();
        let without = forget_in(&text, &hook);
        std::fs::write(file, without).map_err(cannot)
    }
}

fn target(options: &[&String], object: &Path) -> Vec<String> {
    let given = options
        .iter()
        .any(|option| option.starts_with("-MT") || option.starts_with("-MQ"));
    match given {
        true => Vec::new(),
        false => vec!["-MT".to_owned(), object.display().to_string()],
    }
}

/// Takes a file out of a rule, and the rule that `-MP` makes for it.
fn forget_in(text: &str, file: &str) -> String {
    let own_rule = format!("{file}:\n");
    let on_a_line = format!("  {file} \\\n");
    text.replace(&own_rule, "")
        .replace(&on_a_line, "")
        .replace(&format!(" {file}"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_is_for_generating_code() {
        let line = words(
            "-O2 -g -Wall -I inc -DX=1 -std=c11 -fPIC -mavx2 -mllvm -x -fsanitize=address -MD",
        );
        let kept: Vec<&str> = of_code_generation(&line.iter().collect::<Vec<_>>())
            .into_iter()
            .map(String::as_str)
            .collect();
        assert_eq!(kept, ["-O2", "-g", "-fPIC", "-mavx2", "-mllvm", "-x"]);
    }

    #[test]
    fn make_does_not_learn_of_our_header() {
        let text = "a.o: a.c \\\n  /tmp/r/hook.h \\\n  a.h\n/tmp/r/hook.h:\na.h:\n";
        assert_eq!(
            forget_in(text, "/tmp/r/hook.h"),
            "a.o: a.c \\\n  a.h\na.h:\n"
        );
        let text = "a.o: a.c /tmp/r/hook.h\n";
        assert_eq!(forget_in(text, "/tmp/r/hook.h"), "a.o: a.c\n");
    }

    #[test]
    fn the_rule_is_for_the_object() {
        let options = words("-MMD -O2");
        let found = Dependencies::of(&options.iter().collect::<Vec<_>>(), Path::new("out/a.o"));
        assert_eq!(found.options(), ["-MT", "out/a.o", "-MF", "out/a.d"]);
        let options = words("-MD -MT x.o -MF x.o.d");
        let found = Dependencies::of(&options.iter().collect::<Vec<_>>(), Path::new("x.o"));
        assert_eq!(found.file.as_deref(), Some(Path::new("x.o.d")));
        assert!(found.options().is_empty());
    }
}
