//! `record`: runs a program with the agent in it and keeps what it did.

use super::snapshot;
use crate::cli::{self, Keep};
use crate::exit::{Exit, Failure};
use crate::launch::run::{Ended, EndedBy};
use crate::launch::session::{Mode, Session};
use crate::launch::{agent, command, facts, java, run};
use crate::native;
use crate::report::terminal::Terminal;
use crate::report::{count, size};
use crate::store::{Store, shortest_name};
use reweave_trace::file::seal::seal;
use reweave_trace::file::writer::{Existing, WriteError, create_live};
use reweave_trace::manifest::{Level, MANIFEST_VERSION, RunResult};
use reweave_trace::{Fault, Kind, Manifest, Trace};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What became of one recording.
enum Made {
    Kept(Exit),
    /// The program succeeded, and only failures are wanted.
    NotKept(Exit),
}

pub fn run(options: &cli::Record, terminal: &Terminal) -> Result<Exit, Failure> {
    let Some(most) = options.until_fail else {
        let (Made::Kept(exit) | Made::NotKept(exit)) = record(options, terminal)?;
        return Ok(exit);
    };
    for run in 1u64.. {
        match record(options, terminal)? {
            Made::Kept(exit) => {
                terminal.note(format!("the program failed in run {run}"));
                return Ok(exit);
            }
            Made::NotKept(exit) if run == u64::from(most) => {
                let runs = count(run, "run");
                terminal.note(format!(
                    "the program did not fail in {runs}: nothing was kept"
                ));
                return Ok(exit);
            }
            Made::NotKept(_) => terminal.detail(format!("run {run}: the program succeeded")),
        }
    }
    unreachable!("nobody waits for so many runs")
}

fn record(options: &cli::Record, terminal: &Terminal) -> Result<Made, Failure> {
    let cwd = std::env::current_dir()
        .map_err(|error| Failure::new(format!("cannot tell the current directory: {error}")))?;
    let mut manifest = manifest(options, &cwd)?;
    let program = native::program_of(options, &cwd)?;
    if program.is_some() && options.keep_last.is_some() {
        return Err(Failure::new("--keep-last is for Java programs")
            .with_next("leave it out, or put the java command itself after `--`"));
    }
    let library = match &program {
        Some(_) => native::library()?,
        None => agent::find()?,
    };
    manifest.native = program;
    let path = output_path(options, &manifest, &cwd)?;
    let existing = if options.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    create_live(&path, &manifest, existing).map_err(|error| match error {
        WriteError::Exists { .. } => {
            Failure::new(error).with_next("choose another name, or replace it with --force")
        }
        _ => Failure::new(error),
    })?;
    let recording = Recording {
        options,
        terminal,
        manifest: &manifest,
        path: &path,
    };
    match recording.run_program(&library, &cwd) {
        Ok(ended) => recording.finish(&ended),
        Err(failure) => {
            // Nothing ran, so there is nothing to keep.
            recording.remove();
            Err(failure)
        }
    }
}

fn manifest(options: &cli::Record, cwd: &Path) -> Result<Manifest, Failure> {
    let (java, class_path) = facts::java_of(&options.command, cwd);
    Ok(Manifest {
        version: MANIFEST_VERSION,
        run: facts::run_id(),
        reweave: env!("CARGO_PKG_VERSION").to_owned(),
        level: match options.level {
            cli::Level::Sync => Level::Sync,
            cli::Level::Access => Level::Access,
            cli::Level::Serial => Level::Serial,
        },
        started_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        argv: options.command.clone(),
        cwd: cwd
            .to_str()
            .ok_or_else(|| Failure::new("the current directory's name is not UTF-8"))?
            .to_owned(),
        environment: facts::environment(),
        java,
        class_path,
        include: options.include.clone(),
        exclude: options.exclude.clone(),
        exclude_thread: options.exclude_thread.clone(),
        host: facts::host(),
        native: None,
    })
}

