//! Stores into arrays that nobody else can know: the elements of an array initialiser, `new String[] {"a", "b"}`.
//!
//! Such a store needs no order, and tables of thousands of elements would not fit into a method with calls around each. Compilers make `newarray`, then
//! `dup`, index, value, store for each element. Only values of one instruction, and arrays of the same form, are followed; after anything else stores are
//! ordinary accesses again.

use super::opcode::{
    ACONST_NULL, ALOAD_3, ANEWARRAY, BIPUSH, DUP, IASTORE, ICONST_5, ICONST_M1, LDC_W, NEWARRAY,
    SASTORE,
};

/// What may come next in an array that is being filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// `dup`, or the array is complete.
    Element,
    Index,
    Value,
    /// The store, or `newarray`, whose length the value was.
    Store,
}

/// Follows the instructions of a method.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    /// The arrays being filled, each an element of the one before.
    open: Vec<Next>,
}

impl Fresh {
    /// Takes the next instruction; returns whether it stores into an array that was created just before and has not been passed on.
    pub fn is_store(&mut self, opcode: u8) -> bool {
        if self.open.last() == Some(&Next::Element) && opcode != DUP {
            // Complete; it is now a value itself.
            self.open.pop();
        }
        let creates = matches!(opcode, NEWARRAY | ANEWARRAY);
        let Some(next) = self.open.last_mut() else {
            if creates {
                self.open.push(Next::Element);
            }
            return false;
        };
        match *next {
            Next::Element => *next = Next::Index,
            Next::Index if matches!(opcode, ICONST_M1..=ICONST_5 | BIPUSH..=LDC_W) => {
                *next = Next::Value;
            }
            Next::Value if matches!(opcode, ACONST_NULL..=ALOAD_3) => *next = Next::Store,
            Next::Store if matches!(opcode, IASTORE..=SASTORE) => {
                *next = Next::Element;
                return true;
            }
            Next::Store if creates => self.open.push(Next::Element),
            Next::Index | Next::Value | Next::Store => {
                self.open.clear();
                if creates {
                    self.open.push(Next::Element);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::opcode::{AASTORE, ALOAD_0, ICONST_0, INVOKESTATIC, LDC};
    use super::*;

    /// The instructions of `code` that are stores into fresh arrays.
    fn stores(code: &[u8]) -> Vec<usize> {
        let mut fresh = Fresh::default();
        (0..code.len())
            .filter(|&at| fresh.is_store(code[at]))
            .collect()
    }

    #[test]
    fn elements_of_nested_initialisers() {
        let code = [
            ICONST_0, ANEWARRAY, DUP, ICONST_0, ICONST_0, ANEWARRAY, DUP, ICONST_0, LDC, AASTORE,
            DUP, BIPUSH, ALOAD_0, AASTORE, AASTORE, DUP, BIPUSH, LDC, AASTORE,
        ];
        assert_eq!(stores(&code), [9, 13, 14, 18]);
    }

    #[test]
    fn an_array_that_was_passed_on_is_not_fresh() {
        let passed = [
            ICONST_0,
            ANEWARRAY,
            DUP,
            INVOKESTATIC,
            ICONST_0,
            LDC,
            AASTORE,
        ];
        assert_eq!(stores(&passed), [0; 0]);
        let complete = [ICONST_0, ANEWARRAY, ICONST_0, LDC, AASTORE];
        assert_eq!(stores(&complete), [0; 0]);
    }

    #[test]
    fn a_value_that_is_computed_ends_it() {
        let code = [
            ICONST_0,
            ANEWARRAY,
            DUP,
            ICONST_0,
            INVOKESTATIC,
            AASTORE,
            DUP,
            ICONST_0,
            LDC,
            AASTORE,
        ];
        assert_eq!(stores(&code), [0; 0]);
    }

    #[test]
    fn a_store_of_another_array_is_not_fresh() {
        let code = [ALOAD_0, ICONST_0, LDC, AASTORE];
        assert_eq!(stores(&code), [0; 0]);
    }
}
