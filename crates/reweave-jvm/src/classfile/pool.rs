//! The constant pool: look constants up, append new ones. Old indices stay valid; nothing is removed or merged.

use super::bytes::{Reader, put_u2, put_u4};
use super::error::ClassFileError;

pub(super) const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const LONG: u8 = 5;
const DOUBLE: u8 = 6;
const CLASS: u8 = 7;
const FIELD: u8 = 9;
pub(super) const METHOD: u8 = 10;
pub(super) const INTERFACE_METHOD: u8 = 11;
const NAME_AND_TYPE: u8 = 12;
pub(super) const METHOD_HANDLE: u8 = 15;

/// Offset of the pool's first constant: magic, two version numbers and the count come before it.
pub(super) const FIRST_CONSTANT: usize = 10;

pub(super) struct Pool<'a> {
    class_file: &'a [u8],
    /// Where each constant starts; 0 for index 0 and for the second half of a long or double.
    offsets: Vec<u32>,
    end: usize,
    appended: Vec<u8>,
    appended_count: usize,
}

/// A field or method as a constant names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'a> {
    pub owner: &'a [u8],
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
}

impl<'a> Pool<'a> {
    pub fn parse(class_file: &'a [u8]) -> Result<Self, ClassFileError> {
        let mut reader = Reader::new(class_file, 0);
        let magic = reader.u4("magic number")?;
        if magic != 0xCAFE_BABE {
            return Err(ClassFileError::NotAClass { magic });
        }
        reader.take(4, "version")?;
        let count = usize::from(reader.u2("constant pool count")?);
        let mut offsets = vec![0; count.max(1)];
        let mut index = 1;
        while index < count {
            let offset = reader.offset();
            // A class file of 4 GiB cannot exist: HotSpot takes its length as a signed 32-bit number.
            offsets[index] = u32::try_from(offset).map_err(|_| ClassFileError::Truncated {
                what: "constant",
                offset,
            })?;
            let tag = reader.u1("constant")?;
            let length = match tag {
                UTF8 => usize::from(reader.u2("string constant")?),
                CLASS | 8 | 16 | 19 | 20 => 2,
                METHOD_HANDLE => 3,
                INTEGER | 4 | 9 | METHOD | INTERFACE_METHOD | NAME_AND_TYPE | 17 | 18 => 4,
                LONG | DOUBLE => 8,
                _ => return Err(ClassFileError::UnknownConstant { tag, offset }),
            };
            reader.take(length, "constant")?;
            index += match tag {
                LONG | DOUBLE => 2,
                _ => 1,
            };
        }
        Ok(Pool {
            class_file,
            offsets,
            end: reader.offset(),
            appended: Vec::new(),
            appended_count: 0,
        })
    }

    /// Offset of the first byte after the pool.
    pub fn end(&self) -> usize {
        self.end
    }

    /// One more than the highest index of the class file as it came.
    pub fn original_count(&self) -> usize {
        self.offsets.len()
    }

    /// Offset and tag of a constant of the class file as it came.
    pub fn tag(&self, index: usize) -> Option<(usize, u8)> {
        let offset = *self.offsets.get(index)? as usize;
        if offset == 0 {
            None
        } else {
            Some((offset, *self.class_file.get(offset)?))
        }
    }

    pub fn utf8(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let mut constant = self.constant(index, UTF8, "a string")?;
        let length = usize::from(constant.u2("string constant")?);
        constant.take(length, "string constant")
    }

    pub fn class(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let name = self
            .constant(index, CLASS, "a class")?
            .u2("class constant")?;
        self.utf8(name)
    }

