//! What ran, and how it ended: the two JSON parts of a file.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// Version of the manifest's names. Readers ignore names they do not know, so only a change of meaning needs a new one.
pub const MANIFEST_VERSION: u32 = 1;

/// What ran, where, and how it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub version: u32,
    /// Short random name of the run, in hexadecimal.
    pub run: String,
    /// Version of reweave that recorded.
    pub reweave: String,
    pub level: Level,
    /// UTC, as `2026-11-15T23:45:10Z`.
    pub started_at: String,
    /// The program and its arguments as given by the user, without what reweave adds.
    pub argv: Vec<String>,
    pub cwd: String,
    /// The variables that change what Java runs.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(default)]
    pub java: Option<Java>,
    #[serde(default)]
    pub class_path: Vec<ClassPathEntry>,
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub exclude: Vec<String>,
    #[serde(default)]
    pub exclude_thread: Vec<String>,
    pub host: Host,
    #[serde(default)]
    pub native: Option<Native>,
}

/// Which operations a recording holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Order of synchronization, and inputs.
    Sync,
    /// The same, and the order of all accesses to memory: Java programs.
    Access,
    /// One thread at a time, every switch: native programs.
    Serial,
}

impl Level {
    pub const fn name(self) -> &'static str {
        match self {
            Level::Sync => "sync",
            Level::Access => "access",
            Level::Serial => "serial",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Java {
    pub executable: String,
    pub home: String,
    /// `JAVA_RUNTIME_VERSION` of the JDK's `release` file, else its `JAVA_VERSION`.
    pub build: String,
}

/// A native program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Native {
    /// Absolute path of what was started.
    pub executable: String,
    /// xxh3 of its bytes, in hexadecimal.
    pub digest: String,
    /// All variables, because addresses depend on their length; values that look secret are as long as they were but say nothing.
    pub environment: BTreeMap<String, String>,
    /// What decides who goes on and for how long, in a serial run.
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub quantum: u64,
    #[serde(default)]
    pub tick: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPathEntry {
    /// As written on the command line.
    pub path: String,
    pub kind: EntryKind,
    /// xxh3 of a jar's bytes, in hexadecimal. The classes of a directory have their digests in the trace.
    #[serde(default)]
    pub digest: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    Jar,
    Directory,
    Missing,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub os: String,
    pub kernel: String,
    pub arch: String,
    pub cpus: usize,
}

/// How the program that was started ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResult {
    /// A signal as 128+n.
    pub exit_code: i32,
    #[serde(default)]
    pub signal: Option<i32>,
    pub wall_ms: u64,
}

#[derive(Debug, Error)]
pub enum ManifestError {
    #[error("the manifest is not what this reweave writes: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the manifest has version {found}, this reweave reads up to {MANIFEST_VERSION}")]
    Version { found: u32 },
}

impl Manifest {
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers can always be written as JSON")
    }

    pub fn from_json(bytes: &[u8]) -> Result<Manifest, ManifestError> {
        /// Read first, because a newer version may have changed everything else.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_slice(bytes)?;
        if version > MANIFEST_VERSION {
            return Err(ManifestError::Version { found: version });
        }
        Ok(serde_json::from_slice(bytes)?)
    }
}

impl RunResult {
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers can always be written as JSON")
    }
}
