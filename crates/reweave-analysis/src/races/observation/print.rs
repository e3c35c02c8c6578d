//! A log as text, in the form that `races::text` reads.

use super::{Access, Kind, Names, Part, Record, is_shared};
use crate::races::observe::Frame;
use crate::races::text::TITLE;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};

/// Prints records one after the other.
pub struct Printer<'a> {
    names: &'a Names,
    /// By stream, without spaces.
    threads: HashMap<u32, String>,
    runner: HashMap<u32, u32>,
    begun: HashSet<u32>,
    /// Classes of objects; statics have no object.
    classes: HashMap<u64, (u32, bool)>,
    depth: HashMap<(u32, u64), u32>,
}

impl Printer<'_> {
    pub fn new(names: &Names, threads: HashMap<u32, String>) -> Printer<'_> {
        Printer {
            names,
            threads,
            runner: HashMap::new(),
            begun: HashSet::new(),
            classes: HashMap::new(),
            depth: HashMap::new(),
        }
    }

    pub fn title() -> &'static str {
        TITLE
    }

    /// A record may come before the one that introduces its object, so those are looked at first.
    pub fn introduce(&mut self, record: &Record) {
        match record.kind {
            Kind::Made => self.classes.insert(record.object, (record.part, false)),
            Kind::Class => self.classes.insert(record.object, (record.part, true)),
            _ => None,
        };
    }

    fn thread(&self, stream: u32) -> String {
        let stream = self.runner.get(&stream).copied().unwrap_or(stream);
        let known = self.threads.get(&stream);
        known.map_or_else(|| format!("t{stream}"), Clone::clone)
    }

    fn object(&self, object: u64) -> String {
        match self.classes.get(&object) {
            Some((class, true)) => self.names.class(*class).to_owned(),
            Some((class, false)) => self.names.object(object, *class),
            None if is_shared(object) => self.names.object(object, object as u32),
            None => self.names.object(object, 0),
        }
    }

    /// The location, and the type of what is there.
    fn location(&self, record: &Record, part: Part) -> (String, char) {
        let object = self.object(record.object);
        let class = self.classes.get(&record.object).copied();
        let Part::Field = part else {
            let element = class.map_or(' ', |(class, _)| self.names.element_letter(class));
            return (format!("{object}.[{}]", record.part), element);
        };
        let field = match class {
            Some((class, true)) => self.names.static_field(class, record.part),
            Some((class, false)) => self.names.field(class, record.part),
            None => self.names.field(record.object as u32, record.part),
        };
        match field {
            Some(field) => (format!("{object}.{}", field.name), field.type_letter),
            None => (format!("{object}.+{}", record.part), ' '),
        }
    }

    fn value(&self, value: u64, type_letter: char) -> String {
        match type_letter {
            'L' | '[' if value == 0 => "null".to_owned(),
            'L' | '[' => self.object(value),
            'Z' => (value != 0).to_string(),
            'F' => f32::from_bits(value as u32).to_string(),
            'D' => f64::from_bits(value).to_string(),
            _ => (value as i64).to_string(),
        }
    }

    /// The lines of one record.
    pub fn print(&mut self, record: &Record, out: &mut String) -> fmt::Result {
        match record.kind {
            Kind::Made | Kind::Class => return Ok(()),
            Kind::Initialises => {
                let runner = record.object as u32;
                let runner = self.runner.get(&runner).copied().unwrap_or(runner);
                self.runner.insert(record.stream, runner);
                return Ok(());
            }
            _ => (),
        }
        let thread = self.thread(record.stream);
        let runner = self.runner.get(&record.stream).copied();
        if self.begun.insert(runner.unwrap_or(record.stream)) {
            writeln!(out, "{thread} thread-begin")?;
        }
        let held = (runner.unwrap_or(record.stream), record.object);
        let other = || self.thread(record.object as u32);
        let what = match record.kind {
            Kind::Access(access, part) => {
                let word = match access {
                    Access::Read => "read",
                    Access::Write => "write",
                    Access::VolatileRead => "volatile-read",
                    Access::VolatileWrite => "volatile-write",
                    Access::Update => "volatile-update",
                };
                return self.accesses(&thread, word, record, part, out);
            }
            Kind::Taken | Kind::TakenBack => {
                let depth = self.depth.entry(held).or_default();
                *depth += 1;
                if *depth > 1 {
                    return Ok(());
                }
                format!("acquire {}", self.object(record.object))
            }
            Kind::Left => {
                match self.depth.get_mut(&held) {
                    Some(depth) if *depth > 1 => {
                        *depth -= 1;
                        return Ok(());
                    }
                    Some(_) => self.depth.remove(&held),
                    None => return Ok(()),
                };
                format!("release {}", self.object(record.object))
            }
            Kind::GivenUp => {
                self.depth.remove(&held);
                format!("release {}", self.object(record.object))
            }
            Kind::Started => format!("fork {}", other()),
            Kind::Ended => "thread-end".to_owned(),
            Kind::Joined => format!("join {}", other()),
            Kind::Parked => "park".to_owned(),
            Kind::Unparked => format!("unpark {}", other()),
            Kind::Initialised => format!("class-ready {}", record.stream),
            Kind::Interrupts => format!("volatile-write {}.interrupted", other()),
            Kind::WasInterrupted => format!("volatile-read {}.interrupted", other()),
            Kind::Notified | Kind::Initialises | Kind::Made | Kind::Class => return Ok(()),
        };
        write!(out, "{thread} {what}")?;
        self.place(record, out)
    }

    fn accesses(
        &self,
        thread: &str,
        word: &str,
        record: &Record,
        part: Part,
        out: &mut String,
    ) -> fmt::Result {
        let count = match part {
            Part::Elements(count) => count,
            Part::Field | Part::Element => 1,
        };
        for index in 0..count {
            let one = Record {
                part: record.part.saturating_add(index),
                ..*record
            };
            let (location, type_letter) = self.location(&one, part);
            write!(out, "{thread} {word} {location}")?;
            if let (Some(value), 1) = (record.value, count) {
                write!(out, " = {}", self.value(value, type_letter))?;
            }
            self.place(record, out)?;
        }
        Ok(())
    }

    fn place(&self, record: &Record, out: &mut String) -> fmt::Result {
        let stack = self.names.stack(record.stack);
        let site = self.names.site(record.site).map(std::slice::from_ref);
        for (index, frame) in stack.or(site).unwrap_or_default().iter().enumerate() {
            out.push_str(if index == 0 { " @ " } else { " < " });
            print_frame(frame, out)?;
        }
        out.push('\n');
        Ok(())
    }
}

fn print_frame(frame: &Frame, out: &mut String) -> fmt::Result {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => write!(out, "{}({file}:{line})", frame.function),
        (Some(file), None) => write!(out, "{}({file})", frame.function),
        (None, _) => write!(out, "{}", frame.function),
    }
}
