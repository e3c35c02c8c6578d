//! The instructions that matter to the rewriter, and how long each instruction is.

use super::error::ClassFileError;

pub(super) const NOP: u8 = 0;
pub(super) const LCONST_0: u8 = 9;
pub(super) const BIPUSH: u8 = 16;
pub(super) const SIPUSH: u8 = 17;
pub(super) const ISHL: u8 = 120;
pub(super) const IOR: u8 = 128;
pub(super) const I2C: u8 = 146;
pub(super) const LDC_W: u8 = 19;
pub(super) const ILOAD: u8 = 21;
pub(super) const LLOAD: u8 = 22;
pub(super) const FLOAD: u8 = 23;
pub(super) const DLOAD: u8 = 24;
pub(super) const ALOAD: u8 = 25;
pub(super) const ALOAD_0: u8 = 42;
const ISTORE: u8 = 54;
pub(super) const ASTORE: u8 = 58;
pub(super) const IALOAD: u8 = 46;
pub(super) const SALOAD: u8 = 53;
pub(super) const IASTORE: u8 = 79;
pub(super) const LASTORE: u8 = 80;
pub(super) const DASTORE: u8 = 82;
pub(super) const ICONST_M1: u8 = 2;
pub(super) const LDC2_W: u8 = 20;
/// The last of the instructions that push a constant or a local variable, which have the lowest numbers.
pub(super) const LAST_PUSH: u8 = 45;
pub(super) const NEWARRAY: u8 = 188;
pub(super) const ANEWARRAY: u8 = 189;
pub(super) const AASTORE: u8 = 83;
pub(super) const SASTORE: u8 = 86;
pub(super) const POP: u8 = 87;
pub(super) const POP2: u8 = 88;
pub(super) const DUP: u8 = 89;
pub(super) const DUP_X1: u8 = 90;
pub(super) const DUP_X2: u8 = 91;
pub(super) const DUP2: u8 = 92;
pub(super) const DUP2_X1: u8 = 93;
pub(super) const DUP2_X2: u8 = 94;
pub(super) const SWAP: u8 = 95;
const IINC: u8 = 132;
pub(super) const I2L: u8 = 133;
pub(super) const L2I: u8 = 136;
pub(super) const IFEQ: u8 = 153;
pub(super) const IFNE: u8 = 154;
pub(super) const GOTO: u8 = 167;
const JSR: u8 = 168;
pub(super) const TABLESWITCH: u8 = 170;
pub(super) const LOOKUPSWITCH: u8 = 171;
pub(super) const IFLT: u8 = 155;
pub(super) const IRETURN: u8 = 172;
pub(super) const LRETURN: u8 = 173;
pub(super) const FRETURN: u8 = 174;
pub(super) const DRETURN: u8 = 175;
pub(super) const ARETURN: u8 = 176;
pub(super) const RETURN: u8 = 177;
pub(super) const GETSTATIC: u8 = 178;
pub(super) const PUTSTATIC: u8 = 179;
pub(super) const GETFIELD: u8 = 180;
pub(super) const PUTFIELD: u8 = 181;
pub(super) const INVOKEVIRTUAL: u8 = 182;
pub(super) const INVOKESPECIAL: u8 = 183;
pub(super) const INVOKESTATIC: u8 = 184;
pub(super) const INVOKEINTERFACE: u8 = 185;
pub(super) const NEW: u8 = 187;
pub(super) const ATHROW: u8 = 191;
pub(super) const CHECKCAST: u8 = 192;
pub(super) const MONITORENTER: u8 = 194;
pub(super) const MONITOREXIT: u8 = 195;
pub(super) const WIDE: u8 = 196;
const IFNULL: u8 = 198;
const IFNONNULL: u8 = 199;
const GOTO_W: u8 = 200;
const JSR_W: u8 = 201;

/// What relocation has to do to an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    /// Nothing in it depends on where it is.
    Fixed,
    /// A 16-bit distance follows the opcode.
    Branch,
    /// A 32-bit distance follows the opcode.
    WideBranch,
    TableSwitch,
    LookupSwitch,
}

pub(super) fn operand(opcode: u8) -> Operand {
    match opcode {
        IFEQ..=JSR | IFNULL | IFNONNULL => Operand::Branch,
        GOTO_W | JSR_W => Operand::WideBranch,
        TABLESWITCH => Operand::TableSwitch,
        LOOKUPSWITCH => Operand::LookupSwitch,
        _ => Operand::Fixed,
    }
}

