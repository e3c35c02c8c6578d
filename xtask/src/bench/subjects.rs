//! What is measured: the drivers in `bench/java`, the `parallel` program, and programs that others wrote (H2, Lucene, javac).

mod access;
mod concurrent;

use crate::artifacts;
use crate::jdk::Jdk;
use crate::programs::{self, Level};
use crate::setup::{self, Need};
use crate::workspace;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

const H2: &str = "com.h2database:h2:2.3.232";
const LUCENE: &str = "org.apache.lucene:lucene-core:9.12.1";
pub const NETTY: &str = "io.netty:netty-handler:4.1.115.Final";
/// What javac compiles; it needs no other library.
const SOURCES: &str = "commons-codec:commons-codec:1.17.1:jar:sources";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Plain,
    Record,
    Replay,
    /// Looks for races in the recording: two replays, and the analysis of the first.
    Races,
}

const RECORD: &[Mode] = &[Mode::Plain, Mode::Record];
const RECORD_AND_RACES: &[Mode] = &[Mode::Plain, Mode::Record, Mode::Races];
const RECORD_AND_REPLAY: &[Mode] = &[Mode::Plain, Mode::Record, Mode::Replay];

#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// CPU time of everything the command ran, from start to end.
    ProcessCpu,
    ProcessWall,
    /// A line `key number` that the driver prints: what it measured itself, after its warm-up.
    Printed {
        key: &'static str,
        meaning: &'static str,
    },
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::ProcessCpu => write!(f, "CPU ms"),
            Measure::ProcessWall => write!(f, "wall ms"),
            Measure::Printed { meaning, .. } => write!(f, "{meaning}"),
        }
    }
}

pub struct Subject {
    pub name: String,
    pub measures: Vec<Measure>,
    pub modes: &'static [Mode],
    pub rounds: usize,
    /// Whether accesses to memory are left unordered: what the rest costs.
    pub without_memory: bool,
    /// What is recorded.
    pub level: Level,
    java: PathBuf,
    arguments: Vec<OsString>,
}

impl Subject {
    pub fn java(&self) -> Command {
        let mut command = Command::new(&self.java);
        command.args(&self.arguments);
        command
    }
}

/// All subjects whose name contains `only`, compiled and fetched.
pub fn all(jdk: &Jdk, only: &str) -> Result<Vec<Subject>, String> {
    let workshop = Workshop {
        jdk,
        classes: workspace::target()
            .join("xtask/bench-classes")
            .join(format!("jdk{}", jdk.major)),
    };
    let wanted = |name: &str| name.contains(only);
    let mut subjects = Vec::new();
    if wanted("hello") {
        subjects.push(workshop.hello()?);
    }
    for (name, arguments) in lock_loops().into_iter().filter(|(name, _)| wanted(name)) {
        subjects.push(workshop.lock_loop(name, arguments)?);
    }
    for turns in ["long", "short"] {
        let name = format!("180,000 lock events, {turns} turns");
        if wanted(&name) {
            subjects.push(workshop.lock_events(&name, turns)?);
        }
    }
    if wanted("parallel work") {
        subjects.push(workshop.parallel()?);
    }
    let h2 = "h2, four clients";
    if wanted(h2) {
        subjects.push(workshop.h2(h2)?);
    }
    let without_memory = format!("{h2}, memory unordered");
    if wanted(&without_memory) {
        subjects.push(Subject {
            without_memory: true,
            ..workshop.h2(&without_memory)?
        });
    }
    let lucene = "lucene, four threads";
    if wanted(lucene) {
        subjects.push(workshop.lucene(lucene)?);
    }
    subjects.extend(workshop.inputs(wanted)?);
    let sync = "javac, level sync";
    if wanted(sync) {
        // The compilers of the VM are done with it after a dozen.
        subjects.push(workshop.compiler(sync, &["12", "8"])?);
    }
    subjects.extend(workshop.concurrent(wanted)?);
    subjects.extend(workshop.at_level_access(wanted)?);
    Ok(subjects)
}

