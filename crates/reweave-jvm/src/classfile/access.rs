//! Puts calls around accesses to memory: fields, statics and array elements.
//!
//! The call before an access gets the object (or class, or array and index), the call after it nothing. An access that fails, because the object is null or the
//! index out of bounds, has no call after it; the helper looks at its arguments and does not begin one.

use super::addition::{Edit, Edits};
use super::assemble::{call_static, constant};
use super::code::Code;
use super::error::ClassFileError;
use super::merge::Role;
use super::number::Number;
use super::opcode::{
    AASTORE, ALOAD_0, DASTORE, DUP, DUP_X1, DUP_X2, DUP2, DUP2_X1, DUP2_X2, GETFIELD, GETSTATIC,
    IALOAD, IASTORE, INVOKESPECIAL, LASTORE, POP, POP2, PUTFIELD, PUTSTATIC, SALOAD, SASTORE, SWAP,
};
use super::plan::{AccessCalls, Concern, FieldName};
use super::scan::{LOCK_AND_SITE, Scan};
use super::site::{SiteField, SiteId};

/// What is done, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Access {
    fn of(opcode: u8) -> Access {
        match opcode {
            PUTFIELD | PUTSTATIC | IASTORE..=SASTORE => Access::Write,
            _ => Access::Read,
        }
    }
}

/// Whether the instruction reads or writes memory that other threads may see.
pub(super) fn is_access(opcode: u8) -> bool {
    matches!(opcode, GETSTATIC..=PUTFIELD | IALOAD..=SALOAD | IASTORE..=SASTORE)
}

/// An instruction that accesses memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub opcode: u8,
    /// The constant of its field; 0 if it has none.
    pub index: u16,
    pub role: Option<Role>,
}

/// The calls around one access.
struct Around {
    before: &'static str,
    before_type: &'static [u8],
    /// Number of the field, for the call behind too, if it is to be decided when the program runs.
    field: Option<Number>,
}

