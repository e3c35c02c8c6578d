//! Finds the stores that fill a new array where it is made: `new int[] {1, x}`. Nobody else can see the array yet, so they need no calls around them.
//!
//! Only what a compiler writes for simple values is understood: the array, `dup`, an index, a value that one instruction pushes (or an array that is filled in the
//! same way), the store. Anything else ends it, and what follows is an access like any other.

use super::opcode::{ANEWARRAY, DUP, IASTORE, ICONST_M1, LAST_PUSH, LDC2_W, NEWARRAY, SASTORE};

/// Where an array's filling is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The array is on top of the stack.
    Made,
    /// Twice.
    Doubled,
    /// And the index.
    Indexed,
    /// And the value, or the length of an array that is going to be the value.
    Valued,
}

/// The arrays that are being filled, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Fresh(Vec<Step>);

impl Fresh {
    /// The next instruction in the order of the code. Whether it stores into an array that nobody else can see.
    pub fn next(&mut self, opcode: u8) -> bool {
        if let NEWARRAY | ANEWARRAY = opcode {
            if self.0.last().is_some_and(|step| *step != Step::Valued) {
                self.0.clear();
            }
            self.0.push(Step::Made);
            return false;
        }
        if let IASTORE..=SASTORE = opcode {
            // An array that is complete is the value of the one around it.
            if self.0.last() == Some(&Step::Made) {
                self.0.pop();
            }
            if self.0.last() == Some(&Step::Valued) {
                self.0.pop();
                self.0.push(Step::Made);
                return true;
            }
            self.0.clear();
            return false;
        }
        let next = match (self.0.last(), opcode) {
            (Some(Step::Made), DUP) => Step::Doubled,
            (Some(Step::Doubled), opcode) if is_constant(opcode) => Step::Indexed,
            (Some(Step::Indexed), opcode) if is_push(opcode) => Step::Valued,
            _ => {
                self.0.clear();
                return false;
            }
        };
        self.0.pop();
        self.0.push(next);
        false
    }
}

fn is_constant(opcode: u8) -> bool {
    (ICONST_M1..=LDC2_W).contains(&opcode)
}

/// Constants and local variables.
fn is_push(opcode: u8) -> bool {
    (1..=LAST_PUSH).contains(&opcode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::opcode::{AASTORE, ALOAD_0, POP};

    const ICONST_1: u8 = 4;
    const IALOAD: u8 = 46;

    #[track_caller]
    fn check(code: &[u8], expected: &[usize]) {
        let mut fresh = Fresh::default();
        let found: Vec<usize> = (0..code.len()).filter(|at| fresh.next(code[*at])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn arrays_of_simple_values() {
        let one = [DUP, ICONST_1, ICONST_1, IASTORE];
        check(&[&[ICONST_1, NEWARRAY][..], &one, &one].concat(), &[5, 9]);
    }

    #[test]
    fn arrays_of_arrays() {
        let inner = [
            DUP, ICONST_1, ICONST_1, NEWARRAY, DUP, ICONST_1, ALOAD_0, IASTORE, AASTORE,
        ];
        check(&[&[ICONST_1, ANEWARRAY][..], &inner].concat(), &[9, 10]);
    }

    #[test]
    fn an_array_that_somebody_may_have() {
        check(&[ALOAD_0, ICONST_1, ICONST_1, IASTORE], &[]);
        // The value is read from another array.
        check(
            &[NEWARRAY, DUP, ICONST_1, ALOAD_0, ICONST_1, IALOAD, IASTORE],
            &[],
        );
        check(&[NEWARRAY, POP, DUP, ICONST_1, ICONST_1, IASTORE], &[]);
    }
}
