//! Libraries that others wrote, from Maven's central repository, with all that they need; fetched once.

use crate::setup::{self, Need};
use crate::workspace;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/// The folder with the jars of these artifacts (`group:name:version`) and of what they depend on. `name` tells it from others.
pub fn with_dependencies(name: &str, artifacts: &[&str]) -> Result<PathBuf, String> {
    let folder = workspace::target().join("xtask/artifacts").join(name);
    let (jars, done) = (folder.join("lib"), folder.join("artifacts"));
    let wanted = artifacts.join("\n");
    if fs::read_to_string(&done).is_ok_and(|got| got == wanted) {
        return Ok(jars);
    }
    setup::ensure(Need::Maven)?;
    let _ = fs::remove_dir_all(&folder);
    workspace::create(&folder)?;
    fs::write(folder.join("pom.xml"), project(artifacts))
        .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    let output = Command::new("mvn")
        .args([
            "-q",
            "-B",
            COPY,
            "-DoutputDirectory=lib",
            "-DincludeScope=runtime",
        ])
        .current_dir(&folder)
        .output()
        .map_err(|error| format!("cannot run mvn: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        return Err(format!("mvn cannot get {wanted}:\n{said}"));
    }
    // Last, so that half a folder is not taken for a whole one.
    fs::write(&done, wanted)
        .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    Ok(jars)
}

/// A project that has nothing but dependencies.
fn project(artifacts: &[&str]) -> String {
    let mut text = String::from(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion><groupId>reweave</groupId><artifactId>libraries</artifactId><version>1</version><dependencies>\n",
    );
    for artifact in artifacts {
        let mut parts = artifact.split(':');
        text.push_str("<dependency>");
        for tag in ["groupId", "artifactId", "version"] {
            let part = parts.next().unwrap_or_default();
            write!(text, "<{tag}>{part}</{tag}>").expect("writing to a string");
        }
        text.push_str("</dependency>\n");
    }
    text + "</dependencies></project>\n"
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_project_names_its_dependencies() {
        let text = super::project(&["a.b:c:1.0"]);
        assert!(
            text.contains("<groupId>a.b</groupId><artifactId>c</artifactId><version>1.0</version>")
        );
    }
}
