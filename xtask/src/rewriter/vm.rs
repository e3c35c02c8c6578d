//! The Java side: the stub of the helper, the program that links every class, and the independent count. All three are compiled here
//! from `crates/reweave-jvm/tests/java`.

use super::subjects::{Kind, Subject};
use crate::jdk::Jdk;
use crate::workspace;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Tools {
    java: PathBuf,
    /// The helper's stub, to be patched into java.base.
    stub: PathBuf,
    programs: PathBuf,
}

impl Tools {
    pub fn compile(jdk: &Jdk, folder: &Path) -> Result<Tools, Box<dyn Error>> {
        let sources = workspace::root().join("crates/reweave-jvm/tests/java");
        let tools = Tools {
            java: jdk.java(),
            stub: folder.join(format!("stub-{}", jdk.version)),
            programs: folder.join(format!("programs-{}", jdk.version)),
        };
        let stub = sources.join("stub");
        let source = stub.join("java/lang/ReweaveStub.java");
        let mut patch = "java.base=".to_owned();
        patch.push_str(&stub.to_string_lossy());
        output(
            jdk.javac()
                .arg("--patch-module")
                .arg(patch)
                .arg("-d")
                .arg(&tools.stub)
                .arg(source),
        )?;
        let programs = ["LinkAll.java", "CountEvents.java"].map(|name| sources.join(name));
        output(jdk.javac().arg("-d").arg(&tools.programs).args(programs))?;
        Ok(tools)
    }

    /// Counts the events in `classes` without the rewriter. The answer is JSON.
    pub fn count(
        &self,
        rewriter: &Path,
        classes: &Path,
        folder: &Path,
    ) -> Result<String, Box<dyn Error>> {
        let plan = folder.join("plan");
        fs::write(&plan, output(Command::new(rewriter).arg("--plan"))?)?;
        output(
            Command::new(&self.java)
                .arg("-cp")
                .arg(&self.programs)
                .arg("CountEvents")
                .arg(plan)
                .arg(classes),
        )
    }
}

/// A VM that verifies all classes, also its own.
pub struct Vm<'a> {
    pub subject: &'a Subject,
    pub tools: &'a Tools,
}

/// What became of the classes.
pub struct Linked {
    pub count: usize,
    /// Name and reason of each class that did not link.
    pub failed: BTreeSet<String>,
}

impl Vm<'_> {
    /// Links all named classes, those in `rewritten` instead of the original ones.
    pub fn link(&self, rewritten: Option<&Path>, names: &Path) -> Result<Linked, Box<dyn Error>> {
        let mut patch = vec![self.tools.stub.clone()];
        let mut class_path = vec![self.tools.programs.clone()];
        match self.subject.kind {
            Kind::JavaBase => patch.extend(rewritten.map(Path::to_owned)),
            Kind::Library => {
                class_path.extend(rewritten.map(Path::to_owned));
                class_path.push(self.subject.classes.clone());
            }
        }
        let mut module = "java.base=".to_owned();
        module.push_str(&std::env::join_paths(patch)?.to_string_lossy());
        let mut command = Command::new(&self.tools.java);
        // Shared archives would not be verified again.
        command.args([
            "-Xverify:all",
            "-Xshare:off",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
        ]);
        command.arg("--patch-module").arg(module);
        command
            .arg("-cp")
            .arg(std::env::join_paths(class_path)?)
            .arg("LinkAll")
            .arg(names);
        let text = output(&mut command)?;
        let mut linked = Linked {
            count: 0,
            failed: BTreeSet::new(),
        };
        let mut finished = false;
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("linked", count)) => {
                    linked.count = count.parse()?;
                    finished = true;
                }
                Some(("failed", class)) => drop(linked.failed.insert(same_every_time(class))),
                // The VM prints complaints of its own to the same place, e.g. about intrinsics.
                _ => return Err(format!("the VM says: {line}").into()),
            }
        }
        if finished {
            Ok(linked)
        } else {
            Err("the VM ended before all classes were linked".into())
        }
    }
}

/// Of several classes that a class lacks, the VM names any.
fn same_every_time(failure: &str) -> String {
    const LACKS: &str = "java.lang.NoClassDefFoundError";
    match failure.find(LACKS) {
        Some(at) => failure[..at + LACKS.len()].to_owned(),
        None => failure.to_owned(),
    }
}

/// What a command prints, if it succeeds.
pub fn output(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!(
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    )
    .into())
}
