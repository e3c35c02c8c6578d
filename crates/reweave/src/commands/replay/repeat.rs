//! `replay --times N`: the same replay again and again, compared by output, exit code and verdict.

use super::{Replay, verdict};
use crate::exit::{Exit, Failure};
use crate::launch::outcome::Outcome;
use crate::launch::run::Ended;
use crate::report::count;
use serde_json::json;
use std::io::{Read, Write};
use std::process::{ChildStdout, Stdio};
use std::thread::JoinHandle;
use xxhash_rust::xxh3::Xxh3;

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fingerprint {
    verdict: &'static str,
    exit_code: i32,
    output: u64,
    output_bytes: u64,
}

impl Fingerprint {
    fn text(&self) -> String {
        format!(
            "verdict {}, exit code {}, {} of output ({:016x})",
            self.verdict,
            self.exit_code,
            count(self.output_bytes, "byte"),
            self.output
        )
    }
}

struct Run {
    ended: Ended,
    outcome: Option<Outcome>,
    fingerprint: Fingerprint,
}

/// The first run's output is passed on, that of the others only compared.
pub fn run(replay: &Replay<'_>, times: u32) -> Result<Exit, Failure> {
    let first = run_once(replay, Pass::On)?;
    let mut same: u32 = 1;
    let mut difference: Option<(u32, Fingerprint)> = None;
    for number in 2..=times {
        let next = run_once(replay, Pass::Nowhere)?;
        if next.fingerprint == first.fingerprint {
            same += 1;
        } else if difference.is_none() {
            difference = Some((number, next.fingerprint));
        }
    }
    let exit = match &difference {
        None => verdict::exit_of(replay, &first.ended, first.outcome.as_ref()),
        Some(_) => Exit::DIVERGED,
    };
    replay.terminal.note(format!(
        "{same} of {times} replays are alike: {}",
        first.fingerprint.text()
    ));
    if let Some((number, other)) = &difference {
        replay.terminal.error(format!(
            "replay {number} differs from the first: {}",
            other.text()
        ));
    }
    if replay.terminal.json {
        let mut value = verdict::to_json(replay, &first.ended, first.outcome.as_ref(), exit);
        value["times"] = times.into();
        value["alike"] = same.into();
        value["output_xxh3"] = format!("{:016x}", first.fingerprint.output).into();
        value["difference"] = match &difference {
            None => json!(null),
            Some((number, other)) => json!({
                "replay": number,
                "verdict": other.verdict,
                "exit_code": other.exit_code,
                "output_xxh3": format!("{:016x}", other.output),
            }),
        };
        if difference.is_some() {
            value["verdict"] = "differs".into();
        }
        Failure::unless_broken_pipe(replay.terminal.result(&value))?;
        return Ok(exit);
    }
    if difference.is_none() && first.fingerprint.verdict != "followed" {
        return verdict::report(replay, &first.ended, first.outcome.as_ref());
    }
    Ok(exit)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    On,
    Nowhere,
}

fn run_once(replay: &Replay<'_>, pass: Pass) -> Result<Run, Failure> {
    let mut readers: Vec<JoinHandle<(u64, u64)>> = Vec::new();
    let (ended, outcome) = replay.once(
        |command| {
            command.stdout(Stdio::piped());
        },
        |child| {
            let output = child.stdout.take();
            readers.extend(output.map(|output| std::thread::spawn(move || read_all(output, pass))));
        },
    )?;
    let (mut output, mut output_bytes) = (0u64, 0);
    for reader in readers {
        let (hash, bytes) = reader
            .join()
            .map_err(|_| Failure::new("the program's output could not be read"))?;
        output = output.rotate_left(1) ^ hash;
        output_bytes += bytes;
    }
    let fingerprint = Fingerprint {
        verdict: outcome
            .as_ref()
            .map_or("died", |outcome| outcome.verdict.name()),
        exit_code: ended.code,
        output,
        output_bytes,
    };
    Ok(Run {
        ended,
        outcome,
        fingerprint,
    })
}

fn read_all(mut output: ChildStdout, pass: Pass) -> (u64, u64) {
    let mut hasher = Xxh3::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = output.read(&mut buffer) {
        hasher.update(&buffer[..length]);
        bytes += length as u64;
        if pass == Pass::On {
            // The comparison goes on even if nobody reads what is passed on.
            let mut out = std::io::stdout();
            let _ = out.write_all(&buffer[..length]).and_then(|()| out.flush());
        }
    }
    (hasher.digest(), bytes)
}
