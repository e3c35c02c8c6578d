//! A method as the class file declares it, with the attributes that the rewriter may change.

use super::bytes::Reader;
use super::error::ClassFileError;
use super::pool::Pool;
use std::ops::Range;

pub(super) const ACC_PUBLIC: u16 = 0x0001;
pub(super) const ACC_PRIVATE: u16 = 0x0002;
pub(super) const ACC_PROTECTED: u16 = 0x0004;
pub(super) const ACC_STATIC: u16 = 0x0008;
pub(super) const ACC_SYNCHRONIZED: u16 = 0x0020;
pub(super) const ACC_NATIVE: u16 = 0x0100;
pub(super) const ACC_STRICT: u16 = 0x0800;
pub(super) const ACC_SYNTHETIC: u16 = 0x1000;

#[derive(Debug)]
pub(super) struct Member<'a> {
    /// Where the member starts, with its access flags.
    pub offset: usize,
    pub flags: u16,
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
    pub descriptor_index: u16,
    pub code: Option<Attribute<'a>>,
    pub annotations: Option<Attribute<'a>>,
    pub attribute_count: u16,
    /// Where the next member starts.
    pub end: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute<'a> {
    pub name_index: u16,
    pub contents: Reader<'a>,
}

impl<'a> Member<'a> {
    pub fn parse(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Self, ClassFileError> {
        let offset = reader.offset();
        let flags = reader.u2("access flags")?;
        let name = pool.utf8(reader.u2("method name")?)?;
        let descriptor_index = reader.u2("method descriptor")?;
        let descriptor = pool.utf8(descriptor_index)?;
        let mut member = Member {
            offset,
            flags,
            name,
            descriptor,
            descriptor_index,
            code: None,
            annotations: None,
            attribute_count: reader.u2("attribute count")?,
            end: 0,
        };
        for _ in 0..member.attribute_count {
            let attribute = Attribute::parse(reader)?;
            match pool.utf8(attribute.name_index)? {
                b"Code" => member.code = Some(attribute),
                b"RuntimeVisibleAnnotations" => member.annotations = Some(attribute),
                _ => {}
            }
        }
        member.end = reader.offset();
        Ok(member)
    }

    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub fn is_static(&self) -> bool {
        self.has(ACC_STATIC)
    }

    /// Where the access flags are.
    pub fn flags_place(&self) -> Range<usize> {
        self.offset..self.offset + 2
    }

    /// Where the number of attributes is.
    pub fn attribute_count_place(&self) -> Range<usize> {
        self.offset + 6..self.offset + 8
    }
}

impl<'a> Attribute<'a> {
    pub fn parse(reader: &mut Reader<'a>) -> Result<Self, ClassFileError> {
        let name_index = reader.u2("attribute name")?;
        let length = reader.length("attribute length")?;
        Ok(Attribute {
            name_index,
            contents: reader.part(length, "attribute")?,
        })
    }

    /// Where the length and the contents are.
    pub fn place(&self) -> Range<usize> {
        let start = self.contents.offset();
        start - 4..start + self.contents.remaining()
    }
}
