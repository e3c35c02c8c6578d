//! `record --keep-last`: a file that stays small however long the program runs, that can be looked at whatever happens, and that says why it cannot be replayed.

use super::{Harness, Tally};
use crate::jdk::Jdk;
use crate::process::{self, End, Outcome, Running};
use crate::trial::LIMIT;
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

const PROGRAM: &str = "programs/tools/keep-last/Busy.java";
/// So much is asked for.
const KEPT: &str = "2M";
/// What is asked for, windows of the threads, and tables of names and code; without `--keep-last` it is more than ten times this.
const BOUND: u64 = 10 << 20;
/// Rounds of each thread: ten seconds or so, and some hundred megabytes of events.
const LONG: &str = "6000000";
const SHORT: &str = "3000";
const FAILURE: &str = "3";

pub fn check(harness: &Harness, tally: &mut Tally) {
    if harness.programs.is_empty() {
        return;
    }
    tally.heading("only the last part is kept");
    for jdk in &harness.jdks {
        let major = jdk.major;
        let flight = match Flight::new(harness, jdk) {
            Ok(flight) => flight,
            Err(why) => {
                tally.check(&format!("keep-last, JDK {major}"), Err(why));
                continue;
            }
        };
        let long = flight.long_run_stays_small();
        tally.check_with(&format!("a long run that fails, JDK {major}"), long);
        let short = flight.short_run_replays();
        tally.check(&format!("a short run can be replayed, JDK {major}"), short);
        let good = flight.success_is_not_kept();
        tally.check(&format!("a run that succeeds, JDK {major}"), good);
        let asked = flight.written_on_request();
        tally.check(&format!("SIGUSR1 and `snapshot`, JDK {major}"), asked);
        let killed = flight.survives_kill();
        tally.check(&format!("kill -9, JDK {major}"), killed);
    }
}

struct Flight<'a> {
    harness: &'a Harness,
    jdk: &'a Jdk,
    classes: PathBuf,
    file: PathBuf,
}

impl<'a> Flight<'a> {
    fn new(harness: &'a Harness, jdk: &'a Jdk) -> Result<Flight<'a>, String> {
        let classes = harness.scratch.join(format!("keep-last-{}", jdk.major));
        workspace::create(&classes)?;
        let mut javac = jdk.javac();
        javac
            .args(["-g", "-d"])
            .arg(&classes)
            .arg(workspace::root().join(PROGRAM));
        process::run(&mut javac, LIMIT, &harness.scratch)?.success("javac")?;
        Ok(Flight {
            harness,
            jdk,
            classes,
            file: harness.scratch.join("keep-last.rwv"),
        })
    }

    fn start(&self, rounds: &str, code: &str) -> Result<Running, String> {
        let _ = fs::remove_file(&self.file);
        let mut record = self.harness.reweave.command();
        record
            .args(["record", "--keep-last", KEPT, "-o"])
            .arg(&self.file)
            .arg("--")
            .arg(self.jdk.java())
            .arg("-cp")
            .arg(&self.classes)
            .args(["Busy", rounds, code]);
        Running::start(&mut record, &self.harness.scratch)
    }

    fn reweave(&self, arguments: &[&str], file: &Path) -> Result<Outcome, String> {
        let mut command: Command = self.harness.reweave.command();
        command.args(arguments).arg(file);
        process::run(&mut command, LIMIT, &self.harness.scratch)
    }

    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    fn long_run_stays_small(&self) -> Result<String, String> {
        let mut running = self.start(LONG, FAILURE)?;
        let mut largest = 0;
        while running.ended().is_none() {
            largest = largest.max(self.length());
            thread::sleep(Duration::from_millis(20));
        }
        if largest > BOUND {
            return Err(format!("{largest} bytes while the program ran"));
        }
        let end = running.wait(LIMIT);
        if end != End::Exit(3) {
            let said = String::from_utf8_lossy(&running.stderr()?).into_owned();
            return Err(format!("{end}\n{said}"));
        }
        self.is_the_last_part(&self.file)?;
        Ok(format!("{largest} bytes while the program ran"))
    }

    /// Verified, can be looked at, cannot be replayed.
    fn is_the_last_part(&self, file: &Path) -> Result<(), String> {
        self.reweave(&["verify"], file)?.success("verify")?;
        let info = self.reweave(&["info"], file)?.success("info")?;
        if !info.contains("--keep-last") {
            return Err(format!(
                "info does not say that it is the last part:\n{info}"
            ));
        }
        let view = self.reweave(&["view"], file)?.success("view")?;
        if !view.contains("Busy.add") {
            return Err("view shows no event of the program".to_owned());
        }
        let replay = self.reweave(&["replay"], file)?;
        let said = replay.stderr_text();
        if replay.end != End::Exit(125) || !said.contains("only the last part") {
            return Err(format!("replay: {}\n{said}", replay.end));
        }
        Ok(())
    }

    fn short_run_replays(&self) -> Result<(), String> {
        let recorded = process::finish(self.start(SHORT, FAILURE)?, LIMIT)?;
        let replayed = self.reweave(&["replay"], &self.file)?;
        if replayed.end != End::Exit(3) || replayed.stdout != recorded.stdout {
            return Err(format!("{}\n{}", replayed.end, replayed.stderr_text()));
        }
        Ok(())
    }

    fn success_is_not_kept(&self) -> Result<(), String> {
        process::finish(self.start(SHORT, "0")?, LIMIT)?.success("record")?;
        match self.file.exists() {
            true => Err("the recording was kept".to_owned()),
            false => Ok(()),
        }
    }

    /// Waits until the program has recorded more than is kept.
    fn in_the_middle(&self) -> Result<Running, String> {
        let running = self.start(LONG, FAILURE)?;
        let started = Instant::now();
        while self.length() < 2 << 20 {
            if started.elapsed() > LIMIT {
                return Err("the file does not grow".to_owned());
            }
            thread::sleep(Duration::from_millis(20));
        }
        thread::sleep(Duration::from_millis(300));
        Ok(running)
    }

    fn written_on_request(&self) -> Result<(), String> {
        let first = self.file.with_file_name("keep-last-1.rwv");
        let second = self.file.with_file_name("keep-last-asked.rwv");
        let _ = fs::remove_file(&first);
        let _ = fs::remove_file(&second);
        let mut running = self.in_the_middle()?;
        running.signal(libc::SIGUSR1);
        let asked = Instant::now();
        while !first.exists() {
            if asked.elapsed() > LIMIT || running.ended().is_some() {
                return Err("nothing was written on SIGUSR1".to_owned());
            }
            thread::sleep(Duration::from_millis(20));
        }
        let out = second.display().to_string();
        self.reweave(&["snapshot", "-o", &out], &self.file)?
            .success("snapshot")?;
        running.wait(LIMIT);
        self.is_the_last_part(&first)?;
        self.is_the_last_part(&second)
    }

    fn survives_kill(&self) -> Result<(), String> {
        let mut running = self.in_the_middle()?;
        running.kill();
        self.is_the_last_part(&self.file)
    }
}
