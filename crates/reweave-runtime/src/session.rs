//! What this run is to do: the `session` file in the folder that `REWEAVE_SESSION` or the agent's option names.
//! Lines of `key=value`; the command writes it, see `docs/architecture.md`.

mod observe;

pub use observe::{Access, Observe, Since};

use crate::recorder::Keep;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Session {
    pub folder: PathBuf,
    /// The live file to write, or the plain trace to follow.
    pub trace: PathBuf,
    pub mode: Mode,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub exclude_threads: Vec<String>,
    pub level: Level,
    /// How much of a recording is kept.
    pub keep: Keep,
    /// Lines `native.KEY=VALUE`, for the front end of native programs alone.
    pub native: Vec<(String, String)>,
}

/// What is ordered; native programs have settings of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Synchronization.
    Sync,
    /// All accesses to memory too.
    Access,
    /// Everything: one thread at a time.
    Serial,
}

#[derive(Debug, Clone)]
pub enum Mode {
    Record,
    Replay(ReplayOptions),
}

#[derive(Debug, Clone)]
pub struct ReplayOptions {
    pub at_end: AtEnd,
    pub pace: Pace,
    pub enforcement: Enforcement,
    pub stall_after: Duration,
    pub debugger: Debugger,
    pub goto: Option<Goto>,
    pub effects: Effects,
    pub observe: Observe,
}

/// Whether changes that the program made to files are made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    None,
    Made,
}

/// What a thread does that has no recorded event left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    Stop,
    Continue,
}

/// Whether sleeps and timeouts take their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Fast,
    RealTime,
}

/// `Off` is for tests: it shows that a replay differs when nothing holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Debugger {
    None,
    Attached,
}

/// An event at which the debugger is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goto {
    pub process: u32,
    pub stream: u32,
    pub position: u64,
}

#[derive(Debug)]
pub enum SessionError {
    Read {
        path: PathBuf,
        error: std::io::Error,
    },
    Line {
        path: PathBuf,
        line: usize,
        text: String,
    },
    Missing {
        path: PathBuf,
        key: &'static str,
    },
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Read { path, error } => {
                write!(f, "cannot read {}: {error}", path.display())
            }
            SessionError::Line { path, line, text } => {
                write!(f, "{}:{line}: not understood: {text}", path.display())
            }
            SessionError::Missing { path, key } => write!(f, "{}: no line {key}=…", path.display()),
        }
    }
}

impl std::error::Error for SessionError {}

impl Session {
    pub fn read(folder: &Path) -> Result<Session, SessionError> {
        let path = folder.join("session");
        let text = std::fs::read_to_string(&path).map_err(|error| SessionError::Read {
            path: path.clone(),
            error,
        })?;
        parse(folder, &path, &text)
    }
}

