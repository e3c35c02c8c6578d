//! The changed places of a class file. Everything between them is copied as it is.

use std::ops::Range;

#[derive(Debug, Default)]
pub(super) struct Patches {
    list: Vec<Patch>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Patch {
    /// The bytes of the class file that are replaced; empty for an insertion.
    old: Range<usize>,
    new: Range<usize>,
}

/// How much there was at some moment, to get back to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    list: usize,
    bytes: usize,
}

impl Patches {
    /// Patches may come in any order but must not overlap. Insertions at one place stay in the order in which they came.
    pub fn replace(&mut self, old: Range<usize>, new: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(new);
        self.list.push(Patch {
            old,
            new: start..self.bytes.len(),
        });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn mark(&self) -> Mark {
        Mark {
            list: self.list.len(),
            bytes: self.bytes.len(),
        }
    }

    /// Forgets what was added since.
    pub fn undo_to(&mut self, mark: Mark) {
        self.list.truncate(mark.list);
        self.bytes.truncate(mark.bytes);
    }

    pub fn apply(mut self, class_file: &[u8]) -> Vec<u8> {
        self.list.sort_by_key(|patch| patch.old.start);
        let mut out = Vec::with_capacity(class_file.len() + self.bytes.len());
        let mut copied = 0;
        for patch in &self.list {
            out.extend_from_slice(class_file.get(copied..patch.old.start).unwrap_or_default());
            out.extend_from_slice(self.bytes.get(patch.new.clone()).unwrap_or_default());
            copied = patch.old.end;
        }
        out.extend_from_slice(class_file.get(copied..).unwrap_or_default());
        out
    }
}
