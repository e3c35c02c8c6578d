//! Compiles, rewrites and runs the Java programs of `tests/java`.

#![allow(dead_code, reason = "each test binary uses its own part")]

use reweave_jvm::classfile::plan::Plan;
use reweave_jvm::classfile::{ClassFileError, Rewritten, peek, rewrite, rewrite_with_nops};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// The major number of a class file's version.
#[derive(Debug, Clone, Copy)]
pub struct Version(pub u16);

/// A compiled program: its own classes, and those of the helper, which stay as they are.
pub struct Program {
    name: &'static str,
    classes: Vec<(String, Vec<u8>)>,
    helper: Vec<(String, Vec<u8>)>,
    rewrite: fn(&[u8], &Plan<'_>) -> Result<Rewritten, ClassFileError>,
}

impl Program {
    pub fn new(name: &'static str) -> Self {
        let source = sources().join("behaviour");
        let folder = Folder::new();
        let files = [
            source.join(format!("{name}.java")),
            source.join("Helper.java"),
        ];
        // No invokedynamic for string concatenation: some tests lower the version to one that does not have it.
        let arguments = ["-g", "-nowarn", "-XDstringConcat=inline", "-d"];
        succeed(
            Command::new(tool("javac"))
                .args(arguments)
                .arg(&folder.0)
                .args(files),
        );
        let classes = class_files(&folder.0);
        let (helper, classes) = classes.into_iter().partition(|(name, _)| name == "Helper");
        Program {
            name,
            classes,
            helper,
            rewrite,
        }
    }

    /// Replaces some bytecode, which must be there once.
    pub fn patched(mut self, old: &[u8], new: &[u8]) -> Self {
        let mut places = 0;
        for (_, bytes) in &mut self.classes {
            while let Some(at) = bytes.windows(old.len()).position(|window| window == old) {
                bytes[at..at + old.len()].copy_from_slice(new);
                places += 1;
            }
        }
        assert_eq!(places, 1, "the bytecode to be patched");
        self
    }

    pub fn of_version(mut self, version: Version) -> Self {
        for (_, bytes) in &mut self.classes {
            bytes[6..8].copy_from_slice(&version.0.to_be_bytes());
        }
        self
    }

    pub fn with_nops(mut self) -> Self {
        self.rewrite = rewrite_with_nops;
        self
    }

    pub fn rewritten_by(mut self, plan: &Plan<'_>) -> Self {
        for (_, bytes) in &mut self.classes {
            let rewritten = (self.rewrite)(bytes, plan).expect("a class file");
            assert_eq!(rewritten.skipped, []);
            if let Some(new) = rewritten.bytes {
                *bytes = new;
            }
        }
        self
    }

    /// Runs it and compares what it prints, up to the indentation of the whole.
    #[track_caller]
    pub fn prints(&self, expected: &str) {
        let folder = Folder::new();
        for (name, bytes) in self.classes.iter().chain(&self.helper) {
            std::fs::write(folder.0.join(format!("{name}.class")), bytes)
                .expect("a temporary folder");
        }
        let output = succeed(
            Command::new(tool("java"))
                .args(["-Xverify:all", "-cp"])
                .arg(&folder.0)
                .arg(self.name),
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let margin = expected
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(indentation)
            .min()
            .unwrap_or(0);
        let expected: Vec<&str> = expected
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| &line[margin..])
            .collect();
        let found: Vec<&str> = text.lines().collect();
        assert_eq!(
            found,
            expected,
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Compiled classes of all the test programs, by name: material for tests that need real class files.
pub fn compile_all() -> Vec<(String, Vec<u8>)> {
    let folder = Folder::new();
    let source = sources().join("behaviour");
    let mut files: Vec<PathBuf> = std::fs::read_dir(source)
        .expect("the sources")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    succeed(
        Command::new(tool("javac"))
            .args(["-g", "-nowarn", "-d"])
            .arg(&folder.0)
            .args(files),
    );
    class_files(&folder.0)
}

/// Class files of the JDK, by internal name; without those that it does not have.
pub fn jdk_classes(names: &[&str]) -> Vec<(String, Vec<u8>)> {
    let folder = Folder::new();
    succeed(
        Command::new(tool("java"))
            .arg(sources().join("JdkClasses.java"))
            .arg(&folder.0)
            .args(names),
    );
    class_files(&folder.0)
}

fn class_files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut classes: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("the compiled classes")
        .map(|entry| std::fs::read(entry.expect("a file").path()).expect("a class file"))
        .map(|bytes| (peek(&bytes).expect("a class file").name.into_owned(), bytes))
        .collect();
    classes.sort();
    classes
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java")
}

pub fn tool(name: &str) -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => PathBuf::from(home).join("bin").join(name),
        None => PathBuf::from(name),
    }
}

/// The folder of the JDK that `tool` uses.
pub fn home() -> PathBuf {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return PathBuf::from(home);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let javac = std::env::split_paths(&path)
        .filter_map(|folder| folder.join("javac").canonicalize().ok())
        .next();
    // It is in `bin`.
    let home = javac.and_then(|javac| Some(javac.parent()?.parent()?.to_owned()));
    home.expect("a JDK")
}

pub fn compile(source: &Path, to: &Path) {
    let mut command = Command::new(tool("javac"));
    succeed(command.args(["-g", "-nowarn", "-d"]).arg(to).arg(source));
}

#[track_caller]
pub fn succeed(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// A temporary folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("java-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Folder(folder)
    }
}

impl Folder {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left lies in the target folder and does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
