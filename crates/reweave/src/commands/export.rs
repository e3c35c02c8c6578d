//! `export`: a recording for other tools.

mod dot;

use super::open;
use crate::cli::{self, ExportFormat};
use crate::exit::{Exit, Failure};
use crate::report::event::to_json;
use crate::report::terminal::Terminal;
use reweave_analysis::order::{Order, Owner};
use reweave_trace::file::table::ThreadKind;
use reweave_trace::{Process, Trace};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub fn run(options: &cli::Export, terminal: &Terminal) -> Result<Exit, Failure> {
    let (_, trace) = open(&options.run)?;
    let write = |out: &mut dyn Write| match options.format {
        ExportFormat::Json => write_json(&trace, out),
        ExportFormat::Dot => dot::write(&trace, out),
    };
    match &options.output {
        None => terminal.print(write)?,
        Some(path) => {
            to_file(path, options.force, write)?;
            if terminal.json {
                terminal.result(&json!({"verdict": "exported", "file": path}))?;
            }
        }
    }
    Ok(Exit::SUCCESS)
}

fn to_file(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut open = OpenOptions::new();
    if force {
        open.write(true).create(true).truncate(true);
    } else {
        open.write(true).create_new(true);
    }
    let file = open.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::new(format!("{} exists already", path.display()))
            .with_next("choose another name, or replace it with --force"),
        _ => Failure::new(format!("cannot write {}: {error}", path.display())),
    })?;
    let mut out = BufWriter::new(file);
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

/// One object; each event is a line of its own, so that large files can be read by line.
fn write_json(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let faults: Vec<String> = trace.faults.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "{{\"verdict\":\"exported\",\"complete\":{},",
        trace.complete
    )?;
    writeln!(out, "\"manifest\":{},", json!(trace.manifest))?;
    writeln!(out, "\"result\":{},", json!(trace.result))?;
    writeln!(out, "\"faults\":{},", json!(faults))?;
    write!(out, "\"processes\":[")?;
    for (index, process) in trace.processes.iter().enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        write_process(process, out)?;
    }
    writeln!(out, "]}}")
}

fn write_process(process: &Process, out: &mut dyn Write) -> io::Result<()> {
    let order = Order::of(process);
    let threads: Vec<_> = order
        .threads()
        .iter()
        .map(|thread| {
            let kind = match thread.kind {
                ThreadKind::Thread => "thread",
                ThreadKind::ClassInitialiser => "class initialiser",
            };
            json!({"stream": thread.stream.0, "path": thread.path, "name": thread.java, "kind": kind})
        })
        .collect();
    let objects: Vec<_> = order
        .objects()
        .iter()
        .map(|object| {
            let kind = match object.owner {
                Owner::Monitor(_) => "monitor",
                Owner::Thread(_) => "thread",
            };
            json!({"name": object.name, "kind": kind, "first": object.first.0, "events": object.events})
        })
        .collect();
    let head = json!({
        "number": process.number.0,
        "path": process.path,
        "main": process.main,
        "jdk": process.jdk,
        "threads": threads,
        "objects": objects,
    });
    let head = head.to_string();
    // The events are written one by one instead of being gathered in memory.
    write!(out, "{},\"events\":[", head.trim_end_matches('}'))?;
    for (index, event) in order.events().enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        write!(out, "{}", to_json(&order, &event))?;
    }
    write!(out, "]}}")
}
