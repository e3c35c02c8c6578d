//! Unmodified binaries of Debian in sync order: the replay writes the same bytes.

use super::super::{Harness, results};
use crate::e2e::Tally;
use crate::process::{self, End};
use crate::setup::{self, Need};
use crate::trial::LIMIT;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const SUBJECTS: &[(Need, &[&str])] = &[
    (Need::Pbzip2, &["pbzip2", "-p2", "-c", "-k"]),
    (Need::Pigz, &["pigz", "-p2", "-c", "-k"]),
    (Need::Xz, &["xz", "-T2", "-0", "-c", "-k"]),
];

/// From so many recordings on the result is worth keeping, and what recording may cost is a limit.
const MANY: usize = 20;
const LIMIT_OF_COST: f64 = 1.10;

pub fn check(harness: &Harness, count: usize, tally: &mut Tally) {
    tally.heading(&format!(
        "binaries of Debian in sync order, {count} recordings each"
    ));
    for (need, command) in SUBJECTS {
        if let Err(why) = setup::ensure(*need) {
            println!("  skipped: {why}");
            continue;
        }
        let result = once(harness, command, count);
        if count >= MANY {
            results::keep("native-debian.txt", &command.join(" "), &result);
        }
        tally.check_with(command[0], result);
    }
}

/// Text that compresses neither well nor badly: our own command, several times.
fn input(harness: &Harness, megabytes: usize) -> Result<PathBuf, String> {
    let path = harness.scratch.join("input");
    if !path.is_file() {
        let binary = std::fs::read(harness.reweave.binary()).map_err(|error| error.to_string())?;
        let bytes: Vec<u8> = binary
            .iter()
            .copied()
            .cycle()
            .take(megabytes << 20)
            .collect();
        std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
    }
    Ok(path)
}

fn once(harness: &Harness, command: &[&str], count: usize) -> Result<String, String> {
    let input = input(harness, 16)?.display().to_string();
    let mut arguments = command.to_vec();
    arguments.push(&input);
    let (mut plain, mut recording) = (Duration::ZERO, Duration::ZERO);
    for number in 1..=count {
        let mut alone = Command::new(arguments[0]);
        alone.args(&arguments[1..]);
        plain += process::run(&mut alone, LIMIT, &harness.scratch)?.cpu;
        let recorded = harness
            .trials()
            .record(&["--native".to_owned()], &arguments)?;
        recording += recorded.cpu;
        if recorded.end != End::Exit(0) {
            return Err(format!(
                "recording {number}: {}\n{}",
                recorded.end,
                recorded.stderr_text()
            ));
        }
        harness
            .trials()
            .same(&recorded)
            .map_err(|why| format!("recording {number}: {why}"))?;
    }
    let times = recording.as_secs_f64() / plain.as_secs_f64();
    if count >= MANY && times > LIMIT_OF_COST {
        return Err(format!(
            "identical, but processor time {times:.2} times that without recording"
        ));
    }
    Ok(format!(
        "{count} of {count} identical, processor time {times:.2} times that without recording"
    ))
}
