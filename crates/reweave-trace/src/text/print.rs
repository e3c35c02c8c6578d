//! The other direction: a process as text.

use crate::event::{DecodeError, Event, Events};
use crate::file::table::ThreadKind;
use crate::ids::{Link, Position, StreamId};
use crate::kind::{Form, Kind, LinkRole};
use crate::model::{Process, Thread};
use crate::operation::{Ending, Operation, Woken};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use thiserror::Error;

/// Why events have no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PrintError {
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error(transparent)]
    Value(#[from] crate::operation::ValueError),
    #[error("event {0} comes after one that is not there")]
    Dangling(Link),
}

/// The events of a process, one line each, in an order that could have happened: always the lowest stream that may go on.
/// Looks at every stream for every event, so it is for small traces.
pub fn print(process: &Process) -> Result<String, PrintError> {
    let mut printer = Printer {
        process,
        out: String::new(),
        lines: HashMap::new(),
        names: HashMap::new(),
        classes: 0,
        started: HashSet::new(),
        ends: HashMap::new(),
    };
    let mut rest: Vec<(&Thread, std::iter::Peekable<Events<'_>>)> = process
        .threads
        .iter()
        .map(|thread| (thread, thread.events().peekable()))
        .collect();
    let children: HashSet<StreamId> = starts(process)?;
    loop {
        let mut ready = None;
        let mut waiting = None;
        for (index, (thread, events)) in rest.iter_mut().enumerate() {
            let Some(event) = events.peek().copied().transpose()? else {
                continue;
            };
            if !printer.may_go_on(thread, &event, &children)? {
                waiting = Some(thread.link(event.position));
            } else if event.kind == Kind::ClassInit {
                // At once: its line means "after the last event of that thread".
                ready = Some((index, event));
                break;
            } else if ready.is_none() {
                ready = Some((index, event));
            }
        }
        match (ready, waiting) {
            (Some((index, event)), _) => {
                printer.line(rest[index].0, &event)?;
                rest[index].1.next();
            }
            (None, Some(here)) => return Err(PrintError::Dangling(here)),
            (None, None) => return Ok(printer.out),
        }
    }
}

fn starts(process: &Process) -> Result<HashSet<StreamId>, PrintError> {
    let mut children = HashSet::new();
    for event in process.threads.iter().flat_map(Thread::events) {
        if let Operation::Start { child } | Operation::Hook { child } = event?.operation()? {
            children.insert(child);
        }
    }
    Ok(children)
}

struct Printer<'a> {
    process: &'a Process,
    out: String,
    lines: HashMap<Link, usize>,
    /// Name of the object, or of the cell, that each event is on.
    names: HashMap<Link, String>,
    classes: usize,
    started: HashSet<StreamId>,
    /// How far each stream is printed.
    ends: HashMap<StreamId, Position>,
}

