//! What a program finds outside itself while it is recorded, and what is left of that when it is replayed: nothing.

use crate::process::{self, Outcome, Running};
use crate::trial::LIMIT;
use crate::workspace;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The table `outside` of an `expect.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// What is on standard input.
    stdin: Option<String>,
    /// Files in the folder in which the program runs, by their paths there.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Variables of the environment.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Whether a server listens that sends every line back in capitals; the variable `PORT` says where.
    #[serde(default)]
    server: bool,
}

impl Outside {
    /// Runs what `command` says with all that around it, and takes it away afterwards.
    pub fn run(&self, command: &mut Command, scratch: &Path) -> Result<Outcome, String> {
        let folder = self.folder(scratch)?;
        for (path, contents) in &self.files {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                workspace::create(parent)?;
            }
            write(&path, contents)?;
        }
        command.current_dir(&folder).envs(&self.environment);
        let server = if self.server {
            let server = Server::start().map_err(|error| format!("no server: {error}"))?;
            command.env("PORT", server.port.to_string());
            Some(server)
        } else {
            None
        };
        let input = match &self.stdin {
            None => Stdio::null(),
            Some(text) => {
                let path = scratch.join("stdin");
                write(&path, text)?;
                File::open(&path)
                    .map_err(|error| format!("cannot open {}: {error}", path.display()))?
                    .into()
            }
        };
        let running = Running::start_with_input(command, input, scratch)?;
        let outcome = process::finish(running, LIMIT);
        drop(server);
        self.folder(scratch)?;
        outcome
    }

    /// The folder, empty.
    fn folder(&self, scratch: &Path) -> Result<PathBuf, String> {
        let folder = scratch.join("outside");
        let _ = fs::remove_dir_all(&folder);
        workspace::create(&folder)?;
        Ok(folder)
    }

    /// What a replay left in the folder, where nothing was and nothing may be.
    pub fn touched(&self, scratch: &Path) -> Option<String> {
        let mut entries = fs::read_dir(scratch.join("outside")).into_iter().flatten();
        let left = entries.next()?.ok()?;
        Some(format!("the replay made {}", left.path().display()))
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Answers until it is dropped.
struct Server {
    port: u16,
    over: Arc<AtomicBool>,
}

impl Server {
    fn start() -> std::io::Result<Server> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if seen.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::spawn(move || answer(client));
            }
        });
        Ok(Server { port, over })
    }
}

fn answer(client: TcpStream) {
    let Ok(mut back) = client.try_clone() else {
        return;
    };
    for line in BufReader::new(client).lines().map_while(Result::ok) {
        if writeln!(back, "{}", line.to_uppercase()).is_err() {
            return;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes it up, so that it sees that.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}
