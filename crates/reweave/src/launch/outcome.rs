//! What the agent leaves behind after a replay: one file of `key=value` lines for each process.

use reweave_trace::{Kind, Position, SiteId, StreamId};
use std::path::{Path, PathBuf};

/// How a replay of one process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which process, as in `0.1`.
    pub process: String,
    pub verdict: Verdict,
    pub followed: u64,
    pub total: u64,
}

/// Ordered by how much it matters: of several processes, the largest is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The test switch let the program run as it liked.
    NotEnforced,
    Followed,
    /// The recording ends before the program did.
    EndOfLog {
        waits: Vec<String>,
    },
    Hang {
        waits: Vec<String>,
    },
    Deadlock {
        waits: Vec<String>,
    },
    Stalled {
        waits: Vec<String>,
    },
    Diverged(Box<Divergence>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    pub stream: Option<StreamId>,
    pub position: Option<Position>,
    /// `None`: the recording has no more events there.
    pub expected: Option<(Kind, SiteId)>,
    pub observed: Option<(Kind, SiteId)>,
    /// As in a stack trace; empty if unknown.
    pub observed_at: String,
    pub detail: String,
    /// What the thread was doing, innermost first.
    pub stack: Vec<String>,
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Followed => "followed",
            Verdict::NotEnforced => "not-enforced",
            Verdict::EndOfLog { .. } => "end-of-log",
            Verdict::Hang { .. } => "hang",
            Verdict::Deadlock { .. } => "deadlock",
            Verdict::Stalled { .. } => "stalled",
            Verdict::Diverged(_) => "diverged",
        }
    }

    fn weight(&self) -> u8 {
        match self {
            Verdict::Followed | Verdict::NotEnforced => 0,
            Verdict::EndOfLog { .. } => 1,
            Verdict::Hang { .. } => 2,
            Verdict::Deadlock { .. } => 3,
            Verdict::Stalled { .. } => 4,
            Verdict::Diverged(_) => 5,
        }
    }
}

/// The outcome files in a session folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path())
        .filter(|path| process_of(path).is_some())
        .collect();
    files.sort();
    files
}

fn process_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_prefix("outcome-")
}

/// The outcome that matters most; `None` if the program died before it could write one.
pub fn read(folder: &Path) -> Option<Outcome> {
    let outcomes = files(folder).into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        parse(process_of(&path)?, &text)
    });
    // The first of equals: the process that was started first.
    outcomes.reduce(|worst, next| {
        if next.verdict.weight() > worst.verdict.weight() {
            next
        } else {
            worst
        }
    })
}

fn parse(process: &str, text: &str) -> Option<Outcome> {
    let lines = || text.lines().filter_map(|line| line.split_once('='));
    let value = |wanted: &str| {
        lines()
            .find(|(key, _)| *key == wanted)
            .map(|(_, value)| value)
    };
    let number = |wanted: &str| value(wanted).and_then(|text| text.parse::<u64>().ok());
    let waits: Vec<String> = lines()
        .filter(|(key, _)| *key == "waits")
        .map(|(_, value)| value.to_owned())
        .collect();
    let event = |kind: &str, site: &str| {
        let kind = value(kind).and_then(|text| match text.parse() {
            Ok(number) => Kind::from_number(number),
            Err(_) => Kind::from_name(text),
        })?;
        Some((kind, SiteId(number(site).unwrap_or(0) as u32)))
    };
    let verdict = match value("verdict")? {
        "followed" => Verdict::Followed,
        "not-enforced" => Verdict::NotEnforced,
        "end-of-log" => Verdict::EndOfLog { waits },
        "hang" => Verdict::Hang { waits },
        "deadlock" => Verdict::Deadlock { waits },
        "stalled" => Verdict::Stalled { waits },
        "diverged" => Verdict::Diverged(Box::new(Divergence {
            stream: number("stream").map(|number| StreamId(number as u32)),
            position: number("position").map(Position),
            expected: event("expected-kind", "expected-site"),
            observed: event("observed-kind", "observed-site"),
            observed_at: value("observed-at").unwrap_or("").to_owned(),
            detail: value("detail").unwrap_or("").to_owned(),
            stack: lines()
                .filter(|(key, _)| *key == "frame")
                .map(|(_, frame)| frame.to_owned())
                .collect(),
        })),
        _ => return None,
    };
    Some(Outcome {
        process: process.to_owned(),
        verdict,
        followed: number("followed").unwrap_or(0),
        total: number("total").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_divergence_is_read() {
        let text = "verdict=diverged\nfollowed=6\ntotal=9\nstream=2\nposition=7\nexpected-kind=1\nexpected-site=77\n\
                    observed-kind=6\nobserved-site=78\nobserved-at=Bank.run(Bank.java:31)\ndetail=a=b\n";
        let outcome = parse("0.1", text).unwrap();
        assert_eq!((outcome.followed, outcome.total), (6, 9));
        let Verdict::Diverged(divergence) = outcome.verdict else {
            panic!("diverged")
        };
        assert_eq!(divergence.expected, Some((Kind::Acquire, SiteId(77))));
        assert_eq!(divergence.observed, Some((Kind::Exit, SiteId(78))));
        assert_eq!(divergence.detail, "a=b");
    }

    #[test]
    fn waits_are_kept_in_order() {
        let outcome = parse("0", "verdict=deadlock\nwaits=a\nwaits=b\n").unwrap();
        assert_eq!(
            outcome.verdict,
            Verdict::Deadlock {
                waits: vec!["a".into(), "b".into()]
            }
        );
        assert_eq!(parse("0", "verdict=unheard-of\n"), None);
        assert_eq!(parse("0", ""), None);
    }
}
