//! Observed traces as text, for tests and for people: one event a line, in the order in which they happened.
//!
//! ```text
//! reweave trace 1
//! t1 fork t2            @ Main.main(Main.java:5)
//! t1 write Account#3.balance @ Account.withdraw(Account.java:14) < Bank.run(Bank.java:31)
//! t2 acquire m
//! t2 post job-7 to main delay 10 front asynchronous
//! main begin job-7
//! # a comment
//! ```
//!
//! A thread, an operation, what it is done to, and behind `@` the stack, innermost first. Names are words; each kind of
//! thing has its own. The text is read in one pass, piece by piece, and nothing but names is kept of it.

use super::Options;
use super::environment::{EnvironmentOp, Identity, IdleHandler, Input};
use super::event::{Op, Passage, Place, Post, Site, ThreadId};
use super::findings::Findings;
use super::hash::IdMap;
use super::observe::{Frame, Key, ObservedNames, Observer};
use super::stream::StreamError;

/// The first line of such a file.
pub const TITLE: &str = "reweave trace 1";

/// Longest line that is looked at.
const LONGEST_LINE: usize = 64 * 1024;

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TextError {
    /// From 1.
    pub line: u32,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("expected `{TITLE}`")]
    NoTitle,
    #[error("expected `THREAD OPERATION …`, found {0:?}")]
    Unreadable(String),
    #[error("unknown operation {0:?}")]
    UnknownOperation(String),
    #[error("`{operation}` needs {what}")]
    Missing {
        operation: String,
        what: &'static str,
    },
    #[error("unexpected {0:?}")]
    Unexpected(String),
    #[error("{0:?} is not a number")]
    NotANumber(String),
    #[error("longer than {LONGEST_LINE} bytes")]
    TooLong,
    #[error("not text")]
    NotText,
    #[error("this cannot have happened here: {0}")]
    Nonsense(String),
}

/// Numbers for words.
#[derive(Debug, Default)]
struct Words(IdMap<String, Key>);

impl Words {
    fn key(&mut self, word: &str) -> Key {
        if let Some(key) = self.0.get(word) {
            return *key;
        }
        let key = self.0.len() as Key;
        self.0.insert(word.to_owned(), key);
        key
    }
}

/// Reads a text trace piece by piece.
#[derive(Debug)]
pub struct Reader {
    observer: Observer,
    words: Words,
    partial: Vec<u8>,
    line: u32,
    titled: bool,
    events: u64,
}

impl Reader {
    pub fn new(options: &Options) -> Reader {
        Reader {
            observer: Observer::new(options),
            words: Words::default(),
            partial: Vec::new(),
            line: 0,
            titled: false,
            events: 0,
        }
    }