impl Printer<'_> {
    fn may_go_on(
        &self,
        thread: &Thread,
        event: &Event,
        children: &HashSet<StreamId>,
    ) -> Result<bool, PrintError> {
        let printed = |link: &Link| self.lines.contains_key(link);
        let woken = match event.operation()? {
            Operation::Wait(Woken::By(notify)) => printed(&notify),
            _ => true,
        };
        let started = event.position.0 > 1
            || !children.contains(&thread.stream)
            || self.started.contains(&thread.stream);
        let linked = match (event.kind, event.previous) {
            (_, None) => true,
            (Kind::ClassInit, Some(last_word)) => self.reached(last_word),
            // When the other thread had done that many is not known; the text may be in another order.
            (Kind::Order, _) => true,
            (_, Some(link)) => printed(&link),
        };
        Ok(woken && started && linked)
    }

    /// Whether the event whose last word this is has been printed.
    fn reached(&self, last_word: Link) -> bool {
        self.ends
            .get(&last_word.stream)
            .is_some_and(|end| *end > last_word.position)
    }

    fn line(&mut self, thread: &Thread, event: &Event) -> Result<(), PrintError> {
        let here = thread.link(event.position);
        let operation = event.operation()?;
        self.lines.insert(here, self.lines.len() + 1);
        self.ends.insert(thread.stream, event.end());
        let object = match event.kind.link_role() {
            LinkRole::Object => self.object(here, event),
            LinkRole::None | LinkRole::Order | LinkRole::Accesses => String::new(),
        };
        let line = format!(
            "{} {}{}",
            self.stream(thread.stream),
            event.kind,
            match (operation, event.previous) {
                (Operation::Order { access }, Some(after)) => format!(
                    " {access} after {} {}",
                    self.stream(after.stream),
                    after.position
                ),
                _ => self.arguments(operation, &object),
            }
        );
        self.out.push_str(&line);
        if let Some(site) = self.process.sites.get(&event.site) {
            let _ = write!(self.out, " @{}:{}", site.source, site.line);
        }
        self.out.push('\n');
        if let Operation::Start { child } | Operation::Hook { child } = operation {
            self.started.insert(child);
        }
        Ok(())
    }

    /// What follows the kind, each with a space before it.
    fn arguments(&self, operation: Operation, object: &str) -> String {
        let ending = |ending: Ending| match ending {
            Ending::Done => "",
            Ending::TimedOut => " timed-out",
            Ending::Interrupted => " interrupted",
        };
        match operation {
            Operation::Acquire | Operation::Notify | Operation::NotifyAll | Operation::Foreign => {
                format!(" {object}")
            }
            Operation::Repeat { times } => format!(" {times}"),
            Operation::Wait(Woken::By(notify)) => {
                format!(" {object} by {}", self.lines.get(&notify).unwrap_or(&0))
            }
            Operation::Wait(Woken::TimedOut) => format!(" {object} timed-out"),
            Operation::Wait(Woken::Interrupted) => format!(" {object} interrupted"),
            Operation::Wait(Woken::Spurious) => format!(" {object} spurious"),
            Operation::Start { child } | Operation::Hook { child } => {
                format!(" {}", self.stream(child))
            }
            Operation::Join {
                target,
                ending: how,
            } => format!(" {}{}", self.stream(target), ending(how)),
            Operation::Interrupt { target } | Operation::Unpark { target } => {
                format!(" {}", self.stream(target))
            }
            Operation::ReadInterrupt {
                target,
                flag,
                cleared,
            } => format!(
                " {}{}{}",
                self.stream(target),
                if flag { " set" } else { "" },
                if cleared { " cleared" } else { "" }
            ),
            Operation::Sleep(how) => ending(how).to_owned(),
            Operation::ClassInit { by } => format!(" {}", self.stream(by)),
            Operation::Value(value) => format!(" {value}"),
            Operation::Output {
                descriptor,
                hash,
                length,
            } => format!(" {descriptor} {hash} {length}"),
            Operation::Uncaught { class } => {
                format!(
                    " {}",
                    self.process
                        .classes
                        .get(&class)
                        .map_or("Unknown", String::as_str)
                )
            }
            Operation::Halt { status } => format!(" {status}"),
            Operation::Switch {
                next,
                reason,
                blocks,
            } => format!(" {} {} {blocks}", self.stream(next), reason.name()),
            Operation::Input { descriptor, result } => format!(" {descriptor} {}", result as u64),
            Operation::Signal {
                number,
                moment,
                blocks,
            } => format!(" {number} {} {blocks}", moment.name()),
            Operation::Order { .. }
            | Operation::Exit
            | Operation::Park
            | Operation::ClassInitEnd => String::new(),
        }
    }

    fn stream(&self, stream: StreamId) -> String {
        match self.process.thread(stream).map(|thread| thread.kind) {
            Some(ThreadKind::ClassInitialiser) => format!("c{stream}"),
            Some(ThreadKind::Thread) | None => format!("t{stream}"),
        }
    }

    /// The object's name as this line must write it.
    fn object(&mut self, here: Link, event: &Event) -> String {
        let before = event
            .previous
            .and_then(|link| self.names.get(&link))
            .cloned();
        let first = before.is_none();
        let name = before.unwrap_or_else(|| {
            self.classes += 1;
            format!("m{}", self.classes)
        });
        self.names.insert(here, name.clone());
        let class = event
            .first_class()
            .and_then(|class| self.process.classes.get(&class));
        match (event.tag.shared_number(), class) {
            (Some(number), _) if event.form != Form::Short => format!("{name}%{number}"),
            (_, Some(class)) if first => format!("{name}:{class}"),
            _ => name,
        }
    }
}
