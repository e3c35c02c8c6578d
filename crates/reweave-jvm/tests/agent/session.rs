//! Records and replays a program as the command would.

use crate::java::{self, Folder};
use reweave_trace::Trace;
use reweave_trace::file::writer::{Existing, create_live};
use reweave_trace::manifest::{Host, Level, MANIFEST_VERSION, Manifest};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A compiled program of `tests/java/agent`.
pub struct Program {
    name: &'static str,
    classes: Folder,
}

pub struct Recorded {
    folder: Folder,
    pub output: String,
}

pub struct Followed {
    folder: Folder,
    pub output: String,
}

impl Program {
    pub fn compile(name: &'static str) -> Program {
        let classes = Folder::new();
        java::compile(
            &java::sources().join(format!("agent/{name}.java")),
            classes.path(),
        );
        Program { name, classes }
    }

    pub fn folder(&self) -> &Path {
        self.classes.path()
    }

    fn start(&self, session: &Path, options: &[&str]) -> Command {
        let mut agent = "-agentpath:".to_owned();
        agent += &library().display().to_string();
        agent += &format!("={}", session.display());
        let mut command = Command::new(java::tool("java"));
        command
            .arg(agent)
            // As the command has it: the VM would report the native methods that the agent puts in place.
            .arg("-Xlog:jni+resolve=off")
            .args(options)
            .arg("-cp")
            .arg(self.classes.path())
            .arg(self.name);
        command
    }

    /// What it prints without us.
    pub fn run(&self) -> String {
        let mut command = Command::new(java::tool("java"));
        let command = command.arg("-cp").arg(self.folder()).arg(self.name);
        let output = java::succeed(command);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn record(&self, options: &[&str]) -> Recorded {
        self.record_with(options, &[])
    }

    /// With these variables in its environment.
    pub fn record_with(&self, options: &[&str], variables: &[(&str, &str)]) -> Recorded {
        let folder = recording();
        let mut command = self.start(folder.path(), options);
        let output = java::succeed(command.envs(variables.iter().copied()));
        Recorded {
            folder,
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
        }
    }

    /// Kills it when it has printed that line.
    pub fn record_and_kill(&self, options: &[&str], line: &str) -> Recorded {
        let folder = recording();
        let mut child = self
            .start(folder.path(), options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("java");
        let output = child.stdout.take().expect("piped");
        BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find(|found| found == line)
            .expect("it prints the line");
        child.kill().expect("can be killed");
        child.wait().expect("is dead");
        Recorded {
            folder,
            output: format!("{line}\n"),
        }
    }

    /// Follows a recording; `lines` are more lines of the session. A replay that does not follow has an exit code of its own, so that is not looked at.
    pub fn replay(&self, recorded: &Recorded, options: &[&str], lines: &str) -> Followed {
        let folder = Folder::new();
        let trace = recorded.folder.path().join("run.rwv");
        session(folder.path(), "replay", &trace, lines);
        let output = self.start(folder.path(), options).output().expect("java");
        Followed {
            folder,
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
        }
    }
}

impl Recorded {
    /// Whether these bytes are anywhere in the file.
    pub fn contains(&self, text: &str) -> bool {
        let bytes = std::fs::read(self.folder.path().join("run.rwv")).expect("can be read");
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    }

    pub fn trace(&self) -> Trace {
        Trace::open(self.folder.path().join("run.rwv")).expect("can be read")
    }
}

impl Followed {
    pub fn outcome(&self) -> String {
        let text = std::fs::read_to_string(self.folder.path().join("outcome-0"));
        text.unwrap_or_else(|error| panic!("no outcome: {error}"))
    }

    pub fn verdict(&self) -> String {
        let text = self.outcome();
        match text.lines().find_map(|line| line.strip_prefix("verdict=")) {
            Some(verdict) => verdict.to_owned(),
            None => panic!("{text}"),
        }
    }
}

/// The agent, as it was built with this test: cargo puts both into one folder.
fn library() -> PathBuf {
    let this = std::env::current_exe().expect("this program");
    this.with_file_name("libreweave_jvm.so")
}

/// A session folder with a new live file.
fn recording() -> Folder {
    let folder = Folder::new();
    let manifest = Manifest {
        version: MANIFEST_VERSION,
        run: "7f3a".into(),
        reweave: "0.1.0".into(),
        level: Level::Sync,
        started_at: "2026-11-15T23:45:10Z".into(),
        argv: vec![],
        cwd: "/".into(),
        environment: Default::default(),
        java: None,
        class_path: vec![],
        native: None,
        include: vec![],
        exclude: vec![],
        exclude_thread: vec![],
        host: Host::default(),
    };
    let trace = folder.path().join("run.rwv");
    create_live(&trace, &manifest, Existing::Keep).expect("a new file");
    session(folder.path(), "record", &trace, "");
    folder
}

fn session(folder: &Path, mode: &str, trace: &Path, lines: &str) {
    let text = format!("mode={mode}\ntrace={}\n{lines}", trace.display());
    std::fs::write(folder.join("session"), text).expect("a session");
}
