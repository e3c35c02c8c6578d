//! The StackMapTable: its frames moved, and frames added for the jump in a prologue and for the handler of each bracket.

use super::addition::Lock;
use super::bytes::{Reader, put_u2};
use super::error::ClassFileError;
use super::layout::Layout;
use super::pool::Pool;

const INTEGER: u8 = 1;
const OBJECT: u8 = 7;
const UNINITIALIZED: u8 = 8;
const SAME_ONE_STACK_EXTENDED: u8 = 247;
const SAME_EXTENDED: u8 = 251;
const FULL: u8 = 255;

/// What is in a frame besides its place.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Same,
    SameOneStack,
    Chop(u8),
    Append(u8),
    Full,
}

/// The frame at a bracket's handler: a throwable on the stack, and of the local variables at most `this`.
#[derive(Debug, Clone, Copy)]
pub(super) struct HandlerFrame {
    pub position: usize,
    /// The lock that the handler needs, if any.
    pub lock: Option<Lock>,
}

/// The frames of places that are new.
#[derive(Debug, Default)]
pub(super) struct AddedFrames {
    /// Before all others: where the prologue jumps to, see [`Prologue::goes_on_at`](super::addition::Prologue::goes_on_at).
    pub prologue: Option<usize>,
    /// Behind all others, in order.
    pub handlers: Vec<HandlerFrame>,
    pub types: FrameTypes,
}

/// Constants that the handlers' frames mention.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct FrameTypes {
    pub this: u16,
    pub throwable: u16,
}

/// Writes the contents of the table.
pub(super) fn relocate(
    table: Option<Reader<'_>>,
    layout: &Layout<'_>,
    added: &AddedFrames,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let AddedFrames {
        prologue,
        handlers,
        types,
    } = added;
    let mut reader = table.unwrap_or(Reader::new(&[0, 0], 0));
    let count = reader.u2("frame count")?;
    // There is at most one frame for each of 65,535 bytes of code.
    let more = handlers.len() as u16 + u16::from(prologue.is_some());
    put_u2(out, count.saturating_add(more));
    let mut old: i64 = -1;
    let mut new: i64 = -1;
    if let Some(position) = *prologue {
        write_header(out, position as u16, Shape::SameOneStack);
        out.push(INTEGER);
        new = position as i64;
    }
    for _ in 0..count {
        let offset = reader.offset();
        let (delta, shape) = header(&mut reader)?;
        old += i64::from(delta) + 1;
        let Some(position) = usize::try_from(old)
            .ok()
            .and_then(|index| layout.target(index))
        else {
            return Err(ClassFileError::NoInstruction {
                what: "stack map frame",
                index: old,
                offset,
            });
        };
        let moved = (position as i64 - new - 1) as u16;
        new = position as i64;
        write_header(out, moved, shape);
        match shape {
            Shape::Same | Shape::Chop(_) => {}
            Shape::SameOneStack => copy_types(1, &mut reader, layout, out)?,
            Shape::Append(locals) => copy_types(u16::from(locals), &mut reader, layout, out)?,
            Shape::Full => {
                for what in ["frame locals", "frame stack"] {
                    let types = reader.u2(what)?;
                    put_u2(out, types);
                    copy_types(types, &mut reader, layout, out)?;
                }
            }
        }
    }
    for handler in handlers {
        let moved = (handler.position as i64 - new - 1) as u16;
        new = handler.position as i64;
        write_header(out, moved, Shape::Full);
        match handler.lock {
            Some(Lock::This) => {
                put_u2(out, 1);
                put_object(out, types.this);
            }
            Some(Lock::Class) | None => put_u2(out, 0),
        }
        put_u2(out, 1);
        put_object(out, types.throwable);
    }
    Ok(())
}

