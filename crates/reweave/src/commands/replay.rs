//! `replay`: runs a recorded program again and holds its threads to the recorded order.

mod goto;
pub mod observe;
mod repeat;
mod verdict;

use crate::cli::{self, AtEnd};
use crate::commands::races;
use crate::exit::{Exit, Failure};
use crate::launch::facts::VARIABLES;
use crate::launch::jdwp::{Debugger, attach_lines, choose_port, jdwp_options, when_open};
use crate::launch::outcome::{self, Outcome};
use crate::launch::run::Ended;
use crate::launch::session::{
    Debugged, Effects, Enforcement, Mode, Observe, Pace, ReplayMode, Session,
};
use crate::launch::{again, agent, checks, command, run};
use crate::native;
use crate::report::count;
use crate::report::terminal::Terminal;
use crate::store::Store;
use reweave_analysis::order::Cut;
use reweave_trace::file::seal::unseal;
use reweave_trace::{Fault, ProcessNumber, StreamId, Trace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

pub fn run(options: &cli::Replay, terminal: &Terminal) -> Result<Exit, Failure> {
    let path = Store::find()?.resolve(&options.run)?;
    let prepared = Prepared::open(
        path,
        options.cwd.as_deref(),
        options.ignore_changes,
        options.started,
        terminal,
    )?;
    let race = match options.goto.as_deref().and_then(races::side_of) {
        Some(side) => Some(races::find_access(&prepared, side, terminal)?),
        None => None,
    };
    let goto = match (&options.goto, race) {
        (Some(text), None) => Some(goto::find(&prepared.trace, text)?),
        (_, _) => None,
    };
    let debugger = debugger(options, options.goto.is_some())?;
    let mode = ReplayMode {
        at_end: options.at_end,
        pace: if options.real_time {
            Pace::RealTime
        } else {
            Pace::Fast
        },
        enforcement: if options.test_no_enforce {
            Enforcement::Off
        } else {
            Enforcement::On
        },
        stall_after: options.stall_after,
        goto,
        debugged: if debugger == Debugger::None {
            Debugged::No
        } else {
            Debugged::Yes
        },
        effects: match options.effects.side_effects {
            true => Effects::Made,
            false => Effects::None,
        },
        observe: Observe {
            stop_at: race,
            ..observe::wanted(&options.observing)
        },
        ..prepared.mode()
    };
    if let Some(port) = debugger.port() {
        // Never silent: without these lines a quiet replay would just stand still.
        terminal.result_line(match debugger {
            Debugger::AtEvent { .. } => {
                "the program runs to that point and waits there for a debugger:"
            }
            Debugger::None | Debugger::FromStart { .. } => "the program waits for a debugger:",
        });
        for line in attach_lines(port) {
            terminal.result_line(line);
        }
        if matches!(debugger, Debugger::AtEvent { .. }) {
            let terminal = terminal.clone();
            when_open(port, move || {
                terminal.result_line("that point is reached: a debugger can attach")
            });
        }
    }
    let replay = Replay {
        sent: options.sent.as_deref(),
        ..prepared.replay(mode, debugger, terminal)
    };
    if options.in_gdb.gdb {
        return native::gdb::run(&replay, &options.in_gdb.gdb_arguments);
    }
    if let cli::BySchedule {
        schedule: Some(schedule),
        save: Some(save),
    } = &options.by_schedule
    {
        return native::planned::run(&replay, schedule, save);
    }
    if let Some(file) = &options.observing.observe {
        return observe::run(&replay, file);
    }
    match options.times {
        Some(times) => repeat::run(&replay, times),
        None => {
            let (ended, outcome) = replay.once(|_| (), |_| ())?;
            verdict::report(&replay, &ended, outcome.as_ref())
        }
    }
}

/// A recording, and what is needed to run it again.
pub struct Prepared {
    pub path: PathBuf,
    pub trace: Trace,
    agent: PathBuf,
    cwd: PathBuf,
    program: PathBuf,
    cuts: BTreeMap<ProcessNumber, Cut>,
    started: cli::Started,
}

impl Prepared {
    pub fn open(
        path: PathBuf,
        cwd: Option<&Path>,
        ignore_changes: bool,
        started: cli::Started,
        terminal: &Terminal,
    ) -> Result<Prepared, Failure> {
        let trace = Trace::open(&path)?;
        if trace.processes.is_empty() {
            return Err(Failure::new(format!(
                "{} has no process to replay",
                path.display()
            )));
        }
        if trace.faults.contains(&Fault::Thinned) {
            return Err(Failure::new(format!(
                "{} holds only the last part of its run (--keep-last): a replay has to begin where the program began",
                path.display()
            ))
            .with_next("look at it with `reweave view` and `reweave info`, or record more of the run"));
        }
        let agent = match &trace.manifest.native {
            Some(_) => native::library()?,
            None => agent::find()?,
        };
        let cwd = cwd.map_or_else(|| PathBuf::from(&trace.manifest.cwd), Path::to_owned);
        let roots = roots(&trace, started)?;
        if !roots.is_empty() {
            let names: Vec<&str> = roots
                .iter()
                .map(|root| root.process.main.as_str())
                .collect();
            terminal.note(format!(
                "{} is not run again, only what it started: {}",
                trace.manifest.argv[0],
                names.join(", ")
            ));
        }
        let program = check(&trace, &cwd, &roots, ignore_changes, terminal)?;
        drop(roots);
        let empty = |process: &reweave_trace::model::Process| process.threads.is_empty();
        if !trace.complete && trace.processes.iter().all(empty) {
            return Err(Failure::new(format!(
                "{} was cut before its first event: there is nothing to replay",
                path.display()
            ))
            .with_next("record the program again"));
        }
        let cuts = cuts(&trace, terminal);
        Ok(Prepared {
            path,
            trace,
            agent,
            cwd,
            program,
            cuts,
            started,
        })
    }

    /// A replay as it is if nothing is said about it.
    pub fn mode(&self) -> ReplayMode {
        let manifest = &self.trace.manifest;
        ReplayMode {
            level: manifest.level.name(),
            at_end: AtEnd::Stop,
            pace: Pace::Fast,
            enforcement: Enforcement::On,
            stall_after: STALL_AFTER,
            goto: None,
            debugged: Debugged::No,
            effects: Effects::None,
            observe: Observe::default(),
            include: manifest.include.clone(),
            exclude: manifest.exclude.clone(),
            exclude_thread: manifest.exclude_thread.clone(),
        }
    }

    pub fn replay<'a>(
        &'a self,
        mode: ReplayMode,
        debugger: Debugger,
        terminal: &'a Terminal,
    ) -> Replay<'a> {
        Replay {
            path: &self.path,
            trace: &self.trace,
            agent: &self.agent,
            program: &self.program,
            // They were there when the recording was opened.
            roots: roots(&self.trace, self.started).unwrap_or_default(),
            cwd: &self.cwd,
            cuts: &self.cuts,
            mode: Mode::Replay(mode),
            jvm_options: jdwp_options(debugger)
                .into_iter()
                .chain(command::options_of(self.trace.manifest.level))
                .collect(),
            sent: None,
            terminal,
        }
    }
}

