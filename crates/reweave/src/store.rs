//! The project store: `.reweave/runs/` in the nearest parent directory that has a `.reweave`, else here.

use crate::exit::Failure;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A file in the store.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub modified: SystemTime,
    pub size: u64,
}

impl Entry {
    /// The random name in `TIME-ID.rwv`.
    pub fn id(&self) -> &str {
        let stem = self
            .path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or("");
        stem.rsplit('-').next().unwrap_or(stem)
    }
}

impl Store {
    pub fn find() -> Result<Store, Failure> {
        let here = std::env::current_dir()
            .map_err(|error| Failure::new(format!("cannot tell the current directory: {error}")))?;
        Ok(Store::find_from(&here))
    }

    fn find_from(here: &Path) -> Store {
        let root = here
            .ancestors()
            .find(|folder| folder.join(".reweave").is_dir())
            .unwrap_or(here);
        Store {
            folder: root.join(".reweave"),
        }
    }

    pub fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Makes the store if it is not there. Recordings are not for version control, so it says that, too.
    pub fn create(&self) -> Result<(), Failure> {
        let runs = self.runs();
        let made = std::fs::create_dir_all(&runs).and_then(|()| {
            let ignore = self.folder.join(".gitignore");
            if ignore.exists() {
                Ok(())
            } else {
                std::fs::write(ignore, "*\n")
            }
        });
        made.map_err(|error| {
            Failure::new(format!("cannot make {}: {error}", runs.display()))
                .with_next("choose a file with `reweave record -o FILE -- …`")
        })
    }

    /// All recordings, oldest first.
    pub fn entries(&self) -> Result<Vec<Entry>, Failure> {
        let runs = self.runs();
        let mut entries = Vec::new();
        let files = match std::fs::read_dir(&runs) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(entries),
            Err(error) => {
                return Err(Failure::new(format!(
                    "cannot read {}: {error}",
                    runs.display()
                )));
            }
        };
        for file in files.flatten() {
            let path = file.path();
            let Ok(metadata) = file.metadata() else {
                continue;
            };
            if path.extension().is_some_and(|extension| extension == "rwv") {
                entries.push(Entry {
                    path,
                    modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                    size: metadata.len(),
                });
            }
        }
        entries.sort_by(|a, b| (a.modified, &a.path).cmp(&(b.modified, &b.path)));
        Ok(entries)
    }

    /// Finds what the user means: a path, the start of an id or of a file name, or `latest`.
    pub fn resolve(&self, run: &str) -> Result<PathBuf, Failure> {
        let entries = self.entries()?;
        if run == "latest" && !Path::new(run).exists() {
            return match entries.last() {
                Some(entry) => Ok(entry.path.clone()),
                None => Err(
                    Failure::new(format!("no recording in {}", self.runs().display()))
                        .with_next("reweave record -- java …"),
                ),
            };
        }
        if Path::new(run).exists() || run.contains('/') {
            return Ok(PathBuf::from(run));
        }
        let name = |entry: &Entry| {
            entry
                .path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("")
                .to_owned()
        };
        let matching: Vec<&Entry> = entries
            .iter()
            .filter(|entry| {
                !run.is_empty() && (entry.id().starts_with(run) || name(entry).starts_with(run))
            })
            .collect();
        match matching.as_slice() {
            [entry] => Ok(entry.path.clone()),
            [] => Err(Failure::new(format!(
                "`{run}` is neither a file nor the start of an id in {}",
                self.runs().display()
            ))
            .with_next("reweave ls")),
            several => {
                let ids: Vec<&str> = several.iter().map(|entry| entry.id()).collect();
                Err(
                    Failure::new(format!("`{run}` could be any of {}", ids.join(", ")))
                        .with_next("give more of the id"),
                )
            }
        }
    }
}

/// How to name a recording in a command that the user may type next.
pub fn shortest_name(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let store = Store::find_from(&here);
    let entry = Entry {
        path: path.to_owned(),
        modified: SystemTime::UNIX_EPOCH,
        size: 0,
    };
    let stored = path.parent().and_then(|folder| folder.canonicalize().ok())
        == store.runs().canonicalize().ok();
    if stored && path.parent().is_some_and(Path::exists) {
        entry.id().to_owned()
    } else {
        path.strip_prefix(&here)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}
