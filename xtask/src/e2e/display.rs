//! A Swing program with a real window, driven by real keys and clicks while it is recorded; its replay, on another display, gets none of them and ends with the same
//! text, the same drawing and the same picture.

use super::{Harness, Tally, same_result};
use crate::jdk::Jdk;
use crate::process::{self, Running};
use crate::reweave::Enforcement;
use crate::setup::{self, Need};
use crate::trial::LIMIT;
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PROGRAM: &str = "programs/tools/display/Notepad.java";
/// Recordings, each replayed once, and how many of them may end in a divergence, as docs/limits.md says.
const ROUNDS: usize = 4;
const MAY_DIFFER: usize = 1;
/// In a busy machine's time, until the window is there or has digested what it was sent.
const PATIENCE: Duration = Duration::from_secs(40);

pub fn check(harness: &Harness, tally: &mut Tally) {
    if harness.programs.is_empty() {
        return;
    }
    tally.heading("a window, keys and clicks");
    for need in [Need::Xvfb, Need::Xdotool, Need::Desktop] {
        if let Err(why) = setup::ensure(need) {
            tally.check("what a display needs", Err(why));
            return;
        }
    }
    // A JDK of a headless package has no code for displays.
    for jdk in harness.jdks.iter().filter(|jdk| jdk.has_desktop()) {
        let result = rounds(harness, jdk);
        tally.check_with(
            &format!("recordings of a Swing program, JDK {}", jdk.major),
            result,
        );
    }
}

fn rounds(harness: &Harness, jdk: &Jdk) -> Result<String, String> {
    let classes = harness.scratch.join(format!("display-{}", jdk.major));
    workspace::create(&classes)?;
    let mut javac = jdk.javac();
    javac
        .args(["-g", "-d"])
        .arg(&classes)
        .arg(workspace::root().join(PROGRAM));
    process::run(&mut javac, LIMIT, &harness.scratch)?.success("javac")?;
    let results = (1..=ROUNDS).map(|_| once(harness, jdk, &classes));
    let wrong: Vec<String> = results.filter_map(Result::err).collect();
    // Anything but a divergence that says so is never right.
    let said = |why: &String| why.contains("the replay left the recording");
    if wrong.len() <= MAY_DIFFER && wrong.iter().all(said) {
        return Ok(format!("{} of {ROUNDS} identical", ROUNDS - wrong.len()));
    }
    Err(wrong.join("\n"))
}

fn once(harness: &Harness, jdk: &Jdk, classes: &Path) -> Result<(), String> {
    let recording = harness.scratch.join("display.rwv");
    let report = harness.scratch.join("report.json");
    let _ = fs::remove_file(&recording);
    let mut java = Command::new(jdk.java());
    java.arg("-cp").arg(classes).arg("Notepad");

    let display = Display::start(&harness.scratch)?;
    let mut record = harness.reweave.record(&java, &recording);
    record.env("DISPLAY", &display.name);
    let mut running = Running::start(&mut record, &harness.scratch)?;
    let driven = wait_until_ready(&mut running).and_then(|()| drive(&display));
    let recorded = process::finish(running, LIMIT)?;
    driven.map_err(|why| format!("{why}\n{}", recorded.stderr_text()))?;
    drop(display);
    if !recorded.stdout_text().contains("\npicture ") {
        let said = recorded.stdout_text() + &recorded.stderr_text();
        return Err(format!("the recorded program did not get so far:\n{said}"));
    }

    let other = Display::start(&harness.scratch)?;
    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    replay.env("DISPLAY", &other.name);
    let mut running = Running::start(&mut replay, &harness.scratch)?;
    same_result(&recorded, &mut running, &report)
}

/// Nobody else may use the display before: events name windows by numbers that depend on who came first.
fn wait_until_ready(running: &mut Running) -> Result<(), String> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE && running.ended().is_none() {
        if running.stdout()?.starts_with(b"ready") {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(100));
    }
    Err("the window does not open".to_owned())
}

/// Types and clicks into the window. The places are those of the window's parts on a display without a window manager.
fn drive(display: &Display) -> Result<(), String> {
    // The window is there before it listens.
    thread::sleep(Duration::from_secs(2));
    let lines: &[&str] = &[
        "mousemove 150 40 click 1",
        "type --delay 20 hello",
        "key Return",
        "type --delay 20 two_words",
        "key Return",
        "mousemove 300 150 click 1",
        "mousemove 350 200 click 1",
        "mousemove 400 120 click 1",
        "mousemove 490 40 click 1",
    ];
    for line in lines {
        display.xdotool(line)?;
        thread::sleep(Duration::from_millis(300));
    }
    Ok(())
}

/// An X server of our own. Dropping it ends it.
struct Display {
    server: std::process::Child,
    name: String,
}

impl Display {
    fn start(scratch: &Path) -> Result<Display, String> {
        let number: PathBuf = scratch.join("display-number");
        let file = fs::File::create(&number).map_err(|error| error.to_string())?;
        // It chooses a number that is free and writes it to its standard output.
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "800x600x24",
                "-nolisten",
                "tcp",
            ])
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start Xvfb: {error}"))?;
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            let text = fs::read_to_string(&number).unwrap_or_default();
            if text.ends_with('\n') {
                let name = format!(":{}", text.trim());
                return Ok(Display { server, name });
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = server.kill();
        let _ = server.wait();
        Err("Xvfb does not say which display it is".to_owned())
    }

    fn xdotool(&self, line: &str) -> Result<(), String> {
        let status = Command::new("xdotool")
            .args(line.split(' '))
            .env("DISPLAY", &self.name)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("xdotool {line}: {other:?}")),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        // It was just killed: waiting only collects it.
        let _ = self.server.wait();
    }
}
