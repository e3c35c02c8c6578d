//! Files that are no recordings, or damaged ones: an error that names the file, never a crash, never a hang.

use super::{Harness, Tally};
use crate::process::{self, End};
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use std::fs;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "park";

/// What a damaged file may still be good for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Nothing: both `info` and `replay` must refuse it.
    Refused,
    /// Perhaps something: whatever they do, they must end in order.
    Either,
}

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("bad input");
    let recording = harness.scratch.join("whole.rwv");
    let _ = fs::remove_file(&recording);
    let recorded = program.compile(&harness.jdks[0]).and_then(|compiled| {
        process::run(
            &mut harness.reweave.record(&compiled.java(), &recording),
            LIMIT,
            &harness.scratch,
        )
    });
    let whole = match recorded
        .and_then(|_| fs::read(&recording).map_err(|error| format!("no recording: {error}")))
    {
        Ok(whole) => whole,
        Err(why) => return tally.check("a recording to damage", Err(why)),
    };
    for (name, bytes, good_for) in damaged(&whole) {
        let path = harness.scratch.join(format!("{name}.rwv"));
        let result = match bytes {
            Some(bytes) => fs::write(&path, bytes).map_err(|error| error.to_string()),
            None => Ok(()),
        };
        tally.check(
            name,
            result.and_then(|()| ends_in_order(harness, &path, good_for)),
        );
    }
}

fn damaged(whole: &[u8]) -> Vec<(&'static str, Option<Vec<u8>>, Use)> {
    let cut = |at: usize| Some(whole[..at.min(whole.len())].to_vec());
    let flipped = |at: usize| {
        let mut bytes = whole.to_vec();
        let at = at.min(bytes.len() - 1);
        bytes[at] ^= 0x55;
        Some(bytes)
    };
    vec![
        ("missing", None, Use::Refused),
        ("empty", Some(Vec::new()), Use::Refused),
        (
            "text",
            Some(b"this is not a recording\n".repeat(400)),
            Use::Refused,
        ),
        ("only-magic", cut(8), Use::Refused),
        ("other-magic", flipped(3), Use::Refused),
        ("other-version", flipped(8), Use::Refused),
        ("cut-in-header", cut(2000), Use::Refused),
        ("cut-in-middle", cut(whole.len() / 2), Use::Either),
        ("cut-at-end", cut(whole.len() - 5), Use::Either),
        ("flipped-at-third", flipped(whole.len() / 3), Use::Either),
        ("flipped-at-half", flipped(whole.len() / 2), Use::Either),
        ("flipped-near-end", flipped(whole.len() - 40), Use::Either),
    ]
}

fn ends_in_order(harness: &Harness, path: &PathBuf, good_for: Use) -> Result<(), String> {
    let report = harness.scratch.join("report.json");
    let verbs = [
        ("info", harness.reweave.json("info", path)),
        (
            "replay",
            harness.reweave.replay(path, &report, Enforcement::On),
        ),
    ];
    for (verb, mut command) in verbs {
        let outcome = process::run(&mut command, LIMIT, &harness.scratch)?;
        let said = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
        let refused = match outcome.end {
            End::Exit(0) => false,
            End::Exit(101) => return Err(format!("{verb} panicked: {said}")),
            End::Exit(_) => true,
            end @ (End::Signal(_) | End::TimedOut(_)) => {
                return Err(format!("{verb}: {end}: {said}"));
            }
        };
        if good_for == Use::Refused && !refused {
            return Err(format!("{verb} takes it for a recording: {said}"));
        }
        if refused && said.contains("panicked") {
            return Err(format!("{verb} panicked: {said}"));
        }
        if good_for == Use::Refused && !said.contains(name_of(path)) {
            return Err(format!("{verb} does not name the file: {said}"));
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("we chose a plain name")
}
