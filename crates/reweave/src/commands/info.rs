//! `info`: what a recording holds.

use super::open;
use crate::cli;
use crate::exit::{Exit, Failure};
use crate::report::terminal::{STRONG, Terminal};
use crate::report::{count, size};
use crate::store::shortest_name;
use reweave_trace::manifest::{EntryKind, Level};
use reweave_trace::{Kind, Process, Trace};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

pub fn run(options: &cli::OneRun, terminal: &Terminal) -> Result<Exit, Failure> {
    let (path, trace) = open(&options.run)?;
    if terminal.json {
        terminal.result(&to_json(&path, &trace))?;
    } else {
        terminal.print(|out| print(&path, &trace, out))?;
        terminal.note(format!("next: reweave replay {}", shortest_name(&path)));
    }
    Ok(Exit::SUCCESS)
}

fn kinds(process: &Process) -> BTreeMap<Kind, u64> {
    let mut kinds = BTreeMap::new();
    for event in process
        .threads
        .iter()
        .flat_map(|thread| thread.events().flatten())
    {
        // A repeat is that many more acquires.
        let kind = if event.kind == Kind::Repeat {
            Kind::Acquire
        } else {
            event.kind
        };
        *kinds.entry(kind).or_insert(0) += event.times();
    }
    kinds
}

fn print(path: &Path, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let manifest = &trace.manifest;
    let mut line = |title: &str, text: &str| writeln!(out, "{STRONG}{title:<10}{STRONG:#} {text}");
    line("run", &format!("{}, {}", manifest.run, manifest.started_at))?;
    line("command", &manifest.argv.join(" "))?;
    line("directory", &manifest.cwd)?;
    if let Some(java) = &manifest.java {
        line("JDK", &format!("{} in {}", java.build, java.home))?;
    }
    if let Some(native) = &manifest.native {
        line("program", &native.executable)?;
        if manifest.level == Level::Serial {
            line(
                "schedule",
                &format!(
                    "seed {}, quantum {}, tick {} µs",
                    native.seed, native.quantum, native.tick
                ),
            )?;
        }
    }
    line(
        "recorded",
        &format!(
            "level {} by reweave {}",
            manifest.level.name(),
            manifest.reweave
        ),
    )?;
    let host = &manifest.host;
    line(
        "host",
        &format!(
            "{} {}, {}, {} processors",
            host.os, host.kernel, host.arch, host.cpus
        ),
    )?;
    if let Ok(metadata) = path.metadata() {
        line(
            "file",
            &format!("{}, {}", path.display(), size(metadata.len())),
        )?;
    }
    match &trace.result {
        Some(result) => {
            let how = match result.signal {
                Some(signal) => format!("signal {signal}"),
                None => format!("exit code {}", result.exit_code),
            };
            line(
                "ended",
                &format!("{how} after {:.2} s", result.wall_ms as f64 / 1000.0),
            )?;
        }
        None => line("ended", "not known: the recording was not finished")?,
    }
    line("complete", if trace.complete { "yes" } else { "no" })?;
    for fault in &trace.faults {
        writeln!(out, "  {fault}")?;
    }
    for entry in &manifest.class_path {
        let kind = match entry.kind {
            EntryKind::Jar => "jar",
            EntryKind::Directory => "directory",
            EntryKind::Missing => "was not there",
        };
        writeln!(
            out,
            "{STRONG}{:<10}{STRONG:#} {} ({kind})",
            "class path", entry.path
        )?;
    }
    for process in &trace.processes {
        print_process(process, out)?;
    }
    Ok(())
}

fn print_process(process: &Process, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{STRONG}process {}{STRONG:#} {} (pid {}), {}: {}, {}",
        process.path,
        process.main,
        process.pid,
        process.jdk,
        count(process.threads.len() as u64, "thread"),
        count(process.events(), "event"),
    )?;
    for (kind, number) in kinds(process) {
        writeln!(out, "  {number:>12} {kind}")?;
    }
    for method in &process.skipped {
        writeln!(out, "  left alone: {method}")?;
    }
    for note in &process.notes {
        writeln!(out, "  note: {note}")?;
    }
    Ok(())
}

fn to_json(path: &Path, trace: &Trace) -> Value {
    let processes: Vec<Value> = trace
        .processes
        .iter()
        .map(|process| {
            let kinds: BTreeMap<&str, u64> = kinds(process)
                .into_iter()
                .map(|(kind, number)| (kind.name(), number))
                .collect();
            json!({
                "number": process.number.0,
                "path": process.path,
                "pid": process.pid,
                "main": process.main,
                "jdk": process.jdk,
                "threads": process.threads.len(),
                "events": process.events(),
                "kinds": kinds,
                "classes": process.code.len(),
                "skipped": process.skipped,
                "notes": process.notes,
                "ended": process.ended,
            })
        })
        .collect();
    json!({
        "verdict": if trace.complete { "complete" } else { "incomplete" },
        "file": path,
        "events": trace.processes.iter().map(Process::events).sum::<u64>(),
        "threads": trace.processes.iter().map(|process| process.threads.len()).sum::<usize>(),
        "level": trace.manifest.level,
        "complete": trace.complete,
        "manifest": trace.manifest,
        "result": trace.result,
        "faults": trace.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "processes": processes,
    })
}
