//! Starts the program and waits for it, without dying of the signals that are meant for it.
//!
//! Ctrl-C reaches the program from the terminal, since both are in its foreground group; reweave only has to survive it
//! to seal the recording. What somebody sends to reweave alone (SIGTERM, SIGHUP) is passed on.

use crate::exit::{Exit, Failure};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// A signal as 128+n.
    pub code: i32,
    pub signal: Option<i32>,
    pub wall: Duration,
    pub by: EndedBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    Itself,
    /// The time limit.
    TimeLimit,
}

/// After the polite request, how long a program may take to end.
const GRACE: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Starts the command; `started` is called once it runs, with its child (to take its pipes).
pub fn run(
    command: &mut Command,
    limit: Option<Duration>,
    started: impl FnOnce(&mut Child),
) -> Result<Ended, Failure> {
    let forwarder = Forwarder::install()
        .map_err(|error| Failure::new(format!("cannot handle signals: {error}")))?;
    let begin = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    forwarder.aim_at(&child);
    started(&mut child);
    let waited = match limit {
        None => child.wait().map(|status| (status, EndedBy::Itself)),
        Some(limit) => wait_until(&mut child, begin + limit),
    };
    forwarder.stop();
    let (status, by) =
        waited.map_err(|error| Failure::new(format!("cannot wait for the program: {error}")))?;
    Ok(Ended {
        code: code_of(status),
        signal: status.signal(),
        wall: begin.elapsed(),
        by,
    })
}

fn code_of(status: ExitStatus) -> i32 {
    match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 128,
    }
}

fn cannot_start(command: &Command, error: &io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    let exit = match error.kind() {
        io::ErrorKind::NotFound => Exit::NOT_FOUND,
        _ => Exit::CANNOT_EXECUTE,
    };
    Failure::new(format!("cannot run {program}: {error}")).with_exit(exit)
}

fn wait_until(child: &mut Child, end: Instant) -> io::Result<(ExitStatus, EndedBy)> {
    let mut asked = None;
    loop {
        if let Some(status) = child.try_wait()? {
            let by = if asked.is_some() {
                EndedBy::TimeLimit
            } else {
                EndedBy::Itself
            };
            return Ok((status, by));
        }
        let now = Instant::now();
        match asked {
            None if now >= end => {
                send(child, Signal::TERM);
                asked = Some(now);
            }
            Some(since) if now >= since + GRACE => child.kill()?,
            _ => (),
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn send(child: &Child, signal: Signal) {
    // It may have ended in between; then there is nobody to tell.
    let _ = kill_process(Pid::from_child(child), signal);
}

/// Receives the signals for this process while a program runs.
struct Forwarder {
    handle: Handle,
    target: Arc<Mutex<Option<Pid>>>,
}

impl Forwarder {
    fn install() -> io::Result<Forwarder> {
        let ignored = ignored_signals();
        let ours: Vec<i32> = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| ignored & (1 << (signal - 1)) == 0)
            .collect();
        let mut signals = Signals::new(ours)?;
        let handle = signals.handle();
        let target: Arc<Mutex<Option<Pid>>> = Arc::default();
        let aim = Arc::clone(&target);
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let target = *aim.lock().unwrap_or_else(PoisonError::into_inner);
                let forwarded = match signal {
                    SIGTERM => Some(Signal::TERM),
                    SIGHUP => Some(Signal::HUP),
                    _ => None,
                };
                if let (Some(target), Some(signal)) = (target, forwarded) {
                    let _ = kill_process(target, signal);
                }
            }
        });
        Ok(Forwarder { handle, target })
    }

    fn aim_at(&self, child: &Child) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = Some(Pid::from_child(child));
    }

    /// From now on the number of the child may belong to another process.
    fn stop(&self) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.handle.close();
    }
}

/// Signals that were ignored when we started stay so, as under `nohup`: a handler of ours would reset that for the program.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
