//! What kind of program a file is, and whether our library can go into it.

use super::LIBRARY;
use crate::exit::{Exit, Failure};
use object::elf::{EM_X86_64, PT_INTERP};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Not a program but a text for one.
    Script,
    Plain,
    /// Compiled with `reweave cc` and the like.
    Instrumented,
}

/// Programs that are usually there to start others; a JVM among those is what is to be recorded.
const LAUNCHERS: &[&str] = &[
    "ant", "bash", "bazel", "busybox", "chroot", "dash", "docker", "env", "flock", "gradle",
    "ionice", "javac", "jshell", "ksh", "make", "mvn", "nice", "ninja", "node", "nohup", "numactl",
    "perl", "python", "python3", "ruby", "sbt", "setarch", "setsid", "sh", "stdbuf", "strace",
    "sudo", "taskset", "time", "timeout", "unshare", "xargs", "zsh",
];

pub fn is_launcher(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| LAUNCHERS.contains(&name))
}

pub fn examine(program: &Path) -> Result<Format, Failure> {
    let cannot = |why: String, next: &str| {
        Failure::new(format!("{} {why}", program.display()))
            .with_exit(Exit::CANNOT_EXECUTE)
            .with_next(next)
    };
    let bytes = std::fs::read(program).map_err(|error| {
        cannot(
            format!("cannot be read: {error}"),
            "reweave has to see what it is",
        )
    })?;
    if !bytes.starts_with(&elf::ELFMAG) {
        return Ok(Format::Script);
    }
    let mode = program
        .metadata()
        .map_or(0, |metadata| metadata.permissions().mode());
    if mode & 0o6000 != 0 {
        return Err(cannot(
            "runs with the rights of its owner or group (setuid, setgid), so the system keeps libraries like reweave's out of it".to_owned(),
            "record a copy without these bits, as the user it is meant to run as",
        ));
    }
    if bytes.get(4) == Some(&elf::ELFCLASS32) {
        return Err(cannot(
            "is a 32-bit program; reweave's library is for 64-bit ones".to_owned(),
            "build it for x86-64",
        ));
    }
    let damaged = |_| cannot("is not a whole program".to_owned(), "build it again");
    let header = elf::FileHeader64::<Endianness>::parse(&*bytes).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    if header.e_machine(endian) != EM_X86_64 {
        return Err(cannot(
            "is a program for another processor; native recording works on x86-64".to_owned(),
            "build it for x86-64",
        ));
    }
    let segments = header.program_headers(endian, &*bytes).map_err(damaged)?;
    if !segments
        .iter()
        .any(|segment| segment.p_type(endian) == PT_INTERP)
    {
        return Err(cannot(
            "is linked statically, so there is no dynamic linker that could put reweave's library into it".to_owned(),
            "link it dynamically (without -static)",
        ));
    }
    let needs_us = segments.iter().any(|segment| {
        let Ok(Some(dynamic)) = segment.dynamic(endian, &*bytes) else {
            return false;
        };
        needed(endian, segments, dynamic, &bytes).any(|name| name == LIBRARY.as_bytes())
    });
    Ok(match needs_us {
        true => Format::Instrumented,
        false => Format::Plain,
    })
}

/// Names of the libraries that a program needs.
fn needed<'a>(
    endian: Endianness,
    segments: &'a [elf::ProgramHeader64<Endianness>],
    dynamic: &'a [elf::Dyn64<Endianness>],
    bytes: &'a [u8],
) -> impl Iterator<Item = &'a [u8]> {
    let strings = dynamic
        .iter()
        .find(|entry| entry.tag32(endian) == Some(elf::DT_STRTAB))
        .map(|entry| entry.d_val(endian));
    dynamic
        .iter()
        .filter(move |entry| entry.tag32(endian) == Some(elf::DT_NEEDED))
        .filter_map(move |entry| {
            let address = strings? + entry.d_val(endian);
            let offset = segments.iter().find_map(|segment| {
                let start = segment.p_vaddr(endian);
                let inside = (start..start + segment.p_filesz(endian)).contains(&address);
                (inside && segment.p_type(endian) == elf::PT_LOAD)
                    .then(|| address - start + segment.p_offset(endian))
            })?;
            let rest = bytes.get(usize::try_from(offset).ok()?..)?;
            rest.split(|byte| *byte == 0).next()
        })
}
