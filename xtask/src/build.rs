//! Builds the command and the agent, optimised.

use crate::reweave::Reweave;
use crate::{setup, workspace};

/// Builds both and says where the command is. The agent's build script runs javac, so a JDK comes first.
pub fn run() -> Result<Reweave, String> {
    setup::jdks()?;
    for package in ["reweave", "reweave-jvm", "reweave-native"] {
        let status = workspace::cargo(&["build", "--quiet", "--release", "-p", package])
            .status()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        if !status.success() {
            return Err(format!("{package} does not build"));
        }
    }
    let built = Reweave::at(workspace::target().join("release/reweave"));
    println!("built {}", built.binary().display());
    Ok(built)
}