impl<'a> Scan<'_, 'a> {
    /// Adds the calls around the access at `edit.at`; `site` makes its site. Returns whether there are any.
    pub(super) fn access(
        &mut self,
        calls: AccessCalls<'a>,
        instruction: Instruction,
        edits: &mut Edits,
        edit: &mut Edit,
        site: impl FnOnce(&mut Self) -> Result<SiteId, ClassFileError>,
    ) -> Result<bool, ClassFileError> {
        let start = edit.before.start;
        let Instruction { opcode, role, .. } = instruction;
        let joins = matches!(role, Some(Role::Inner | Role::Last));
        if joins && !calls.named {
            // The call before the first is enough.
            site(self)?;
            edit.before = start..edits.code.len();
            if role == Some(Role::Last) {
                self.accessed(None, edits, edit)?;
            }
            return Ok(true);
        }
        let access = match role {
            Some(Role::First { write: true }) if !calls.named => Access::Write,
            _ => Access::of(opcode),
        };
        let around = match opcode {
            IALOAD..=SALOAD | IASTORE..=SASTORE => {
                // The large tables of static initialisers would not fit, and others see them only when the class is initialised.
                if !calls.elements || self.place.name == b"<clinit>" {
                    return Ok(false);
                }
                let site = site(self)?;
                element(opcode, edits);
                Number::new(self.pool, site.0)?.push(&mut edits.code);
                let (before, before_type): (_, &[u8]) = match (Access::of(opcode), opcode) {
                    (_, AASTORE) => ("storing", b"(Ljava/lang/Object;Ljava/lang/Object;II)V"),
                    (Access::Read, _) => ("readingElement", b"(Ljava/lang/Object;II)V"),
                    (Access::Write, _) => ("writingElement", b"(Ljava/lang/Object;II)V"),
                };
                Around {
                    before,
                    before_type,
                    field: None,
                }
            }
            _ => match self.field(calls, instruction, access, edits, site)? {
                Some(around) => around,
                None => return Ok(false),
            },
        };
        let before = match (joins, around.before) {
            (true, "reading") => "alsoReading",
            (true, "writing") => "alsoWriting",
            (_, before) => before,
        };
        let before = self.memory.method(self.pool, before, around.before_type)?;
        call_static(&mut edits.code, before);
        edit.before = start..edits.code.len();
        if let None | Some(Role::Last) = role {
            self.accessed(around.field, edits, edit)?;
        }
        edits.needs_stack(6);
        Ok(true)
    }

    /// Adds the call behind an access; `field` if it is to be decided when the program runs.
    fn accessed(
        &mut self,
        field: Option<Number>,
        edits: &mut Edits,
        edit: &mut Edit,
    ) -> Result<(), ClassFileError> {
        let after = match field {
            Some(field) => {
                field.push(&mut edits.code);
                self.memory.method(self.pool, "accessedIf", b"(I)V")?
            }
            None => self.memory.method(self.pool, "accessed", b"()V")?,
        };
        call_static(&mut edits.code, after);
        edit.after = edit.before.end..edits.code.len();
        edits.needs_stack(2);
        Ok(())
    }

    /// Adds the calls around `super.clone()`, which reads all fields and copies the words of the rewriter, too.
    pub(super) fn clone_call(
        &mut self,
        site: u16,
        edits: &mut Edits,
        edit: &mut Edit,
    ) -> Result<(), ClassFileError> {
        let start = edit.before.start;
        edits.code.push(DUP); //                                                       object, object
        constant(&mut edits.code, site); //                                            object, object, site
        let before = self.memory.method(self.pool, "cloning", LOCK_AND_SITE)?;
        call_static(&mut edits.code, before);
        edit.before = start..edits.code.len();
        edits.code.push(DUP); //                                                       copy, copy
        let after = self
            .memory
            .method(self.pool, "cloned", b"(Ljava/lang/Object;)V")?;
        call_static(&mut edits.code, after);
        edit.after = edit.before.end..edits.code.len();
        edits.needs_stack(2);
        Ok(())
    }

    /// Whether this method is a constructor that the helper wants to know of; its object must still be where it was.
    pub(super) fn makes(&self, code: &Code<'_>) -> Result<bool, ClassFileError> {
        let wanted = self.accesses.is_some_and(|calls| calls.made) && self.place.name == b"<init>";
        Ok(wanted && !code.bytecode.stores_to_local_zero()?)
    }

    /// Adds the call behind the superclass's constructor.
    pub(super) fn made(
        &mut self,
        start: usize,
        edits: &mut Edits,
        edit: &mut Edit,
    ) -> Result<(), ClassFileError> {
        edit.before = start..edits.code.len();
        edits.code.push(ALOAD_0); //                                                   object
        let method = self
            .memory
            .method(self.pool, "made", b"(Ljava/lang/Object;)V")?;
        call_static(&mut edits.code, method);
        edit.after = edit.before.end..edits.code.len();
        edits.needs_stack(1);
        Ok(())
    }

    /// Whether this is a call of the method that copies an object.
    pub(super) fn is_clone(&self, opcode: u8, called: u16) -> Result<bool, ClassFileError> {
        if self.accesses.is_none() || opcode != INVOKESPECIAL {
            return Ok(false);
        }
        let method = self.pool.method(called)?;
        Ok(method.owner == b"java/lang/Object"
            && method.name == b"clone"
            && method.descriptor == b"()Ljava/lang/Object;")
    }

    /// Pushes what the call before a field access needs.
    fn field(
        &mut self,
        calls: AccessCalls<'a>,
        instruction: Instruction,
        access: Access,
        edits: &mut Edits,
        site: impl FnOnce(&mut Self) -> Result<SiteId, ClassFileError>,
    ) -> Result<Option<Around>, ClassFileError> {
        let Instruction { opcode, index, .. } = instruction;
        let field = self.pool.field(index)?;
        let is_static = matches!(opcode, GETSTATIC | PUTSTATIC);
        if is_static && !self.has_class_constants {
            return Ok(None);
        }
        // Others see the statics of a class only when its initialiser is done.
        if is_static && field.owner == self.place.class && self.place.name == b"<clinit>" {
            return Ok(None);
        }
        let name = FieldName {
            owner: field.owner,
            name: field.name,
            descriptor: field.descriptor,
        };
        let (levels, number) = match calls.fields.concern(&name) {
            Concern::Not => return Ok(None),
            Concern::Ordered { levels } => (levels, None),
            Concern::AskLater(number) => (0, Some(Number::new(self.pool, number)?)),
        };
        let site = site(self)?;
        if calls.named
            && let Some(site) = self.sites.last_mut()
        {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            site.field = Some(SiteField {
                owner: text(field.owner),
                name: text(field.name),
                descriptor: text(field.descriptor),
            });
        }
        let site = Number::new(self.pool, site.0)?;
        let wide = matches!(field.descriptor.first(), Some(b'J' | b'D'));
        let code = &mut edits.code;
        if is_static {
            let class = self.pool.class_of(index)?;
            if field.owner != self.place.class {
                // Another class's initialiser must not run in the middle of the access.
                code.extend_from_slice(&[GETSTATIC, (index >> 8) as u8, index as u8]);
                code.push(if wide { POP2 } else { POP });
            }
            constant(code, class);
            let extra = match number {
                Some(number) => number,
                None => Number::new(self.pool, levels.into())?,
            };
            extra.push(code);
        } else {
            match (opcode, wide) {
                (GETFIELD, _) => code.push(DUP), //                         object, object
                (_, false) => code.extend_from_slice(&[SWAP, DUP_X1]), //   object, value, object
                (_, true) => code.extend_from_slice(&[DUP2_X1, POP2, DUP_X2]), // object, value, object
            }
            if let Some(number) = number {
                number.push(code);
            }
        }
        site.push(code);
        let (before, before_type): (_, &[u8]) = match (is_static, access, number.is_some()) {
            (false, Access::Read, false) => ("reading", b"(Ljava/lang/Object;I)V"),
            (false, Access::Write, false) => ("writing", b"(Ljava/lang/Object;I)V"),
            (false, Access::Read, true) => ("readingIf", b"(Ljava/lang/Object;II)V"),
            (false, Access::Write, true) => ("writingIf", b"(Ljava/lang/Object;II)V"),
            (true, Access::Read, false) => ("readingStatic", b"(Ljava/lang/Class;II)V"),
            (true, Access::Write, false) => ("writingStatic", b"(Ljava/lang/Class;II)V"),
            (true, Access::Read, true) => ("readingStaticIf", b"(Ljava/lang/Class;II)V"),
            (true, Access::Write, true) => ("writingStaticIf", b"(Ljava/lang/Class;II)V"),
        };
        Ok(Some(Around {
            before,
            before_type,
            field: number,
        }))
    }
}

/// Pushes the array and the index of an element access, and before them a reference that is written.
fn element(opcode: u8, edits: &mut Edits) {
    let code = &mut edits.code;
    match opcode {
        // array, index, value, value, array, index
        AASTORE => code.extend_from_slice(&[DUP_X2, DUP_X2, POP, DUP2_X2]),
        LASTORE | DASTORE => code.extend_from_slice(&[DUP2_X2, POP2, DUP2_X2]), // array, index, value, array, index
        IASTORE..=SASTORE => code.extend_from_slice(&[DUP_X2, POP, DUP2_X1]), //   array, index, value, array, index
        _ => code.push(DUP2), //                                                   array, index, array, index
    }
}
