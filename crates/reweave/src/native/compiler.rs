//! `cc`, `c++`, `rustc`, `flags`: the compiler that is there, with the callbacks that serial recording needs.
//!
//! The options that ask for callbacks are given when compiling and never when linking: the compiler would link a runtime of its own, whose callbacks come before ours.
//! A command that does both at once is therefore taken apart.

mod assembly;
mod callbacks;
mod inline;

use super::library;
use crate::cli::{self, Language, Step};
use crate::exit::{Exit, Failure};
use crate::report::terminal::Terminal;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What is counted, by `REWEAVE_INSTRUMENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Points {
    /// Blocks: cheap.
    Block,
    /// Blocks, and before every access to memory: finds what happens within a block.
    Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Gcc,
    Clang,
}

/// gcc's callbacks at blocks.
const BLOCKS: &str = "-fsanitize-coverage=trace-pc";

const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "C", "m", "mm"];

pub fn run(language: Language, options: &cli::Compiler) -> Result<Exit, Failure> {
    let arguments = &options.arguments;
    let points = points()?;
    let library = library()?;
    if language == Language::Rust {
        let mut command = Command::new(compiler(language));
        command.args(arguments).args(rust_flags(points, &library));
        let linked = callbacks::for_rust(arguments)?;
        if let Some(linked) = &linked {
            command.arg(linked.option());
        }
        return status(&mut command);
    }
    let compiler = compiler(language);
    let family = family(&compiler)?;
    let compile = compile_flags(family, points);
    let callbacks = Callbacks {
        flags: &compile,
        points,
        family,
        inlined: is_inlined()?,
    };
    let link = link_flags(&library);
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let compiles_only = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"]
        .iter()
        .any(|option| has(option));
    let asks_only = arguments.is_empty()
        || arguments.iter().all(|argument| {
            argument.starts_with("--version") || argument == "-v" || argument.starts_with("-print")
        });
    let mut command = Command::new(&compiler);
    if asks_only {
        return status(command.args(arguments));
    }
    if let Some(source) = the_source(arguments)
        && has("-c")
        && (callbacks.inlined || family == Family::Gcc)
    {
        let rest = without(arguments, source);
        let beside = || Path::new(&arguments[source]).with_extension("o");
        let output = output_of(arguments)
            .or_else(|| beside().file_name().map(PathBuf::from))
            .unwrap_or_default();
        return compile_one(&compiler, &callbacks, &rest, &arguments[source], &output);
    }
    if compiles_only {
        return status(command.args(arguments).args(compile));
    }
    let linked = match callbacks.inlined {
        true => None,
        false => callbacks::for_program(&compiler, arguments)?,
    };
    command.args(linked.as_ref().map(callbacks::Linked::object));
    if !arguments.iter().any(|argument| is_source(argument)) {
        return status(command.args(arguments).args(link));
    }
    both(&compiler, command, arguments, &callbacks, &link)
}

/// How callbacks come into the code.
struct Callbacks<'a> {
    flags: &'a [String],
    points: Points,
    family: Family,
    /// They are inlined in this compiler's way, instead of called.
    inlined: bool,
}

/// `REWEAVE_HOOK`: `library` has the callbacks called, as rustc always has.
fn is_inlined() -> Result<bool, Failure> {
    match std::env::var("REWEAVE_HOOK").as_deref() {
        Ok("inline") | Err(_) => Ok(true),
        Ok("library") => Ok(false),
        Ok(other) => Err(Failure::new(format!(
            "REWEAVE_HOOK is {other}, which is neither `inline` nor `library`"
        ))),
    }
}

/// Compiles one source to an object.
fn compile_one(
    compiler: &str,
    callbacks: &Callbacks<'_>,
    options: &[&String],
    source: &str,
    object: &Path,
) -> Result<Exit, Failure> {
    let flags = callbacks.flags;
    match callbacks.family {
        Family::Clang if callbacks.inlined => {
            let points = callbacks.points;
            return inline::compile(compiler, flags, points, options, source, object);
        }
        Family::Gcc if assembly::is_possible(options) => {
            return assembly::compile(compiler, callbacks, options, source, object);
        }
        _ => (),
    }
    status(
        Command::new(compiler)
            .args(options)
            .args(flags)
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(object),
    )
}

/// The index of the source, if there is exactly one.
fn the_source(arguments: &[String]) -> Option<usize> {
    let mut sources = (0..arguments.len())
        .filter(|&index| is_source(&arguments[index]) && !is_value(arguments, index));
    let first = sources.next()?;
    sources.next().is_none().then_some(first)
}

/// What `-o` says.
fn output_of(arguments: &[String]) -> Option<PathBuf> {
    let after = arguments.iter().position(|argument| argument == "-o");
    let joined = || {
        let found = arguments
            .iter()
            .find(|argument| argument.starts_with("-o"))?;
        Some(PathBuf::from(&found[2..]))
    };
    match after {
        Some(index) => arguments.get(index + 1).map(PathBuf::from),
        None => joined(),
    }
}

/// All arguments but the source, the output and what says that this is to be compiled only.
fn without(arguments: &[String], source: usize) -> Vec<&String> {
    let kept = arguments.iter().enumerate().filter(|(index, argument)| {
        let output = argument.starts_with("-o") || *index > 0 && arguments[index - 1] == "-o";
        *index != source && !output && *argument != "-c"
    });
    kept.map(|(_, argument)| argument).collect()
}

pub fn print_flags(options: &cli::Flags, terminal: &Terminal) -> Result<Exit, Failure> {
    let points = points()?;
    let library = library()?;
    let flags = match (options.language, options.step) {
        (Language::Rust, Step::Compile) => rust_flags(points, &library),
        (Language::Rust, Step::Link) => Vec::new(),
        (language, Step::Compile) => compile_flags(family(&compiler(language))?, points),
        (_, Step::Link) => link_flags(&library),
    };
    terminal.print(|out| writeln!(out, "{}", flags.join(" ")))?;
    Ok(Exit::SUCCESS)
}

/// `REWEAVE_CC`, `REWEAVE_CXX`, `REWEAVE_RUSTC`, or what the system calls by that name.
fn compiler(language: Language) -> String {
    let (variable, usual) = match language {
        Language::C => ("REWEAVE_CC", "cc"),
        Language::Cxx => ("REWEAVE_CXX", "c++"),
        Language::Rust => ("REWEAVE_RUSTC", "rustc"),
    };
    std::env::var(variable).unwrap_or_else(|_| usual.to_owned())
}

fn points() -> Result<Points, Failure> {
    match std::env::var("REWEAVE_INSTRUMENT").as_deref() {
        Ok("block") => Ok(Points::Block),
        Ok("access") | Err(_) => Ok(Points::Access),
        Ok(other) => Err(Failure::new(format!(
            "REWEAVE_INSTRUMENT is {other}, which is neither `block` nor `access`"
        ))),
    }
}

fn family(compiler: &str) -> Result<Family, Failure> {
    let output = Command::new(compiler)
        .arg("--version")
        .output()
        .map_err(|error| {
            Failure::new(format!("cannot run {compiler}: {error}"))
                .with_exit(Exit::NOT_FOUND)
                .with_next("install a C compiler, or let REWEAVE_CC or REWEAVE_CXX name one")
        })?;
    Ok(
        match String::from_utf8_lossy(&output.stdout).contains("clang") {
            true => Family::Clang,
            false => Family::Gcc,
        },
    )
}

fn compile_flags(family: Family, points: Points) -> Vec<String> {
    let flags: &[&str] = match (family, points) {
        (Family::Clang, Points::Block) => &["-fsanitize-coverage=trace-pc-guard"],
        (Family::Clang, Points::Access) => {
            &["-fsanitize-coverage=trace-pc-guard,trace-loads,trace-stores"]
        }
        (Family::Gcc, Points::Block) => &[BLOCKS],
        (Family::Gcc, Points::Access) => &[BLOCKS, "-fsanitize=thread"],
    };
    // Without it a call goes through a stub, whose instructions two calls in one block share.
    let calls = std::iter::once(&"-fno-plt");
    flags
        .iter()
        .chain(calls)
        .map(|&flag| flag.to_owned())
        .collect()
}

fn link_flags(library: &Path) -> Vec<String> {
    let folder = library.parent().unwrap_or(Path::new("/"));
    vec![
        "-Wl,--push-state,--no-as-needed".to_owned(),
        library.display().to_string(),
        "-Wl,--pop-state".to_owned(),
        format!("-Wl,-rpath,{}", folder.display()),
    ]
}

fn rust_flags(points: Points, library: &Path) -> Vec<String> {
    let mut flags: Vec<String> = [
        "-Cpasses=sancov-module",
        "-Cllvm-args=-sanitizer-coverage-level=3",
        "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
    ]
    .map(str::to_owned)
    .into();
    if points == Points::Access {
        flags.push("-Cllvm-args=-sanitizer-coverage-trace-loads".to_owned());
        flags.push("-Cllvm-args=-sanitizer-coverage-trace-stores".to_owned());
    }
    flags.extend(
        link_flags(library)
            .into_iter()
            .map(|flag| format!("-Clink-arg={flag}")),
    );
    flags
}

fn is_source(argument: &str) -> bool {
    let extension = Path::new(argument)
        .extension()
        .and_then(|extension| extension.to_str());
    !argument.starts_with('-') && extension.is_some_and(|extension| SOURCES.contains(&extension))
}

/// Compiles every source by itself, then links by `linker`.
fn both(
    compiler: &str,
    mut linker: Command,
    arguments: &[String],
    callbacks: &Callbacks<'_>,
    link: &[String],
) -> Result<Exit, Failure> {
    let folder = TempDir::with_prefix("reweave-cc-")
        .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    let mut linked = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        if !is_source(argument) || is_value(arguments, index) {
            linked.push(argument.clone());
            continue;
        }
        let object = object_of(folder.path(), argument, index);
        let options = compile_only(arguments);
        let exit = compile_one(compiler, callbacks, &options, argument, &object)?;
        if exit != Exit::SUCCESS {
            return Ok(exit);
        }
        linked.push(object.display().to_string());
    }
    status(linker.args(linked).args(link))
}

fn object_of(folder: &Path, source: &str, index: usize) -> PathBuf {
    let name = Path::new(source)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or("source");
    folder.join(format!("{index}-{name}.o"))
}

/// Whether the argument is the value of the option before it.
fn is_value(arguments: &[String], index: usize) -> bool {
    const WITH_VALUE: &[&str] = &[
        "-o", "-include", "-I", "-D", "-U", "-L", "-x", "-MF", "-MT", "-MQ", "-isystem", "-iquote",
    ];
    index > 0 && WITH_VALUE.contains(&arguments[index - 1].as_str())
}

/// The options without sources, objects, libraries and the output.
fn compile_only(arguments: &[String]) -> Vec<&String> {
    let kept = arguments.iter().enumerate().filter(|(index, argument)| {
        let value = is_value(arguments, *index);
        let of_output = *argument == "-o" || value && arguments[index - 1] == "-o";
        let links = argument.starts_with("-l") || argument.starts_with("-Wl,");
        let file = !argument.starts_with('-') && !value;
        !of_output && !links && !file
    });
    kept.map(|(_, argument)| argument).collect()
}

fn status(command: &mut Command) -> Result<Exit, Failure> {
    let status = command.status().map_err(|error| {
        Failure::new(format!(
            "cannot run {}: {error}",
            command.get_program().to_string_lossy()
        ))
        .with_exit(Exit::NOT_FOUND)
    })?;
    Ok(Exit::of_program(status.code().unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_is_for_compiling_only() {
        let arguments = words("-O2 -I inc -o out a.c b.o -lm -Wl,-z,now -DX=1 -include pre.c");
        let kept: Vec<&str> = compile_only(&arguments)
            .into_iter()
            .map(String::as_str)
            .collect();
        assert_eq!(kept, ["-O2", "-I", "inc", "-DX=1", "-include", "pre.c"]);
    }

    #[test]
    fn sources_are_known_by_their_extension() {
        for source in ["a.c", "dir/b.cpp", "x.cc"] {
            assert!(is_source(source), "{source}");
        }
        for other in ["a.o", "-o", "lib.a", "-x.c"] {
            assert!(!is_source(other), "{other}");
        }
    }
}
