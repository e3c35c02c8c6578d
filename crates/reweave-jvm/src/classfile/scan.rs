//! Finds the instructions of a method that the plan wants changed.

use super::access::{Instruction, is_access};
use super::addition::{Edit, Edits, Instead, Prologue};
use super::assemble::{call_static, constant};
use super::calls::Calls;
use super::code::{Code, Lines};
use super::error::ClassFileError;
use super::fresh::Fresh;
use super::helper::Helper;
use super::merge::Groups;
use super::opcode::{
    DUP, GETSTATIC, INVOKEINTERFACE, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, IRETURN,
    MONITORENTER, MONITOREXIT, NEW, NOP, PUTFIELD, PUTSTATIC, RETURN,
};
use super::plan::{AccessCalls, ClassUses, Marks, MonitorCalls};
use super::pool::Pool;
use super::site::{MethodHash, Site, SiteId, SiteKind};

/// Descriptor of the calls around monitors: the lock and the site.
pub(super) const LOCK_AND_SITE: &[u8] = b"(Ljava/lang/Object;I)V";

/// Descriptor of the call before a monitor is left.
pub(super) const LOCK_ONLY: &[u8] = b"(Ljava/lang/Object;)V";

const SITE_ONLY: &[u8] = b"(I)V";
const CLASS_ONLY: &[u8] = b"(Ljava/lang/Class;)V";
pub(super) const NOTHING: &[u8] = b"()V";

/// Whether to insert more than the plan says, to test relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stress {
    None,
    /// A `nop` before every instruction.
    Nops,
}

/// The method whose code is searched, as the program names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub class: &'a [u8],
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
}

impl Place<'_> {
    pub fn hash(&self) -> MethodHash {
        MethodHash::new(self.class, self.name, self.descriptor)
    }

    pub fn site(&self, id: SiteId, kind: SiteKind, line: u16) -> Site {
        Site {
            id,
            kind,
            method: self.method(),
            line,
            field: None,
        }
    }

    /// Type of what the method returns.
    pub fn result(&self) -> &[u8] {
        let end = self.descriptor.iter().rposition(|byte| *byte == b')');
        self.descriptor
            .get(end.map_or(0, |end| end + 1)..)
            .unwrap_or_default()
    }

    /// Name and descriptor.
    pub fn method(&self) -> String {
        let mut text = String::from_utf8_lossy(self.name).into_owned();
        text.push_str(&String::from_utf8_lossy(self.descriptor));
        text
    }
}

/// From where on `this` is an object.
#[derive(Debug, Clone, Copy, Default)]
struct Initialised {
    /// Behind the constructor of the superclass, not another of the same class.
    by_superclass: bool,
    at: usize,
}

/// What the search needs and what it adds to.
pub(super) struct Scan<'s, 'a> {
    pub place: Place<'a>,
    pub monitors: Option<MonitorCalls<'a>>,
    pub superclass: Option<&'a [u8]>,
    /// The helper's method that is given what this one returns.
    pub result: Option<&'a str>,
    /// What runs before each return, and how much stack it needs.
    pub exit: Option<(Vec<u8>, usize)>,
    pub marks: Option<Marks<'a>>,
    pub class_uses: Option<ClassUses<'a>>,
    pub accesses: Option<AccessCalls<'a>>,
    /// Whether the class file is new enough for constants that name classes.
    pub has_class_constants: bool,
    pub stress: Stress,
    pub calls: &'s mut Calls<'a>,
    pub pool: &'s mut Pool<'a>,
    pub helper: &'s mut Helper<'a>,
    /// The helper of `accesses`.
    pub memory: &'s mut Helper<'a>,
    pub sites: &'s mut Vec<Site>,
}

