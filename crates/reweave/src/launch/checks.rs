//! Whether a recording can be replayed here and now. Everything that does not fit is listed at once.

use super::again::Again;
use super::facts::{describe_entry, digest_of};
use super::java;
use reweave_trace::Trace;
use reweave_trace::manifest::EntryKind;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Something that is not as it was when the run was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    NoDirectory {
        cwd: PathBuf,
    },
    NoProgram {
        program: String,
    },
    Jdk {
        recorded: String,
        found: String,
    },
    Jar {
        path: String,
    },
    ClassPath {
        path: String,
    },
    Class {
        class: String,
        file: PathBuf,
    },
    /// A native program.
    Program {
        path: String,
    },
}

impl Mismatch {
    /// Whether it may be worth trying nevertheless.
    pub fn can_be_ignored(&self) -> bool {
        match self {
            Mismatch::NoDirectory { .. } | Mismatch::NoProgram { .. } => false,
            Mismatch::Jdk { .. }
            | Mismatch::Jar { .. }
            | Mismatch::ClassPath { .. }
            | Mismatch::Program { .. }
            | Mismatch::Class { .. } => true,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::NoDirectory { cwd } => write!(
                out,
                "the directory {} is not there; give another with --cwd",
                cwd.display()
            ),
            Mismatch::NoProgram { program } => write!(out, "{program} is not there"),
            Mismatch::Jdk { recorded, found } => {
                write!(out, "recorded with JDK {recorded}, but here is {found}")
            }
            Mismatch::Program { path } => write!(out, "{path} was built again since"),
            Mismatch::Jar { path } => write!(out, "{path} has changed since"),
            Mismatch::ClassPath { path } => write!(out, "{path} is not there any more"),
            Mismatch::Class { class, file } => {
                write!(out, "class {class} has changed since: {}", file.display())
            }
        }
    }
}

/// What to start, and what speaks against it.
#[derive(Debug)]
pub struct Readiness {
    pub program: PathBuf,
    pub mismatches: Vec<Mismatch>,
}

pub fn check(trace: &Trace, cwd: &Path) -> Readiness {
    let mut mismatches = Vec::new();
    if !cwd.is_dir() {
        mismatches.push(Mismatch::NoDirectory {
            cwd: cwd.to_owned(),
        });
    }
    let program = find_program(trace, cwd, &mut mismatches);
    if cwd.is_dir() {
        check_class_path(trace, cwd, &mut mismatches);
        check_classes(trace, cwd, &mut mismatches);
    }
    Readiness {
        program,
        mismatches,
    }
}

/// The same for JVMs that are started without the recorded command.
pub fn check_again(roots: &[Again<'_>]) -> Readiness {
    let mut mismatches = Vec::new();
    for root in roots {
        let cwd = PathBuf::from(&root.launch.directory);
        if !cwd.is_dir() {
            mismatches.push(Mismatch::NoDirectory { cwd });
        }
        if !Path::new(&root.launch.executable).is_file() {
            mismatches.push(Mismatch::NoProgram {
                program: root.launch.executable.clone(),
            });
        } else if let Some((recorded, found)) = root.jdk_mismatch() {
            mismatches.push(Mismatch::Jdk { recorded, found });
        }
    }
    mismatches.dedup();
    Readiness {
        program: PathBuf::new(),
        mismatches,
    }
}

/// The recorded java, or the one that the recorded command means here if it is the same build.
fn find_program(trace: &Trace, cwd: &Path, mismatches: &mut Vec<Mismatch>) -> PathBuf {
    let manifest = &trace.manifest;
    let name = manifest.argv.first().cloned().unwrap_or_default();
    let here = java::find_program(&name, cwd, std::env::var_os("PATH").as_deref());
    let Some(recorded) = &manifest.java else {
        return here.unwrap_or_else(|| {
            mismatches.push(Mismatch::NoProgram {
                program: name.clone(),
            });
            PathBuf::from(&name)
        });
    };
    let executable = PathBuf::from(&recorded.executable);
    let candidates = [Some(executable.clone()), here];
    let found: Vec<(PathBuf, String)> = candidates
        .into_iter()
        .flatten()
        .filter_map(|path| Some((path.clone(), java::describe(&path)?.build)))
        .collect();
    match found
        .iter()
        .find(|(_, build)| *build == recorded.build)
        .or(found.first())
    {
        Some((path, build)) => {
            if *build != recorded.build {
                mismatches.push(Mismatch::Jdk {
                    recorded: recorded.build.clone(),
                    found: build.clone(),
                });
            }
            path.clone()
        }
        None => {
            mismatches.push(Mismatch::NoProgram {
                program: recorded.executable.clone(),
            });
            executable
        }
    }
}

fn check_class_path(trace: &Trace, cwd: &Path, mismatches: &mut Vec<Mismatch>) {
    for recorded in &trace.manifest.class_path {
        let now = describe_entry(&recorded.path, cwd);
        match (recorded.kind, now.kind) {
            (EntryKind::Missing, _) => (),
            (_, EntryKind::Missing) => mismatches.push(Mismatch::ClassPath {
                path: recorded.path.clone(),
            }),
            _ if recorded.digest != now.digest => mismatches.push(Mismatch::Jar {
                path: recorded.path.clone(),
            }),
            _ => (),
        }
    }
}

/// Compares the classes that lie in directories of the class path, as far as no jar comes first that may hold them, too.
fn check_classes(trace: &Trace, cwd: &Path, mismatches: &mut Vec<Mismatch>) {
    let folders: Vec<PathBuf> = trace
        .manifest
        .class_path
        .iter()
        .take_while(|entry| entry.kind != EntryKind::Jar)
        .filter(|entry| entry.kind == EntryKind::Directory)
        .map(|entry| cwd.join(&entry.path))
        .collect();
    let mut digests: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for code in trace.processes.iter().flat_map(|process| &process.code) {
        digests.entry(&code.class).or_default().push(code.digest);
    }
    for (class, digests) in digests {
        let file_name = format!("{}.class", class.replace('.', "/"));
        let Some(file) = folders
            .iter()
            .map(|folder| folder.join(&file_name))
            .find(|file| file.is_file())
        else {
            continue;
        };
        if !digest_of(&file).is_ok_and(|digest| digests.contains(&digest)) {
            mismatches.push(Mismatch::Class {
                class: class.replace('/', "."),
                file,
            });
        }
    }
}
