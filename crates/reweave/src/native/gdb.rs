//! `replay --gdb`: stock gdb, one Python file, and the program started exactly as without it.

use super::Launch;
use crate::cli;
use crate::commands::Replay;
use crate::exit::{Exit, Failure};
use crate::launch::java::find_program;
use crate::report::terminal::Terminal;
use reweave_trace::file::seal::seal;
use reweave_trace::file::writer::{Existing, create_live};
use reweave_trace::manifest::{Level, RunResult};
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = include_str!("../../../reweave-native/gdb/reweave.py");

pub fn run(replay: &Replay<'_>, arguments: &[String]) -> Result<Exit, Failure> {
    let manifest = &replay.trace.manifest;
    let Some(program) = &manifest.native else {
        return Err(Failure::new("this is a recording of a Java program")
            .with_next("reweave replay --debug lets a Java debugger attach"));
    };
    if manifest.level != Level::Serial {
        return Err(Failure::new(
            "gdb needs a serial recording, in which one thread runs at a time",
        )
        .with_next("build the program with `reweave cc` and record it with --level serial"));
    }
    let path = std::env::var_os("PATH");
    if find_program("gdb", replay.cwd, path.as_deref()).is_none() {
        return Err(Failure::new("there is no gdb on the path")
            .with_exit(Exit::NOT_FOUND)
            .with_next("install gdb (Debian: apt-get install gdb)"));
    }
    let session = replay.session()?;
    let folder = session.folder();
    let as_run = folder.join("as-run.rwv");
    create_live(&as_run, manifest, Existing::Keep)?;
    let launch = Launch {
        program,
        level: manifest.level,
        library: replay.agent,
        session: &session,
        sent: None,
    };
    launch.write_settings(Some(&as_run))?;
    let environment = serde_json::to_vec(&launch.environment()).map_err(Failure::new)?;
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.join(name);
        std::fs::write(&file, bytes)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", file.display())))
    };
    write("environment.json", &environment)?;
    write("argv0", manifest.argv[0].as_bytes())?;
    write("reweave.py", SCRIPT.as_bytes())?;
    let own = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot tell where reweave is: {error}")))?;
    let mut command = Command::new("gdb");
    command
        .arg("-q")
        .arg("-ex")
        .arg(format!(
            "set exec-wrapper {} exec-as {}",
            quoted(&own),
            quoted(folder)
        ))
        .arg("-x")
        .arg(folder.join("reweave.py"))
        .arg("-ex")
        .arg("reweave start")
        .args(arguments)
        .arg("--args")
        .arg(&program.executable)
        .args(&manifest.argv[1..])
        .env("REWEAVE_COMMAND", &own)
        .env("REWEAVE_AS_RUN", &as_run)
        .current_dir(replay.cwd);
    let status = command
        .status()
        .map_err(|error| Failure::new(format!("cannot run gdb: {error}")))?;
    Ok(Exit::of_program(status.code().unwrap_or(1)))
}

/// For the shell with which gdb starts a program.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// gdb runs this instead of the program; it becomes the program, with the recorded name and environment.
pub fn exec_as(options: &cli::ExecAs) -> Result<Exit, Failure> {
    let read = |name: &str| {
        let file = options.session.join(name);
        std::fs::read(&file)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))
    };
    let environment: BTreeMap<String, String> =
        serde_json::from_slice(&read("environment.json")?).map_err(Failure::new)?;
    let name = String::from_utf8_lossy(&read("argv0")?).into_owned();
    // `run` in gdb starts it again: the first of this session is whoever comes now.
    let _ = std::fs::remove_file(options.session.join("native-process"));
    let Some((program, arguments)) = options.command.split_first() else {
        return Err(Failure::new("no program to start"));
    };
    let error = Command::new(program)
        .arg0(name)
        .args(arguments)
        .env_clear()
        .envs(environment)
        .exec();
    Err(Failure::new(format!("cannot run {program}: {error}")).with_exit(Exit::CANNOT_EXECUTE))
}

/// `reweave save` in gdb: what has happened so far becomes a recording.
pub fn seal_live(options: &cli::Seal, terminal: &Terminal) -> Result<Exit, Failure> {
    let result: Option<&RunResult> = None;
    seal(&options.live, &options.output, result, Existing::Replace)?;
    terminal.note(format!(
        "saved; replay it with: reweave replay {}",
        options.output.display()
    ));
    Ok(Exit::SUCCESS)
}
