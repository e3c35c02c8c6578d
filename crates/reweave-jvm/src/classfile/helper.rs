//! Constants that name the helper's methods, each added to a class at most once.

use super::error::ClassFileError;
use super::pool::Pool;

pub(super) struct Helper<'a> {
    name: &'a str,
    class: Option<u16>,
    methods: Vec<(&'a str, Box<[u8]>, u16)>,
}

impl<'a> Helper<'a> {
    pub fn new(name: &'a str) -> Self {
        Helper {
            name,
            class: None,
            methods: Vec::new(),
        }
    }

    pub fn method(
        &mut self,
        pool: &mut Pool<'_>,
        name: &'a str,
        descriptor: &[u8],
    ) -> Result<u16, ClassFileError> {
        // A class calls only a handful of them.
        if let Some(known) = self
            .methods
            .iter()
            .find(|known| known.0 == name && *known.1 == *descriptor)
        {
            return Ok(known.2);
        }
        let class = match self.class {
            Some(class) => class,
            None => *self.class.insert(pool.append_class(self.name.as_bytes())?),
        };
        let index = pool.append_method(class, name.as_bytes(), descriptor)?;
        self.methods.push((name, descriptor.into(), index));
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