    /// The method behind a method or interface-method constant.
    pub fn method(&self, index: u16) -> Result<Member<'a>, ClassFileError> {
        const EXPECTED: &str = "a method";
        let mut constant = match self.tag(usize::from(index)) {
            Some((_, INTERFACE_METHOD)) => self.constant(index, INTERFACE_METHOD, EXPECTED)?,
            _ => self.constant(index, METHOD, EXPECTED)?,
        };
        let owner = constant.u2("method constant")?;
        let name_and_type = constant.u2("method constant")?;
        let mut pair = self.constant(name_and_type, NAME_AND_TYPE, "a name and type")?;
        let name = pair.u2("name and type")?;
        let descriptor = pair.u2("name and type")?;
        Ok(Member {
            owner: self.class(owner)?,
            name: self.utf8(name)?,
            descriptor: self.utf8(descriptor)?,
        })
    }

    /// The field behind a field constant.
    pub fn field(&self, index: u16) -> Result<Member<'a>, ClassFileError> {
        let mut constant = self.constant(index, FIELD, "a field")?;
        let owner = constant.u2("field constant")?;
        let name_and_type = constant.u2("field constant")?;
        let mut pair = self.constant(name_and_type, NAME_AND_TYPE, "a name and type")?;
        let name = pair.u2("name and type")?;
        let descriptor = pair.u2("name and type")?;
        Ok(Member {
            owner: self.class(owner)?,
            name: self.utf8(name)?,
            descriptor: self.utf8(descriptor)?,
        })
    }

    /// The class constant that a class, field or method constant names.
    pub fn class_of(&self, index: u16) -> Result<u16, ClassFileError> {
        match self.tag(usize::from(index)) {
            Some((_, CLASS)) => Ok(index),
            Some((_, tag @ (FIELD | METHOD | INTERFACE_METHOD))) => {
                self.constant(index, tag, "a member")?.u2("member constant")
            }
            _ => Err(ClassFileError::WrongConstant {
                expected: "a class or member",
                index,
            }),
        }
    }

    /// Kind, method and offset of a method handle, if the constant is one.
    pub fn method_handle(&self, index: usize) -> Option<(u8, u16, usize)> {
        let (offset, METHOD_HANDLE) = self.tag(index)? else {
            return None;
        };
        match self.class_file.get(offset + 1..offset + 4) {
            Some(&[kind, high, low]) => Some((kind, u16::from_be_bytes([high, low]), offset)),
            _ => None,
        }
    }

    /// The bytes of a constant after its tag.
    fn constant(
        &self,
        index: u16,
        tag: u8,
        expected: &'static str,
    ) -> Result<Reader<'a>, ClassFileError> {
        match self.tag(usize::from(index)) {
            Some((offset, found)) if found == tag => Ok(Reader::new(
                self.class_file
                    .get(offset + 1..self.end)
                    .unwrap_or_default(),
                offset + 1,
            )),
            _ => Err(ClassFileError::WrongConstant { expected, index }),
        }
    }

    pub fn append_utf8(&mut self, text: &[u8]) -> Result<u16, ClassFileError> {
        let length = u16::try_from(text.len())
            .map_err(|_| ClassFileError::NameTooLong { length: text.len() })?;
        let index = self.append(UTF8)?;
        put_u2(&mut self.appended, length);
        self.appended.extend_from_slice(text);
        Ok(index)
    }

    pub fn append_integer(&mut self, value: u32) -> Result<u16, ClassFileError> {
        let index = self.append(INTEGER)?;
        put_u4(&mut self.appended, value);
        Ok(index)
    }

    pub fn append_class(&mut self, name: &[u8]) -> Result<u16, ClassFileError> {
        let name = self.append_utf8(name)?;
        let index = self.append(CLASS)?;
        put_u2(&mut self.appended, name);
        Ok(index)
    }

    /// A method of the class (not interface) that constant `owner` names.
    pub fn append_method(
        &mut self,
        owner: u16,
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<u16, ClassFileError> {
        let name = self.append_utf8(name)?;
        let descriptor = self.append_utf8(descriptor)?;
        let name_and_type = self.append(NAME_AND_TYPE)?;
        put_u2(&mut self.appended, name);
        put_u2(&mut self.appended, descriptor);
        let index = self.append(METHOD)?;
        put_u2(&mut self.appended, owner);
        put_u2(&mut self.appended, name_and_type);
        Ok(index)
    }

    /// How many constants can still be added.
    pub fn free(&self) -> usize {
        usize::from(u16::MAX).saturating_sub(self.offsets.len() + self.appended_count)
    }

    /// Starts a new constant; the caller writes what follows the tag.
    fn append(&mut self, tag: u8) -> Result<u16, ClassFileError> {
        // The count is one more than the highest index and must itself fit into 16 bits.
        let index = u16::try_from(self.offsets.len() + self.appended_count)
            .map_err(|_| ClassFileError::PoolFull)?;
        if index == u16::MAX {
            return Err(ClassFileError::PoolFull);
        }
        self.appended_count += 1;
        self.appended.push(tag);
        Ok(index)
    }

    /// The appended constants' bytes and the pool's new count.
    pub fn additions(&self) -> (&[u8], u16) {
        // `append` keeps the count within 16 bits.
        (
            &self.appended,
            (self.offsets.len() + self.appended_count) as u16,
        )
    }
}
