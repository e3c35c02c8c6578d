//! Finds the JDKs of this machine: `JAVA_HOME`, the `java` on the path, then /usr/lib/jvm. The first is the default.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// reweave supports this version and later ones.
const OLDEST: u32 = 17;

#[derive(Clone, Debug)]
pub struct Jdk {
    pub home: PathBuf,
    pub major: u32,
    /// As the JDK's `release` file gives it, e.g. `17.0.15`.
    pub version: String,
}

impl Jdk {
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    pub fn javac(&self) -> Command {
        Command::new(self.home.join("bin/javac"))
    }

    /// Whether it can open windows.
    pub fn has_desktop(&self) -> bool {
        self.home.join("lib/libawt_xawt.so").is_file()
    }

    fn at(home: &Path) -> Option<Jdk> {
        let home = home.canonicalize().ok()?;
        if !home.join("bin/javac").is_file() || !home.join("bin/java").is_file() {
            return None;
        }
        let release = fs::read_to_string(home.join("release")).ok()?;
        let version = release
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION="))?
            .trim_matches('"')
            .to_owned();
        let major = version.split(['.', '-', '+']).next()?.parse().ok()?;
        Some(Jdk {
            home,
            major,
            version,
        })
    }
}

impl std::fmt::Display for Jdk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JDK {} in {}", self.version, self.home.display())
    }
}

/// Every usable JDK, the default one first, one per major version.
pub fn find() -> Vec<Jdk> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        // `java` on the path is usually a link into <home>/bin.
        if let Ok(java) = folder.join("java").canonicalize() {
            homes.extend(java.ancestors().nth(2).map(Path::to_owned));
        }
    }
    if let Ok(entries) = fs::read_dir("/usr/lib/jvm") {
        let mut installed: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        installed.sort();
        homes.extend(installed);
    }
    let mut found: Vec<Jdk> = Vec::new();
    for jdk in homes.iter().filter_map(|home| Jdk::at(home)) {
        if jdk.major >= OLDEST && found.iter().all(|other| other.major != jdk.major) {
            found.push(jdk);
        }
    }
    found
}
