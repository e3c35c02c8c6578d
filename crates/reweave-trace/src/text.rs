//! A process's events as lines that a person can read and write; used by tests, examples and docs.
//!
//! ```text
//! t1 start t2
//! t1 acquire m:Account @Bank.java:12    # an object's first event may give its class
//! t2 acquire cell%1                     # an object that shares the cell `cell` with others
//! t2 wait m by 7                        # woken by the notify (or interrupt) on line 7; or timed-out, interrupted, spurious
//! t1 join t2
//! c3 class-init t1                      # stream 3 is a class initialiser
//! t2 order 5 after t1 9                 # the fifth access of t2 to memory came after the ninth of t1
//! ```
//! Lines are in an order that could have happened. Links are not written: they follow from the objects. Empty lines
//! and what follows `#` do not count, but line numbers are those of the text.

use crate::event::{Event, MAX_DISTANCE, TAG_SHARED, Tag, encode};
use crate::file::table::{SiteKind, ThreadKind};
use crate::ids::{ClassId, Link, Position, ProcessNumber, SiteId, StreamId};
use crate::kind::{Form, Kind, LinkRole};
use crate::model::{Process, Site};
use crate::operation::{Ending, Moment, Operation, Reason, Woken};
use std::collections::HashMap;
use thiserror::Error;

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct TextError {
    pub line: usize,
    pub what: String,
}

/// Reads events and gives the process that would have written them. It has ended in order.
pub fn parse(text: &str) -> Result<Process, TextError> {
    let mut parser = Parser::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line
            .split('#')
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        if !words.is_empty() {
            parser.line = index + 1;
            parser.event(&words)?;
        }
    }
    parser.process.ended = true;
    Ok(parser.process)
}

struct Parser {
    process: Process,
    line: usize,
    /// Last event on each object or shared cell.
    last: HashMap<String, Link>,
    /// Event written by each line.
    lines: HashMap<usize, Link>,
    exits: HashMap<StreamId, Link>,
    interrupts: HashMap<StreamId, Link>,
    /// The last switch of any thread.
    switch: Option<Link>,
}

impl Parser {
    fn new() -> Parser {
        let mut process = Process::new(ProcessNumber(0));
        process.main = "Text".to_owned();
        Parser {
            process,
            line: 0,
            last: HashMap::new(),
            lines: HashMap::new(),
            exits: HashMap::new(),
            interrupts: HashMap::new(),
            switch: None,
        }
    }

    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, TextError> {
        Err(TextError {
            line: self.line,
            what: what.into(),
        })
    }

    fn event(&mut self, words: &[&str]) -> Result<(), TextError> {
        let (place, words) = match words.split_last() {
            Some((last, rest)) if last.starts_with('@') => (Some(&last[1..]), rest),
            _ => (None, words),
        };
        let [thread, name, arguments @ ..] = words else {
            return self.wrong("a line is a thread, a kind of event, and what that kind needs");
        };
        let stream = self.stream(thread)?;
        if thread.starts_with('c') {
            self.process.thread_mut(stream).kind = ThreadKind::ClassInitialiser;
        }
        let Some(kind) = Kind::from_name(name) else {
            return self.wrong(format!("`{name}` is no kind of event"));
        };
        let operation = self.operation(kind, stream, arguments)?;
        if let Operation::Start { child } | Operation::Hook { child } = operation {
            self.process.thread_mut(child).parent = Some(stream);
        }
        let position = self.process.thread_mut(stream).end();
        let here = Link::new(stream, position);
        let object = self.object(kind, operation, stream, arguments);
        let (previous, tag) = match (operation, arguments) {
            (Operation::Order { .. }, [_, _, other, completed]) => {
                let completed = Position(self.number(completed)?);
                (Some(Link::new(self.stream(other)?, completed)), Tag::NONE)
            }
            _ => self.link(here, kind, operation, object)?,
        };
        let site = self.site(place)?;
        let near = previous.is_some_and(|link| {
            link.stream == stream && position.0 - link.position.0 <= MAX_DISTANCE
        });
        let plain = kind.link_role() == LinkRole::None || (near && tag == Tag::NONE);
        let form = match kind.forms() {
            [Form::Short, ..] if plain => Form::Short,
            forms => forms[forms.len() - 1],
        };
        let tag = match operation {
            Operation::Repeat { times } => Tag(times),
            Operation::Switch { next, .. } => Tag(next.0),
            Operation::Input { descriptor, .. } => Tag(descriptor),
            _ => tag,
        };
        let event = Event {
            position,
            kind,
            site,
            form,
            previous,
            tag,
            value: operation.value(),
        };
        let words = encode(&event).or_else(|error| self.wrong(error.to_string()))?;
        self.process
            .thread_mut(stream)
            .words
            .extend_from_slice(&words);
        self.lines.insert(self.line, here);
        match operation {
            Operation::Exit => drop(self.exits.insert(stream, here)),
            Operation::Interrupt { target } => drop(self.interrupts.insert(target, here)),
            _ => (),
        }
        Ok(())
    }

