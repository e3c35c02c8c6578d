//! Makes a method's new Code attribute out of the old one and what is to be added.

use super::addition::{BracketKind, Edits, Lock, Prologue};
use super::annotations;
use super::bytes::{put_u2, put_u4, put_with_length};
use super::code::Code;
use super::emit::{Emission, Landmarks};
use super::error::ClassFileError;
use super::exceptions::ExceptionTable;
use super::frames::{self, AddedFrames, FrameTypes, HandlerFrame};
use super::layout::{Layout, Positions};
use super::pool::Pool;
use super::skip::{Obstacle, SkipReason};
use super::tables;

/// What a splice needs to know about the class.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassFacts {
    /// The constant that names the class itself. In a hidden class no other constant does.
    pub this_class: u16,
    pub major: u16,
}

/// Constants for new frames, added to the class when the first is needed.
#[derive(Debug, Default)]
pub(super) struct FrameConstants {
    throwable: Option<u16>,
    table_name: Option<u16>,
}

/// Class files older than Java 6 have no stack map frames.
const FIRST_WITH_FRAMES: u16 = 50;

/// The contents of the new attribute, without name and length.
pub(super) fn splice(
    code: &Code<'_>,
    prologue: &Prologue,
    edits: &Edits,
    class: ClassFacts,
    constants: &mut FrameConstants,
    pool: &mut Pool<'_>,
    positions: &mut Positions,
) -> Result<Vec<u8>, Obstacle> {
    // A handler has the throwable and the lock on its stack.
    let handler_stack = if prologue.brackets.is_empty() { 0 } else { 2 };
    let stack = (usize::from(code.max_stack) + edits.stack)
        .max(prologue.stack)
        .max(handler_stack);
    let stack = u16::try_from(stack).map_err(|_| SkipReason::StackTooDeep)?;
    let epilogue = prologue.epilogue().len();
    let layout = positions.lay_out(&code.bytecode, edits, prologue.code.len(), epilogue)?;
    if layout.body_end > usize::from(u16::MAX) {
        return Err(SkipReason::CodeTooLarge.into());
    }
    let mut out = Vec::with_capacity(code.whole.len() + layout.body_end - code.bytecode.len() + 64);
    put_u2(&mut out, stack);
    put_u2(&mut out, code.max_locals);
    let length_at = out.len();
    put_u4(&mut out, 0);
    let landmarks = Emission {
        bytecode: code.bytecode,
        prologue,
        edits,
        layout,
    }
    .write(&mut out)?;
    let length = u16::try_from(landmarks.end).map_err(|_| SkipReason::CodeTooLarge)?;
    super::bytes::patch(&mut out, length_at, &u32::from(length).to_be_bytes());
    let mut exceptions = ExceptionTable::relocate(code, &layout, &landmarks)?;
    exceptions.add_brackets(&prologue.brackets, &landmarks)?;
    exceptions.write(&mut out);
    let frames = NewFrames::new(prologue, &landmarks, class, constants, pool)?;
    attributes(code, &layout, &exceptions, &frames, pool, &mut out)?;
    Ok(out)
}

struct NewFrames {
    added: AddedFrames,
    /// The constant `StackMapTable`, for methods that have no such table yet; `None` if they need none.
    table_name: Option<u16>,
}

impl NewFrames {
    fn new(
        prologue: &Prologue,
        landmarks: &Landmarks,
        class: ClassFacts,
        constants: &mut FrameConstants,
        pool: &mut Pool<'_>,
    ) -> Result<Self, ClassFileError> {
        let mut frames = NewFrames {
            added: AddedFrames::default(),
            table_name: None,
        };
        let none = prologue.brackets.is_empty() && prologue.goes_on_at.is_none();
        if none || class.major < FIRST_WITH_FRAMES {
            return Ok(frames);
        }
        frames.added.prologue = prologue.goes_on_at;
        frames.added.types = FrameTypes {
            this: class.this_class,
            throwable: 0,
        };
        frames.added.types.throwable = match constants.throwable {
            Some(throwable) => throwable,
            None => *constants
                .throwable
                .insert(pool.append_class(b"java/lang/Throwable")?),
        };
        frames.table_name = match constants.table_name {
            Some(name) => Some(name),
            None => Some(
                *constants
                    .table_name
                    .insert(pool.append_utf8(b"StackMapTable")?),
            ),
        };
        // The innermost handler comes first in the code.
        for (bracket, &position) in prologue.brackets.iter().zip(&landmarks.handlers).rev() {
            let lock: Option<Lock> = match bracket.kind {
                BracketKind::Monitor(lock) => Some(lock),
                BracketKind::Calls => None,
            };
            frames.added.handlers.push(HandlerFrame { position, lock });
        }
        Ok(frames)
    }
}

/// Writes the attributes of the code. Those with places in them are relocated; unknown ones are copied.
fn attributes(
    code: &Code<'_>,
    layout: &Layout<'_>,
    exceptions: &ExceptionTable,
    frames: &NewFrames,
    pool: &Pool<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let count_at = out.len();
    put_u2(out, code.attribute_count);
    let mut missing_table = frames.table_name;
    code.for_each_attribute(pool, |name, name_index, contents| {
        put_u2(out, name_index);
        put_with_length(out, |out| match name {
            b"StackMapTable" => {
                missing_table = None;
                frames::relocate(Some(contents), layout, &frames.added, out)
            }
            b"LineNumberTable" => tables::line_numbers(contents, layout, out),
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                tables::local_variables(contents, layout, out)
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                annotations::relocate(contents, layout, exceptions, out)
            }
            _ => {
                out.extend_from_slice(contents.rest());
                Ok(())
            }
        })
    })?;
    if let Some(name) = missing_table {
        put_u2(out, name);
        put_with_length(out, |out| {
            frames::relocate(None, layout, &frames.added, out)
        })?;
        let count = code
            .attribute_count
            .checked_add(1)
            .ok_or(ClassFileError::TooMany { what: "attributes" })?;
        super::bytes::patch(out, count_at, &count.to_be_bytes());
    }
    Ok(())
}
