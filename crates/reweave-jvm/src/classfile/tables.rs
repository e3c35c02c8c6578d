//! The tables for debuggers: line numbers and local variables, moved. They are only informative, so an index that fits no instruction is
//! moved to the nearest one rather than rejected: the VM accepts such tables too.

use super::bytes::{Reader, put_u2};
use super::error::ClassFileError;
use super::layout::Layout;

pub(super) fn line_numbers(
    mut table: Reader<'_>,
    layout: &Layout<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let count = table.u2("line count")?;
    put_u2(out, count);
    for _ in 0..count {
        let start = table.u2("line start")?;
        put_u2(out, layout.nearest(usize::from(start)) as u16);
        put_u2(out, table.u2("line number")?);
    }
    Ok(())
}

/// LocalVariableTable and LocalVariableTypeTable: they have the same form.
pub(super) fn local_variables(
    mut table: Reader<'_>,
    layout: &Layout<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let count = table.u2("variable count")?;
    put_u2(out, count);
    for _ in 0..count {
        range(&mut table, layout, out)?;
        // Name, type and number of the variable.
        out.extend_from_slice(table.take(6, "local variable")?);
    }
    Ok(())
}

/// Moves a start and a length.
pub(super) fn range(
    table: &mut Reader<'_>,
    layout: &Layout<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let start = usize::from(table.u2("range start")?);
    let length = usize::from(table.u2("range length")?);
    let new_start = layout.nearest(start);
    let new_end = layout.nearest(start + length);
    put_u2(out, new_start as u16);
    put_u2(out, (new_end - new_start) as u16);
    Ok(())
}
