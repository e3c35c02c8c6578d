//! The facts about a class by which a plan for it is chosen, without looking at any code.

use super::bytes::Reader;
use super::class::skip_attributes;
use super::error::ClassFileError;
use super::member::Attribute;
use super::pool::Pool;
use std::borrow::Cow;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary<'a> {
    /// Internal name, e.g. `java/lang/String`.
    pub name: Cow<'a, str>,
    /// `None` for `java/lang/Object` and `module-info`.
    pub superclass: Option<Cow<'a, str>>,
    pub access_flags: u16,
    /// Of the class file's version: 61 is Java 17.
    pub major: u16,
    /// Whether there is a static initialiser, `<clinit>`.
    pub has_initialiser: bool,
    pub source_file: Option<Cow<'a, str>>,
}

/// A method as a class declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method<'a> {
    pub access_flags: u16,
    pub name: Cow<'a, str>,
    pub descriptor: Cow<'a, str>,
}

/// Reads the summary of a class file.
pub fn peek(class_file: &[u8]) -> Result<Summary<'_>, ClassFileError> {
    let pool = Pool::parse(class_file)?;
    let major = Reader::new(class_file, 0)
        .after(6, "version")?
        .u2("version")?;
    let mut reader = Reader::new(class_file, 0).after(pool.end(), "class")?;
    let access_flags = reader.u2("access flags")?;
    let name = text(pool.class(reader.u2("class name")?)?);
    let superclass = match reader.u2("superclass")? {
        0 => None,
        index => Some(text(pool.class(index)?)),
    };
    let mut has_initialiser = false;
    each_method(&mut reader, |_, name, _| {
        has_initialiser |= pool.utf8(name)? == b"<clinit>";
        Ok(())
    })?;
    let mut source_file = None;
    for _ in 0..reader.u2("attribute count")? {
        let mut attribute = Attribute::parse(&mut reader)?;
        if pool.utf8(attribute.name_index)? == b"SourceFile" {
            source_file = Some(text(pool.utf8(attribute.contents.u2("source file")?)?));
        }
    }
    Ok(Summary {
        name,
        superclass,
        access_flags,
        major,
        has_initialiser,
        source_file,
    })
}

/// The methods of a class file, in its order.
pub fn methods(class_file: &[u8]) -> Result<Vec<Method<'_>>, ClassFileError> {
    let pool = Pool::parse(class_file)?;
    let mut reader = Reader::new(class_file, 0).after(pool.end() + 6, "class")?;
    let mut methods = Vec::new();
    each_method(&mut reader, |access_flags, name, descriptor| {
        methods.push(Method {
            access_flags,
            name: text(pool.utf8(name)?),
            descriptor: text(pool.utf8(descriptor)?),
        });
        Ok(())
    })?;
    Ok(methods)
}

/// A field as a class declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    pub flags: u16,
    pub name: &'a [u8],
    pub descriptor: &'a [u8],
}

/// The fields of a class file, in its order.
pub fn fields(class_file: &[u8]) -> Result<Vec<Field<'_>>, ClassFileError> {
    let pool = Pool::parse(class_file)?;
    let mut reader = Reader::new(class_file, 0).after(pool.end() + 6, "class")?;
    let interfaces = reader.u2("interface count")?;
    reader.take(usize::from(interfaces) * 2, "interfaces")?;
    let mut fields = Vec::new();
    for _ in 0..reader.u2("field count")? {
        let flags = reader.u2("access flags")?;
        let name = pool.utf8(reader.u2("field name")?)?;
        let descriptor = pool.utf8(reader.u2("field descriptor")?)?;
        skip_attributes(&mut reader)?;
        fields.push(Field {
            flags,
            name,
            descriptor,
        });
    }
    Ok(fields)
}

/// Reads on from the interfaces up to the attributes of the class. Visits flags, name and descriptor of each method, the latter as constants.
fn each_method(
    reader: &mut Reader<'_>,
    mut visit: impl FnMut(u16, u16, u16) -> Result<(), ClassFileError>,
) -> Result<(), ClassFileError> {
    let interfaces = reader.u2("interface count")?;
    reader.take(usize::from(interfaces) * 2, "interfaces")?;
    for _ in 0..reader.u2("field count")? {
        reader.take(6, "field")?;
        skip_attributes(reader)?;
    }
    for _ in 0..reader.u2("method count")? {
        let flags = reader.u2("access flags")?;
        let name = reader.u2("method name")?;
        visit(flags, name, reader.u2("method descriptor")?)?;
        skip_attributes(reader)?;
    }
    Ok(())
}

/// Class files have their own UTF-8; where it differs, in names nobody uses, characters are replaced.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
