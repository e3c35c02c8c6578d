//! The exception table: the method's own entries moved, and the entries of the brackets added.
//!
//! Where a method has brackets, no range covers what runs between an epilogue's first exit and its return: there the brackets are half
//! undone, a handler would undo them again, and HotSpot's compilers refuse methods in which a monitor may be held or not.

use super::addition::Bracket;
use super::bytes::{Reader, put_u2};
use super::code::Code;
use super::emit::{Epilogue, Landmarks};
use super::error::ClassFileError;
use super::layout::Layout;
use super::opcode::MONITOREXIT;
use super::skip::{Obstacle, SkipReason};

/// A new table, not yet written.
#[derive(Debug, Default)]
pub(super) struct ExceptionTable {
    entries: Vec<[u16; 4]>,
    /// By the number of an entry before rewriting, the number of the first that came of it.
    moved: Vec<u16>,
}

impl ExceptionTable {
    pub fn relocate(
        code: &Code<'_>,
        layout: &Layout<'_>,
        landmarks: &Landmarks,
    ) -> Result<Self, Obstacle> {
        let mut table = ExceptionTable::default();
        let epilogues = merged(&landmarks.epilogues);
        let mut reader = code.exceptions;
        for _ in 0..code.exception_count {
            table.moved.push(table.entries.len() as u16);
            let offset = reader.offset();
            let start = index(&mut reader)?;
            let end = index(&mut reader)?;
            let handler = index(&mut reader)?;
            let kind = reader.u2("caught class")?;
            let place = |what, index: usize, found: Option<usize>| {
                found.ok_or(ClassFileError::NoInstruction {
                    what,
                    index: index as i64,
                    offset,
                })
            };
            let new_start = place(
                "start of a protected range",
                start,
                layout.protected_from(start),
            )?;
            let is_exit = |at: usize| code.bytecode.bytes.get(at) == Some(&MONITOREXIT);
            let new_end = place(
                "end of a protected range",
                end,
                layout.protected_to(end, is_exit),
            )?;
            let new_handler = place("exception handler", handler, layout.target(handler))?;
            table.add(
                Range {
                    start: new_start,
                    end: new_end,
                    handler: new_handler,
                    kind,
                },
                &epilogues,
                0,
            )?;
        }
        Ok(table)
    }

    /// Adds the handlers of the brackets; inner ones come first, since the VM takes the first entry that covers the place.
    pub fn add_brackets(
        &mut self,
        brackets: &[Bracket],
        landmarks: &Landmarks,
    ) -> Result<(), Obstacle> {
        // How much of the epilogue has run when the bracket's own exit begins.
        let mut exits_before = 0;
        for (bracket, &handler) in brackets.iter().zip(&landmarks.handlers).rev() {
            let retried = bracket.retried;
            let range = Range {
                start: bracket.held_from,
                end: handler + retried,
                handler,
                kind: 0,
            };
            self.add(range, &landmarks.epilogues, exits_before + retried)?;
            exits_before += bracket.exit.len();
        }
        Ok(())
    }

    /// Adds a range without the epilogues in it, of each of which the first `kept` bytes stay covered.
    fn add(&mut self, range: Range, epilogues: &[Epilogue], kept: usize) -> Result<(), Obstacle> {
        let mut start = range.start;
        let first = epilogues.partition_point(|epilogue| epilogue.end <= start);
        for epilogue in &epilogues[first..] {
            if epilogue.start + kept >= range.end {
                break;
            }
            self.push(start, epilogue.start + kept, &range)?;
            start = epilogue.end;
        }
        self.push(start, range.end, &range)
    }

    fn push(&mut self, start: usize, end: usize, range: &Range) -> Result<(), Obstacle> {
        if start >= end {
            return Ok(());
        }
        if self.entries.len() >= usize::from(u16::MAX) {
            return Err(SkipReason::TooManyHandlers.into());
        }
        // The caller has checked that all of the code lies within 16 bits.
        self.entries
            .push([start as u16, end as u16, range.handler as u16, range.kind]);
        Ok(())
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        put_u2(out, self.entries.len() as u16);
        for &value in self.entries.iter().flatten() {
            put_u2(out, value);
        }
    }

    /// The number that entry `number` has now. Entries that do not exist stay as they are: only annotations ask.
    pub fn moved(&self, number: u16) -> u16 {
        self.moved
            .get(usize::from(number))
            .copied()
            .unwrap_or(number)
    }
}

/// Without gaps of no length between them, so that every gap makes a range one entry longer and no table takes long.
fn merged(epilogues: &[Epilogue]) -> Vec<Epilogue> {
    let mut merged: Vec<Epilogue> = Vec::new();
    for epilogue in epilogues {
        match merged.last_mut() {
            Some(last) if last.end == epilogue.start => last.end = epilogue.end,
            _ => merged.push(*epilogue),
        }
    }
    merged
}

struct Range {
    start: usize,
    end: usize,
    handler: usize,
    /// The caught class's constant, 0 for all.
    kind: u16,
}

fn index(reader: &mut Reader<'_>) -> Result<usize, ClassFileError> {
    Ok(usize::from(reader.u2("exception table")?))
}
