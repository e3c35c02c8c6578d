//! A disk that fills up while a program is recorded: the program notices nothing, the user is told, and the file is sound as far as it goes.
//! Needs a small disk of its own, which only root can mount.

use super::{Harness, Tally};
use crate::process::{self, End};
use crate::programs::Compiled;
use crate::trial::LIMIT;
use crate::workspace;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "parallel";
/// Room for the start of a recording, not for one thread's events.
const SIZE: &str = "size=64k";
const NOT_WHOLE: i32 = 125;

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("a full disk");
    let disk = match SmallDisk::mount(harness.scratch.join("small-disk")) {
        Ok(disk) => disk,
        Err(why) => {
            println!("  skipped: a small disk cannot be mounted here: {why}");
            return;
        }
    };
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, &compiled, &disk.0));
        tally.check(
            &format!("{PROGRAM} recorded on it, JDK {}", jdk.major),
            result,
        );
    }
}

fn once(harness: &Harness, compiled: &Compiled, disk: &Path) -> Result<(), String> {
    let recording = disk.join("full.rwv");
    let _ = std::fs::remove_file(&recording);
    let plain = process::run(&mut compiled.java(), LIMIT, &harness.scratch)?;
    let mut record = harness.reweave.record(&compiled.java(), &recording);
    let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
    let said = recorded.stderr_text();
    if recorded.end != End::Exit(NOT_WHOLE) {
        return Err(format!("{}: {said}", recorded.end));
    }
    if !said.contains("the disk was full") || !said.contains("full.rwv") {
        return Err(format!("it does not say what happened: {said}"));
    }
    if recorded.stdout != plain.stdout {
        return Err(format!(
            "plain:\n{}recorded:\n{}",
            plain.stdout_text(),
            recorded.stdout_text()
        ));
    }
    let mut verify = harness.reweave.command();
    verify.arg("verify").arg(&recording);
    process::run(&mut verify, LIMIT, &harness.scratch)?
        .success("reweave verify")
        .map(drop)
}

/// Unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: PathBuf) -> Result<SmallDisk, String> {
        workspace::create(&folder)?;
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", SIZE, "tmpfs"])
            .arg(&folder)
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(SmallDisk(folder));
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // If it stays, nothing can be done here; the next run says that the folder cannot be emptied.
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
