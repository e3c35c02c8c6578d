//! What is written down about a run before it starts.

use super::java::{self, JavaArguments};
use reweave_trace::manifest::{ClassPathEntry, EntryKind, Host, Java};
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Variables that change what a JVM runs or prints. Others may hold secrets and are left out.
pub const VARIABLES: &[&str] = &[
    "CLASSPATH",
    "GRADLE_OPTS",
    "JAVA_HOME",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LANG",
    "LC_ALL",
    "MAVEN_OPTS",
    "TZ",
    "_JAVA_OPTIONS",
];

pub fn environment() -> BTreeMap<String, String> {
    let known = VARIABLES
        .iter()
        .filter_map(|&name| Some((name.to_owned(), std::env::var(name).ok()?)));
    known.collect()
}

pub fn host() -> Host {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Host {
        os: std::env::consts::OS.to_owned(),
        kernel: kernel.trim().to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// Eight random hexadecimal digits.
pub fn run_id() -> String {
    format!(
        "{:08x}",
        RandomState::new().hash_one(std::process::id()) as u32
    )
}

/// The JDK and class path of a command that is a `java` itself.
pub fn java_of(argv: &[String], cwd: &Path) -> (Option<Java>, Vec<ClassPathEntry>) {
    let Some(program) = argv.first().filter(|program| java::is_java(program)) else {
        return (None, Vec::new());
    };
    let found = java::find_program(program, cwd, std::env::var_os("PATH").as_deref());
    let java = found.and_then(|executable| java::describe(&executable));
    let variable = std::env::var("CLASSPATH").ok();
    let entries = JavaArguments::read(&argv[1..]).class_path(variable.as_deref());
    (
        java,
        expand(&entries, cwd)
            .iter()
            .map(|entry| describe_entry(entry, cwd))
            .collect(),
    )
}

/// `lib/*` stands for every jar in `lib`.
fn expand(entries: &[String], cwd: &Path) -> Vec<String> {
    let mut expanded = Vec::new();
    for entry in entries {
        let Some(folder) = entry.strip_suffix("/*").or((entry == "*").then_some(".")) else {
            expanded.push(entry.clone());
            continue;
        };
        let mut jars: Vec<String> = std::fs::read_dir(cwd.join(folder))
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|file| file.file_name().into_string().ok())
            .filter(|name| name.ends_with(".jar") || name.ends_with(".JAR"))
            .map(|name| format!("{folder}/{name}"))
            .collect();
        jars.sort();
        expanded.append(&mut jars);
    }
    expanded
}

/// What is at a place of the class path now.
pub fn describe_entry(path: &str, cwd: &Path) -> ClassPathEntry {
    let file = cwd.join(path);
    let (kind, digest) = if file.is_dir() {
        (EntryKind::Directory, None)
    } else {
        match digest_of(&file) {
            Ok(digest) => (EntryKind::Jar, Some(format!("{digest:016x}"))),
            Err(_) => (EntryKind::Missing, None),
        }
    };
    ClassPathEntry {
        path: path.to_owned(),
        kind,
        digest,
    }
}

pub fn digest_of(file: &Path) -> io::Result<u64> {
    let mut file = File::open(file)?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.digest()),
            length => hasher.update(&buffer[..length]),
        }
    }
}