/// Seconds without progress after which a replay is given up.
const STALL_AFTER: f64 = 20.0;

/// The JVMs to start in place of the recorded command; none if that is to be started itself.
fn roots<'a>(trace: &'a Trace, started: cli::Started) -> Result<Vec<again::Again<'a>>, Failure> {
    if started.whole_command {
        return Ok(Vec::new());
    }
    let mut roots = again::roots(trace).unwrap_or_default();
    if let Some(number) = started.process {
        roots.retain(|root| root.process.number.0 == number);
        if roots.is_empty() {
            return Err(Failure::new(format!(
                "the recording has no process {number} that can be started by itself"
            ))
            .with_next(
                "reweave info lists the processes; children are replayed with their parents",
            ));
        }
    }
    Ok(roots)
}

/// Lists everything that does not fit, and finds what to start.
fn check(
    trace: &Trace,
    cwd: &Path,
    roots: &[again::Again<'_>],
    ignore_changes: bool,
    terminal: &Terminal,
) -> Result<PathBuf, Failure> {
    let readiness = match &trace.manifest.native {
        Some(program) => native::check(program, cwd),
        None if !roots.is_empty() => checks::check_again(roots),
        None => checks::check(trace, cwd),
    };
    let fatal = |mismatch: &checks::Mismatch| !(ignore_changes && mismatch.can_be_ignored());
    let (stop, go_on): (Vec<_>, Vec<_>) = readiness
        .mismatches
        .iter()
        .partition(|mismatch| fatal(mismatch));
    for mismatch in go_on {
        terminal.warning(mismatch);
    }
    if stop.is_empty() {
        return Ok(readiness.program);
    }
    let mut message = "this recording cannot be replayed here as it is:".to_owned();
    for mismatch in &stop {
        message.push_str(&format!("\n  - {mismatch}"));
    }
    let failure = Failure::new(message);
    Err(if stop.iter().all(|mismatch| mismatch.can_be_ignored()) {
        failure.with_next("restore what changed, record again, or try with --ignore-changes")
    } else {
        failure
    })
}

/// Where the recording of a killed program stops making sense.
fn cuts(trace: &Trace, terminal: &Terminal) -> BTreeMap<ProcessNumber, Cut> {
    let mut cuts = BTreeMap::new();
    if trace.complete {
        return cuts;
    }
    for process in &trace.processes {
        let cut = Cut::of(process);
        if !cut.is_whole() {
            let left_out = count(cut.left_out, "event");
            terminal.note(format!(
                "process {}: {left_out} left out, because what came before is missing",
                process.path
            ));
        }
        cuts.insert(process.number, cut);
    }
    cuts
}

fn debugger(options: &cli::Replay, goto: bool) -> Result<Debugger, Failure> {
    Ok(match (options.debug, goto) {
        (None, false) => Debugger::None,
        (Some(port), false) => Debugger::FromStart {
            port: choose_port(port)?,
        },
        (port, true) => Debugger::AtEvent {
            port: choose_port(port.unwrap_or(0))?,
        },
    })
}

/// One recording made ready to be run.
pub struct Replay<'a> {
    pub path: &'a Path,
    pub trace: &'a Trace,
    pub agent: &'a Path,
    program: &'a Path,
    /// JVMs to start in its place.
    roots: Vec<again::Again<'a>>,
    pub cwd: &'a Path,
    cuts: &'a BTreeMap<ProcessNumber, Cut>,
    mode: Mode<'a>,
    jvm_options: Vec<String>,
    sent: Option<&'a Path>,
    pub terminal: &'a Terminal,
}

