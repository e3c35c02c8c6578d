//! Method descriptors: which parameters there are, which local variables they arrive in, what is returned.

use super::error::ClassFileError;
use super::opcode::{
    ALOAD, ARETURN, DLOAD, DRETURN, FLOAD, FRETURN, ILOAD, IRETURN, LLOAD, LRETURN, RETURN,
};

/// A parsed `(parameters)result`.
#[derive(Debug)]
pub(super) struct Descriptor<'a> {
    pub parameters: Vec<Parameter<'a>>,
    /// The text between the parentheses.
    pub parameter_text: &'a [u8],
    pub result: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub descriptor: &'a [u8],
    /// The first of its local variables, counted from the first parameter.
    pub local: usize,
}

impl<'a> Descriptor<'a> {
    pub fn parse(text: &'a [u8]) -> Result<Self, ClassFileError> {
        Self::split(text).ok_or_else(|| ClassFileError::BadDescriptor {
            descriptor: String::from_utf8_lossy(text).into_owned(),
        })
    }

    fn split(text: &'a [u8]) -> Option<Self> {
        let inside = text.strip_prefix(b"(")?;
        let mut rest = inside;
        let mut parameters = Vec::new();
        let mut local = 0;
        while !rest.starts_with(b")") {
            let (descriptor, after) = rest.split_at_checked(type_length(rest)?)?;
            parameters.push(Parameter { descriptor, local });
            local += words(descriptor);
            rest = after;
        }
        let parameter_text = inside.get(..inside.len() - rest.len())?;
        let result = rest.strip_prefix(b")")?;
        let complete = result == b"V" || type_length(result)? == result.len();
        complete.then_some(Descriptor {
            parameters,
            parameter_text,
            result,
        })
    }

    /// How many words all parameters take on the stack or among the local variables.
    pub fn words(&self) -> usize {
        self.parameters
            .last()
            .map_or(0, |last| last.local + words(last.descriptor))
    }

    /// The instruction that returns the result.
    pub fn return_opcode(&self) -> u8 {
        match self.result {
            b"V" => RETURN,
            b"J" => LRETURN,
            b"D" => DRETURN,
            b"F" => FRETURN,
            [b'L' | b'[', ..] => ARETURN,
            _ => IRETURN,
        }
    }
}

impl Parameter<'_> {
    /// The instruction that loads it.
    pub fn load_opcode(&self) -> u8 {
        match self.descriptor {
            b"J" => LLOAD,
            b"D" => DLOAD,
            b"F" => FLOAD,
            [b'L' | b'[', ..] => ALOAD,
            _ => ILOAD,
        }
    }
}

/// long and double take two words.
pub(super) fn words(descriptor: &[u8]) -> usize {
    match descriptor {
        b"V" => 0,
        b"J" | b"D" => 2,
        _ => 1,
    }
}

/// Length of the type that `text` begins with.
fn type_length(text: &[u8]) -> Option<usize> {
    let dimensions = text.iter().take_while(|&&byte| byte == b'[').count();
    match text.get(dimensions)? {
        b'L' => Some(dimensions + text[dimensions..].iter().position(|&byte| byte == b';')? + 1),
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dimensions + 1),
        _ => None,
    }
}