    /// Takes the next piece, which may end in the middle of a line.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), TextError> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(&bytes[..end]);
            self.line(&whole)?;
            whole.clear();
            self.partial = whole;
            bytes = &bytes[end + 1..];
        }
        if self.partial.len() + bytes.len() > LONGEST_LINE {
            self.line += 1;
            return Err(self.error(Problem::TooLong));
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// The text has ended.
    pub fn finish(mut self) -> Result<(Findings, ObservedNames, u64), TextError> {
        let rest = std::mem::take(&mut self.partial);
        self.line(&rest)?;
        if !self.titled {
            return Err(self.error(Problem::NoTitle));
        }
        let (findings, names) = self.observer.finish();
        Ok((findings, names, self.events))
    }

    fn error(&self, problem: Problem) -> TextError {
        TextError {
            line: self.line,
            problem,
        }
    }

    fn line(&mut self, bytes: &[u8]) -> Result<(), TextError> {
        self.line += 1;
        self.parse(bytes).map_err(|problem| self.error(problem))
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if bytes.len() > LONGEST_LINE {
            return Err(Problem::TooLong);
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Problem::NotText)?
            .trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        if !self.titled {
            self.titled = text == TITLE;
            return if self.titled {
                Ok(())
            } else {
                Err(Problem::NoTitle)
            };
        }
        let (words, stack) = match text.split_once(" @ ") {
            Some((words, stack)) => (words, stack.trim()),
            None => (text, ""),
        };
        let mut words = words.split_whitespace();
        let (Some(thread), Some(operation)) = (words.next(), words.next()) else {
            return Err(Problem::Unreadable(shortened(text)));
        };
        let site = self.site(stack);
        let thread = self.thread(thread);
        let mut arguments = Arguments { operation, words };
        let op = self.op(thread, &mut arguments)?;
        if let Some(more) = arguments.words.next()
            // What was read or written is for people.
            && !(more == "=" && op.as_ref().is_some_and(Op::has_value))
        {
            return Err(Problem::Unexpected(shortened(more)));
        }
        if let Some(op) = op {
            self.events += 1;
            self.observer
                .event(thread, op, site)
                .map_err(|StreamError { nonsense, .. }| Problem::Nonsense(nonsense.to_string()))?;
        }
        Ok(())
    }

    fn site(&mut self, stack: &str) -> Site {
        if stack.is_empty() {
            return Site::UNKNOWN;
        }
        let key = self.words.key(stack);
        let frames = || stack.split(" < ").map(frame).collect();
        self.observer.site(key, frames)
    }

    fn thread(&mut self, name: &str) -> ThreadId {
        let key = self.words.key(name);
        self.observer.thread(key, || name.to_owned())
    }

    /// The operation; `None` for what only the observer cares about.
    fn op(&mut self, thread: ThreadId, words: &mut Arguments<'_>) -> Result<Option<Op>, Problem> {
        let op = match words.operation {
            "thread-begin" => Op::ThreadBegin,
            "thread-end" => Op::ThreadEnd,
            "fork" => Op::Fork(self.thread(words.name("a thread")?)),
            "join" => Op::Join(self.thread(words.name("a thread")?)),
            "wait" => Op::Wait,
            "notify" => Op::Notify(self.thread(words.name("the thread that is woken")?)),
            "park" => Op::Park,
            "unpark" => Op::Unpark(self.thread(words.name("a thread")?)),
            "attach-queue" => Op::AttachQueue,
            "loop" => Op::Loop,
            "outside-enter" => Op::OutsideEnter,
            "outside-leave" => Op::OutsideLeave,
            "post" => Op::Post(self.post(words)?),
            "gone" => {
                let key = self.words.key(words.name("an object")?);
                self.observer.object_gone(key);
                return Ok(None);
            }
            operation => return self.keyed(thread, operation, words).map(Some),
        };
        Ok(Some(op))
    }

    /// Operations on one thing that is neither a thread nor a task's whole post.
    fn keyed(
        &mut self,
        thread: ThreadId,
        operation: &str,
        words: &mut Arguments<'_>,
    ) -> Result<Op, Problem> {
        if let Some(op) = environment(operation, words)? {
            return Ok(Op::Environment(Box::new(op)));
        }
        if !KEYED.contains(&operation) {
            return Err(Problem::UnknownOperation(shortened(operation)));
        }
        let name = words.name("a name")?;
        let key = self.words.key(name);
        let observer = &mut self.observer;
        Ok(match operation {
            "acquire" => Op::Acquire(observer.lock(key, || name.to_owned())),
            "release" => Op::Release(observer.lock(key, || name.to_owned())),
            "submit" => Op::Submit(observer.job(key)),
            "job-begin" => Op::JobBegin(observer.job(key)),
            "job-end" => Op::JobEnd(observer.job(key)),
            "await" => Op::JobAwait(observer.job(key)),
            "class-ready" => Op::ClassReady(observer.class(key)),
            "class-use" => Op::ClassUse(observer.class(key)),
            "begin" => Op::TaskBegin(observer.task(key)),
            "end" => Op::TaskEnd(observer.task(key)),
            "unpost" => Op::Unpost(observer.task(key)),
            "barrier-remove" => Op::BarrierRemove(observer.barrier(key)),
            "barrier" => Op::BarrierPost {
                barrier: observer.barrier(key),
                to: match words.words.next() {
                    Some(to) => self.thread(to),
                    None => thread,
                },
            },
            _ => {
                // `Account#3.balance` is a part of the object `Account#3`; other names stand for themselves.
                let (object, part) = name.rsplit_once('.').unwrap_or((name, ""));
                let (object, part) = (self.words.key(object), self.words.key(part));
                let location = self.observer.location(object, part, || name.to_owned());
                match operation {
                    "read" => Op::Read(location),
                    "write" => Op::Write(location),
                    "volatile-read" => Op::VolatileRead(location),
                    "volatile-write" => Op::VolatileWrite(location),
                    _ => Op::VolatileUpdate(location),
                }
            }
        })
    }

    fn post(&mut self, words: &mut Arguments<'_>) -> Result<Post, Problem> {
        let task = self.words.key(words.name("a task")?);
        let task = self.observer.task(task);
        if words.words.next() != Some("to") {
            return Err(words.missing("`to THREAD`"));
        }
        let to = self.thread(words.name("a thread")?);
        let mut post = Post::plain(task, to);
        while let Some(word) = words.words.next() {
            match word {
                "delay" => post.delay = words.number("milliseconds")?,
                "front" => post.place = Place::Front,
                "asynchronous" => post.passage = Passage::Asynchronous,
                _ => return Err(Problem::Unexpected(shortened(word))),
            }
        }
        Ok(post)
    }
}

