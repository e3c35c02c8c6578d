//! `doctor`: whether this machine can record and replay, and if not, what to do.

use crate::exit::{Exit, Failure};
use crate::launch::{agent, java};
use crate::report::terminal::Terminal;
use crate::store::Store;
use serde_json::json;
use std::path::Path;

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    /// What is there, or what is wrong and what to do.
    result: Result<String, String>,
}

pub fn run(terminal: &Terminal) -> Result<Exit, Failure> {
    let findings = [
        Finding {
            what: "agent",
            result: find_agent(),
        },
        Finding {
            what: "java",
            result: find_java(),
        },
        Finding {
            what: "temporary folder",
            result: writable(&std::env::temp_dir()),
        },
        Finding {
            what: "project store",
            result: find_store(),
        },
        Finding {
            what: "machine",
            result: machine(),
        },
    ];
    let well = findings.iter().all(|finding| finding.result.is_ok());
    if terminal.json {
        let list: Vec<_> = findings
            .iter()
            .map(|finding| {
                let (state, text) = match &finding.result {
                    Ok(text) => ("ok", text),
                    Err(text) => ("problem", text),
                };
                json!({"what": finding.what, "state": state, "text": text})
            })
            .collect();
        terminal
            .result(&json!({"verdict": if well { "ok" } else { "problems" }, "findings": list}))?;
    } else {
        terminal.print(|out| {
            for finding in &findings {
                match &finding.result {
                    Ok(text) => writeln!(out, "ok       {}: {text}", finding.what)?,
                    Err(text) => writeln!(out, "PROBLEM  {}: {text}", finding.what)?,
                }
            }
            Ok(())
        })?;
    }
    Ok(if well { Exit::SUCCESS } else { Exit::FOUND })
}

fn find_agent() -> Result<String, String> {
    match agent::find() {
        Ok(path) => Ok(path.display().to_string()),
        Err(failure) => Err(format!(
            "{}; {}",
            failure.message,
            failure.next.unwrap_or_default()
        )),
    }
}

fn find_java() -> Result<String, String> {
    let here = std::env::current_dir().unwrap_or_default();
    let found = java::find_program("java", &here, std::env::var_os("PATH").as_deref()).ok_or(
        "there is no java in PATH; install a JDK, 17 or later, or give its path to `record`",
    )?;
    let described = java::describe(&found).ok_or(format!(
        "{} has no `release` file beside it, so its build is not known",
        found.display()
    ))?;
    Ok(format!("{} in {}", described.build, described.home))
}

fn writable(folder: &Path) -> Result<String, String> {
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(folder.display().to_string()),
        Err(error) => Err(format!(
            "{} cannot be written: {error}; let TMPDIR name another",
            folder.display()
        )),
    }
}

fn find_store() -> Result<String, String> {
    let runs = Store::find().map_err(|failure| failure.message)?.runs();
    match runs.ancestors().find(|folder| folder.is_dir()) {
        Some(folder) => match tempfile::tempfile_in(folder) {
            Ok(_) => Ok(runs.display().to_string()),
            Err(error) => Err(format!(
                "{} cannot be written: {error}; choose files with `record -o`",
                folder.display()
            )),
        },
        None => Err(format!("{} is nowhere", runs.display())),
    }
}

fn machine() -> Result<String, String> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    match (os, arch) {
        ("linux", "x86_64") => Ok(format!("{os} {arch}")),
        _ => Err(format!("{os} {arch}: only linux x86_64 has been tried")),
    }
}
