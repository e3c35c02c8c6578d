//! Writes a method's bytecode with everything added to it, and moves branches and switches to where their targets now are.

use super::addition::{Edits, Instead, Prologue};
use super::bytes::{put_u2, put_u4};
use super::error::ClassFileError;
use super::layout::Layout;
use super::opcode::{ATHROW, Bytecode, INVOKESTATIC, NOP, Operand, operand, switch_payload};
use super::skip::{Obstacle, SkipReason};

/// Places in the new code that the exception table needs.
#[derive(Debug, Default)]
pub(super) struct Landmarks {
    /// The epilogues, in order.
    pub epilogues: Vec<Epilogue>,
    /// Where the handler of each bracket starts, outermost bracket first.
    pub handlers: Vec<usize>,
    pub end: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Epilogue {
    pub start: usize,
    /// Behind the return instruction.
    pub end: usize,
}

pub(super) struct Emission<'s, 'a> {
    pub bytecode: Bytecode<'a>,
    pub prologue: &'s Prologue,
    pub edits: &'s Edits,
    pub layout: Layout<'s>,
}

impl Emission<'_, '_> {
    /// Appends the code to `out`.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<Landmarks, Obstacle> {
        let first = out.len();
        let mut landmarks = Landmarks::default();
        let epilogue = self.prologue.epilogue();
        out.extend_from_slice(&self.prologue.code);
        let mut pending = self.edits.list.iter().peekable();
        let bytes = self.bytecode.bytes;
        let (mut at, mut copied) = (0, 0);
        while at < bytes.len() {
            let next = self.bytecode.next(at)?;
            let edit = pending.next_if(|edit| edit.at == at);
            if edit.is_none() && operand(bytes[at]) == Operand::Fixed {
                at = next;
                continue;
            }
            out.extend_from_slice(&bytes[copied..at]);
            match edit {
                None => self.instruction(at, next, first, out)?,
                Some(edit) => {
                    let before = self.edits.bytes(&edit.before);
                    if edit.instead != Instead::SameAfterEpilogueFirst {
                        out.extend_from_slice(before);
                    }
                    match edit.instead {
                        Instead::Same => self.instruction(at, next, first, out)?,
                        Instead::SameAfterEpilogue | Instead::SameAfterEpilogueFirst => {
                            let start = out.len() - first;
                            out.extend_from_slice(&epilogue);
                            if edit.instead == Instead::SameAfterEpilogueFirst {
                                out.extend_from_slice(before);
                            }
                            self.instruction(at, next, first, out)?;
                            landmarks.epilogues.push(Epilogue {
                                start,
                                end: out.len() - first,
                            });
                        }
                        Instead::CallStatic(method) => {
                            out.push(INVOKESTATIC);
                            put_u2(out, method);
                            // invokeinterface is longer than invokestatic.
                            out.resize(out.len() + (next - at).saturating_sub(3), NOP);
                        }
                    }
                    out.extend_from_slice(self.edits.bytes(&edit.after));
                }
            }
            at = next;
            copied = next;
        }
        out.extend_from_slice(&bytes[copied..]);
        // Innermost first: what a handler throws on is caught by the next one out.
        for bracket in self.prologue.brackets.iter().rev() {
            landmarks.handlers.push(out.len() - first);
            out.extend_from_slice(&bracket.exit); // throwable
            out.push(ATHROW);
        }
        landmarks.handlers.reverse();
        landmarks.end = out.len() - first;
        Ok(landmarks)
    }

    /// Writes one instruction of the method, relocated.
    fn instruction(
        &self,
        at: usize,
        next: usize,
        first: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Obstacle> {
        let opcode = self.bytecode.bytes[at];
        let position = out.len() - first;
        let distance = |old: i32| self.distance(at, position, old);
        match operand(opcode) {
            Operand::Fixed => out.extend_from_slice(&self.bytecode.bytes[at..next]),
            Operand::Branch => {
                let old = self.bytecode.u2(at + 1)? as i16;
                let new = i16::try_from(distance(i32::from(old))?)
                    .map_err(|_| SkipReason::BranchTooFar)?;
                out.push(opcode);
                put_u2(out, new as u16);
            }
            Operand::WideBranch => {
                let new = distance(self.bytecode.i4(at + 1)?)?;
                out.push(opcode);
                put_u4(out, new as u32);
            }
            Operand::TableSwitch | Operand::LookupSwitch => {
                out.push(opcode);
                out.resize(first + switch_payload(position), 0);
                let old = switch_payload(at);
                put_u4(out, distance(self.bytecode.i4(old)?)? as u32);
                // A table has two bounds and then only distances, a lookup has a count and then pairs of key and distance.
                let (fixed, stride) = if operand(opcode) == Operand::TableSwitch {
                    (8, 4)
                } else {
                    (4, 8)
                };
                out.extend_from_slice(&self.bytecode.bytes[old + 4..old + 4 + fixed]);
                for case in (old + 4 + fixed..next).step_by(stride) {
                    let place = case + stride - 4;
                    out.extend_from_slice(&self.bytecode.bytes[case..place]);
                    put_u4(out, distance(self.bytecode.i4(place)?)? as u32);
                }
            }
        }
        Ok(())
    }

    /// The new distance of a branch that is at `at`, and will be at `position`, over `old` bytes.
    fn distance(&self, at: usize, position: usize, old: i32) -> Result<i32, ClassFileError> {
        let index = at as i64 + i64::from(old);
        let target = usize::try_from(index)
            .ok()
            .filter(|&index| index < self.bytecode.len())
            .and_then(|index| self.layout.target(index));
        match target {
            // Both are at most a few MiB: see `Positions::lay_out`.
            Some(target) => Ok(target as i32 - position as i32),
            None => Err(ClassFileError::NoInstruction {
                what: "branch",
                index,
                offset: self.bytecode.offset + at,
            }),
        }
    }
}
