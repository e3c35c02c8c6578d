//! One recording of a native program and one replay of it, and whether a user could tell them apart.

use super::programs::Program;
use crate::process::{self, End, Outcome};
use crate::reweave::{Enforcement, Replayed, Report, Reweave};
use crate::trial::LIMIT;
use std::path::{Path, PathBuf};

pub struct Trials<'a> {
    pub reweave: &'a Reweave,
    pub scratch: &'a Path,
}

impl Trials<'_> {
    pub fn recording(&self) -> PathBuf {
        self.scratch.join("trial.rwv")
    }

    /// Records a command.
    pub fn record(&self, options: &[String], command: &[&str]) -> Result<Outcome, String> {
        let _ = std::fs::remove_file(self.recording());
        let mut record = self.reweave.command();
        record
            .args(["-q", "record", "-o"])
            .arg(self.recording())
            .args(options)
            .arg("--")
            .args(command);
        process::run(&mut record, LIMIT, self.scratch)
    }

    /// Replays the last recording.
    pub fn replay(
        &self,
        enforcement: Enforcement,
    ) -> Result<(Outcome, Result<Replayed, String>), String> {
        let report = self.scratch.join("report.json");
        let outcome = process::run(
            &mut self.reweave.replay(&self.recording(), &report, enforcement),
            LIMIT,
            self.scratch,
        )?;
        Ok((outcome, Report::read(&report).map(|report| report.verdict)))
    }

    /// Records and replays a program; an error if the two differ in anything.
    pub fn trial(
        &self,
        program: &Program,
        binary: &Path,
        options: &[String],
    ) -> Result<Outcome, String> {
        let recorded = self.record(options, &[&binary.display().to_string()])?;
        program
            .check(&recorded)
            .map_err(|why| format!("while recording: {why}"))?;
        self.same(&recorded)?;
        Ok(recorded)
    }

    /// Replays the last recording, which must end and print as it did and be followed to its end.
    pub fn same(&self, recorded: &Outcome) -> Result<(), String> {
        let (replayed, verdict) = self.replay(Enforcement::On)?;
        let complaint = replayed.stderr_text();
        // A program that a signal ended cannot say how its replay went; the code says how it ended.
        let crashed = matches!(recorded.end, End::Exit(code) if code > 128);
        match verdict {
            Ok(Replayed::Followed) => (),
            Ok(Replayed::DiedAsRecorded) if crashed => (),
            Ok(other) => return Err(format!("verdict {other:?}\n{complaint}")),
            Err(why) => {
                let kept = self.scratch.join("failed.rwv");
                let _ = std::fs::copy(self.recording(), &kept);
                return Err(format!(
                    "{why}; the command ended with {}, its recording is {}\n{complaint}",
                    replayed.end,
                    kept.display()
                ));
            }
        }
        if replayed.end != recorded.end {
            return Err(format!(
                "the recording ended with {}, the replay with {}\n{complaint}",
                recorded.end, replayed.end
            ));
        }
        if replayed.stdout != recorded.stdout {
            return Err(format!(
                "recorded:\n{}replayed:\n{}",
                recorded.stdout_text(),
                replayed.stdout_text()
            ));
        }
        Ok(())
    }
}