impl Replay<'_> {
    /// Runs the program once; the two functions may change the command and take the child's pipes.
    fn once(
        &self,
        change: impl FnMut(&mut Command),
        started: impl FnMut(&mut Child),
    ) -> Result<(Ended, Option<Outcome>), Failure> {
        // A session is for one run: its processes number themselves by files they leave there.
        let session = self.session()?;
        self.run_in(&session, change, started)
    }

    /// The same in a session that is there afterwards, too.
    pub fn run_in(
        &self,
        session: &Session,
        mut change: impl FnMut(&mut Command),
        mut started: impl FnMut(&mut Child),
    ) -> Result<(Ended, Option<Outcome>), Failure> {
        let manifest = &self.trace.manifest;
        if let Some(program) = &manifest.native {
            let launch = native::Launch {
                program,
                level: manifest.level,
                library: self.agent,
                session,
                sent: self.sent,
            };
            launch.write_settings(None)?;
            let mut command = launch.command(&manifest.argv);
            command.current_dir(self.cwd);
            change(&mut command);
            let ended = run::run(&mut command, None, started)?;
            return Ok((ended, outcome::read(session.folder())));
        }
        if !self.roots.is_empty() {
            let ended = self.again(session, &mut change, &mut started)?;
            return Ok((ended, outcome::read(session.folder())));
        }
        let tool_options = manifest
            .environment
            .get("JAVA_TOOL_OPTIONS")
            .map(String::as_str);
        let mut prepared = command::prepare(
            self.program,
            &manifest.argv,
            self.agent,
            session.folder(),
            &self.jvm_options,
            tool_options,
        );
        for option in &prepared.left_out {
            self.terminal.detail(format!(
                "left out {option}: the JVM would not start with it and an agent"
            ));
        }
        let command = &mut prepared.command;
        command.current_dir(self.cwd);
        restore_environment(command, &manifest.environment);
        change(command);
        let ended = run::run(command, None, started)?;
        Ok((ended, outcome::read(session.folder())))
    }

    /// Starts the JVMs one after the other: whatever they had from each other is in their recordings.
    fn again(
        &self,
        session: &Session,
        change: &mut impl FnMut(&mut Command),
        started: &mut impl FnMut(&mut Child),
    ) -> Result<Ended, Failure> {
        let environment = &self.trace.manifest.environment;
        let _put_back = again::PutBack::all(&self.roots)?;
        let mut all: Option<Ended> = None;
        for root in &self.roots {
            let folder = session.folder();
            let mut command = root.command(self.agent, folder, &self.jvm_options, environment);
            restore_environment(&mut command, environment);
            change(&mut command);
            let mut ended = run::run(&mut command, None, &mut *started)?;
            if let Some(before) = all {
                ended.wall += before.wall;
            }
            all = Some(ended);
        }
        let mut ended = all.expect("there is a JVM to start");
        // What the command made of the ends of its JVMs is known, the ends themselves are not.
        if ended.signal.is_none() {
            ended.code = self.recorded_exit_code().unwrap_or(ended.code);
        }
        Ok(ended)
    }

    /// A session with the plain trace that the agent follows.
    pub fn session(&self) -> Result<Session, Failure> {
        let session = Session::create()?;
        let end = |process: ProcessNumber, stream: StreamId| {
            self.cuts.get(&process).map(|cut| cut.end(stream))
        };
        unseal(self.path, &session.trace(), &end)?;
        session.write(&self.mode)?;
        Ok(session)
    }

    fn recorded_exit_code(&self) -> Option<i32> {
        self.trace.result.as_ref().map(|result| result.exit_code)
    }
}

/// The variables that change what a JVM does are as they were recorded; all others as they are now.
fn restore_environment(command: &mut Command, recorded: &BTreeMap<String, String>) {
    let set: Vec<String> = command
        .get_envs()
        .filter_map(|(name, _)| name.to_str().map(str::to_owned))
        .collect();
    for &name in VARIABLES {
        if set.iter().any(|set| set == name) {
            continue;
        }
        match recorded.get(name) {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}
