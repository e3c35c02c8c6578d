//! The programs: libraries and servers that others wrote, each driven by a small main of ours in `programs/real`, and javac as it comes with the JDK.

use crate::artifacts;
use crate::jdk::Jdk;
use crate::programs::{self, Level};
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Subject {
    pub name: &'static str,
    /// Empty for javac.
    main: &'static str,
    artifacts: &'static [&'static str],
    /// Some libraries have data races, benign or not: those are recorded with all accesses.
    pub level: Level,
    /// A line that it must print.
    pub line: &'static str,
}

const H2: &str = "com.h2database:h2:2.3.232";

pub const ALL: &[Subject] = &[
    subject("h2", "H2Workload", &[H2], Level::Sync, "sum 6000"),
    subject(
        "lucene",
        "LuceneIndex",
        &["org.apache.lucene:lucene-core:9.12.1"],
        Level::Sync,
        "documents 600",
    ),
    subject(
        "netty",
        "NettyEcho",
        &["io.netty:netty-handler:4.1.115.Final"],
        Level::Sync,
        "served 100",
    ),
    subject(
        "jetty",
        "JettyEcho",
        &[
            "org.eclipse.jetty:jetty-server:11.0.24",
            "org.slf4j:slf4j-nop:2.0.16",
        ],
        Level::Sync,
        "count 23",
    ),
    subject(
        "caffeine",
        "CaffeineCache",
        &["com.github.ben-manes.caffeine:caffeine:3.1.8"],
        Level::Sync,
        "hits",
    ),
    subject(
        "guava",
        "GuavaConcurrent",
        &["com.google.guava:guava:33.3.1-jre"],
        Level::Sync,
        "true",
    ),
    subject(
        "commons-pool",
        "ObjectPool",
        &["org.apache.commons:commons-pool2:2.12.0"],
        Level::Sync,
        "made",
    ),
    subject(
        "hikari",
        "HikariPool",
        &[
            "com.zaxxer:HikariCP:5.1.0",
            H2,
            "org.slf4j:slf4j-nop:1.7.36",
        ],
        Level::Access,
        "connections true",
    ),
    subject(
        "vertx",
        "VertxSample",
        &["io.vertx:vertx-core:4.5.11"],
        Level::Sync,
        "served 12",
    ),
    subject("javac", "", &[], Level::Sync, "[total"),
];

const fn subject(
    name: &'static str,
    main: &'static str,
    artifacts: &'static [&'static str],
    level: Level,
    line: &'static str,
) -> Subject {
    Subject {
        name,
        main,
        artifacts,
        level,
        line,
    }
}

impl Subject {
    /// Fetches and compiles what is needed; the command that runs it.
    pub fn prepare(&self, jdk: &Jdk) -> Result<Prepared, String> {
        let sources = workspace::root().join("programs/real");
        let mut arguments: Vec<String> = Vec::new();
        if self.main.is_empty() {
            // It compiles the others' mains: those of them that need no library.
            arguments.extend(["-m", "jdk.compiler/com.sun.tools.javac.Main"].map(str::to_owned));
            arguments.extend(["-verbose", "-proc:none", "-d", "."].map(str::to_owned));
            arguments.extend(java_files(&workspace::root().join("programs/java"))?);
        } else {
            let jars = artifacts::with_dependencies(self.name, self.artifacts)?;
            let classes = workspace::target()
                .join("xtask/real-classes")
                .join(format!("jdk{}", jdk.major))
                .join(self.name);
            let libraries = jars.join("*");
            let source = sources.join(format!("{}.java", self.main));
            programs::compile(jdk, &source, &classes, Some(&libraries))?;
            let path = format!("{}:{}", classes.display(), libraries.display());
            arguments.extend(["-cp".to_owned(), path, self.main.to_owned()]);
        }
        Ok(Prepared {
            java: jdk.java(),
            arguments,
        })
    }
}

/// Programs of one file each whose classes do not get in each other's way.
fn java_files(folder: &Path) -> Result<Vec<String>, String> {
    let wanted = [
        "bounded-buffer",
        "class-init",
        "map-updates",
        "phaser",
        "printing",
    ];
    let mut found = Vec::new();
    for name in wanted {
        let entries = fs::read_dir(folder.join(name))
            .map_err(|error| format!("cannot read {name}: {error}"))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path
                .extension()
                .is_some_and(|extension| extension == "java")
            {
                found.push(path.display().to_string());
            }
        }
    }
    Ok(found)
}

pub struct Prepared {
    java: PathBuf,
    arguments: Vec<String>,
}

impl Prepared {
    pub fn java(&self) -> Command {
        let mut command = Command::new(&self.java);
        command.args(&self.arguments);
        command
    }
}
