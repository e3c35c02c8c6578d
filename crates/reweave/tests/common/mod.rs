//! What the tests of the command share: a folder each, recordings made from text, and a `java` that is a shell script.

#![allow(dead_code, reason = "each test program uses its own part")]

use reweave_trace::file::seal::seal;
use reweave_trace::file::table::{CodeSite, Record};
use reweave_trace::file::writer::{Existing, create_live};
use reweave_trace::manifest::{ClassPathEntry, Host, Java, Level, MANIFEST_VERSION, RunResult};
use reweave_trace::{Manifest, Position, Process, text};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

pub const BANK: &str = "
    t1 start t2
    t1 acquire m:com/example/Account @Bank.java:12
    t2 acquire m @Bank.java:14
    t2 notify m @Bank.java:15
    t1 wait m by 5 @Bank.java:13
    t2 exit
    t1 join t2
    t1 uncaught java/lang/IllegalStateException
    t1 halt 3
";

/// A project folder with a command in it.
pub struct Project {
    folder: TempDir,
}

impl Project {
    pub fn new() -> Project {
        let folder = tempfile::Builder::new()
            .prefix("reweave-test-")
            .tempdir()
            .expect("a temporary folder");
        std::fs::write(folder.path().join("agent.so"), "").expect("a file in it");
        Project { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }

    /// Runs the command in the project.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    #[track_caller]
    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reweave"));
        command.current_dir(self.root()).args(arguments);
        command
            .env("REWEAVE_AGENT", self.path("agent.so"))
            .env("NO_COLOR", "1")
            .env_remove("JAVA_TOOL_OPTIONS");
        command.envs(environment.iter().copied());
        Ran {
            line: arguments.join(" "),
            output: command.output().expect("the command runs"),
        }
    }

    pub fn manifest(&self) -> Manifest {
        Manifest {
            version: MANIFEST_VERSION,
            run: "7f3a0001".into(),
            reweave: "0.1.0".into(),
            level: Level::Sync,
            started_at: "2026-11-15T23:45:10Z".into(),
            argv: vec!["./jdk/bin/java".into(), "Bank".into()],
            cwd: self.root().to_str().expect("UTF-8").to_owned(),
            environment: Default::default(),
            java: None,
            class_path: Vec::new(),
            native: None,
            include: Vec::new(),
            exclude: Vec::new(),
            exclude_thread: Vec::new(),
            host: Host::default(),
        }
    }

    /// The manifest of a run of the fake JDK, which must be there.
    pub fn java_manifest(&self, class_path: Vec<ClassPathEntry>) -> Manifest {
        Manifest {
            java: Some(Java {
                executable: self.path("jdk/bin/java").display().to_string(),
                home: self.path("jdk").display().to_string(),
                build: "Fake 17.0.1+2".into(),
            }),
            class_path,
            ..self.manifest()
        }
    }

    /// A `java` that runs this shell script; `$REWEAVE_SESSION` is the session folder.
    pub fn fake_jdk(&self, script: &str) {
        self.write(
            "jdk/release",
            "IMPLEMENTOR=\"Fake\"\nJAVA_RUNTIME_VERSION=\"17.0.1+2\"\n",
        );
        self.write("jdk/bin/java", format!("#!/bin/sh\n{script}\n"));
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path("jdk/bin/java"), executable).expect("permissions");
    }

    /// Writes a recording of these events, with the process ended in order if `end` is there.
    pub fn recording(
        &self,
        name: &str,
        manifest: &Manifest,
        events: &str,
        end: &[Record],
    ) -> PathBuf {
        let path = self.live(name, manifest, events, end);
        let result = RunResult {
            exit_code: 3,
            signal: None,
            wall_ms: 1700,
        };
        seal(&path, &path, Some(&result), Existing::Replace).expect("sealed");
        path
    }

    pub fn live(&self, name: &str, manifest: &Manifest, events: &str, end: &[Record]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder");
        let process = text::parse(events).expect("a readable trace");
        let mut live = create_live(&path, manifest, Existing::Keep).expect("a live file");
        let mut table = records(&process);
        table.extend_from_slice(end);
        live.append_table(process.number, 0, &table)
            .expect("a table");
        for thread in &process.threads {
            live.append_events(
                process.number,
                thread.stream,
                0,
                Position::FIRST,
                &thread.words,
            )
            .expect("events");
        }
        path
    }

    pub fn bank(&self, name: &str) -> PathBuf {
        self.recording(name, &self.manifest(), BANK, &[Record::End])
    }
}

fn records(process: &Process) -> Vec<Record> {
    let mut records = vec![Record::Process {
        path: "0".into(),
        pid: 4711,
        main: "Bank".into(),
        jdk: "17.0.1+2".into(),
    }];
    records.extend(process.threads.iter().map(|thread| Record::Thread {
        stream: thread.stream,
        parent: thread.parent,
        kind: thread.kind,
        name: if thread.stream.0 == 1 {
            "main".into()
        } else {
            format!("worker-{}", thread.stream)
        },
    }));
    records.extend(process.classes.iter().map(|(&class, name)| Record::Class {
        class,
        name: name.clone(),
    }));
    records.extend(process.sites.iter().map(|(&id, site)| Record::Code {
        digest: 1,
        class: site.class.to_string(),
        source: site.source.to_string(),
        sites: vec![CodeSite {
            site: id,
            line: site.line,
            kind: site.kind,
            method: site.method.clone(),
        }],
    }));
    records
}

/// What came out of a command.
pub struct Ran {
    line: String,
    output: Output,
}

impl Ran {
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        let text = self.stdout();
        let last = text.lines().last().unwrap_or("");
        serde_json::from_str(last)
            .or_else(|_| serde_json::from_str(&text))
            .expect("JSON on standard output")
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        let found = self.output.status.code();
        assert_eq!(
            found,
            Some(code),
            "reweave {}\n{}\n{}",
            self.line,
            self.stdout(),
            self.stderr()
        );
        assert!(
            !self.stderr().contains("panicked"),
            "reweave {}\n{}",
            self.line,
            self.stderr()
        );
        self
    }

    /// Standard output has this somewhere.
    #[track_caller]
    pub fn prints(self, text: &str) -> Ran {
        assert!(
            self.stdout().contains(text),
            "reweave {} does not print `{text}`:\n{}",
            self.line,
            self.stdout()
        );
        self
    }

    /// Standard error has this somewhere.
    #[track_caller]
    pub fn says(self, text: &str) -> Ran {
        assert!(
            self.stderr().contains(text),
            "reweave {} does not say `{text}`:\n{}",
            self.line,
            self.stderr()
        );
        self
    }
}