fn parse(folder: &Path, path: &Path, text: &str) -> Result<Session, SessionError> {
    let mut mode = None;
    let mut trace = None;
    let (mut include, mut exclude, mut exclude_threads) = (vec![], vec![], vec![]);
    let mut native = vec![];
    let mut level = Level::Sync;
    let mut keep = Keep::Everything;
    let mut options = ReplayOptions {
        at_end: AtEnd::Stop,
        pace: Pace::Fast,
        enforcement: Enforcement::On,
        stall_after: Duration::from_secs(20),
        debugger: Debugger::None,
        goto: None,
        effects: Effects::None,
        observe: Observe::default(),
    };
    for (number, line) in text.lines().enumerate() {
        let wrong = || SessionError::Line {
            path: path.to_owned(),
            line: number + 1,
            text: line.to_owned(),
        };
        if line.is_empty() {
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(wrong)?;
        match (key, value) {
            ("mode", "record" | "replay") => mode = Some(value == "replay"),
            ("trace", _) => trace = Some(PathBuf::from(value)),
            ("include", _) => include.push(value.to_owned()),
            ("exclude", _) => exclude.push(value.to_owned()),
            ("exclude-thread", _) => exclude_threads.push(value.to_owned()),
            ("keep-last", _) => keep = keep_last(value).ok_or_else(wrong)?,
            ("level", "sync") => level = Level::Sync,
            ("level", "access") => level = Level::Access,
            ("level", "serial") => level = Level::Serial,
            (key, _) if key.starts_with("native.") => {
                native.push((key["native.".len()..].to_owned(), value.to_owned()));
            }
            ("at-end", "stop") => options.at_end = AtEnd::Stop,
            ("at-end", "continue") => options.at_end = AtEnd::Continue,
            ("real-time", "0") => options.pace = Pace::Fast,
            ("real-time", "1") => options.pace = Pace::RealTime,
            ("enforce", "on") => options.enforcement = Enforcement::On,
            ("enforce", "off") => options.enforcement = Enforcement::Off,
            ("debug", "0") => options.debugger = Debugger::None,
            ("debug", "1") => options.debugger = Debugger::Attached,
            ("stall-after", _) => {
                let seconds: f64 = value.parse().map_err(|_| wrong())?;
                options.stall_after = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
            }
            ("side-effects", "0") => options.effects = Effects::None,
            ("side-effects", "1") => options.effects = Effects::Made,
            ("goto", _) => options.goto = Some(goto(value).ok_or_else(wrong)?),
            (key, value) => options.observe.line(key, value).ok_or_else(wrong)?,
        }
    }
    let missing = |key| SessionError::Missing {
        path: path.to_owned(),
        key,
    };
    Ok(Session {
        folder: folder.to_owned(),
        trace: trace.ok_or_else(|| missing("trace"))?,
        mode: match mode.ok_or_else(|| missing("mode"))? {
            true => Mode::Replay(options),
            false => Mode::Record,
        },
        include,
        exclude,
        exclude_threads,
        level,
        keep,
        native,
    })
}

/// A number of bytes, or of seconds with an `s` behind it.
fn keep_last(value: &str) -> Option<Keep> {
    match value.strip_suffix('s') {
        Some(seconds) => Some(Keep::LastTime(Duration::from_secs(seconds.parse().ok()?))),
        None => Some(Keep::LastBytes(value.parse().ok()?)),
    }
}

fn goto(value: &str) -> Option<Goto> {
    let mut parts = value.split(':');
    let goto = Goto {
        process: parts.next()?.parse().ok()?,
        stream: parts.next()?.parse().ok()?,
        position: parts.next()?.parse().ok()?,
    };
    parts.next().is_none().then_some(goto)
}

/// `*` matches any row of characters, `?` one; everything else itself. Slashes and dots in class names are the same.
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.replace('/', ".").chars().collect();
    let text: Vec<char> = text.replace('/', ".").chars().collect();
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Session, SessionError> {
        parse(Path::new("/s"), Path::new("/s/session"), text)
    }

    fn replay(lines: &str) -> ReplayOptions {
        match read(&format!("mode=replay\ntrace=/x\n{lines}")).map(|session| session.mode) {
            Ok(Mode::Replay(options)) => options,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn check_wrong(text: &str, expected: &str) {
        assert_eq!(read(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_recording() {
        let text = "mode=record\nnative.seed=7\n\nlevel=access\ntrace=/tmp/a=b.rwv\ninclude=com.x.*\ninclude=y\nexclude=a.*\nexclude-thread=GC*\n";
        let session = read(text).unwrap();
        assert!(matches!(session.mode, Mode::Record));
        assert_eq!(session.folder, Path::new("/s"));
        assert_eq!(session.trace, Path::new("/tmp/a=b.rwv"));
        assert_eq!(session.include, ["com.x.*", "y"]);
        assert_eq!(session.exclude, ["a.*"]);
        assert_eq!(session.exclude_threads, ["GC*"]);
        assert_eq!(session.level, Level::Access);
        assert_eq!(session.native, [("seed".to_owned(), "7".to_owned())]);
    }

    #[test]
    fn a_replay_that_says_nothing() {
        let options = replay("");
        assert_eq!(options.at_end, AtEnd::Stop);
        assert_eq!(options.pace, Pace::Fast);
        assert_eq!(options.enforcement, Enforcement::On);
        assert_eq!(options.debugger, Debugger::None);
        assert_eq!(options.stall_after, Duration::from_secs(20));
        assert_eq!(options.goto, None);
        assert_eq!(options.effects, Effects::None);
    }

    #[test]
    fn a_replay_that_says_everything() {
        let options = replay(
            "at-end=continue\nreal-time=1\nenforce=off\ndebug=1\nstall-after=2.5\nside-effects=1\ngoto=0:2:17\n",
        );
        assert_eq!(options.at_end, AtEnd::Continue);
        assert_eq!(options.pace, Pace::RealTime);
        assert_eq!(options.enforcement, Enforcement::Off);
        assert_eq!(options.debugger, Debugger::Attached);
        assert_eq!(options.effects, Effects::Made);
        assert_eq!(options.stall_after, Duration::from_millis(2_500));
        let goto = Goto {
            process: 0,
            stream: 2,
            position: 17,
        };
        assert_eq!(options.goto, Some(goto));
        assert_eq!(options.observe, Observe::default());
    }

    #[test]
    fn nonsense_names_its_line() {
        for line in [
            "at-end=never",
            "at-end",
            "colour=red",
            "goto=1:2",
            "goto=1:2:3:4",
            "goto=1:2:x",
            "stall-after=soon",
            "stall-after=-1",
            "real-time=yes",
            "mode=both",
            "observe=yes",
            "watch=1:2",
        ] {
            check_wrong(
                &format!("mode=record\n{line}\n"),
                &format!("/s/session:2: not understood: {line}"),
            );
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        check_wrong("trace=/x\n", "/s/session: no line mode=…");
        check_wrong("mode=record\n", "/s/session: no line trace=…");
        let error = Session::read(Path::new("/nowhere")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot read /nowhere/session: ")
        );
    }

    #[test]
    fn globs() {
        assert!(glob_matches("com.example.*", "com/example/Main"));
        assert!(glob_matches("com/example/*", "com.example.Main"));
        assert!(glob_matches("*Worker?", "pool-Worker7"));
        assert!(!glob_matches("com.example", "com.example.Main"));
        assert!(glob_matches("*", ""));
        assert!(glob_matches("a**", "a"));
        assert!(glob_matches("*b*d", "abcbcd"));
        assert!(!glob_matches("a*b", "acbd"));
        assert!(!glob_matches("?", ""));
        assert!(!glob_matches("", "a"));
    }
}