const KEYED: &[&str] = &[
    "acquire",
    "release",
    "submit",
    "job-begin",
    "job-end",
    "await",
    "class-ready",
    "class-use",
    "begin",
    "end",
    "unpost",
    "barrier",
    "barrier-remove",
    "read",
    "write",
    "volatile-read",
    "volatile-write",
    "volatile-update",
];

fn environment(
    operation: &str,
    words: &mut Arguments<'_>,
) -> Result<Option<EnvironmentOp>, Problem> {
    Ok(Some(match operation {
        "enable-input" => EnvironmentOp::EnableInput(input(words)?),
        "trigger-input" => EnvironmentOp::TriggerInput(input(words)?),
        "enable-focus" => EnvironmentOp::EnableFocus(identity(words)?),
        "trigger-focus" => EnvironmentOp::TriggerFocus(identity(words)?),
        "add-idle" => EnvironmentOp::AddIdle(idle(words)?),
        "remove-idle" => EnvironmentOp::RemoveIdle(idle(words)?),
        "run-idle" => EnvironmentOp::RunIdle(idle(words)?),
        _ => return Ok(None),
    }))
}

fn identity(words: &mut Arguments<'_>) -> Result<Identity, Problem> {
    Ok(Identity(words.number("a number")?.into()))
}

fn input(words: &mut Arguments<'_>) -> Result<Input, Problem> {
    Ok(Input {
        view: identity(words)?,
        kind: words.number("a kind of input")?.into(),
    })
}

fn idle(words: &mut Arguments<'_>) -> Result<IdleHandler, Problem> {
    Ok(IdleHandler {
        handler: identity(words)?,
        queue: identity(words)?,
    })
}

/// The words behind an operation.
struct Arguments<'a> {
    operation: &'a str,
    words: std::str::SplitWhitespace<'a>,
}

impl<'a> Arguments<'a> {
    fn name(&mut self, what: &'static str) -> Result<&'a str, Problem> {
        self.words.next().ok_or_else(|| self.missing(what))
    }

    fn number(&mut self, what: &'static str) -> Result<u32, Problem> {
        let word = self.name(what)?;
        word.parse()
            .map_err(|_| Problem::NotANumber(shortened(word)))
    }

    fn missing(&self, what: &'static str) -> Problem {
        Problem::Missing {
            operation: self.operation.to_owned(),
            what,
        }
    }
}

/// `Account.withdraw(Account.java:14)`; the part in parentheses may be missing, and in it the line.
fn frame(text: &str) -> Frame {
    let text = text.trim();
    let Some((function, source)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
    else {
        return Frame {
            function: text.to_owned(),
            ..Frame::default()
        };
    };
    let (file, line) = match source.rsplit_once(':') {
        Some((file, line)) if line.parse::<u32>().is_ok() => (file, line.parse().ok()),
        Some(_) | None => (source, None),
    };
    Frame {
        function: function.to_owned(),
        file: Some(file.to_owned()),
        line,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).filter(|c| !c.is_control()).collect()
}

/// Reads a whole text.
pub fn analyse(text: &str, options: &Options) -> Result<(Findings, ObservedNames), TextError> {
    let mut reader = Reader::new(options);
    reader.feed(text.as_bytes())?;
    let (findings, names, _) = reader.finish()?;
    Ok((findings, names))
}
