//! How a replay ended, in the file that the command reads: `outcome-<process path>` in the session folder, lines of `key=value`.

use crate::turns::Divergence;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Once;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every recorded event happened, and the program ended.
    Followed,
    /// Nothing was followed, as a test asked for.
    NotEnforced,
    Diverged {
        divergence: Divergence,
        observed_at: String,
        /// What the thread was doing, innermost first.
        stack: Vec<String>,
    },
    /// Nobody can go on.
    Stalled { waits: Vec<String> },
    /// The recording was cut short; every thread stands at its last event.
    EndOfLog { waits: Vec<String> },
    /// As the recording ended: a cycle of threads that wait for each other's locks.
    Deadlock { waits: Vec<String> },
    /// As the recording ended: threads that wait for something that nobody will do.
    Hang { waits: Vec<String> },
}

/// Writes the first outcome of a process; later ones are echoes of it. Returns whether it was the first, and in any case not before that one is written:
/// the process may end right after.
pub fn write(folder: &Path, process_path: &str, progress: (u64, u64), outcome: &Outcome) -> bool {
    static WRITTEN: Once = Once::new();
    let mut first = false;
    WRITTEN.call_once(|| {
        first = true;
        let text = render(progress, outcome);
        let path = folder.join(format!("outcome-{process_path}"));
        // Nothing sensible can be done inside the program if this fails; the command reports a missing outcome.
        let _ = std::fs::write(path, text);
    });
    first
}

fn render((followed, total): (u64, u64), outcome: &Outcome) -> String {
    let mut text = String::new();
    let verdict = match outcome {
        Outcome::Followed => "followed",
        Outcome::NotEnforced => "not-enforced",
        Outcome::Diverged { .. } => "diverged",
        Outcome::Stalled { .. } => "stalled",
        Outcome::EndOfLog { .. } => "end-of-log",
        Outcome::Deadlock { .. } => "deadlock",
        Outcome::Hang { .. } => "hang",
    };
    let _ = writeln!(
        text,
        "verdict={verdict}\nfollowed={followed}\ntotal={total}"
    );
    match outcome {
        Outcome::Followed | Outcome::NotEnforced => (),
        Outcome::Diverged {
            divergence,
            observed_at,
            stack,
        } => {
            let d = divergence;
            let _ = writeln!(text, "stream={}\nposition={}", d.stream.0, d.position.0);
            if let Some((kind, site)) = d.expected {
                let _ = writeln!(
                    text,
                    "expected-kind={}\nexpected-site={}",
                    kind.number(),
                    site.0
                );
            }
            let (kind, site) = d.observed;
            let _ = writeln!(
                text,
                "observed-kind={}\nobserved-site={}",
                kind.number(),
                site.0
            );
            let _ = writeln!(
                text,
                "observed-at={}\ndetail={}",
                one_line(observed_at),
                one_line(&d.detail)
            );
            for frame in stack {
                let _ = writeln!(text, "frame={}", one_line(frame));
            }
        }
        Outcome::Stalled { waits }
        | Outcome::EndOfLog { waits }
        | Outcome::Deadlock { waits }
        | Outcome::Hang { waits } => {
            for wait in waits {
                let _ = writeln!(text, "waits={}", one_line(wait));
            }
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use reweave_trace::{Kind, Position, SiteId, StreamId};

    #[track_caller]
    fn check_rendered(outcome: &Outcome, expected: &str) {
        let lines: Vec<&str> = expected.lines().map(str::trim).collect();
        assert_eq!(render((3, 7), outcome).trim_end(), lines.join("\n").trim());
    }

    fn divergence(expected: Option<(Kind, SiteId)>) -> Outcome {
        Outcome::Diverged {
            divergence: Divergence {
                stream: StreamId(2),
                position: Position(19),
                expected,
                observed: (Kind::Notify, SiteId(0xffff_ffff)),
                detail: "one\r\ntwo".to_owned(),
            },
            observed_at: "Bank.run(Bank.java:12)".to_owned(),
            stack: vec!["Bank.run".to_owned(), "Bank.main".to_owned()],
        }
    }

    #[test]
    fn a_replay_that_followed() {
        check_rendered(
            &Outcome::Followed,
            "
            verdict=followed
            followed=3
            total=7
            ",
        );
    }

    #[test]
    fn a_divergence_with_its_facts() {
        check_rendered(
            &divergence(Some((Kind::Acquire, SiteId(5)))),
            "
            verdict=diverged
            followed=3
            total=7
            stream=2
            position=19
            expected-kind=1
            expected-site=5
            observed-kind=3
            observed-site=4294967295
            observed-at=Bank.run(Bank.java:12)
            detail=one  two
            frame=Bank.run
            frame=Bank.main
            ",
        );
    }

    #[test]
    fn a_divergence_behind_the_last_event() {
        let text = render((0, 0), &divergence(None));
        assert!(!text.contains("expected"));
    }

    #[test]
    fn those_who_wait_take_a_line_each() {
        let waits = vec!["a waits\nfor b".to_owned(), "b waits for a".to_owned()];
        let of = |verdict: &str| {
            format!(
                "verdict={verdict}\nfollowed=3\ntotal=7\nwaits=a waits for b\nwaits=b waits for a"
            )
        };
        let waits = || waits.clone();
        check_rendered(&Outcome::Stalled { waits: waits() }, &of("stalled"));
        check_rendered(&Outcome::EndOfLog { waits: waits() }, &of("end-of-log"));
        check_rendered(&Outcome::Deadlock { waits: waits() }, &of("deadlock"));
        check_rendered(&Outcome::Hang { waits: waits() }, &of("hang"));
    }

    /// The only test that writes: a process has one outcome.
    #[test]
    fn the_first_outcome_counts_and_is_there_when_anybody_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("outcome-0.1");
        let firsts: Vec<bool> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let first = write(folder.path(), "0.1", (1, 1), &Outcome::Followed);
                        assert!(std::fs::read_to_string(&path).is_ok_and(|t| t.ends_with("1\n")));
                        first
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert_eq!(firsts.iter().filter(|first| **first).count(), 1);
        let hang = Outcome::Hang { waits: vec![] };
        assert!(!write(folder.path(), "0.1", (1, 1), &hang));
        let text = std::fs::read_to_string(&path).expect("an outcome");
        assert_eq!(text, render((1, 1), &Outcome::Followed));
    }
}
