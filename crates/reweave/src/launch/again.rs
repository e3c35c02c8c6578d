//! Starts the JVMs of a build tool or script again, without that tool: what it sent them is in the recording.

use super::command;
use super::java;
use crate::exit::Failure;
use reweave_trace::{Launch, Process, Trace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A JVM to start, and which process of the recording it is.
pub struct Again<'a> {
    pub process: &'a Process,
    pub launch: &'a Launch,
}

/// All JVMs that the recorded command started, in the order in which they joined; `None` if the command itself has to be started.
pub fn roots(trace: &Trace) -> Option<Vec<Again<'_>>> {
    if trace.manifest.java.is_some() || trace.manifest.native.is_some() {
        return None;
    }
    let roots = trace
        .processes
        .iter()
        .filter(|process| !process.path.contains('.'));
    roots
        .map(|process| {
            let launch = process.launch.as_ref()?;
            Some(Again { process, launch })
        })
        .collect()
}

impl Again<'_> {
    /// Why it cannot be started here, if so.
    pub fn jdk_mismatch(&self) -> Option<(String, String)> {
        let here = java::describe(Path::new(&self.launch.executable))
            .map_or_else(|| "none".to_owned(), |java| java.build);
        let fits = here.split(' ').next_back() == Some(self.process.jdk.as_str());
        (!fits).then(|| (self.process.jdk.clone(), here))
    }

    /// The command with the agent in it, told which process it is.
    pub fn command(
        &self,
        agent: &Path,
        session: &Path,
        options: &[String],
        environment: &BTreeMap<String, String>,
    ) -> Command {
        let mut argv = self.launch.arguments.clone();
        // What the tool called it need not be `java`.
        if let Some(name) = argv.first_mut() {
            self.launch.executable.clone_into(name);
        }
        let who = PathBuf::from(format!("{};path={}", session.display(), self.process.path));
        let program = Path::new(&self.launch.executable);
        let tool_options = environment.get("JAVA_TOOL_OPTIONS").map(String::as_str);
        let mut prepared = command::prepare(program, &argv, agent, &who, options, tool_options);
        prepared
            .command
            .env("REWEAVE_SESSION", session)
            .current_dir(&self.launch.directory);
        prepared.command
    }
}

/// Files of one run that are gone, and the folders they were in, put back where they were for the time of a replay.
pub struct PutBack(Vec<PathBuf>);

impl PutBack {
    pub fn all(roots: &[Again<'_>]) -> Result<PutBack, Failure> {
        let mut put = PutBack(Vec::new());
        for file in roots.iter().flat_map(|root| &root.launch.files) {
            let path = PathBuf::from(&file.path);
            if path.exists() {
                continue;
            }
            put.make_folders(&path);
            std::fs::write(&path, &file.bytes).map_err(|error| {
                Failure::new(format!(
                    "cannot put {} back, which the recorded command made and removed: {error}",
                    path.display()
                ))
            })?;
            put.0.push(path);
        }
        Ok(put)
    }

    /// Makes the folders that the file was in.
    fn make_folders(&mut self, path: &Path) {
        let mut missing: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists())
            .collect();
        while let Some(folder) = missing.pop() {
            // If it cannot be made, the file cannot be written, and that says why.
            if std::fs::create_dir(folder).is_ok() {
                self.0.push(folder.to_owned());
            }
        }
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // Whoever removed it in between did what we wanted; a folder with something else in it stays.
            let _ = match path.is_dir() {
                true => std::fs::remove_dir(path),
                false => std::fs::remove_file(path),
            };
        }
    }
}
