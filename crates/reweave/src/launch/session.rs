//! The session folder: how the agent in the program learns what to do, and where it leaves what it found.

use crate::cli::{AtEnd, KeepLast};
use crate::exit::Failure;
use reweave_analysis::races::observation::AccessName;
use reweave_trace::{Link, ProcessNumber};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Removed at its end.
#[derive(Debug)]
pub struct Session {
    folder: TempDir,
}

/// What the program is to do.
#[derive(Debug)]
pub enum Mode<'a> {
    Record {
        level: &'a str,
        trace: &'a Path,
        keep_last: Option<KeepLast>,
        include: &'a [String],
        exclude: &'a [String],
        exclude_thread: &'a [String],
    },
    Replay(ReplayMode),
}

#[derive(Debug)]
pub struct ReplayMode {
    /// As recorded.
    pub level: &'static str,
    pub at_end: AtEnd,
    pub pace: Pace,
    pub enforcement: Enforcement,
    pub stall_after: f64,
    pub goto: Option<(ProcessNumber, Link)>,
    pub debugged: Debugged,
    pub effects: Effects,
    pub observe: Observe,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub exclude_thread: Vec<String>,
}

/// What is written down of a replay; as in reweave-runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observe {
    pub log: bool,
    pub values: bool,
    pub stacks: bool,
    pub since: Since,
    pub classes: Vec<String>,
    pub locations: Vec<String>,
    pub watch: Vec<(ProcessNumber, AccessName)>,
    pub stop_at: Option<(ProcessNumber, AccessName)>,
}

/// From when on accesses are of interest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    #[default]
    Start,
    /// When there are several threads.
    SecondThread,
}

