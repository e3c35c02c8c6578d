//! Writing the few kinds of instructions that the rewriter adds.

use super::bytes::put_u2;
use super::descriptor::Descriptor;
use super::opcode::{ALOAD_0, ASTORE, INVOKESTATIC, LDC_W, WIDE};

/// Pushes a constant of one word.
pub(super) fn constant(out: &mut Vec<u8>, index: u16) {
    out.push(LDC_W);
    put_u2(out, index);
}

pub(super) fn call_static(out: &mut Vec<u8>, method: u16) {
    out.push(INVOKESTATIC);
    put_u2(out, method);
}

/// A load of a local variable, by its long form's opcode.
pub(super) fn load(out: &mut Vec<u8>, opcode: u8, local: usize) {
    local_access(out, opcode, local);
}

pub(super) fn store_reference(out: &mut Vec<u8>, local: usize) {
    local_access(out, ASTORE, local);
}

fn local_access(out: &mut Vec<u8>, opcode: u8, local: usize) {
    match u8::try_from(local) {
        Ok(local) => out.extend_from_slice(&[opcode, local]),
        Err(_) => {
            out.extend_from_slice(&[WIDE, opcode]);
            // A method has at most 255 words of parameters, so this form is only for class files the VM will refuse.
            put_u2(out, local as u16);
        }
    }
}

/// Pushes `this`, unless the method is static, and all parameters. Returns how many words that is.
pub(super) fn load_arguments(
    out: &mut Vec<u8>,
    is_static: bool,
    descriptor: &Descriptor<'_>,
) -> usize {
    let first = usize::from(!is_static);
    if !is_static {
        out.push(ALOAD_0);
    }
    for parameter in &descriptor.parameters {
        load(out, parameter.load_opcode(), first + parameter.local);
    }
    first + descriptor.words()
}
