//! The results file: a JSON line for every run that was made.

use crate::jdk::Jdk;
use crate::programs::Program;
use crate::workspace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
pub struct Line {
    program: String,
    jdk: u32,
    pub number: usize,
    commit: String,
    #[serde(flatten)]
    pub run: Run,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "run", rename_all = "lowercase")]
pub enum Run {
    Plain {
        result: String,
    },
    Recording {
        result: String,
        /// `None` when the replay was identical and followed the recording, otherwise what was wrong.
        wrong: Option<String>,
        /// Whether a replay with enforcement off gave another result, if one was made.
        differs_unenforced: Option<bool>,
    },
}

pub struct Results {
    path: PathBuf,
    lines: Vec<Line>,
    commit: String,
}

impl Results {
    pub fn open(path: &Path) -> Result<Results, String> {
        let results = Results {
            path: path.to_owned(),
            lines: Vec::new(),
            commit: workspace::commit(),
        };
        workspace::create(results.folder())?;
        if !path.exists() {
            return Ok(results);
        }
        let text = fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let read = |(at, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("{} line {}: {error}", path.display(), at + 1))
        };
        Ok(Results {
            lines: text
                .lines()
                .enumerate()
                .map(read)
                .collect::<Result<_, _>>()?,
            ..results
        })
    }

    pub fn folder(&self) -> &Path {
        self.path.parent().expect("a file lies in a folder")
    }

    /// The runs of one program on one JDK.
    pub fn of<'a>(&'a self, program: &'a Program, jdk: &'a Jdk) -> impl Iterator<Item = &'a Line> {
        self.lines
            .iter()
            .filter(|line| line.program == program.name && line.jdk == jdk.major)
    }

    pub fn add(
        &mut self,
        program: &Program,
        jdk: &Jdk,
        number: usize,
        run: Run,
    ) -> Result<(), String> {
        let line = Line {
            program: program.name.clone(),
            jdk: jdk.major,
            number,
            commit: self.commit.clone(),
            run,
        };
        let text = serde_json::to_string(&line).expect("a line has only strings and numbers");
        let write = || {
            writeln!(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&self.path)?,
                "{text}"
            )
        };
        write().map_err(|error: std::io::Error| {
            format!("cannot write {}: {error}", self.path.display())
        })?;
        self.lines.push(line);
        Ok(())
    }

    /// The commits that the runs were made with.
    pub fn commits(&self) -> BTreeSet<&str> {
        self.lines.iter().map(|line| line.commit.as_str()).collect()
    }
}
