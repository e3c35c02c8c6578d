//! `replay --schedule`: the program runs by a schedule that a person wrote, and what happens becomes a recording.

use super::Launch;
use crate::commands::Replay;
use crate::exit::{Exit, Failure};
use crate::launch::run;
use reweave_trace::file::seal::seal;
use reweave_trace::file::writer::{Existing, create_live};
use reweave_trace::manifest::{Level, RunResult};
use reweave_trace::{Trace, schedule};
use std::path::Path;

pub fn run(replay: &Replay<'_>, plan: &Path, save: &Path) -> Result<Exit, Failure> {
    let manifest = &replay.trace.manifest;
    let Some(program) = manifest
        .native
        .as_ref()
        .filter(|_| manifest.level == Level::Serial)
    else {
        return Err(
            Failure::new("only a serial recording of a native program has a schedule")
                .with_next("record it with --level serial"),
        );
    };
    if save.exists() {
        return Err(Failure::new(format!("{} exists already", save.display()))
            .with_next("choose another name"));
    }
    let text = std::fs::read_to_string(plan)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", plan.display())))?;
    let lines = schedule::parse(&text)
        .map_err(|error| Failure::new(format!("{}, {error}", plan.display())))?;
    if lines.is_empty() {
        return Err(Failure::new(format!("{} has no lines", plan.display()))
            .with_next("begin with what `reweave view --schedule` prints"));
    }
    let session = replay.session()?;
    let own = session.folder().join("plan");
    std::fs::write(&own, text)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", own.display())))?;
    let as_run = session.folder().join("as-run.rwv");
    create_live(&as_run, manifest, Existing::Keep)?;
    let launch = Launch {
        sent: None,
        program,
        level: manifest.level,
        library: replay.agent,
        session: &session,
    };
    launch.write_settings_and(Some(&as_run), Some(&own))?;
    let mut command = launch.command(&manifest.argv);
    command.current_dir(replay.cwd);
    let ended = run::run(&mut command, None, |_| ())?;
    let result = RunResult {
        exit_code: ended.code,
        signal: ended.signal,
        wall_ms: ended.wall.as_millis() as u64,
    };
    seal(&as_run, save, Some(&result), Existing::Keep)?;
    let notes = Trace::open(save)?
        .processes
        .iter()
        .flat_map(|process| process.notes.clone())
        .collect::<Vec<_>>();
    for note in notes.iter().filter(|note| note.contains("schedule")) {
        replay.terminal.note(note);
    }
    replay.terminal.note(format!(
        "saved; replay it with: reweave replay {}",
        save.display()
    ));
    Ok(Exit::of_program(ended.code))
}
