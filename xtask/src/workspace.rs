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

/// An empty folder for one verb's files. Two runs at once get one each: else each would empty the other's.
pub fn scratch(name: &str) -> Result<PathBuf, String> {
    let all = target().join("xtask");
    create(&all)?;
    let name = (1..)
        .map(|number| match number {
            1 => name.to_owned(),
            number => format!("{name}-{number}"),
        })
        .find(|name| !is_taken(&all.join(format!("{name}.owner"))))
        .expect("there are numbers enough");
    let owner = all.join(format!("{name}.owner"));
    fs::write(&owner, std::process::id().to_string())
        .map_err(|error| format!("cannot write {}: {error}", owner.display()))?;
    let folder = all.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    create(&folder)?;
    Ok(folder)
}

/// Whether the process whose number is in the file is another one and still there.
fn is_taken(owner: &Path) -> bool {
    let number = fs::read_to_string(owner).ok();
    number
        .filter(|number| *number != std::process::id().to_string())
        .is_some_and(|number| Path::new("/proc").join(number).exists())
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
