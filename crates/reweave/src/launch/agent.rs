//! Finds the library that goes into the program.

use crate::exit::Failure;
use std::path::{Path, PathBuf};

pub const LIBRARY: &str = "libreweave_jvm.so";

/// `REWEAVE_AGENT`, else beside this executable, else where packages put libraries.
pub fn find() -> Result<PathBuf, Failure> {
    find_library(LIBRARY, "REWEAVE_AGENT")
}

/// The same for any of our libraries, and the variable that may name it.
pub fn find_library(library: &str, variable: &str) -> Result<PathBuf, Failure> {
    if let Some(given) = std::env::var_os(variable) {
        let path = PathBuf::from(given);
        return absolute(&path).ok_or_else(|| {
            Failure::new(format!(
                "{variable} names {}, which is no file",
                path.display()
            ))
            .with_next(format!(
                "unset {variable}, or let it name the library that was built with this command"
            ))
        });
    }
    let executable = std::env::current_exe().unwrap_or_default();
    let folder = executable.parent().unwrap_or(Path::new("/"));
    // The last is where test programs find it: they run in target/debug/deps.
    let places = [
        folder.to_owned(),
        folder.join("../lib"),
        folder.join("../lib/reweave"),
        folder.join(".."),
    ];
    places
        .iter()
        .find_map(|place| absolute(&place.join(library)))
        .ok_or_else(|| {
            Failure::new(format!("{library} is not beside {}", executable.display())).with_next(
                format!("build everything with `cargo build`, or let {variable} name the library"),
            )
        })
}

fn absolute(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|path| path.is_file())
}