/// Names and arguments of every lock loop.
fn lock_loops() -> Vec<(String, Vec<String>)> {
    let mut loops = Vec::new();
    for (lock, lock_name) in [("app", "app-class lock"), ("object", "plain Object")] {
        for sharing in ["private", "shared"] {
            // One thread shares with nobody.
            for threads in if sharing == "shared" {
                &[2, 4][..]
            } else {
                &[1, 2, 4][..]
            } {
                let name = format!("lock loop, {sharing} {lock_name}, {threads} threads")
                    .replace("1 threads", "1 thread");
                let iterations = 4_000_000 / threads;
                loops.push((
                    name,
                    vec![
                        threads.to_string(),
                        sharing.into(),
                        lock.into(),
                        iterations.to_string(),
                    ],
                ));
            }
        }
    }
    loops
}

struct Workshop<'a> {
    jdk: &'a Jdk,
    classes: PathBuf,
}

impl Workshop<'_> {
    fn hello(&self) -> Result<Subject, String> {
        self.driver(
            "hello",
            "Hello",
            &[],
            None,
            vec![Measure::ProcessCpu, Measure::ProcessWall],
            RECORD,
            61,
        )
    }

    fn lock_loop(&self, name: String, arguments: Vec<String>) -> Result<Subject, String> {
        let measures = vec![
            Measure::Printed {
                key: "cpu_ns",
                meaning: "CPU ns/lock",
            },
            Measure::Printed {
                key: "wall_ns",
                meaning: "wall ns/lock",
            },
        ];
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        // How often a shared lock changes hands differs from run to run, and decides more than we do.
        self.driver(&name, "LockLoop", &arguments, None, measures, RECORD, 25)
    }

    /// How often the monitors change hands decides what a replay has to do, so that is a figure, too.
    fn lock_events(&self, name: &str, turns: &str) -> Result<Subject, String> {
        let measures = vec![
            Measure::ProcessWall,
            Measure::ProcessCpu,
            Measure::Printed {
                key: "hand_overs",
                meaning: "hand-overs",
            },
        ];
        self.driver(
            name,
            "LockEvents",
            &[turns],
            None,
            measures,
            RECORD_AND_REPLAY,
            9,
        )
    }

    fn parallel(&self) -> Result<Subject, String> {
        let program = programs::matching("parallel")?.remove(0);
        let java = program.compile(self.jdk)?.java_with(&["2000"]);
        Ok(Subject {
            name: "parallel work, 2 x 2 s".to_owned(),
            measures: vec![Measure::ProcessWall],
            modes: RECORD_AND_REPLAY,
            rounds: 3,
            without_memory: false,
            level: Level::Sync,
            java: self.jdk.java(),
            arguments: java.get_args().map(OsString::from).collect(),
        })
    }

    fn h2(&self, name: &str) -> Result<Subject, String> {
        let jar = fetch(H2)?;
        let measures = vec![
            Measure::Printed {
                key: "cpu_us",
                meaning: "CPU µs/transaction",
            },
            Measure::Printed {
                key: "wall_us",
                meaning: "wall µs/transaction",
            },
        ];
        self.driver(
            name,
            "H2Clients",
            &["10000", "10000"],
            Some(&jar),
            measures,
            RECORD,
            5,
        )
    }

    fn lucene(&self, name: &str) -> Result<Subject, String> {
        let jar = fetch(LUCENE)?;
        let measures = vec![
            Measure::Printed {
                key: "cpu_us",
                meaning: "CPU µs/document",
            },
            Measure::Printed {
                key: "wall_us",
                meaning: "wall µs/document",
            },
        ];
        self.driver(
            name,
            "LuceneThreads",
            // Compilation goes on for long, and differs from run to run.
            &["60000", "60000"],
            Some(&jar),
            measures,
            RECORD,
            9,
        )
    }

    /// What comes in from outside.
    fn inputs(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Subject>, String> {
        let mut subjects = Vec::new();
        let copy = "file copy, 32 MB";
        if wanted(copy) {
            let measures = vec![
                Measure::Printed {
                    key: "cpu_ms",
                    meaning: "CPU ms/copy",
                },
                Measure::Printed {
                    key: "wall_ms",
                    meaning: "wall ms/copy",
                },
            ];
            subjects.push(self.driver(copy, "FileCopy", &[], None, measures, RECORD, 5)?);
        }
        let measures = || {
            vec![
                Measure::Printed {
                    key: "cpu_us",
                    meaning: "CPU µs/request",
                },
                Measure::Printed {
                    key: "wall_us",
                    meaning: "wall µs/request",
                },
            ]
        };
        let http = "http client and server";
        if wanted(http) {
            let arguments = ["5000", "5000"];
            subjects.push(self.driver(
                http,
                "HttpLoop",
                &arguments,
                None,
                measures(),
                RECORD,
                5,
            )?);
        }
        let netty = "netty echo, four clients";
        if wanted(netty) {
            let jars = artifacts::with_dependencies("netty", &[NETTY])?.join("*");
            let arguments = ["5000", "5000"];
            let jars = Some(jars.as_path());
            subjects.push(self.driver(
                netty,
                "NettyLoad",
                &arguments,
                jars,
                measures(),
                RECORD,
                5,
            )?);
        }
        Ok(subjects)
    }

    /// The last words: compilations for warm-up, measured ones, how many at the same time.
    fn compiler(&self, name: &str, how_often: &[&str]) -> Result<Subject, String> {
        let sources = unpack(&fetch(SOURCES)?, self.jdk)?;
        let compiled = self.classes.join("compiled");
        workspace::create(&compiled)?;
        let measures = vec![
            Measure::Printed {
                key: "cpu_ms",
                meaning: "CPU ms/compilation",
            },
            Measure::Printed {
                key: "wall_ms",
                meaning: "wall ms/compilation",
            },
        ];
        let (from, to) = (sources.to_string_lossy(), compiled.to_string_lossy());
        let mut arguments: Vec<&str> = vec![&from, &to];
        arguments.extend_from_slice(how_often);
        self.driver(
            name,
            "CompileRepeatedly",
            &arguments,
            None,
            measures,
            RECORD,
            5,
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is one column of a subject, and every caller gives all"
    )]
    fn driver(
        &self,
        name: &str,
        main: &str,
        arguments: &[&str],
        library: Option<&Path>,
        measures: Vec<Measure>,
        modes: &'static [Mode],
        rounds: usize,
    ) -> Result<Subject, String> {
        let source = workspace::root()
            .join("bench/java")
            .join(format!("{main}.java"));
        programs::compile(self.jdk, &source, &self.classes, library)?;
        let mut class_path = self.classes.clone().into_os_string();
        if let Some(library) = library {
            class_path.push(":");
            class_path.push(library);
        }
        let mut all = vec!["-cp".into(), class_path, main.into()];
        all.extend(arguments.iter().map(OsString::from));
        Ok(Subject {
            name: name.to_owned(),
            measures,
            modes,
            rounds,
            without_memory: false,
            level: Level::Sync,
            java: self.jdk.java(),
            arguments: all,
        })
    }
}

