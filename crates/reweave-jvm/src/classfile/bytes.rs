//! Reading and writing big-endian numbers. Every read is checked and says what it wanted and where.

use super::error::ClassFileError;

/// A cursor over a part of the class file that knows its place in the whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of `bytes[0]` in the class file.
    base: usize,
}

impl<'a> Reader<'a> {
    /// `base` is the offset of the first byte in the class file.
    pub fn new(bytes: &'a [u8], base: usize) -> Self {
        Reader { bytes, at: 0, base }
    }

    /// Offset of the next byte in the class file.
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], ClassFileError> {
        let end = self.at.checked_add(length);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(taken) => {
                self.at += length;
                Ok(taken)
            }
            None => Err(ClassFileError::Truncated {
                what,
                offset: self.offset(),
            }),
        }
    }

    /// This reader, `length` bytes further.
    pub fn after(mut self, length: usize, what: &'static str) -> Result<Self, ClassFileError> {
        self.take(length, what)?;
        Ok(self)
    }

    /// A reader of the next `length` bytes, which this one skips.
    pub fn part(
        &mut self,
        length: usize,
        what: &'static str,
    ) -> Result<Reader<'a>, ClassFileError> {
        let base = self.offset();
        Ok(Reader::new(self.take(length, what)?, base))
    }

    pub fn u1(&mut self, what: &'static str) -> Result<u8, ClassFileError> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(ClassFileError::Truncated {
                what,
                offset: self.offset(),
            }),
        }
    }

    pub fn u2(&mut self, what: &'static str) -> Result<u16, ClassFileError> {
        match self.bytes.get(self.at..self.at + 2) {
            Some(&[high, low]) => {
                self.at += 2;
                Ok(u16::from_be_bytes([high, low]))
            }
            _ => Err(ClassFileError::Truncated {
                what,
                offset: self.offset(),
            }),
        }
    }

    pub fn u4(&mut self, what: &'static str) -> Result<u32, ClassFileError> {
        match self.bytes.get(self.at..self.at + 4) {
            Some(&[a, b, c, d]) => {
                self.at += 4;
                Ok(u32::from_be_bytes([a, b, c, d]))
            }
            _ => Err(ClassFileError::Truncated {
                what,
                offset: self.offset(),
            }),
        }
    }

    /// An attribute's length: a `u4` that counts bytes.
    pub fn length(&mut self, what: &'static str) -> Result<usize, ClassFileError> {
        let offset = self.offset();
        usize::try_from(self.u4(what)?).map_err(|_| ClassFileError::Truncated { what, offset })
    }

    /// All that is left, without moving.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

pub(super) fn put_u2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(super) fn put_u4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Writes what `body` writes, after its length as a `u4`.
pub(super) fn put_with_length<E>(
    out: &mut Vec<u8>,
    body: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let at = out.len();
    put_u4(out, 0);
    body(out)?;
    // A method's attributes are far below 4 GiB: each comes from a class file's bytes or is bounded by 64 KiB of code.
    let length = (out.len() - at - 4) as u32;
    patch(out, at, &length.to_be_bytes());
    Ok(())
}

/// Overwrites bytes already written at `at`.
pub(super) fn patch(out: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = out.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}
