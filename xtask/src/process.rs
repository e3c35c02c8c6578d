//! Runs a command with a time limit and keeps what came out of it: output, end, wall time and CPU time.
//! Every command gets a process group of its own, so that when its time is up its children go, too.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(i32),
    TimedOut(Duration),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "killed by signal {signal}"),
            End::TimedOut(limit) => write!(f, "not finished after {} s", limit.as_secs()),
        }
    }
}

pub struct Outcome {
    pub end: End,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub wall: Duration,
    /// User and system time of the process and of the children it waited for.
    pub cpu: Duration,
}

impl Outcome {
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Standard output if the command ended with 0, otherwise a message that says what ran and what it printed.
    pub fn success(self, what: &str) -> Result<String, String> {
        match self.end {
            End::Exit(0) => Ok(self.stdout_text()),
            end => Err(format!(
                "{what}: {end}\n{}{}",
                self.stdout_text(),
                self.stderr_text()
            )),
        }
    }
}

/// Runs `command` to its end, or kills its process group after `limit`. `scratch` takes its output meanwhile.
pub fn run(command: &mut Command, limit: Duration, scratch: &Path) -> Result<Outcome, String> {
    finish(Running::start(command, scratch)?, limit)
}

/// The same for a command that has just been started.
pub fn finish(mut running: Running, limit: Duration) -> Result<Outcome, String> {
    let cpu_before = cpu_of_ended_children();
    let (done, ended) = mpsc::channel::<()>();
    let group = running.group();
    let watchdog = thread::spawn(move || match ended.recv_timeout(limit) {
        Err(RecvTimeoutError::Timeout) => {
            kill_group(group);
            true
        }
        Ok(()) | Err(RecvTimeoutError::Disconnected) => false,
    });
    let status = running
        .child
        .wait()
        .map_err(|error| format!("cannot wait for the command: {error}"))?;
    let wall = running.started.elapsed();
    drop(done);
    let timed_out = watchdog.join().expect("the watchdog does not panic");
    let cpu = cpu_of_ended_children().saturating_sub(cpu_before);
    let end = if timed_out {
        End::TimedOut(limit)
    } else {
        end_of(status)
    };
    Ok(Outcome {
        end,
        stdout: running.stdout()?,
        stderr: running.stderr()?,
        wall,
        cpu,
    })
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => unreachable!("a process ends by exit or by a signal"),
    }
}

/// A command that has been started and whose output can be looked at while it runs. Dropping it kills what is left.
pub struct Running {
    child: Child,
    started: Instant,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    pub fn start(command: &mut Command, scratch: &Path) -> Result<Running, String> {
        Running::start_with_input(command, Stdio::null(), scratch)
    }

    /// Starts it with that standard input. A pipe is never written to and stays open as long as this lives.
    pub fn start_with_input(
        command: &mut Command,
        input: Stdio,
        scratch: &Path,
    ) -> Result<Running, String> {
        let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
        let create = |path: &Path| {
            File::create(path).map_err(|error| format!("cannot create {}: {error}", path.display()))
        };
        command
            .stdin(input)
            .stdout(create(&stdout)?)
            .stderr(create(&stderr)?)
            .process_group(0);
        let started = Instant::now();
        let child = command
            .spawn()
            .map_err(|error: io::Error| format!("cannot start {command:?}: {error}"))?;
        Ok(Running {
            child,
            started,
            stdout,
            stderr,
        })
    }

    pub fn stdout(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.stdout)
            .map_err(|error| format!("cannot read {}: {error}", self.stdout.display()))
    }

    pub fn stderr(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.stderr)
            .map_err(|error| format!("cannot read {}: {error}", self.stderr.display()))
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<End> {
        self.child.try_wait().ok().flatten().map(end_of)
    }

    /// Waits for its end, or kills it after `limit`.
    pub fn wait(&mut self, limit: Duration) -> End {
        let deadline = Instant::now() + limit;
        loop {
            match self.ended() {
                Some(end) => return end,
                None if Instant::now() > deadline => {
                    self.kill();
                    return End::TimedOut(limit);
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Asks it to end; it passes that on to what it started.
    pub fn terminate(&self) {
        self.signal(libc::SIGTERM);
    }

    /// Sends it, and only it, a signal.
    pub fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill takes no pointers; the child is ours and has not been waited for.
        unsafe { libc::kill(self.group(), signal) };
    }

    /// Kills it and all its children at once, as the kernel does when memory runs out.
    pub fn kill(&mut self) {
        kill_group(self.group());
        // It was just killed: waiting only collects it.
        let _ = self.child.wait();
    }

    /// Kills the processes that it started, but not itself.
    pub fn kill_children(&self) {
        let leader = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{leader}/task/{leader}/children"));
        for child in children.unwrap_or_default().split_ascii_whitespace() {
            if let Ok(child) = child.parse::<libc::pid_t>() {
                // SAFETY: kill takes no pointers; the child is our child's, which has not collected it as it still lives.
                unsafe { libc::kill(child, libc::SIGKILL) };
            }
        }
    }

    fn group(&self) -> libc::pid_t {
        libc::pid_t::try_from(self.child.id()).expect("a process id fits its own type")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.kill();
        }
    }
}

fn kill_group(group: libc::pid_t) {
    // SAFETY: kill takes no pointers; the group is one we created, and its leader is collected only by our caller.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// CPU time of all children that ended and were waited for, theirs included.
fn cpu_of_ended_children() -> Duration {
    // SAFETY: all-zero bytes are a valid rusage, a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place for one rusage.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let time = |value: libc::timeval| {
        let micros = value.tv_sec * 1_000_000 + value.tv_usec;
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}
