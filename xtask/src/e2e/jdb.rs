//! The JDK's own debugger, typed into line by line; each line is followed by waiting for what it must show.

use crate::jdk::Jdk;
use std::fs::{self, File};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A line to type, and what jdb must then print.
pub type Line = (&'static str, &'static str);

/// Ample for one answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Dropping it ends the debugger, and only that.
pub struct Jdb {
    child: Child,
    output: PathBuf,
}

impl Jdb {
    /// Attaches to a replay that was just started; its JVM takes a while to open the port.
    pub fn attach(jdk: &Jdk, port: u16, output: &Path) -> Result<Jdb, String> {
        let started = Instant::now();
        loop {
            let mut jdb = Jdb::start(jdk, port, output)?;
            match jdb.wait_for("Initializing jdb", 0) {
                Ok(()) => return Ok(jdb),
                Err(why) if started.elapsed() > PATIENCE => return Err(why),
                Err(_) => thread::sleep(Duration::from_millis(200)),
            }
        }
    }

    fn start(jdk: &Jdk, port: u16, output: &Path) -> Result<Jdb, String> {
        let file = File::create(output)
            .map_err(|error| format!("cannot create {}: {error}", output.display()))?;
        let errors = file.try_clone().map_err(|error| error.to_string())?;
        let child = Command::new(jdk.home.join("bin/jdb"))
            .args(["-attach", &format!("127.0.0.1:{port}")])
            .stdin(Stdio::piped())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("cannot start jdb: {error}"))?;
        Ok(Jdb {
            child,
            output: output.to_owned(),
        })
    }

    /// Types the lines, each when the one before has shown what it must.
    pub fn follow(&mut self, script: &[Line]) -> Result<(), String> {
        script.iter().try_for_each(|line| self.type_line(*line))
    }

    pub fn type_line(&mut self, (line, sign): Line) -> Result<(), String> {
        let before = self.seen().len();
        let keyboard = self.child.stdin.as_mut().expect("stdin is piped");
        // When jdb has ended, what it printed says why.
        let _ = writeln!(keyboard, "{line}");
        self.wait_for(sign, before)
            .map_err(|why| format!("after `{line}`: {why}"))
    }

    /// Waits until a replay that was sent to some point is there. jdb reports that first, and then finds out which thread it means: it has when it asks with its name.
    pub fn wait_for_stop(&mut self) -> Result<(), String> {
        self.wait_for("Reweave$Stop", 0)?;
        self.wait_for("[1] ", 0)
    }

    /// Waits until jdb has printed `sign` somewhere after the first `before` bytes.
    pub fn wait_for(&mut self, sign: &str, before: usize) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let ended = self.child.try_wait().is_ok_and(|ended| ended.is_some());
            let seen = self.seen();
            if seen
                .get(before..)
                .is_some_and(|answer| answer.contains(sign))
            {
                return Ok(());
            }
            if ended || Instant::now() > deadline {
                return Err(format!("jdb does not show `{sign}`:\n{seen}"));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn seen(&self) -> String {
        fs::read(&self.output).map_or(String::new(), |bytes| {
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
}

impl Drop for Jdb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // It was just killed: waiting only collects it.
        let _ = self.child.wait();
    }
}

pub fn free_port() -> Result<u16, String> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(|error| format!("no free port: {error}"))
}