/// Whether every frame has `this` in local variable 0, given how many locals the method starts with. Some tools drop it where it is dead.
pub(super) fn keep_this(
    mut table: Reader<'_>,
    mut locals: usize,
    this: &[u8],
    pool: &Pool<'_>,
) -> Result<bool, ClassFileError> {
    for _ in 0..table.u2("frame count")? {
        match header(&mut table)?.1 {
            Shape::Same => {}
            Shape::SameOneStack => skip_type(&mut table)?,
            Shape::Chop(chopped) => locals = locals.saturating_sub(usize::from(chopped)),
            Shape::Append(added) => {
                locals += usize::from(added);
                for _ in 0..added {
                    skip_type(&mut table)?;
                }
            }
            Shape::Full => {
                locals = usize::from(table.u2("frame locals")?);
                for local in 0..locals {
                    if local == 0 && !is_object(table, this, pool)? {
                        return Ok(false);
                    }
                    skip_type(&mut table)?;
                }
                for _ in 0..table.u2("frame stack")? {
                    skip_type(&mut table)?;
                }
            }
        }
        if locals == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn header(reader: &mut Reader<'_>) -> Result<(u16, Shape), ClassFileError> {
    const WHAT: &str = "stack map frame";
    let offset = reader.offset();
    let tag = reader.u1(WHAT)?;
    Ok(match tag {
        0..=63 => (u16::from(tag), Shape::Same),
        64..=127 => (u16::from(tag - 64), Shape::SameOneStack),
        128..=246 => return Err(ClassFileError::Malformed { what: WHAT, offset }),
        SAME_ONE_STACK_EXTENDED => (reader.u2(WHAT)?, Shape::SameOneStack),
        248..=250 => (reader.u2(WHAT)?, Shape::Chop(SAME_EXTENDED - tag)),
        SAME_EXTENDED => (reader.u2(WHAT)?, Shape::Same),
        252..=254 => (reader.u2(WHAT)?, Shape::Append(tag - SAME_EXTENDED)),
        FULL => (reader.u2(WHAT)?, Shape::Full),
    })
}

fn write_header(out: &mut Vec<u8>, delta: u16, shape: Shape) {
    match shape {
        Shape::Same if delta < 64 => return out.push(delta as u8),
        Shape::SameOneStack if delta < 64 => return out.push(64 + delta as u8),
        Shape::Same => out.push(SAME_EXTENDED),
        Shape::SameOneStack => out.push(SAME_ONE_STACK_EXTENDED),
        Shape::Chop(locals) => out.push(SAME_EXTENDED - locals),
        Shape::Append(locals) => out.push(SAME_EXTENDED + locals),
        Shape::Full => out.push(FULL),
    }
    put_u2(out, delta);
}

fn copy_types(
    count: u16,
    reader: &mut Reader<'_>,
    layout: &Layout<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    const WHAT: &str = "verification type";
    for _ in 0..count {
        let offset = reader.offset();
        let tag = reader.u1(WHAT)?;
        out.push(tag);
        match tag {
            OBJECT => put_u2(out, reader.u2(WHAT)?),
            UNINITIALIZED => {
                let index = reader.u2(WHAT)?;
                let Some(position) = layout.instruction(usize::from(index)) else {
                    return Err(ClassFileError::NoInstruction {
                        what: WHAT,
                        index: i64::from(index),
                        offset,
                    });
                };
                put_u2(out, position as u16);
            }
            _ => {}
        }
    }
    Ok(())
}

fn skip_type(reader: &mut Reader<'_>) -> Result<(), ClassFileError> {
    match reader.u1("verification type")? {
        OBJECT | UNINITIALIZED => reader.u2("verification type").map(|_| ()),
        _ => Ok(()),
    }
}

fn is_object(mut at: Reader<'_>, class: &[u8], pool: &Pool<'_>) -> Result<bool, ClassFileError> {
    Ok(at.u1("verification type")? == OBJECT && pool.class(at.u2("verification type")?)? == class)
}

fn put_object(out: &mut Vec<u8>, class: u16) {
    out.push(OBJECT);
    put_u2(out, class);
}
