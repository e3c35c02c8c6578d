//! Why a class file could not be rewritten. Offsets count bytes from the start of the class file.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassFileError {
    /// The bytes end, or the enclosing attribute ends, before `what` does.
    Truncated {
        what: &'static str,
        offset: usize,
    },
    /// The file does not begin with `0xCAFEBABE`.
    NotAClass {
        magic: u32,
    },
    UnknownConstant {
        tag: u8,
        offset: usize,
    },
    /// Constant `index` does not exist or is not `expected`.
    WrongConstant {
        expected: &'static str,
        index: u16,
    },
    UnknownOpcode {
        opcode: u8,
        offset: usize,
    },
    /// `what`, found at `offset`, points to a bytecode index at which no instruction starts.
    NoInstruction {
        what: &'static str,
        index: i64,
        offset: usize,
    },
    BadDescriptor {
        descriptor: String,
    },
    /// `what` has a value or a nesting that the format does not allow.
    Malformed {
        what: &'static str,
        offset: usize,
    },
    /// The constants to be added do not fit: a class has at most 65,535.
    PoolFull,
    /// The class would get more than 65,535 of `what`.
    TooMany {
        what: &'static str,
    },
    /// A name or descriptor would be longer than 65,535 bytes.
    NameTooLong {
        length: usize,
    },
}

impl fmt::Display for ClassFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { what, offset } => write!(
                formatter,
                "the class file ends inside {what}, at byte {offset}"
            ),
            Self::NotAClass { magic } => write!(
                formatter,
                "not a class file: it begins with {magic:#010x}, not 0xcafebabe"
            ),
            Self::UnknownConstant { tag, offset } => write!(
                formatter,
                "unknown kind of constant, tag {tag}, at byte {offset}"
            ),
            Self::WrongConstant { expected, index } => {
                write!(formatter, "constant {index} is not {expected}")
            }
            Self::UnknownOpcode { opcode, offset } => {
                write!(formatter, "unknown instruction {opcode} at byte {offset}")
            }
            Self::NoInstruction {
                what,
                index,
                offset,
            } => {
                write!(
                    formatter,
                    "{what} at byte {offset} points to bytecode index {index}, where no instruction starts"
                )
            }
            Self::BadDescriptor { descriptor } => {
                write!(formatter, "{descriptor:?} is not a method descriptor")
            }
            Self::Malformed { what, offset } => {
                write!(formatter, "malformed {what} at byte {offset}")
            }
            Self::PoolFull => write!(
                formatter,
                "the constant pool is full: nothing can be added to this class"
            ),
            Self::TooMany { what } => {
                write!(formatter, "the class would have more than 65535 {what}")
            }
            Self::NameTooLong { length } => write!(
                formatter,
                "a name of {length} bytes does not fit into a class file"
            ),
        }
    }
}

impl std::error::Error for ClassFileError {}
