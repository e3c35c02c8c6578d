//! Installs what a fresh Debian machine lacks. Does nothing, quickly, when all is there.

use crate::jdk::{self, Jdk};
use crate::workspace::first_line_of;
use crate::{Ended, Verdict};
use std::path::Path;
use std::process::Command;

/// Something a verb needs beyond Cargo and the C compiler that Cargo itself links with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Jdk,
    Maven,
    Gcc,
    Clang,
    /// ThreadSanitizer's runtime, to compare with.
    ClangSanitizers,
    Make,
    Cmake,
    Gdb,
    Pbzip2,
    Pigz,
    Xz,
    Redis,
    Memcached,
    /// An X server without a screen.
    Xvfb,
    /// What types and clicks.
    Xdotool,
    /// A JDK with code for displays.
    Desktop,
}

impl Need {
    fn is_met(self) -> bool {
        match self {
            Need::Jdk => !jdk::find().is_empty(),
            Need::Maven => on_path("mvn"),
            Need::Gcc => on_path("gcc") && on_path("g++"),
            Need::Clang => on_path("clang") && on_path("clang++"),
            Need::ClangSanitizers => clang_has("libclang_rt.tsan-x86_64.a"),
            Need::Make => on_path("make"),
            Need::Cmake => on_path("cmake"),
            Need::Gdb => on_path("gdb"),
            Need::Pbzip2 => on_path("pbzip2"),
            Need::Pigz => on_path("pigz"),
            Need::Xz => on_path("xz"),
            Need::Redis => on_path("redis-server"),
            Need::Memcached => on_path("memcached"),
            Need::Xvfb => on_path("Xvfb"),
            Need::Xdotool => on_path("xdotool"),
            Need::Desktop => jdk::find().iter().any(Jdk::has_desktop),
        }
    }

    /// Debian packages that meet it; the first that this release of Debian has is taken.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Need::Jdk => &[
                "openjdk-17-jdk-headless",
                "openjdk-21-jdk-headless",
                "default-jdk-headless",
            ],
            Need::Maven => &["maven"],
            Need::Gcc => &["g++"],
            Need::Clang => &["clang"],
            Need::ClangSanitizers => &[
                "libclang-rt-14-dev",
                "libclang-rt-19-dev",
                "libclang-rt-21-dev",
            ],
            Need::Make => &["make"],
            Need::Cmake => &["cmake"],
            Need::Gdb => &["gdb"],
            Need::Pbzip2 => &["pbzip2"],
            Need::Pigz => &["pigz"],
            Need::Xz => &["xz-utils"],
            Need::Redis => &["redis-server"],
            Need::Memcached => &["memcached"],
            Need::Xvfb => &["xvfb"],
            Need::Xdotool => &["xdotool"],
            Need::Desktop => &["openjdk-17-jre", "openjdk-21-jre", "default-jre"],
        }
    }
}

pub fn run() -> Ended {
    for jdk in jdks()? {
        println!("{jdk}");
    }
    println!("Nothing is missing. Next: cargo xtask demo");
    Ok(Verdict::Good)
}

/// The JDKs of this machine, after installing one if there is none.
pub fn jdks() -> Result<Vec<Jdk>, String> {
    ensure(Need::Jdk)?;
    let found = jdk::find();
    if found.is_empty() {
        return Err("a JDK was installed but is not in /usr/lib/jvm; set JAVA_HOME to one that is 17 or later".to_owned());
    }
    Ok(found)
}

/// Makes sure that `need` is there, installing it if we may.
pub fn ensure(need: Need) -> Result<(), String> {
    if need.is_met() {
        return Ok(());
    }
    let wanted = need.packages()[0];
    if !on_path("apt-get") {
        return Err(format!(
            "{need:?} is missing, and without apt-get it cannot be installed from here: install what Debian calls {wanted}"
        ));
    }
    if !is_root() {
        return Err(format!(
            "{need:?} is missing; run this as root, or: sudo apt-get update && sudo apt-get install {wanted}"
        ));
    }
    println!("installing {need:?} …");
    apt_get(&["update", "-qq"])?;
    let mut last = Err(String::new());
    for package in need.packages() {
        last = apt_get(&["install", "-y", "-qq", "--no-install-recommends", package]);
        if last.is_ok() {
            break;
        }
    }
    last
}

fn apt_get(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .output()
        .map_err(|error| format!("cannot run apt-get: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "apt-get {} failed:\n{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Whether clang finds a library of its own.
fn clang_has(library: &str) -> bool {
    first_line_of("clang", &["-print-resource-dir"])
        .is_some_and(|folder| Path::new(&folder).join("lib/linux").join(library).is_file())
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Root owns what /proc shows of its own processes; asking this way needs no call into C.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self")
        .metadata()
        .is_ok_and(|own| own.uid() == 0)
}