impl<'a> Scan<'_, 'a> {
    /// Puts into `edits` whatever has to be done to `code`, whose returns get an epilogue if `prologue` has brackets.
    pub fn run(
        &mut self,
        code: &Code<'_>,
        prologue: &Prologue,
        edits: &mut Edits,
    ) -> Result<(), ClassFileError> {
        let mut lines = None;
        let bytecode = code.bytecode;
        let has_calls = !self.calls.is_empty() || self.marks.is_some();
        let has_epilogue = !prologue.brackets.is_empty();
        let initialised = match self.accesses {
            Some(_) => self.initialised_from(code)?,
            None => Initialised::default(),
        };
        let groups = match self.accesses {
            Some(calls) if calls.merged => {
                Groups::find(code, initialised.at, self.place.class, calls, self.pool)?
            }
            _ => Groups::default(),
        };
        let mut fresh = Fresh::default();
        let mut at = 0;
        while at < bytecode.len() {
            let next = bytecode.next(at)?;
            let into_new_array = fresh.next(bytecode.bytes[at]);
            let start = edits.code.len();
            if self.stress == Stress::Nops {
                edits.code.push(NOP);
            }
            let mut edit = Edit {
                at,
                next,
                before: start..start,
                after: start..start,
                instead: Instead::Same,
            };
            if let NEW | GETSTATIC | PUTSTATIC | INVOKESTATIC = bytecode.bytes[at] {
                self.class_use(bytecode.u2(at + 1)?, edits)?;
            }
            match bytecode.bytes[at] {
                MONITORENTER => {
                    if let Some(calls) = self.monitors {
                        let site = self.site(SiteKind::MonitorBlock, at, code, &mut lines)?;
                        self.monitor(calls, site, edits, &mut edit)?;
                    }
                }
                MONITOREXIT => {
                    if let Some(leaving) = self.monitors.and_then(|calls| calls.leaving) {
                        edits.code.push(DUP); //                                       lock, lock
                        let method = self.helper.method(self.pool, leaving, LOCK_ONLY)?;
                        call_static(&mut edits.code, method);
                        edits.needs_stack(1);
                    }
                    if let Some(left) = self.monitors.and_then(|calls| calls.left) {
                        edit.before = start..edits.code.len();
                        call_static(
                            &mut edits.code,
                            self.helper.method(self.pool, left, NOTHING)?,
                        );
                        edit.after = edit.before.end..edits.code.len();
                    }
                }
                opcode @ INVOKEVIRTUAL..=INVOKEINTERFACE
                    if has_calls || self.accesses.is_some() =>
                {
                    let called = bytecode.u2(at + 1)?;
                    if let Some(method) =
                        self.calls
                            .replacement(opcode, called, self.pool, self.helper)?
                    {
                        let site = self.site(SiteKind::Call, at, code, &mut lines)?;
                        constant(&mut edits.code, site); // arguments, site
                        edits.needs_stack(1);
                        edit.instead = Instead::CallStatic(method);
                    } else if let Some(marks) = self.marks
                        && self.is_marked(&marks, called)?
                    {
                        let site = self.site(SiteKind::Call, at, code, &mut lines)?;
                        self.mark(marks, site, edits, &mut edit)?;
                    } else if self.is_clone(opcode, called)? {
                        let site = self.site(SiteKind::Access, at, code, &mut lines)?;
                        self.clone_call(site, edits, &mut edit)?;
                    }
                }
                IRETURN..RETURN if self.result.is_some() => {
                    let method = self.result.unwrap_or_default();
                    let site = self.site(SiteKind::Method, at, code, &mut lines)?;
                    let kind = self.place.result();
                    let text = [b"(", kind, b"I)", kind].concat();
                    constant(&mut edits.code, site); //                                result, site
                    call_static(
                        &mut edits.code,
                        self.helper.method(self.pool, method, &text)?,
                    );
                    edits.needs_stack(1);
                    if has_epilogue {
                        // What is done in the method may not be the program's doing; its result is.
                        edit.instead = Instead::SameAfterEpilogueFirst;
                    }
                }
                RETURN if self.exit.is_some() => {
                    if let Some((call, words)) = &self.exit {
                        edits.code.extend_from_slice(call);
                        edits.needs_stack(*words);
                    }
                    if has_epilogue {
                        edit.instead = Instead::SameAfterEpilogue;
                    }
                }
                IRETURN..=RETURN if has_epilogue => {
                    edits.needs_stack(1);
                    edit.instead = Instead::SameAfterEpilogue;
                }
                opcode if is_access(opcode) => {
                    if let Some(calls) = self.accesses
                        && (opcode != PUTFIELD || at >= initialised.at)
                        && !into_new_array
                    {
                        // Element accesses have no operand.
                        let index = if next - at == 3 {
                            bytecode.u2(at + 1)?
                        } else {
                            0
                        };
                        let instruction = Instruction {
                            opcode,
                            index,
                            role: groups.role(at),
                        };
                        self.access(calls, instruction, edits, &mut edit, |scan| {
                            scan.register(SiteKind::Access, at, code, &mut lines)
                        })?;
                    }
                }
                _ => {}
            }
            if next == initialised.at && initialised.by_superclass && self.makes(code)? {
                self.made(start, edits, &mut edit)?;
            }
            if edit.after.is_empty() {
                edit.before = start..edits.code.len();
            }
            if edits.code.len() > start || edit.instead != Instead::Same {
                edits.list.push(edit);
            }
            at = next;
        }
        Ok(())
    }

    /// Where `this` is certainly an object: in a constructor, behind the call of another constructor of the same class or of its superclass, if that is not the
    /// constructor of an object that was made for its arguments. Before that nobody else can see it, and it cannot be passed to the helper.
    fn initialised_from(&self, code: &Code<'_>) -> Result<Initialised, ClassFileError> {
        if self.place.name != b"<init>" {
            return Ok(Initialised::default());
        }
        let bytecode = code.bytecode;
        let concerned = |name| name == self.place.class || Some(name) == self.superclass;
        let mut others = 0;
        let mut at = 0;
        while at < bytecode.len() {
            let next = bytecode.next(at)?;
            if bytecode.bytes[at] == NEW && concerned(self.pool.class(bytecode.u2(at + 1)?)?) {
                others += 1;
            } else if bytecode.bytes[at] == INVOKESPECIAL {
                let called = self.pool.method(bytecode.u2(at + 1)?)?;
                if called.name == b"<init>" && concerned(called.owner) {
                    if others == 0 {
                        let by_superclass = called.owner != self.place.class;
                        return Ok(Initialised {
                            by_superclass,
                            at: next,
                        });
                    }
                    others -= 1;
                }
            }
            at = next;
        }
        Ok(Initialised {
            by_superclass: false,
            at: bytecode.len(),
        })
    }

    /// Announces the class behind this constant, unless it is the class itself.
    fn class_use(&mut self, constant_index: u16, edits: &mut Edits) -> Result<(), ClassFileError> {
        let Some(uses) = self.class_uses else {
            return Ok(());
        };
        let class = self.pool.class_of(constant_index)?;
        let name = self.pool.class(class)?;
        if name == self.place.class || !(uses.concerns)(name) {
            return Ok(());
        }
        constant(&mut edits.code, class); //                                           class
        call_static(
            &mut edits.code,
            self.helper.method(self.pool, uses.method, CLASS_ONLY)?,
        );
        edits.needs_stack(1);
        Ok(())
    }

    fn is_marked(&self, marks: &Marks<'a>, constant_index: u16) -> Result<bool, ClassFileError> {
        let method = self.pool.method(constant_index)?;
        let named = |(name, descriptor): &(&str, &str)| {
            name.as_bytes() == method.name && descriptor.as_bytes() == method.descriptor
        };
        Ok(marks.methods.iter().any(named) && (marks.concerns)(method.owner))
    }

    fn mark(
        &mut self,
        marks: Marks<'a>,
        site: u16,
        edits: &mut Edits,
        edit: &mut Edit,
    ) -> Result<(), ClassFileError> {
        let start = edit.before.start;
        constant(&mut edits.code, site); //                                            arguments, site
        call_static(
            &mut edits.code,
            self.helper.method(self.pool, marks.before, SITE_ONLY)?,
        );
        edit.before = start..edits.code.len();
        // The call has been made.                                                     result
        call_static(
            &mut edits.code,
            self.helper.method(self.pool, marks.after, NOTHING)?,
        );
        edit.after = edit.before.end..edits.code.len();
        edits.needs_stack(1);
        Ok(())
    }

    fn monitor(
        &mut self,
        calls: MonitorCalls<'a>,
        site: u16,
        edits: &mut Edits,
        edit: &mut Edit,
    ) -> Result<(), ClassFileError> {
        let code = &mut edits.code;
        let start = edit.before.start;
        let mut stack = 0; //                                                          lock
        if calls.after.is_some() {
            code.push(DUP); //                                                         lock, lock
            stack += 1;
        }
        if let Some(before) = calls.before {
            code.push(DUP); //                                                         lock, [lock,] lock
            constant(code, site); //                                                   lock, [lock,] lock, site
            call_static(code, self.helper.method(self.pool, before, LOCK_AND_SITE)?); // lock, [lock]
            stack += 2;
        }
        edit.before = start..code.len();
        if let Some(after) = calls.after {
            // The monitor has been entered.                                              lock
            constant(code, site); //                                                   lock, site
            call_static(code, self.helper.method(self.pool, after, LOCK_AND_SITE)?);
        }
        edit.after = edit.before.end..code.len();
        edits.needs_stack(stack);
        Ok(())
    }

    /// Registers a site and returns the constant of its id.
    fn site(
        &mut self,
        kind: SiteKind,
        at: usize,
        code: &Code<'_>,
        lines: &mut Option<Lines>,
    ) -> Result<u16, ClassFileError> {
        let id = self.register(kind, at, code, lines)?;
        self.pool.append_integer(id.0)
    }

    fn register(
        &mut self,
        kind: SiteKind,
        at: usize,
        code: &Code<'_>,
        lines: &mut Option<Lines>,
    ) -> Result<SiteId, ClassFileError> {
        let lines = match lines {
            Some(lines) => lines,
            None => lines.insert(Lines::read(code, self.pool)?),
        };
        // `Code::parse` has checked that the code is no longer than this.
        let index = at as u16;
        let id = self.place.hash().instruction(index);
        self.sites.push(self.place.site(id, kind, lines.at(index)));
        Ok(id)
    }
}
