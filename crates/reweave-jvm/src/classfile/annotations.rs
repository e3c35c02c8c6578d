//! Annotations: those on types inside code are moved, and `@IntrinsicCandidate` is taken off methods that no longer qualify.

use super::bytes::{Reader, put_u2};
use super::error::ClassFileError;
use super::exceptions::ExceptionTable;
use super::layout::Layout;
use super::pool::Pool;
use super::tables;

const INTRINSIC_CANDIDATE: &[u8] = b"Ljdk/internal/vm/annotation/IntrinsicCandidate;";

/// Annotations nest; no compiler comes near this, and hostile files must not exhaust the stack.
const DEEPEST: usize = 64;

/// Contents of RuntimeVisibleTypeAnnotations or RuntimeInvisibleTypeAnnotations of code.
pub(super) fn relocate(
    mut reader: Reader<'_>,
    layout: &Layout<'_>,
    exceptions: &ExceptionTable,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let count = reader.u2("annotation count")?;
    put_u2(out, count);
    for _ in 0..count {
        relocate_target(&mut reader, layout, exceptions, out)?;
        let rest = reader;
        let steps = reader.u1("type path")?;
        reader.take(usize::from(steps) * 2, "type path")?;
        skip_annotation(&mut reader, 0)?;
        out.extend_from_slice(&rest.rest()[..reader.offset() - rest.offset()]);
    }
    Ok(())
}

fn relocate_target(
    reader: &mut Reader<'_>,
    layout: &Layout<'_>,
    exceptions: &ExceptionTable,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    const WHAT: &str = "annotation target";
    let offset = reader.offset();
    let kind = reader.u1(WHAT)?;
    out.push(kind);
    match kind {
        // Local variable, resource variable.
        0x40 | 0x41 => {
            let ranges = reader.u2(WHAT)?;
            put_u2(out, ranges);
            for _ in 0..ranges {
                tables::range(reader, layout, out)?;
                put_u2(out, reader.u2(WHAT)?);
            }
        }
        // Exception parameter: the number of an exception table entry.
        0x42 => put_u2(out, exceptions.moved(reader.u2(WHAT)?)),
        // instanceof, new, method references; casts and type arguments also have a number.
        0x43..=0x4B => {
            let index = usize::from(reader.u2(WHAT)?);
            put_u2(
                out,
                layout
                    .instruction(index)
                    .unwrap_or_else(|| layout.nearest(index)) as u16,
            );
            if kind >= 0x47 {
                out.push(reader.u1(WHAT)?);
            }
        }
        // These belong to declarations, but the VM does not mind them here.
        0x00 | 0x01 | 0x16 => out.push(reader.u1(WHAT)?),
        0x10 | 0x11 | 0x12 | 0x17 => put_u2(out, reader.u2(WHAT)?),
        0x13..=0x15 => {}
        _ => return Err(ClassFileError::Malformed { what: WHAT, offset }),
    }
    Ok(())
}

/// Contents of RuntimeVisibleAnnotations without `@IntrinsicCandidate`, or nothing if that is not among them.
pub(super) fn without_intrinsic_candidate(
    mut reader: Reader<'_>,
    pool: &Pool<'_>,
) -> Result<Option<Vec<u8>>, ClassFileError> {
    let count = reader.u2("annotation count")?;
    let mut kept = Vec::new();
    let mut kept_count = 0;
    for _ in 0..count {
        let annotation = reader;
        let kind = annotation.clone().u2("annotation")?;
        skip_annotation(&mut reader, 0)?;
        if pool.utf8(kind)? != INTRINSIC_CANDIDATE {
            kept_count += 1;
            kept.extend_from_slice(&annotation.rest()[..reader.offset() - annotation.offset()]);
        }
    }
    if kept_count == count {
        return Ok(None);
    }
    let mut contents = Vec::with_capacity(kept.len() + 2);
    put_u2(&mut contents, kept_count);
    contents.extend_from_slice(&kept);
    Ok(Some(contents))
}

fn skip_annotation(reader: &mut Reader<'_>, depth: usize) -> Result<(), ClassFileError> {
    reader.u2("annotation")?;
    for _ in 0..reader.u2("annotation")? {
        reader.u2("annotation element")?;
        skip_value(reader, depth)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: usize) -> Result<(), ClassFileError> {
    const WHAT: &str = "annotation value";
    let offset = reader.offset();
    if depth > DEEPEST {
        return Err(ClassFileError::Malformed { what: WHAT, offset });
    }
    match reader.u1(WHAT)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            reader.take(2, WHAT).map(|_| ())
        }
        b'e' => reader.take(4, WHAT).map(|_| ()),
        b'@' => skip_annotation(reader, depth + 1),
        b'[' => {
            for _ in 0..reader.u2(WHAT)? {
                skip_value(reader, depth + 1)?;
            }
            Ok(())
        }
        _ => Err(ClassFileError::Malformed { what: WHAT, offset }),
    }
}
