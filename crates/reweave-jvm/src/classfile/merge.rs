//! Finds accesses that can share one pair of calls: those to fields of one object, one after the other, with nothing between them that could throw, call or jump.
//! `p.x += p.y` is such a group. Whoever orders its first access has ordered them all, so the helper is called before the first and after the last.
//!
//! What is one group must be the same in every run. So only instructions decide, and fields of classes of which the same is known at any time.

use super::code::Code;
use super::descriptor::words;
use super::error::ClassFileError;
use super::opcode::{Bytecode, GETFIELD, Operand, PUTFIELD, operand, switch_payload};
use super::plan::{AccessCalls, Concern, FieldName};
use super::pool::{Member, Pool};
use super::pure::{Effect, Origins};

/// So many accesses are in a group at most. Whoever observes a replay numbers them.
const MOST: usize = 16;

/// What an access is in its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// `write`: whether any of the group writes.
    First {
        write: bool,
    },
    Inner,
    Last,
}

/// The accesses of a method that are in groups, in the order of the code.
#[derive(Debug, Default)]
pub(super) struct Groups(Vec<(usize, Role)>);

/// A group that may go on.
struct Group {
    /// The local variable that the object is in.
    local: u16,
    /// Where, and whether it is a write.
    accesses: Vec<(usize, bool)>,
}

struct Search<'s, 'a> {
    calls: AccessCalls<'a>,
    class: &'s [u8],
    pool: &'s Pool<'a>,
    /// Where the values on the stack come from, as far as that is known.
    origins: Origins,
    group: Option<Group>,
    found: Groups,
}

impl Groups {
    pub fn role(&self, at: usize) -> Option<Role> {
        let found = self.0.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        Some(self.0[found].1)
    }

    /// `from`: the first instruction at which a constructor's object can be given to the helper.
    pub fn find(
        code: &Code<'_>,
        from: usize,
        class: &[u8],
        calls: AccessCalls<'_>,
        pool: &Pool<'_>,
    ) -> Result<Groups, ClassFileError> {
        let bytecode = code.bytecode;
        // Most methods have none or one.
        if !has_two_accesses(&bytecode)? {
            return Ok(Groups::default());
        }
        let targets = targets(code)?;
        let mut search = Search {
            calls,
            class,
            pool,
            origins: Origins::default(),
            group: None,
            found: Groups::default(),
        };
        let mut at = 0;
        while at < bytecode.len() {
            if targets.binary_search(&at).is_ok() || at == from {
                search.end();
                search.origins.forget();
            }
            search.step(&bytecode, at, at >= from)?;
            at = bytecode.next(at)?;
        }
        search.end();
        Ok(search.found)
    }
}

impl Search<'_, '_> {
    fn step(
        &mut self,
        bytecode: &Bytecode<'_>,
        at: usize,
        usable: bool,
    ) -> Result<(), ClassFileError> {
        let opcode = bytecode.bytes[at];
        if let GETFIELD | PUTFIELD = opcode {
            let field = self.pool.field(bytecode.u2(at + 1)?)?;
            return self.field(at, opcode == PUTFIELD, &field, usable);
        }
        match self.origins.follow(bytecode, at, self.pool)? {
            Effect::None => {}
            Effect::Stores(local) => {
                if self.group.as_ref().is_some_and(|group| {
                    group.local == local || group.local == local.wrapping_add(1)
                }) {
                    self.end();
                }
            }
            Effect::Other => {
                self.end();
                self.origins.forget();
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        at: usize,
        write: bool,
        field: &Member<'_>,
        usable: bool,
    ) -> Result<(), ClassFileError> {
        let width = words(field.descriptor);
        if write {
            self.origins.pop(width);
        }
        let object = self.origins.pop(1);
        if !write {
            self.origins.push(width);
        }
        let name = FieldName {
            owner: field.owner,
            name: field.name,
            descriptor: field.descriptor,
        };
        let concern = self.calls.fields.concern(&name);
        let settled = usable && self.calls.fields.is_settled(field.owner, self.class);
        match (object, &mut self.group) {
            (Some(local), Some(group)) if group.local == local => match concern {
                // Cannot throw: the object is there.
                Concern::Not if settled => return Ok(()),
                Concern::Ordered { .. } if settled && group.accesses.len() < MOST => {
                    group.accesses.push((at, write));
                    return Ok(());
                }
                _ => {}
            },
            _ => {}
        }
        self.end();
        if let (Some(local), Concern::Ordered { .. }, true) = (object, concern, settled) {
            self.group = Some(Group {
                local,
                accesses: vec![(at, write)],
            });
        }
        Ok(())
    }

    fn end(&mut self) {
        let accesses = match self.group.take() {
            Some(group) if group.accesses.len() > 1 => group.accesses,
            _ => return,
        };
        let write = accesses.iter().any(|(_, write)| *write);
        let last = accesses.len() - 1;
        let roles = accesses.iter().enumerate().map(|(index, &(at, _))| {
            let role = match index {
                0 => Role::First { write },
                index if index == last => Role::Last,
                _ => Role::Inner,
            };
            (at, role)
        });
        self.found.0.extend(roles);
    }
}

fn has_two_accesses(bytecode: &Bytecode<'_>) -> Result<bool, ClassFileError> {
    let (mut at, mut count) = (0, 0);
    while at < bytecode.len() && count < 2 {
        count += usize::from(matches!(bytecode.bytes[at], GETFIELD | PUTFIELD));
        at = bytecode.next(at)?;
    }
    Ok(count >= 2)
}

/// Where jumps and handlers go, in order. What lies outside the code is the VM's to refuse.
fn targets(code: &Code<'_>) -> Result<Vec<usize>, ClassFileError> {
    let bytecode = code.bytecode;
    let mut targets = Vec::new();
    let mut at = 0;
    while at < bytecode.len() {
        let mut add = |distance: i32| targets.push(at.wrapping_add_signed(distance as isize));
        match operand(bytecode.bytes[at]) {
            Operand::Fixed => {}
            Operand::Branch => add(i32::from(bytecode.u2(at + 1)? as i16)),
            Operand::WideBranch => add(bytecode.i4(at + 1)?),
            Operand::TableSwitch | Operand::LookupSwitch => {
                let payload = switch_payload(at);
                add(bytecode.i4(payload)?);
                let table = operand(bytecode.bytes[at]) == Operand::TableSwitch;
                // Behind the default are the bounds of a table, or the number of pairs of key and distance.
                let (first, step) = if table {
                    (payload + 12, 4)
                } else {
                    (payload + 12, 8)
                };
                for place in (first..bytecode.next(at)?).step_by(step) {
                    add(bytecode.i4(place)?);
                }
            }
        }
        at = bytecode.next(at)?;
    }
    let mut entries = code.exceptions;
    for _ in 0..code.exception_count {
        entries.take(4, "exception table")?;
        targets.push(usize::from(entries.u2("exception table")?));
        entries.take(2, "exception table")?;
    }
    targets.sort_unstable();
    targets.dedup();
    Ok(targets)
}
