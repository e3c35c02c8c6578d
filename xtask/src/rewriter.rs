//! `cargo xtask rewriter`: is the class rewriter complete, correct and fast enough?
//!
//! Rewrites whole libraries with every kind of event there is, and once more with a `nop` before every instruction; counts the events a
//! second time with a reader that shares no code with the rewriter; and has a VM that verifies everything link each class. A class that
//! fails to link must fail in the same way untouched (libraries have optional parts). By default that is done for java.base of the default
//! JDK; `--all` takes every JDK found and large libraries of several compilers, old ones included.

mod subjects;
mod vm;

use crate::{setup, workspace};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use subjects::{Kind, Subject};
use vm::{Tools, Vm};

/// Fewer in a second, in an optimised build on one thread, is a failure.
const SLOWEST: f64 = 5_000.0;

/// Reasons to leave a method alone that lie in the method, not in the rewriter.
const INHERENT: &[&str] = &["Native"];

/// A reason that a `nop` before every instruction may be to blame for; then less is found, too.
const TOO_LARGE: &str = "CodeTooLarge";

/// How a class is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Every kind of event.
    Events,
    /// The same, and a `nop` before every instruction.
    Nops,
}

/// What `reweave-rewrite` prints.
#[derive(Debug, Deserialize)]
struct Rewritten {
    classes: usize,
    failures: Vec<String>,
    skipped: BTreeMap<String, usize>,
    sites: BTreeMap<String, usize>,
    /// What methods that were left alone would have had.
    dropped: BTreeMap<String, usize>,
    handles: usize,
    classes_per_second: f64,
}

/// What the independent count prints.
#[derive(Debug, Deserialize)]
struct Counted {
    classes: usize,
    methods: usize,
    sites: BTreeMap<String, usize>,
    handles: usize,
}

/// Prints a paragraph for each subject; an error if anything was not as it should be.
pub fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let all = match arguments {
        [] => false,
        [all] if all == "--all" => true,
        _ => return Err("usage: cargo xtask rewriter [--all]".into()),
    };
    let rewriter = build()?;
    let folder = workspace::target().join("rewriter");
    workspace::create(&folder)?;
    let jdks = setup::jdks()?;
    let mut problems = Vec::new();
    for jdk in jdks.iter().take(if all { jdks.len() } else { 1 }) {
        let tools = Tools::compile(jdk, &folder)?;
        problems.extend(examine(
            &Subject::java_base(jdk, &folder)?,
            &tools,
            &rewriter,
            &folder,
        )?);
    }
    if all && let Some(jdk) = jdks.first() {
        let tools = Tools::compile(jdk, &folder)?;
        for library in subjects::LIBRARIES {
            problems.extend(examine(
                &Subject::library(library, jdk, &folder)?,
                &tools,
                &rewriter,
                &folder,
            )?);
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// Builds the program under test, optimised, and says where it is.
fn build() -> Result<PathBuf, Box<dyn Error>> {
    let arguments = [
        "build",
        "--quiet",
        "--release",
        "-p",
        "reweave-jvm",
        "--bin",
        "reweave-rewrite",
    ];
    if !workspace::cargo(&arguments).status()?.success() {
        return Err("reweave-rewrite does not build".into());
    }
    Ok(workspace::target().join("release/reweave-rewrite"))
}

/// Rewrites, counts and links one subject; returns what was wrong.
fn examine(
    subject: &Subject,
    tools: &Tools,
    rewriter: &Path,
    folder: &Path,
) -> Result<Vec<String>, Box<dyn Error>> {
    let counted: Counted =
        serde_json::from_str(&tools.count(rewriter, &subject.classes, folder)?)?;
    let vm = Vm { subject, tools };
    let names = subject.class_names(folder)?;
    let untouched = vm.link(None, &names)?;
    let mut problems = Vec::new();
    for mode in [Mode::Events, Mode::Nops] {
        let out = folder.join("out");
        let rewritten = rewrite(rewriter, mode, &subject.classes, &out)?;
        let linked = vm.link(Some(&out), &names)?;
        let new_failures: BTreeSet<_> = linked.failed.difference(&untouched.failed).collect();
        let (report, wrong) = report(
            subject,
            mode,
            &counted,
            &rewritten,
            linked.count,
            &new_failures,
        );
        print!("{report}");
        problems.extend(
            wrong
                .into_iter()
                .map(|problem| format!("{}, {mode:?}: {problem}", subject.name)),
        );
    }
    Ok(problems)
}

fn rewrite(
    rewriter: &Path,
    mode: Mode,
    from: &Path,
    to: &Path,
) -> Result<Rewritten, Box<dyn Error>> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    workspace::create(to)?;
    let mut command = Command::new(rewriter);
    match mode {
        Mode::Events => {}
        Mode::Nops => drop(command.arg("--nops")),
    }
    Ok(serde_json::from_str(&vm::output(
        command.arg(from).arg(to),
    )?)?)
}

/// What to print, and what is wrong.
fn report(
    subject: &Subject,
    mode: Mode,
    counted: &Counted,
    rewritten: &Rewritten,
    linked: usize,
    failed: &BTreeSet<&String>,
) -> (String, Vec<String>) {
    let mut text = format!(
        "{}, {mode:?}: {} classes, {} methods, {:.0} classes/s\n",
        subject.name, rewritten.classes, counted.methods, rewritten.classes_per_second
    );
    let mut wrong = Vec::new();
    let grown = mode == Mode::Nops && rewritten.skipped.contains_key(TOO_LARGE);
    let mut compare = |what: &str, found: usize, expected: usize| {
        let _ = write!(text, "  {what}: {found}");
        if found != expected && !grown {
            wrong.push(format!(
                "{what}: {found} found, {expected} by independent count"
            ));
        }
    };
    compare("classes", rewritten.classes, counted.classes);
    for (kind, &expected) in &counted.sites {
        let all = [&rewritten.sites, &rewritten.dropped];
        let found = all.map(|sites| sites.get(kind).copied().unwrap_or(0));
        compare(kind, found.iter().sum(), expected);
    }
    compare("handles", rewritten.handles, counted.handles);
    let _ = writeln!(
        text,
        "\n  linked under -Xverify:all: {linked}, new failures: {}",
        failed.len()
    );
    let _ = writeln!(
        text,
        "  left alone: {:?}, with {:?}",
        rewritten.skipped, rewritten.dropped
    );
    wrong.extend(
        failed
            .iter()
            .map(|failure| format!("does not link: {failure}")),
    );
    wrong.extend(
        rewritten
            .failures
            .iter()
            .map(|failure| format!("not rewritten: {failure}")),
    );
    // Elsewhere a method may be too large for what is added; java.base is known to have none.
    if subject.kind == Kind::JavaBase {
        for (reason, count) in &rewritten.skipped {
            let fine = INHERENT.contains(&reason.as_str()) || grown && reason == TOO_LARGE;
            if !fine {
                wrong.push(format!("{count} methods left alone: {reason}"));
            }
        }
    }
    if rewritten.classes_per_second < SLOWEST {
        wrong.push(format!(
            "{:.0} classes/s, less than {SLOWEST}",
            rewritten.classes_per_second
        ));
    }
    (text, wrong)
}
