//! The `reweave` command as the end-to-end checks use it.

use crate::programs::Level;
use serde::Deserialize;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Reweave {
    binary: PathBuf,
}

/// Whether a replay follows the recorded order, or only listens in: the negative control that shows the order matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    On,
    Off,
}

/// What `--report` writes.
#[derive(Debug, Deserialize)]
pub struct Report {
    pub verdict: Replayed,
}

/// How a replay went, in the command's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replayed {
    Followed,
    EndOfLog,
    Hang,
    Deadlock,
    Stalled,
    Diverged,
    Died,
    DiedAsRecorded,
}

impl Report {
    pub fn read(path: &Path) -> Result<Report, String> {
        let text = fs::read_to_string(path)
            .map_err(|error| format!("no report in {}: {error}", path.display()))?;
        serde_json::from_str(&text)
            .map_err(|error| format!("the report is not as documented: {error}: {text}"))
    }
}

impl Reweave {
    pub fn at(binary: PathBuf) -> Reweave {
        Reweave { binary }
    }

    pub fn binary(&self) -> &Path {
        &self.binary
    }

    pub fn command(&self) -> Command {
        Command::new(&self.binary)
    }

    /// `reweave record` of what `program` would run.
    pub fn record(&self, program: &Command, recording: &Path) -> Command {
        self.record_at(Level::Sync, program, recording)
    }

    /// The same at this level.
    pub fn record_at(&self, level: Level, program: &Command, recording: &Path) -> Command {
        let mut command = self.command();
        command
            .args(["-q", "record", "--level", level.name(), "-o"])
            .arg(recording)
            .arg("--")
            .arg(program.get_program())
            .args(program.get_args());
        command
    }

    /// A replay that also prints the notes that others are spared.
    pub fn replay_with_notes(&self, recording: &Path, report: &Path) -> Command {
        // A report of an earlier replay must not be taken for this one's.
        let _ = fs::remove_file(report);
        let mut command = self.command();
        command
            .arg("replay")
            .arg(recording)
            .arg("--report")
            .arg(report);
        command
    }

    pub fn replay(&self, recording: &Path, report: &Path, enforcement: Enforcement) -> Command {
        let mut command = self.replay_with_notes(recording, report);
        command.arg("-q");
        if enforcement == Enforcement::Off {
            command.arg("--test-no-enforce");
        }
        command
    }

    /// `reweave --json VERB RECORDING`.
    pub fn json(&self, verb: &str, recording: impl AsRef<OsStr>) -> Command {
        let mut command = self.command();
        command.args(["--json", verb]).arg(recording);
        command
    }
}
