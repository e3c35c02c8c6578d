//! Where every instruction of a method ends up, and who has to be told which of the places around it.
//!
//! ```text
//!   before   [epilogue]   instruction   after
//!   ^ branches, handlers,  ^ `new` of an          ^ protected ranges that start at the
//!     frames, lines          uninitialized value    next instruction start here
//! ```
//! A protected range starts right after the core of the previous instruction, so that javac's range for a `synchronized` block covers
//! the helper call after `monitorenter`: the monitor is released if that call throws.

use super::addition::{Edit, Edits, Instead};
use super::error::ClassFileError;
use super::opcode::{Bytecode, LOOKUPSWITCH, TABLESWITCH, switch_payload};

/// Set for indices at which no instruction starts.
const INSIDE: u32 = 1 << 31;

/// New positions by old index; reused from method to method.
#[derive(Debug, Default)]
pub(super) struct Positions(Vec<u32>);

#[derive(Debug, Clone, Copy)]
pub(super) struct Layout<'s> {
    positions: &'s [u32],
    edits: &'s Edits,
    epilogue: usize,
    /// Where the method's own code ends.
    pub body_end: usize,
}

impl Positions {
    /// Lays the code out after a prologue of `prologue` bytes, with an epilogue of `epilogue` bytes before each marked return.
    pub fn lay_out<'s>(
        &'s mut self,
        bytecode: &Bytecode<'_>,
        edits: &'s Edits,
        prologue: usize,
        epilogue: usize,
    ) -> Result<Layout<'s>, ClassFileError> {
        let positions = &mut self.0;
        positions.clear();
        let mut pending = edits.list.iter().peekable();
        let (mut at, mut position) = (0, prologue);
        while at < bytecode.len() {
            let next = bytecode.next(at)?;
            // Positions stay far below 2^31: each of at most 65,535 instructions adds a few dozen bytes.
            positions.push(position as u32);
            positions.resize(next, position as u32 | INSIDE);
            let edit = pending.next_if(|edit| edit.at == at);
            position += edit.map_or(0, |edit| before_length(edit, epilogue));
            position += match bytecode.bytes[at] {
                TABLESWITCH | LOOKUPSWITCH => {
                    switch_payload(position) - position + next - switch_payload(at)
                }
                _ => next - at,
            };
            position += edit.map_or(0, |edit| edit.after.len());
            at = next;
        }
        positions.push(position as u32);
        Ok(Layout {
            positions: &*positions,
            edits,
            epilogue,
            body_end: position,
        })
    }
}

impl Layout<'_> {
    /// Where a branch to the instruction at `index` goes; `None` if no instruction starts there. The end of the code counts as one.
    pub fn target(&self, index: usize) -> Option<usize> {
        match self.positions.get(index) {
            Some(&position) if position & INSIDE == 0 => Some(position as usize),
            _ => None,
        }
    }

    /// Like `target`, for tables that only inform: an index inside an instruction counts as that instruction's, one behind the end as the end.
    /// The prologue belongs to what is at index 0.
    pub fn nearest(&self, index: usize) -> usize {
        match self.positions.get(index) {
            _ if index == 0 => 0,
            Some(&position) => (position & !INSIDE) as usize,
            None => self.body_end,
        }
    }

    /// The instruction itself, behind the code added before it.
    pub fn instruction(&self, index: usize) -> Option<usize> {
        let added = self
            .edits
            .find(index)
            .map_or(0, |edit| before_length(edit, self.epilogue));
        Some(self.target(index)? + added)
    }

    /// Where a protected range that started at `index` starts.
    pub fn protected_from(&self, index: usize) -> Option<usize> {
        let previous = self
            .edits
            .find_ending(index)
            .map_or(0, |edit| edit.after.len());
        Some(self.target(index)? - previous)
    }
}

impl Layout<'_> {
    /// Where a protected range that ended at `index` ends. What was added behind a monitorexit is left out: the monitor is free there, and a handler that
    /// releases it again would be wrong.
    pub fn protected_to(&self, index: usize, is_exit: impl Fn(usize) -> bool) -> Option<usize> {
        let previous = self
            .edits
            .find_ending(index)
            .filter(|edit| is_exit(edit.at))
            .map_or(0, |edit| edit.after.len());
        Some(self.target(index)? - previous)
    }
}

/// How much comes before the instruction.
pub(super) fn before_length(edit: &Edit, epilogue: usize) -> usize {
    edit.before.len()
        + match edit.instead {
            Instead::SameAfterEpilogue | Instead::SameAfterEpilogueFirst => epilogue,
            Instead::Same | Instead::CallStatic(_) => 0,
        }
}
