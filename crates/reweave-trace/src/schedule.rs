//! The schedule of a serial run as text (Srinivasan 2005: thread, block count, address), which a person can read, change and hand back.
//!
//! ```text
//! # thread  blocks  why          where         next
//! 1         12      blocked      racy+0x1234   2
//! 2         5000    instruction  racy+0x11b6   3
//! ```
//! Each line is one switch: the thread, how many blocks it had executed, why it stopped, where, and who went on. Empty lines and what follows `#` do not count.

use crate::file::table::SiteKind;
use crate::ids::{Link, SiteId, StreamId};
use crate::model::Process;
use crate::operation::{Operation, Reason};
use crate::text::TextError;
use std::collections::HashMap;
use std::fmt;

/// A switch from one thread to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub thread: StreamId,
    pub blocks: u64,
    pub reason: Reason,
    /// Module and offset; needed only for a switch between two instructions.
    pub place: Option<(String, usize)>,
    pub next: StreamId,
    /// The line of the text.
    pub number: usize,
}

/// What stands above a printed schedule.
pub const HEADING: &str = "# thread  blocks  why  where  next";

impl fmt::Display for Line {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.place {
            Some((module, offset)) => format!("{module}+{offset:#x}"),
            None => "-".to_owned(),
        };
        write!(
            out,
            "{:<4} {:>10} {:<12} {place:<28} {}",
            self.thread.0,
            self.blocks,
            self.reason.name(),
            self.next.0
        )
    }
}

/// The switches of a process, in the order in which they were made: each names the one before it.
pub fn of(process: &Process) -> Vec<Line> {
    let mut by_previous: HashMap<Option<Link>, (Link, Line)> = HashMap::new();
    for thread in &process.threads {
        for event in thread.events().flatten() {
            if let Ok(Operation::Switch {
                next,
                reason,
                blocks,
            }) = event.operation()
            {
                let line = Line {
                    thread: thread.stream,
                    blocks,
                    reason,
                    place: place(process, event.site),
                    next,
                    number: 0,
                };
                let link = Link::new(thread.stream, event.position);
                by_previous.insert(event.previous, (link, line));
            }
        }
    }
    let mut lines = Vec::with_capacity(by_previous.len());
    let mut last = None;
    while let Some((link, mut line)) = by_previous.remove(&last) {
        last = Some(link);
        line.number = lines.len() + 1;
        lines.push(line);
    }
    lines
}

fn place(process: &Process, site: SiteId) -> Option<(String, usize)> {
    let place = process.sites.get(&site)?;
    if place.kind != SiteKind::Address {
        return None;
    }
    let offset = usize::from_str_radix(place.method.trim_start_matches("+0x"), 16).ok()?;
    let module = place.class.rsplit('/').next().unwrap_or(&place.class);
    Some((module.to_owned(), offset))
}

/// Reads a schedule back.
pub fn parse(text: &str) -> Result<Vec<Line>, TextError> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let meant = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = meant.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let number = index + 1;
        let parsed = read(&words, number).map_err(|what| TextError { line: number, what })?;
        lines.push(parsed);
    }
    Ok(lines)
}

fn read(words: &[&str], number: usize) -> Result<Line, String> {
    let &[thread, blocks, reason, place, next] = words else {
        return Err(format!(
            "five words are needed (thread, blocks, why, where, next), not {}",
            words.len()
        ));
    };
    let stream = |word: &str| {
        word.parse()
            .ok()
            .filter(|&number| number > 0)
            .map(StreamId)
            .ok_or_else(|| format!("`{word}` is no thread; threads are numbered from 1"))
    };
    let reason = Reason::from_name(reason).ok_or_else(|| {
        let known: Vec<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
        format!("`{reason}` is none of {}", known.join(", "))
    })?;
    let place = match place {
        "-" => None,
        place => Some(module_and_offset(place)?),
    };
    if reason == Reason::Instruction && place.is_none() {
        return Err("a switch between two instructions needs its place".to_owned());
    }
    Ok(Line {
        thread: stream(thread)?,
        blocks: blocks
            .parse()
            .map_err(|_| format!("`{blocks}` is no number of blocks"))?,
        reason,
        place,
        next: stream(next)?,
        number,
    })
}

fn module_and_offset(place: &str) -> Result<(String, usize), String> {
    place
        .rsplit_once("+0x")
        .and_then(|(module, offset)| {
            let offset = usize::from_str_radix(offset, 16).ok()?;
            Some((module.to_owned(), offset))
        })
        .ok_or_else(|| format!("`{place}` is no place; write MODULE+0xOFFSET, or `-`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a comment\n1 12 blocked racy+0x1234 2\n\n2 5000 instruction ra+cy+0x11b6 3 # here\n3 7 ended - 2\n";

    #[test]
    fn what_is_read_is_what_is_printed() {
        let lines = parse(TEXT).unwrap();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].place, Some(("ra+cy".to_owned(), 0x11b6)));
        assert_eq!(lines[1].number, 4);
        let printed: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let again = parse(&printed.join("\n")).unwrap();
        let numbered = |lines: &[Line]| -> Vec<Line> {
            let same = lines.iter().cloned();
            same.map(|line| Line { number: 0, ..line }).collect()
        };
        assert_eq!(numbered(&lines), numbered(&again));
    }

    #[test]
    fn mistakes_are_said_with_their_line() {
        for (text, expected) in [
            ("1 2 blocked -", "line 1: five words are needed"),
            ("\n1 2 tired - 2", "line 2: `tired` is none of callback"),
            ("0 2 blocked - 2", "line 1: `0` is no thread"),
            ("1 x blocked - 2", "line 1: `x` is no number of blocks"),
            ("1 2 instruction - 2", "line 1: a switch between two"),
            ("1 2 callback racy 2", "line 1: `racy` is no place"),
        ] {
            let said = parse(text).unwrap_err().to_string();
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