impl Observe {
    fn render(&self, text: &mut String) {
        let flags = [
            ("observe", self.log),
            ("observe-values", self.values),
            ("observe-stacks", self.stacks),
        ];
        for (key, _) in flags.iter().filter(|(_, set)| *set) {
            let _ = writeln!(text, "{key}=1");
        }
        if self.since == Since::SecondThread {
            let _ = writeln!(text, "observe-since=second-thread");
        }
        for (key, patterns) in [
            ("observe-class", &self.classes),
            ("observe-location", &self.locations),
        ] {
            for pattern in patterns {
                let _ = writeln!(text, "{key}={pattern}");
            }
        }
        let watch = self.watch.iter().map(|access| ("watch", access));
        let stop_at = self.stop_at.iter().map(|access| ("goto-access", access));
        for (key, (process, access)) in watch.chain(stop_at) {
            let _ = writeln!(text, "{key}={process}:{}:{}", access.stream, access.number);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    Fast,
    RealTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    On,
    Off,
}

/// Whether changes that the program made to files are made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    None,
    Made,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Debugged {
    No,
    Yes,
}

impl Session {
    pub fn create() -> Result<Session, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("reweave-")
            .tempdir()
            .map_err(|error| {
                Failure::new(format!(
                    "cannot make a folder in {}: {error}",
                    std::env::temp_dir().display()
                ))
                .with_next("let TMPDIR name a folder that can be written")
            })?;
        Ok(Session { folder })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The plain trace that a replay follows.
    pub fn trace(&self) -> PathBuf {
        self.folder().join("trace.rwv")
    }

    /// Writes the `session` file.
    pub fn write(&self, mode: &Mode<'_>) -> Result<(), Failure> {
        let path = self.folder().join("session");
        let text = render(mode, &self.trace())?;
        std::fs::write(&path, text)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
    }
}

impl Session {
    /// Adds lines for one front end to the `session` file.
    pub fn add(&self, lines: &[String]) -> Result<(), Failure> {
        let path = self.folder().join("session");
        let failed = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
        let mut text = std::fs::read_to_string(&path).map_err(failed)?;
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        std::fs::write(&path, text).map_err(failed)
    }
}

fn render(mode: &Mode<'_>, replayed: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    match mode {
        Mode::Record {
            level,
            trace,
            keep_last,
            include,
            exclude,
            exclude_thread,
        } => {
            let _ = writeln!(
                text,
                "mode=record\nlevel={level}\ntrace={}",
                trace.display()
            );
            match keep_last {
                None => (),
                Some(KeepLast::Bytes(bytes)) => drop(writeln!(text, "keep-last={bytes}")),
                Some(KeepLast::Seconds(seconds)) => drop(writeln!(text, "keep-last={seconds}s")),
            }
            filters(&mut text, include, exclude, exclude_thread);
        }
        Mode::Replay(replay) => {
            let _ = writeln!(
                text,
                "mode=replay\nlevel={}\ntrace={}",
                replay.level,
                replayed.display()
            );
            let _ = writeln!(
                text,
                "at-end={}",
                match replay.at_end {
                    AtEnd::Stop => "stop",
                    AtEnd::Continue => "continue",
                }
            );
            let _ = writeln!(
                text,
                "real-time={}",
                u8::from(replay.pace == Pace::RealTime)
            );
            let _ = writeln!(
                text,
                "enforce={}",
                match replay.enforcement {
                    Enforcement::On => "on",
                    Enforcement::Off => "off",
                }
            );
            let _ = writeln!(text, "stall-after={}", replay.stall_after);
            let _ = writeln!(text, "debug={}", u8::from(replay.debugged == Debugged::Yes));
            let effects = u8::from(replay.effects == Effects::Made);
            let _ = writeln!(text, "side-effects={effects}");
            if let Some((process, link)) = replay.goto {
                let _ = writeln!(text, "goto={process}:{}:{}", link.stream, link.position);
            }
            replay.observe.render(&mut text);
            filters(
                &mut text,
                &replay.include,
                &replay.exclude,
                &replay.exclude_thread,
            );
        }
    }
    let expected = text.lines().filter(|line| line.contains('=')).count();
    if expected != text.lines().count() {
        return Err(Failure::new(
            "a path or pattern with a line break in it cannot be passed to the program",
        ));
    }
    Ok(text)
}

fn filters(text: &mut String, include: &[String], exclude: &[String], exclude_thread: &[String]) {
    for (key, patterns) in [
        ("include", include),
        ("exclude", exclude),
        ("exclude-thread", exclude_thread),
    ] {
        for pattern in patterns {
            let _ = writeln!(text, "{key}={pattern}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reweave_trace::{Position, StreamId};

    #[test]
    fn the_session_of_a_recording() {
        let mode = Mode::Record {
            level: "sync",
            trace: Path::new("/x/run.rwv"),
            keep_last: Some(KeepLast::Seconds(60)),
            include: &["com.example.*".to_owned()],
            exclude: &[],
            exclude_thread: &["pool*".to_owned()],
        };
        assert_eq!(
            render(&mode, Path::new("/s/trace.rwv")).unwrap(),
            "mode=record\nlevel=sync\ntrace=/x/run.rwv\nkeep-last=60s\ninclude=com.example.*\nexclude-thread=pool*\n"
        );
    }

    #[test]
    fn the_session_of_a_replay() {
        let mode = Mode::Replay(ReplayMode {
            level: "access",
            at_end: AtEnd::Stop,
            pace: Pace::Fast,
            enforcement: Enforcement::On,
            stall_after: 2.5,
            goto: Some((ProcessNumber(0), Link::new(StreamId(2), Position(17)))),
            debugged: Debugged::Yes,
            effects: Effects::Made,
            observe: Observe {
                log: true,
                watch: vec![(
                    ProcessNumber(0),
                    AccessName {
                        stream: 3,
                        number: 9,
                    },
                )],
                ..Observe::default()
            },
            include: Vec::new(),
            exclude: Vec::new(),
            exclude_thread: Vec::new(),
        });
        assert_eq!(
            render(&mode, Path::new("/s/trace.rwv")).unwrap(),
            "mode=replay\nlevel=access\ntrace=/s/trace.rwv\nat-end=stop\nreal-time=0\nenforce=on\nstall-after=2.5\ndebug=1\nside-effects=1\ngoto=0:2:17\nobserve=1\nwatch=0:3:9\n"
        );
    }

    #[test]
    fn line_breaks_are_refused() {
        let mode = Mode::Record {
            level: "sync",
            trace: Path::new("/x/a\nb"),
            keep_last: None,
            include: &[],
            exclude: &[],
            exclude_thread: &[],
        };
        assert!(render(&mode, Path::new("/s")).is_err());
    }
}
