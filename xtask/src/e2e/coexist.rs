//! Other tools in the recorded JVM: coverage, mocks that rewrite classes, flight recordings, a profiler, a debugger. A recording and its replay work with each.

use super::{Harness, Tally};
use crate::bench::subjects::{fetch, unpack};
use crate::jdk::Jdk;
use crate::process::{self, End};
use crate::reweave::{Enforcement, Replayed, Report};
use crate::trial::LIMIT;
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: &str = "programs/tools/coexist";
/// Recordings of each, replayed once.
const ROUNDS: usize = 3;

const JACOCO: &str = "org.jacoco:org.jacoco.agent:0.8.13:jar:runtime";
const PROFILER: &str = "tools.profiler:async-profiler:3.0";
const MOCKITO: &[&str] = &[
    "org.mockito:mockito-core:5.20.0",
    "net.bytebuddy:byte-buddy:1.17.7",
    BYTE_BUDDY_AGENT,
    "org.objenesis:objenesis:3.3",
];
const BYTE_BUDDY_AGENT: &str = "net.bytebuddy:byte-buddy-agent:1.17.7";

#[derive(Clone, Copy, Debug)]
enum Tool {
    JaCoCo,
    /// Attaches an agent to its own process, by a helper process.
    Mockito,
    /// Gets the agent on the command line.
    MockitoWithAgent,
    Jfr,
    AsyncProfiler,
    /// That of the user, in the recording as in the replay.
    Debugger,
}

const TOOLS: &[(&str, Tool)] = &[
    ("JaCoCo", Tool::JaCoCo),
    ("Mockito, inline, attaching itself", Tool::Mockito),
    ("Mockito, inline, with -javaagent", Tool::MockitoWithAgent),
    ("JFR", Tool::Jfr),
    ("async-profiler", Tool::AsyncProfiler),
    ("a debugger's agent", Tool::Debugger),
];

pub fn check(harness: &Harness, tally: &mut Tally) {
    if harness.programs.is_empty() {
        return;
    }
    tally.heading("other tools in the same JVM");
    for jdk in &harness.jdks {
        for (name, tool) in TOOLS {
            let result = (1..=ROUNDS).try_for_each(|_| once(harness, jdk, *tool));
            tally.check(&format!("{name}, JDK {}", jdk.major), result);
        }
    }
}

fn once(harness: &Harness, jdk: &Jdk, tool: Tool) -> Result<(), String> {
    let recording = harness.scratch.join("coexist.rwv");
    let report = harness.scratch.join("report.json");
    let _ = fs::remove_file(&recording);
    let java = java(harness, jdk, tool)?;
    let mut record = harness.reweave.record(&java, &recording);
    let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
    let complaint = recorded.stderr_text();
    let said = result_of(&recorded.stdout_text());
    if recorded.end != End::Exit(0) || said.is_empty() {
        return Err(format!("the recording: {}\n{complaint}", recorded.end));
    }
    left_something(harness, tool)?;
    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    let replayed = process::run(&mut replay, LIMIT, &harness.scratch)?;
    let again = result_of(&replayed.stdout_text());
    let verdict = Report::read(&report)?.verdict;
    match (again == said, verdict) {
        (true, Replayed::Followed) => Ok(()),
        _ => Err(format!(
            "recorded {said:?}, replayed {again:?}, {verdict:?}\n{}",
            replayed.stderr_text()
        )),
    }
}

/// The program's own lines: JFR and the debugger's agent say something, too, with numbers of processes and ports.
fn result_of(text: &str) -> Vec<String> {
    let own = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    text.lines().filter(own).map(str::to_owned).collect()
}

fn output(harness: &Harness, tool: Tool) -> Option<PathBuf> {
    let name = match tool {
        Tool::JaCoCo => "jacoco.exec",
        Tool::Jfr => "program.jfr",
        Tool::AsyncProfiler => "profile.txt",
        Tool::Mockito | Tool::MockitoWithAgent | Tool::Debugger => return None,
    };
    Some(harness.scratch.join(name))
}

/// Whether the tool did its work while it was recorded.
fn left_something(harness: &Harness, tool: Tool) -> Result<(), String> {
    let Some(file) = output(harness, tool) else {
        return Ok(());
    };
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let _ = fs::remove_file(&file);
    match length {
        0 => Err(format!("{} is not there, or empty", file.display())),
        _ => Ok(()),
    }
}

fn java(harness: &Harness, jdk: &Jdk, tool: Tool) -> Result<Command, String> {
    let mut java = Command::new(jdk.java());
    let file = output(harness, tool).unwrap_or_default();
    let file = file.display();
    match tool {
        Tool::JaCoCo => {
            let agent = fetch(JACOCO)?;
            java.arg(format!("-javaagent:{}=destfile={file}", agent.display()));
        }
        Tool::Jfr => {
            java.arg(format!(
                "-XX:StartFlightRecording=filename={file},settings=profile"
            ));
        }
        Tool::AsyncProfiler => {
            let library = unpack(&fetch(PROFILER)?, jdk)?.join("linux-x64/libasyncProfiler.so");
            let options = format!("start,event=itimer,file={file}");
            java.arg(format!("-agentpath:{}={options}", library.display()));
        }
        Tool::MockitoWithAgent => {
            let agent = fetch(BYTE_BUDDY_AGENT)?;
            java.arg(format!("-javaagent:{}", agent.display()));
        }
        Tool::Debugger => {
            java.arg("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0");
        }
        Tool::Mockito => (),
    }
    let (main, jars) = match tool {
        Tool::Mockito | Tool::MockitoWithAgent => ("Mocked", MOCKITO),
        _ => ("Racing", &[][..]),
    };
    let mut class_path = vec![compiled(harness, jdk)?];
    for jar in jars {
        class_path.push(fetch(jar)?);
    }
    let class_path: Vec<String> = class_path
        .iter()
        .map(|entry| entry.display().to_string())
        .collect();
    java.args(["-cp", &class_path.join(":"), main]);
    Ok(java)
}

/// The folder with the classes, for the older of the JDKs too.
fn compiled(harness: &Harness, jdk: &Jdk) -> Result<PathBuf, String> {
    let classes = harness.scratch.join(format!("coexist-{}", jdk.major));
    if classes.is_dir() {
        return Ok(classes);
    }
    workspace::create(&classes)?;
    let jars: Result<Vec<PathBuf>, String> = MOCKITO.iter().map(|jar| fetch(jar)).collect();
    let jars: Vec<String> = jars?.iter().map(|jar| jar.display().to_string()).collect();
    let sources = workspace::root().join(PROGRAMS);
    let mut javac = jdk.javac();
    javac
        .args(["-g", "-cp", &jars.join(":"), "-d"])
        .arg(&classes);
    for source in ["Racing.java", "Mocked.java"] {
        javac.arg(sources.join(Path::new(source)));
    }
    process::run(&mut javac, LIMIT, &harness.scratch)?.success("javac")?;
    Ok(classes)
}