    fn stream(&self, word: &str) -> Result<StreamId, TextError> {
        let number = word
            .strip_prefix('t')
            .or_else(|| word.strip_prefix('c'))
            .and_then(|number| number.parse().ok());
        match number {
            Some(number) if number > 0 && number <= StreamId::MAX.0 => Ok(StreamId(number)),
            _ => self.wrong(format!(
                "`{word}` is no thread; t1, t2, … are, and c1, c2, … for class initialisers"
            )),
        }
    }

    fn number(&self, word: &str) -> Result<u64, TextError> {
        word.parse()
            .or_else(|_| self.wrong(format!("`{word}` is no number")))
    }

    fn operation(
        &mut self,
        kind: Kind,
        stream: StreamId,
        arguments: &[&str],
    ) -> Result<Operation, TextError> {
        Ok(match (kind, arguments) {
            (Kind::Acquire, [_]) => Operation::Acquire,
            (Kind::Notify, [_]) => Operation::Notify,
            (Kind::NotifyAll, [_]) => Operation::NotifyAll,
            (Kind::Foreign, [_]) => Operation::Foreign,
            (Kind::Order, [access, "after", _, _]) => Operation::Order {
                access: self.number(access)?,
            },
            (Kind::Repeat, [times]) => Operation::Repeat {
                times: self.number(times)? as u32,
            },
            (Kind::Wait, [_, "timed-out"]) => Operation::Wait(Woken::TimedOut),
            (Kind::Wait, [_, "interrupted"]) => Operation::Wait(Woken::Interrupted),
            (Kind::Wait, [_, "spurious"]) => Operation::Wait(Woken::Spurious),
            (Kind::Wait, [_, "by", line]) => {
                let line = self.number(line)? as usize;
                match self.lines.get(&line) {
                    Some(&link) => Operation::Wait(Woken::By(link)),
                    None => return self.wrong(format!("there is no event on line {line} above")),
                }
            }
            (Kind::Start, [child]) => Operation::Start {
                child: self.stream(child)?,
            },
            (Kind::Hook, [child]) => Operation::Hook {
                child: self.stream(child)?,
            },
            (Kind::Exit, []) => Operation::Exit,
            (Kind::Join, [target]) => Operation::Join {
                target: self.stream(target)?,
                ending: Ending::Done,
            },
            (Kind::Join, [target, "timed-out"]) => Operation::Join {
                target: self.stream(target)?,
                ending: Ending::TimedOut,
            },
            (Kind::Join, [target, "interrupted"]) => Operation::Join {
                target: self.stream(target)?,
                ending: Ending::Interrupted,
            },
            (Kind::Interrupt, [target]) => Operation::Interrupt {
                target: self.stream(target)?,
            },
            (Kind::ReadInterrupt, [target, flags @ ..]) => Operation::ReadInterrupt {
                target: self.stream(target)?,
                flag: flags.contains(&"set"),
                cleared: flags.contains(&"cleared"),
            },
            (Kind::Sleep, []) => Operation::Sleep(Ending::Done),
            (Kind::Sleep, ["interrupted"]) => Operation::Sleep(Ending::Interrupted),
            (Kind::Park, []) => Operation::Park,
            (Kind::Unpark, [target]) => Operation::Unpark {
                target: self.stream(target)?,
            },
            (Kind::ClassInit, [by]) => Operation::ClassInit {
                by: self.stream(by)?,
            },
            (Kind::ClassInitEnd, []) => Operation::ClassInitEnd,
            (Kind::Value, [value]) => Operation::Value(self.number(value)?),
            (Kind::Output, [descriptor, hash, length]) => Operation::Output {
                descriptor: self.number(descriptor)? as u32,
                hash: self.number(hash)? as u32,
                length: self.number(length)? as u32,
            },
            (Kind::Uncaught, [class]) => Operation::Uncaught {
                class: self.class(class),
            },
            (Kind::Switch, [next, reason, blocks]) => Operation::Switch {
                next: self.stream(next)?,
                reason: match Reason::from_name(reason) {
                    Some(reason) => reason,
                    None => return self.wrong(format!("`{reason}` is no reason to switch")),
                },
                blocks: self.number(blocks)?,
            },
            (Kind::Input, [descriptor, result]) => Operation::Input {
                descriptor: self.number(descriptor)? as u32,
                result: self.number(result)? as i64,
            },
            (Kind::Signal, [number, moment, blocks]) => Operation::Signal {
                number: self.number(number)? as u8,
                moment: match Moment::from_name(moment) {
                    Some(moment) => moment,
                    None => return self.wrong(format!("`{moment}` is no moment for a signal")),
                },
                blocks: self.number(blocks)?,
            },
            (Kind::Halt, [status]) => Operation::Halt {
                status: self.number(status)? as i32,
            },
            _ => {
                return self.wrong(format!(
                    "`{kind}` in t{stream} cannot be followed by `{}`",
                    arguments.join(" ")
                ));
            }
        })
    }

