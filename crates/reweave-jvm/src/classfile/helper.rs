//! Constants that name the helper's methods, each added to a class at most once.

use super::error::ClassFileError;
use super::pool::Pool;

pub(super) struct Helper<'a> {
    name: &'a str,
    classes: Vec<(&'a str, u16)>,
    methods: Vec<Known<'a>>,
}

struct Known<'a> {
    class: &'a str,
    name: &'a str,
    descriptor: Box<[u8]>,
    index: u16,
}

impl<'a> Helper<'a> {
    pub fn new(name: &'a str) -> Self {
        Helper {
            name,
            classes: Vec::new(),
            methods: Vec::new(),
        }
    }

    pub fn method(
        &mut self,
        pool: &mut Pool<'_>,
        name: &'a str,
        descriptor: &[u8],
    ) -> Result<u16, ClassFileError> {
        self.method_of(pool, None, name, descriptor)
    }

    /// A method of that class or, if none is given, of the helper itself.
    pub fn method_of(
        &mut self,
        pool: &mut Pool<'_>,
        class: Option<&'a str>,
        name: &'a str,
        descriptor: &[u8],
    ) -> Result<u16, ClassFileError> {
        let class = class.unwrap_or(self.name);
        // A class calls only a handful of them.
        let same = |known: &&Known<'_>| {
            known.name == name && *known.descriptor == *descriptor && known.class == class
        };
        if let Some(known) = self.methods.iter().find(same) {
            return Ok(known.index);
        }
        let owner = match self.classes.iter().find(|known| known.0 == class) {
            Some(known) => known.1,
            None => {
                let index = pool.append_class(class.as_bytes())?;
                self.classes.push((class, index));
                index
            }
        };
        let index = pool.append_method(owner, name.as_bytes(), descriptor)?;
        self.methods.push(Known {
            class,
            name,
            descriptor: descriptor.into(),
            index,
        });
        Ok(index)
    }
}

/// `(receiver parameters extra)result`, where `receiver` is an internal class name.
pub(super) fn descriptor(
    receiver: Option<&[u8]>,
    parameters: &[u8],
    extra: &[u8],
    result: &[u8],
) -> Vec<u8> {
    let mut text = vec![b'('];
    if let Some(receiver) = receiver {
        text.push(b'L');
        text.extend_from_slice(receiver);
        text.push(b';');
    }
    text.extend_from_slice(parameters);
    text.extend_from_slice(extra);
    text.push(b')');
    text.extend_from_slice(result);
    text
}
