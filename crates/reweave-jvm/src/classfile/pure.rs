//! Instructions that only compute: they neither throw nor call nor jump nor touch memory that others see. Follows what they do to the stack as far as it matters
//! which local variable a reference was loaded from.

use super::error::ClassFileError;
use super::opcode::Bytecode;
use super::pool::Pool;

/// What an instruction did besides computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// Into this local variable, and the next if it is a long or double.
    Stores(u16),
    /// It may do anything.
    Other,
}

/// For each word on the stack, the local variable that it is a copy of. What is below is unknown.
#[derive(Debug, Default)]
pub(super) struct Origins(Vec<Option<u16>>);

impl Origins {
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// Takes words off. The origin of the last one taken.
    pub fn pop(&mut self, words: usize) -> Option<u16> {
        let mut last = None;
        for _ in 0..words {
            last = self.0.pop().flatten();
        }
        last
    }

    /// Puts values on of which nothing is known.
    pub fn push(&mut self, words: usize) {
        self.0.extend(std::iter::repeat_n(None, words));
    }

    fn change(&mut self, popped: usize, pushed: usize) -> Effect {
        self.pop(popped);
        self.push(pushed);
        Effect::None
    }

    /// A local variable has another value: what was loaded from it is not what is in it.
    fn store(&mut self, local: u16, words: usize) -> Effect {
        self.pop(words);
        for origin in &mut self.0 {
            if *origin == Some(local) || *origin == Some(local.wrapping_add(1)) {
                *origin = None;
            }
        }
        Effect::Stores(local)
    }

    /// Duplicates `words` on top below `skipped` more words.
    fn duplicate(&mut self, words: usize, skipped: usize) -> Effect {
        let needed = words + skipped;
        if self.0.len() < needed {
            let missing = needed - self.0.len();
            self.0.splice(0..0, std::iter::repeat_n(None, missing));
        }
        let top = self.0[self.0.len() - words..].to_vec();
        let place = self.0.len() - needed;
        self.0.splice(place..place, top);
        Effect::None
    }

    /// Does what the instruction at `at` does. Field accesses are the caller's.
    pub fn follow(
        &mut self,
        bytecode: &Bytecode<'_>,
        at: usize,
        pool: &Pool<'_>,
    ) -> Result<Effect, ClassFileError> {
        let opcode = bytecode.bytes[at];
        // `Bytecode::next` has seen that the operands are there; where it has not, 0 is as good as anything.
        let operand = u16::from(bytecode.bytes.get(at + 1).copied().unwrap_or(0));
        // Types in the order int, long, float, double, reference.
        let width = |kind: u8| if matches!(kind, 1 | 3) { 2 } else { 1 };
        Ok(match opcode {
            0 => Effect::None,
            9 | 10 | 14 | 15 | 20 => self.change(0, 2),
            1..=8 | 11..=13 | 16 | 17 => self.change(0, 1),
            18 | 19 => {
                let index = match opcode {
                    18 => operand,
                    _ => bytecode.u2(at + 1)?,
                };
                match pool.tag(usize::from(index)) {
                    // A number or a string; everything else may run code.
                    Some((_, 3 | 4 | 8)) => self.change(0, 1),
                    _ => Effect::Other,
                }
            }
            21..=24 => self.change(0, width(opcode - 21)),
            25 => {
                self.0.push(Some(operand));
                Effect::None
            }
            26..=41 => self.change(0, width((opcode - 26) / 4)),
            42..=45 => {
                self.0.push(Some(u16::from(opcode - 42)));
                Effect::None
            }
            54..=58 => self.store(operand, width(opcode - 54)),
            59..=78 => self.store(u16::from((opcode - 59) % 4), width((opcode - 59) / 4)),
            87 => self.change(1, 0),
            88 => self.change(2, 0),
            89 => self.duplicate(1, 0),
            90 => self.duplicate(1, 1),
            91 => self.duplicate(1, 2),
            92 => self.duplicate(2, 0),
            93 => self.duplicate(2, 1),
            94 => self.duplicate(2, 2),
            95 => {
                let (top, below) = (self.pop(1), self.pop(1));
                self.0.extend([top, below]);
                Effect::None
            }
            // Division of integers can fail.
            108 | 109 | 112 | 113 => Effect::Other,
            96..=115 => {
                let words = width((opcode - 96) % 4);
                self.change(2 * words, words)
            }
            116..=119 => {
                let words = width((opcode - 116) % 4);
                self.change(words, words)
            }
            // Shifts: by an int.
            120 | 122 | 124 => self.change(2, 1),
            121 | 123 | 125 => self.change(3, 2),
            126..=131 => {
                let words = width((opcode - 126) % 2);
                self.change(2 * words, words)
            }
            // An int that is counted up was never a reference.
            132 => Effect::None,
            133 | 135 | 140 | 141 => self.change(1, 2),
            134 | 139 | 145..=147 => self.change(1, 1),
            136 | 137 | 142 | 144 => self.change(2, 1),
            138 | 143 => self.change(2, 2),
            148 | 151 | 152 => self.change(4, 1),
            149 | 150 => self.change(2, 1),
            _ => Effect::Other,
        })
    }
}