/// Gets an artifact by Maven, once.
pub(crate) fn fetch(artifact: &str) -> Result<PathBuf, String> {
    let folder = workspace::target().join("xtask/artifacts");
    let parts: Vec<&str> = artifact.split(':').collect();
    let classifier = parts
        .get(4)
        .map(|classifier| format!("-{classifier}"))
        .unwrap_or_default();
    let jar = folder.join(format!("{}-{}{classifier}.jar", parts[1], parts[2]));
    if jar.is_file() {
        return Ok(jar);
    }
    setup::ensure(Need::Maven)?;
    workspace::create(&folder)?;
    let output = Command::new("mvn")
        .args([
            "-q",
            "-B",
            "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
        ])
        .arg(format!("-Dartifact={artifact}"))
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .current_dir(&folder)
        .output()
        .map_err(|error| format!("cannot run mvn: {error}"))?;
    if output.status.success() && jar.is_file() {
        return Ok(jar);
    }
    Err(format!(
        "mvn cannot get {artifact}:\n{}",
        String::from_utf8_lossy(&output.stdout)
    ))
}

/// Unpacks a jar beside itself, once.
pub(crate) fn unpack(jar: &Path, jdk: &Jdk) -> Result<PathBuf, String> {
    let folder = jar.with_extension("");
    if folder.is_dir() {
        return Ok(folder);
    }
    workspace::create(&folder)?;
    let status = Command::new(jdk.home.join("bin/jar"))
        .arg("xf")
        .arg(jar)
        .current_dir(&folder)
        .status();
    match status {
        Ok(status) if status.success() => Ok(folder),
        other => {
            // Half a folder would be taken for a whole one next time.
            let _ = std::fs::remove_dir_all(&folder);
            Err(format!("cannot unpack {}: {other:?}", jar.display()))
        }
    }
}