/// Length by opcode; 0 for what has no fixed length or does not exist.
const LENGTHS: [u8; 256] = lengths();

const fn lengths() -> [u8; 256] {
    let mut table = [0; 256];
    let mut opcode = 0;
    while opcode <= JSR_W {
        table[opcode as usize] = match opcode {
            16 | 18 | ILOAD..=ALOAD | ISTORE..=ASTORE | 169 | 188 => 2,
            17
            | LDC_W
            | 20
            | IINC
            | IFEQ..=JSR
            | 178..=INVOKESTATIC
            | 187
            | 189
            | 192
            | 193
            | IFNULL
            | IFNONNULL => 3,
            197 => 4,
            INVOKEINTERFACE | 186 | GOTO_W | JSR_W => 5,
            TABLESWITCH | LOOKUPSWITCH | WIDE => 0,
            _ => 1,
        };
        opcode += 1;
    }
    table
}

/// A method's instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytecode<'a> {
    pub bytes: &'a [u8],
    /// Offset of the first instruction in the class file.
    pub offset: usize,
}

impl Bytecode<'_> {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Where the instruction after the one at `at` starts. The whole instruction lies inside the bytecode.
    pub fn next(&self, at: usize) -> Result<usize, ClassFileError> {
        let opcode = *self.bytes.get(at).ok_or_else(|| self.truncated(at))?;
        let length = match LENGTHS[usize::from(opcode)] {
            0 => self.variable_length(opcode, at)?,
            length => usize::from(length),
        };
        let next = at + length;
        if next <= self.bytes.len() {
            Ok(next)
        } else {
            Err(self.truncated(at))
        }
    }

    fn variable_length(&self, opcode: u8, at: usize) -> Result<usize, ClassFileError> {
        let payload = switch_payload(at);
        let malformed = || ClassFileError::Malformed {
            what: "switch",
            offset: self.offset + at,
        };
        match opcode {
            WIDE => Ok(if self.bytes.get(at + 1) == Some(&IINC) {
                6
            } else {
                4
            }),
            TABLESWITCH => {
                let low = i64::from(self.i4(payload + 4)?);
                let high = i64::from(self.i4(payload + 8)?);
                let cases = usize::try_from(high - low + 1).map_err(|_| malformed())?;
                let table = cases.checked_mul(4).ok_or_else(malformed)?;
                (payload - at + 12).checked_add(table).ok_or_else(malformed)
            }
            LOOKUPSWITCH => {
                let cases = usize::try_from(self.i4(payload + 4)?).map_err(|_| malformed())?;
                let table = cases.checked_mul(8).ok_or_else(malformed)?;
                (payload - at + 8).checked_add(table).ok_or_else(malformed)
            }
            _ => Err(ClassFileError::UnknownOpcode {
                opcode,
                offset: self.offset + at,
            }),
        }
    }

    pub fn u2(&self, at: usize) -> Result<u16, ClassFileError> {
        match self.bytes.get(at..at + 2) {
            Some(&[high, low]) => Ok(u16::from_be_bytes([high, low])),
            _ => Err(self.truncated(at)),
        }
    }

    pub fn i4(&self, at: usize) -> Result<i32, ClassFileError> {
        match self.bytes.get(at..at + 4) {
            Some(&[a, b, c, d]) => Ok(i32::from_be_bytes([a, b, c, d])),
            _ => Err(self.truncated(at)),
        }
    }

    /// Whether any instruction stores into local variable 0, which holds `this` in an instance method.
    pub fn stores_to_local_zero(&self) -> Result<bool, ClassFileError> {
        let mut at = 0;
        while at < self.bytes.len() {
            let stores = match self.bytes[at] {
                // istore_0, lstore_0, fstore_0, dstore_0, astore_0
                59 | 63 | 67 | 71 | 75 => true,
                ISTORE..=ASTORE => self.bytes.get(at + 1) == Some(&0),
                WIDE => {
                    matches!(self.bytes.get(at + 1), Some(ISTORE..=ASTORE)) && self.u2(at + 2)? == 0
                }
                _ => false,
            };
            if stores {
                return Ok(true);
            }
            at = self.next(at)?;
        }
        Ok(false)
    }

    fn truncated(&self, at: usize) -> ClassFileError {
        ClassFileError::Truncated {
            what: "instruction",
            offset: self.offset + at,
        }
    }
}

/// Where the operands of a switch at `at` start: they are aligned to four bytes from the method's first instruction.
pub(super) fn switch_payload(at: usize) -> usize {
    (at + 4) & !3
}
