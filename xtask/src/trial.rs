//! One recording and one replay of it, and whether a user could tell them apart.

use crate::process::{self, End, Outcome};
use crate::programs::{Compiled, Program, ProgramResult};
use crate::reweave::{Enforcement, Replayed, Report, Reweave};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Ample for any of the programs, recorded or replayed, on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The switch that leaves kinds of accesses unordered.
const UNORDERED: &str = "REWEAVE_TEST_UNORDERED";
const SHORT_STALL: &str = "5";

/// What is out of the ordinary about a trial.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions<'a> {
    pub jvm_options: &'a [&'a str],
    /// Accesses that are not ordered, see `unordered.rs` of the agent.
    pub unordered: Option<&'a str>,
}

/// Where trials are made.
pub struct Bench<'a> {
    pub reweave: &'a Reweave,
    pub scratch: &'a Path,
}

pub struct Trial {
    pub recording: PathBuf,
    pub recorded: ProgramResult,
    /// `None` when the replay was identical and followed the recording, otherwise what was wrong.
    pub wrong: Option<String>,
}

impl Bench<'_> {
    /// Records and replays once. Only if nothing can be run at all is that an error of the trial itself.
    pub fn trial(&self, compiled: &Compiled) -> Result<Trial, String> {
        self.trial_under(compiled, &Conditions::default())
    }

    pub fn trial_under(
        &self,
        compiled: &Compiled,
        conditions: &Conditions,
    ) -> Result<Trial, String> {
        let program = compiled.program;
        let recording = self.scratch.join(format!("{}.rwv", program.name));
        // `record` does not overwrite.
        let _ = fs::remove_file(&recording);
        let java = compiled.with_options(conditions.jvm_options);
        let mut record = self.reweave.record_at(program.level, &java, &recording);
        if let Some(kinds) = conditions.unordered {
            record.env(UNORDERED, kinds);
        }
        let recorded = program.run(&mut record, self.scratch)?;
        let (replayed, verdict) = self.replay_under(&recording, Enforcement::On, conditions)?;
        let wrong =
            wrong(program, &recorded, &replayed, verdict).or_else(|| program.touched(self.scratch));
        Ok(Trial {
            recording,
            recorded: program.result(&recorded),
            wrong,
        })
    }

    /// Replays the trial's recording without enforcing it; whether the program then printed something else.
    /// Only its stdout counts: the command returns a code of its own and complains on stderr, whatever the program did.
    pub fn differs_unenforced(&self, trial: &Trial) -> Result<bool, String> {
        let (outcome, _) = self.replay(&trial.recording, Enforcement::Off)?;
        if let End::TimedOut(_) | End::Signal(_) = outcome.end {
            return Err(format!("a replay with enforcement off: {}", outcome.end));
        }
        Ok(outcome.stdout != trial.recorded.stdout)
    }

    fn replay(
        &self,
        recording: &Path,
        enforcement: Enforcement,
    ) -> Result<(Outcome, Result<Replayed, String>), String> {
        self.replay_under(recording, enforcement, &Conditions::default())
    }

    fn replay_under(
        &self,
        recording: &Path,
        enforcement: Enforcement,
        conditions: &Conditions,
    ) -> Result<(Outcome, Result<Replayed, String>), String> {
        let report = self.scratch.join("report.json");
        let mut replay = self.reweave.replay(recording, &report, enforcement);
        if let Some(kinds) = conditions.unordered {
            // What goes wrong may be that a thread waits for ever.
            replay
                .env(UNORDERED, kinds)
                .args(["--stall-after", SHORT_STALL]);
        }
        let outcome = process::run(&mut replay, LIMIT, self.scratch)?;
        Ok((outcome, Report::read(&report).map(|report| report.verdict)))
    }
}

fn wrong(
    program: &Program,
    recorded: &Outcome,
    replayed: &Outcome,
    verdict: Result<Replayed, String>,
) -> Option<String> {
    if let Err(why) = program.check(recorded) {
        return Some(format!("while recording: {why}"));
    }
    let verdict = match verdict {
        Ok(Replayed::Followed) => None,
        Ok(other) => Some(format!("verdict {other:?}")),
        Err(why) => Some(why),
    };
    let difference = program
        .result(recorded)
        .difference(&program.result(replayed));
    match (difference, verdict) {
        (None, None) => None,
        (None, Some(verdict)) => Some(format!(
            "the output is the same, but: {verdict}\n{}",
            replayed.stderr_text()
        )),
        (Some(difference), None) => Some(difference),
        (Some(difference), Some(verdict)) => Some(format!(
            "{verdict}; {difference}\n{}",
            replayed.stderr_text()
        )),
    }
}
