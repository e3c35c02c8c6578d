//! What is rewritten: java.base of a JDK, and libraries from Maven's central repository. Both are fetched once and kept below `target`.

use super::vm::output;
use crate::jdk::Jdk;
use crate::workspace;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Large libraries by different compilers, and two so old that they have `jsr` instructions and no stack maps.
pub const LIBRARIES: &[&str] = &[
    "com.google.guava:guava:33.4.8-jre",
    "org.jetbrains.kotlin:kotlin-stdlib:2.1.21",
    "org.scala-lang:scala-library:2.13.16",
    "org.apache.groovy:groovy:4.0.27",
    "org.springframework:spring-core:6.2.8",
    "junit:junit:3.8.1",
    "xerces:xercesImpl:2.4.0",
];

pub struct Subject {
    pub name: String,
    /// The folder with its class files.
    pub classes: PathBuf,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its classes take the place of the VM's own.
    JavaBase,
    /// Its classes are on the class path.
    Library,
}

impl Subject {
    pub fn java_base(jdk: &Jdk, folder: &Path) -> Result<Subject, Box<dyn Error>> {
        let name = format!("java.base of JDK {}", jdk.version);
        let image = folder.join(format!("jdk-{}", jdk.version));
        once(&image, |image| {
            println!("extracting {name}");
            let modules = jdk.home.join("lib/modules");
            let mut command = Command::new(jdk.home.join("bin/jimage"));
            command.args(["extract", "--include", "regex:/java.base/.*", "--dir"]);
            output(command.arg(image).arg(modules)).map(|_| ())
        })?;
        Ok(Subject {
            name,
            classes: image.join("java.base"),
            kind: Kind::JavaBase,
        })
    }

    /// `group:artifact:version`
    pub fn library(coordinates: &str, jdk: &Jdk, folder: &Path) -> Result<Subject, Box<dyn Error>> {
        let classes = folder.join(coordinates.replace(':', "-"));
        once(&classes, |classes| {
            println!("fetching {coordinates}");
            let mut maven = Command::new("mvn");
            maven.args(["--quiet", "--batch-mode", "dependency:copy"]);
            maven
                .arg(format!("-Dartifact={coordinates}"))
                .arg("-DoutputDirectory=.")
                .current_dir(classes);
            output(&mut maven)?;
            let jar = fs::read_dir(classes)?
                .next()
                .ok_or("Maven copied nothing")??
                .path();
            output(
                Command::new(jdk.home.join("bin/jar"))
                    .arg("xf")
                    .arg(jar)
                    .current_dir(classes),
            )
            .map(|_| ())
        })?;
        Ok(Subject {
            name: coordinates.to_owned(),
            classes,
            kind: Kind::Library,
        })
    }

    /// Writes the names of all classes to a file, one a line, and returns its path.
    pub fn class_names(&self, folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
        let mut names = Vec::new();
        collect(&self.classes, "", &mut names)?;
        names.sort();
        let file = folder.join("names");
        fs::write(&file, names.join("\n"))?;
        Ok(file)
    }
}

/// Fills a folder unless it is there already; one that could not be filled is removed again.
fn once(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if folder.exists() {
        return Ok(());
    }
    workspace::create(folder)?;
    fill(folder).inspect_err(|_| {
        // The first error is the one to tell.
        let _ = fs::remove_dir_all(folder);
    })
}

/// Dotted names of the classes below `folder`, whose package is `package`. Versions for other JDKs are not loaded and left out.
fn collect(folder: &Path, package: &str, names: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            if name != "META-INF" {
                collect(&entry.path(), &format!("{package}{name}."), names)?;
            }
        } else if let Some(class) = name.strip_suffix(".class")
            && class != "module-info"
        {
            names.push(format!("{package}{class}"));
        }
    }
    Ok(())
}