    /// Name of the object that an event is on.
    fn object<'a>(
        &self,
        kind: Kind,
        operation: Operation,
        stream: StreamId,
        arguments: &[&'a str],
    ) -> Option<ObjectName<'a>> {
        match operation {
            // A thread's permit and its interrupt flag are one object.
            Operation::Park => Some(ObjectName::own(format!("thread {stream}"))),
            Operation::Unpark { target }
            | Operation::Interrupt { target }
            | Operation::ReadInterrupt { target, .. } => {
                Some(ObjectName::own(format!("thread {target}")))
            }
            _ if kind.link_role() == LinkRole::Object => {
                arguments.first().map(|word| ObjectName::read(word))
            }
            _ => None,
        }
    }

    fn link(
        &mut self,
        here: Link,
        kind: Kind,
        operation: Operation,
        object: Option<ObjectName<'_>>,
    ) -> Result<(Option<Link>, Tag), TextError> {
        let after = match (kind.link_role(), operation) {
            (LinkRole::None, Operation::Output { descriptor, .. }) => {
                return Ok((None, Tag(descriptor)));
            }
            (LinkRole::None, _) => None,
            (LinkRole::Object, _) => return self.object_link(here, object),
            (
                LinkRole::Order,
                Operation::Join {
                    target,
                    ending: Ending::Done,
                },
            ) => match self.exits.get(&target) {
                Some(&exit) => Some(exit),
                None => return self.wrong(format!("t{target} has not ended")),
            },
            (LinkRole::Order, Operation::Sleep(Ending::Interrupted)) => {
                self.interrupts.get(&here.stream).copied()
            }
            (LinkRole::Order, Operation::ClassInit { by }) => self.last_word(by),
            (LinkRole::Order, Operation::Switch { .. }) => self.switch.replace(here),
            (LinkRole::Order | LinkRole::Accesses, _) => None,
        };
        Ok((after, Tag::NONE))
    }

    /// Unlike other links, that of a class initialiser names the last word of an event.
    fn last_word(&mut self, stream: StreamId) -> Option<Link> {
        let thread = self.process.thread_mut(stream);
        let last = thread.words.len() as u64;
        (last > 0).then(|| thread.link(Position(last)))
    }

    fn object_link(
        &mut self,
        here: Link,
        object: Option<ObjectName<'_>>,
    ) -> Result<(Option<Link>, Tag), TextError> {
        let Some(object) = object else {
            return self.wrong("which object?");
        };
        let previous = self.last.insert(object.cell.clone(), here);
        let tag = match (object.shared, object.class) {
            (Some(number), _) => match number.parse::<u32>() {
                Ok(number) if number < TAG_SHARED => Tag::shared(number),
                _ => return self.wrong(format!("`{number}` does not number an object of a cell")),
            },
            (None, Some(class)) if previous.is_none() => Tag::class(self.class(class)),
            (None, _) => Tag::NONE,
        };
        Ok((previous, tag))
    }

    fn class(&mut self, name: &str) -> ClassId {
        let classes = &mut self.process.classes;
        if let Some((&class, _)) = classes.iter().find(|(_, known)| *known == name) {
            return class;
        }
        let class = ClassId(classes.len() as u32 + 1);
        classes.insert(class, name.to_owned());
        class
    }

    /// `Bank.java:12` becomes a site of class `Bank`.
    fn site(&mut self, place: Option<&str>) -> Result<SiteId, TextError> {
        let Some(place) = place else {
            return Ok(SiteId::default());
        };
        let Some((source, line)) = place.split_once(':') else {
            return self.wrong(format!("`@{place}` is no place; `@Bank.java:12` is"));
        };
        let line = self.number(line)? as u16;
        let site = SiteId(crc32fast::hash(place.as_bytes()));
        let class = source.split('.').next().unwrap_or(source);
        self.process.sites.insert(
            site,
            Site {
                class: class.into(),
                source: source.into(),
                method: "run()V".to_owned(),
                line,
                kind: SiteKind::MonitorBlock,
            },
        );
        Ok(site)
    }
}

struct ObjectName<'a> {
    cell: String,
    shared: Option<&'a str>,
    class: Option<&'a str>,
}

impl<'a> ObjectName<'a> {
    fn own(cell: String) -> ObjectName<'a> {
        ObjectName {
            cell,
            shared: None,
            class: None,
        }
    }

    fn read(word: &'a str) -> ObjectName<'a> {
        let (name, class) = match word.split_once(':') {
            Some((name, class)) => (name, Some(class)),
            None => (word, None),
        };
        let (cell, shared) = match name.split_once('%') {
            Some((cell, number)) => (cell, Some(number)),
            None => (name, None),
        };
        ObjectName {
            cell: cell.to_owned(),
            shared,
            class,
        }
    }
}

mod print;
pub use print::print;

#[cfg(test)]
mod tests;
