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
