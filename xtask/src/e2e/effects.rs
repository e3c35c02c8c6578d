//! A replay changes nothing on disk, but `--side-effects` makes it change what the program changed.

use super::{Harness, Tally};
use crate::process::{self, End};
use crate::programs::Program;
use crate::trial::LIMIT;
use crate::workspace;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program("input-writes") else {
        return;
    };
    tally.heading("changes to files");
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| check_program(harness, program, &compiled.java()));
        tally.check(&format!("made again on JDK {}", jdk.major), result);
    }
}

fn check_program(
    harness: &Harness,
    program: &Program,
    java: &std::process::Command,
) -> Result<(), String> {
    let folder = harness.scratch.join("changed-files");
    let recording = harness.scratch.join("effects.rwv");
    let report = harness.scratch.join("effects.json");
    let empty = || {
        let _ = fs::remove_dir_all(&folder);
        workspace::create(&folder)
    };
    empty()?;
    let _ = fs::remove_file(&recording);
    let mut record = harness.reweave.record(java, &recording);
    let recorded = process::run(record.current_dir(&folder), LIMIT, &harness.scratch)?;
    program.check(&recorded)?;
    let made = contents(&folder)?;
    if made.is_empty() {
        return Err("the program made no files".to_owned());
    }
    for side_effects in [false, true] {
        empty()?;
        let mut replay = harness.reweave.replay_with_notes(&recording, &report);
        if side_effects {
            replay.arg("--side-effects");
        }
        let replayed = process::run(&mut replay, LIMIT, &harness.scratch)?;
        if replayed.end != End::Exit(0) || replayed.stdout != recorded.stdout {
            return Err(format!("{}\n{}", replayed.end, replayed.stderr_text()));
        }
        let expected = if side_effects {
            made.clone()
        } else {
            BTreeMap::new()
        };
        let left = contents(&folder)?;
        if left != expected {
            return Err(format!(
                "with side effects {side_effects}: {:?} instead of {:?}",
                left.keys(),
                expected.keys()
            ));
        }
    }
    Ok(())
}

/// All files of a folder and those below it, with what is in them.
fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            found.extend(contents(&path)?);
        } else {
            let bytes = fs::read(&path).map_err(failed)?;
            found.insert(path.display().to_string(), bytes);
        }
    }
    Ok(found)
}
