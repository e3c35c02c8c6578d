//! Where things are: the checkout, the build output, and a scratch folder per verb.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the checkout this xtask was built from.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
}

/// Cargo's output folder: `CARGO_TARGET_DIR`, or `target` in the checkout.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// An empty folder for one verb's files.
pub fn scratch(name: &str) -> Result<PathBuf, String> {
    let folder = target().join("xtask").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    create(&folder)?;
    Ok(folder)
}

pub fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))
}

/// A Cargo command that runs in the checkout.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    command
}

/// The first line that a command prints, or `None` if it cannot be run or fails.
pub fn first_line_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output()
        .ok()?;
    output.status.success().then(|| {
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .next()
            .unwrap_or("")
            .to_owned()
    })
}

/// The commit that is checked out, with `-changed` when files differ from it.
pub fn commit() -> String {
    let Some(commit) = first_line_of("git", &["rev-parse", "--short=10", "HEAD"]) else {
        return "unknown".to_owned();
    };
    match first_line_of("git", &["status", "--porcelain", "--untracked-files=no"]) {
        Some(changes) if !changes.is_empty() => format!("{commit}-changed"),
        _ => commit,
    }
}
