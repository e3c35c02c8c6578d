//! Numbers that added code pushes, in a class whose constant pool may not have room for one per place.

use super::bytes::put_u2;
use super::error::ClassFileError;
use super::opcode::{BIPUSH, I2C, IOR, ISHL, SIPUSH};
use super::pool::Pool;

/// Constants that numbers leave free for everything else the rewriter adds.
const KEPT_FREE: usize = 4096;

/// A number on its way to the stack. Pushing it needs at most two words there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Constant(u16),
    /// Made of what instructions can hold: tables of tens of thousands of elements fill a pool.
    Spelled(u32),
}

impl Number {
    pub fn new(pool: &mut Pool<'_>, value: u32) -> Result<Number, ClassFileError> {
        let is_short = i16::try_from(value).is_ok();
        if is_short || pool.free() <= KEPT_FREE {
            Ok(Number::Spelled(value))
        } else {
            pool.append_integer(value).map(Number::Constant)
        }
    }

    pub fn push(self, out: &mut Vec<u8>) {
        match self {
            Number::Constant(index) => super::assemble::constant(out, index),
            Number::Spelled(value) => {
                if i16::try_from(value).is_err() {
                    out.push(SIPUSH);
                    put_u2(out, (value >> 16) as u16);
                    out.extend_from_slice(&[BIPUSH, 16, ISHL]);
                    out.push(SIPUSH);
                    put_u2(out, value as u16);
                    out.extend_from_slice(&[I2C, IOR]);
                } else {
                    out.push(SIPUSH);
                    put_u2(out, value as u16);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the instructions leave on the stack.
    fn run(code: &[u8]) -> i32 {
        let mut stack: Vec<i32> = Vec::new();
        let mut at = 0;
        while at < code.len() {
            match code[at] {
                SIPUSH => {
                    let short = i16::from_be_bytes([code[at + 1], code[at + 2]]);
                    stack.push(short.into());
                    at += 2;
                }
                BIPUSH => {
                    stack.push((code[at + 1] as i8).into());
                    at += 1;
                }
                I2C => {
                    let top = stack.pop().unwrap();
                    stack.push((top as u16).into());
                }
                operation @ (ISHL | IOR) => {
                    let (right, left) = (stack.pop().unwrap(), stack.pop().unwrap());
                    stack.push(match operation {
                        ISHL => left << right,
                        _ => left | right,
                    });
                }
                other => panic!("opcode {other}"),
            }
            at += 1;
            assert!(stack.len() <= 2);
        }
        assert_eq!(stack.len(), 1);
        stack[0]
    }

    #[test]
    fn spelled_numbers_are_what_they_should_be() {
        for value in [
            0,
            1,
            0x7fff,
            0x8000,
            0xffff,
            0x1_0000,
            0x7fff_8000,
            0x8000_7fff,
            0xffff_ffff,
        ] {
            let mut code = Vec::new();
            Number::Spelled(value).push(&mut code);
            assert_eq!(run(&code), value as i32, "{value:#x}");
        }
    }
}