/// Absolute, because the program may change its directory.
fn output_path(options: &cli::Record, manifest: &Manifest, cwd: &Path) -> Result<PathBuf, Failure> {
    match &options.output {
        Some(path) => Ok(cwd.join(path)),
        None => {
            let store = Store::find()?;
            store.create()?;
            let time: String = manifest
                .started_at
                .chars()
                .filter(|c| c.is_ascii_alphanumeric())
                .collect();
            Ok(store.runs().join(format!("{time}-{}.rwv", manifest.run)))
        }
    }
}

struct Recording<'a> {
    options: &'a cli::Record,
    terminal: &'a Terminal,
    manifest: &'a Manifest,
    path: &'a Path,
}

impl Recording<'_> {
    fn run_program(&self, agent: &Path, cwd: &Path) -> Result<Ended, Failure> {
        let session = Session::create()?;
        let _snapshots = snapshot::on_request(self.path, self.terminal)?;
        session.write(&Mode::Record {
            level: self.manifest.level.name(),
            trace: self.path,
            keep_last: self.options.keep_last,
            include: &self.options.include,
            exclude: &self.options.exclude,
            exclude_thread: &self.options.exclude_thread,
        })?;
        let argv = &self.options.command;
        if let Some(program) = &self.manifest.native {
            let launch = native::Launch {
                program,
                level: self.manifest.level,
                library: agent,
                session: &session,
                sent: None,
            };
            launch.write_settings(None)?;
            let mut command = launch.command(argv);
            return run::run(&mut command, self.options.time_limit, |_| ());
        }
        let tool_options = self
            .manifest
            .environment
            .get("JAVA_TOOL_OPTIONS")
            .map(String::as_str);
        let program = Path::new(&argv[0]);
        let more = command::options_of(self.manifest.level);
        let mut prepared =
            command::prepare(program, argv, agent, session.folder(), &more, tool_options);
        for option in &prepared.left_out {
            self.terminal.detail(format!(
                "left out {option}: the JVM would not start with it and an agent"
            ));
        }
        self.terminal
            .detail(format!("recording to {}", self.path.display()));
        if java::find_program(&argv[0], cwd, std::env::var_os("PATH").as_deref()).is_none() {
            let message = format!(
                "cannot run {}: it is not there, or cannot be executed",
                argv[0]
            );
            let found = cwd.join(&argv[0]).exists() && argv[0].contains('/');
            let exit = if found {
                Exit::CANNOT_EXECUTE
            } else {
                Exit::NOT_FOUND
            };
            return Err(Failure::new(message).with_exit(exit));
        }
        run::run(&mut prepared.command, self.options.time_limit, |_| ())
    }

    fn finish(&self, ended: &Ended) -> Result<Made, Failure> {
        let program_code = Exit::of_program(ended.code);
        if ended.by == EndedBy::TimeLimit {
            self.terminal
                .warning("the program was ended at the time limit");
        }
        let result = RunResult {
            exit_code: ended.code,
            signal: ended.signal,
            wall_ms: ended.wall.as_millis() as u64,
        };
        let bytes =
            seal(self.path, self.path, Some(&result), Existing::Replace).map_err(|error| {
                Failure::new(format!("the recording could not be finished: {error}")).with_next(
                    format!(
                        "the program ended with {}; what it wrote is in {}",
                        ended.code,
                        self.path.display()
                    ),
                )
            })?;
        let trace = Trace::open(self.path)?;
        if trace.faults.contains(&Fault::DiskFull) {
            return Err(Failure::new(format!(
                "the disk was full, so the recording {} is not whole (the program ended with {})",
                self.path.display(),
                ended.code
            ))
            .with_next("make room and record again"));
        }
        if trace.processes.is_empty() {
            self.remove();
            return Err(self.nobody_joined(ended));
        }
        let succeeded = ended.code == 0 && ended.by != EndedBy::TimeLimit;
        if self.options.until_fail.is_some() && succeeded {
            self.remove();
            return Ok(Made::NotKept(program_code));
        }
        let keep = match (self.options.keep, self.options.keep_last) {
            (Some(keep), _) => keep,
            (None, Some(_)) => Keep::OnFailure,
            (None, None) => Keep::Always,
        };
        if keep == Keep::OnFailure && succeeded {
            self.remove();
            self.terminal
                .note("the program succeeded, so its recording was not kept (--keep on-failure)");
            self.print_json("not-kept", &trace, bytes, ended)?;
            return Ok(Made::NotKept(program_code));
        }
        self.summary(&trace, bytes, ended);
        self.print_json("recorded", &trace, bytes, ended)?;
        Ok(Made::Kept(program_code))
    }

    fn nobody_joined(&self, ended: &Ended) -> Failure {
        let command = &self.options.command[0];
        let why = if self.manifest.native.is_some() {
            "the program ended before reweave's library was ready; its own message above says why"
        } else if java::is_java(command) {
            "the JVM ended before the agent was ready; its own message above says why"
        } else {
            "no JVM was started by it, or the JVM did not see JAVA_TOOL_OPTIONS"
        };
        Failure::new(format!(
            "nothing was recorded: {why} (the program ended with {})",
            ended.code
        ))
        .with_next("reweave doctor; or put the java command itself after `--`")
    }

    fn summary(&self, trace: &Trace, bytes: u64, ended: &Ended) {
        let events: u64 = trace
            .processes
            .iter()
            .map(reweave_trace::Process::events)
            .sum();
        let threads: usize = trace
            .processes
            .iter()
            .map(|process| process.threads.len())
            .sum();
        let mut line = format!(
            "recorded {} of {} in {}",
            count(events, "event"),
            count(threads as u64, "thread"),
            size(bytes)
        );
        if trace.processes.len() > 1 {
            line.push_str(&format!(", {} processes", trace.processes.len()));
        }
        if let Some(signal) = ended.signal {
            line.push_str(&format!("; ended by signal {signal}"));
        }
        self.terminal.note(line);
        for process in &trace.processes {
            if !process.skipped.is_empty() {
                let left = count(process.skipped.len() as u64, "method");
                self.terminal.warning(format!(
                    "{left} left alone, so not replayed exactly; see `reweave info`"
                ));
                for method in &process.skipped {
                    self.terminal.detail(format!("left alone: {method}"));
                }
            }
            for note in &process.notes {
                self.terminal.note(note);
            }
            let foreign = process
                .threads
                .iter()
                .flat_map(reweave_trace::model::Thread::events)
                .flatten()
                .filter(|event| event.kind == Kind::Foreign)
                .count();
            if foreign > 0 {
                let times = count(foreign as u64, "time");
                self.terminal.warning(format!(
                    "{times} a thread or class outside the recording used a recorded lock; that is not replayed in order"
                ));
            }
        }
        for fault in &trace.faults {
            self.terminal.note(format!("not whole: {fault}"));
        }
        let verb = match trace.faults.contains(&Fault::Thinned) {
            true => "view",
            false => "replay",
        };
        self.terminal
            .note(format!("next: reweave {verb} {}", shortest_name(self.path)));
    }

    fn print_json(
        &self,
        verdict: &str,
        trace: &Trace,
        bytes: u64,
        ended: &Ended,
    ) -> Result<(), Failure> {
        if !self.terminal.json {
            return Ok(());
        }
        let events: u64 = trace
            .processes
            .iter()
            .map(reweave_trace::Process::events)
            .sum();
        let threads: usize = trace
            .processes
            .iter()
            .map(|process| process.threads.len())
            .sum();
        Failure::unless_broken_pipe(self.terminal.result(&json!({
            "verdict": verdict,
            "file": self.path,
            "run": self.manifest.run,
            "exit_code": ended.code,
            "signal": ended.signal,
            "wall_ms": ended.wall.as_millis() as u64,
            "processes": trace.processes.len(),
            "threads": threads,
            "events": events,
            "bytes": bytes,
            "complete": trace.complete,
            "skipped": trace.processes.iter().flat_map(|process| &process.skipped).collect::<Vec<_>>(),
            "notes": trace.processes.iter().flat_map(|process| &process.notes).collect::<Vec<_>>(),
            "faults": trace.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })))
    }

    fn remove(&self) {
        if let Err(error) = std::fs::remove_file(self.path) {
            self.terminal
                .warning(format!("cannot remove {}: {error}", self.path.display()));
        }
    }
}
