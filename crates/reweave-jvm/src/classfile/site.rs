//! Names for the places in a program at which the helper is called.
//!
//! A site's id depends only on the class, method, descriptor and the bytecode index before rewriting, so it is the same in every run
//! and whatever else the plan contains. Ids are 32-bit hashes: two sites may share one, and whoever reads a trace must allow for it.

/// Identifies a place in the program; never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// A `monitorenter` instruction.
    MonitorBlock,
    /// An instruction that reads or writes memory.
    Access,
    /// A method that was declared synchronized.
    SynchronizedMethod,
    /// A call that was replaced.
    Call,
    /// A method whose calls are reported or redirected.
    Method,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub id: SiteId,
    pub kind: SiteKind,
    /// Name and descriptor of the method, as the program declares it.
    pub method: String,
    /// 0 if the class has no line numbers; for sites of whole methods the method's first line.
    pub line: u16,
    /// The field that the instruction names, if that was asked for.
    pub field: Option<SiteField>,
}

/// A field as an instruction names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteField {
    pub owner: String,
    pub name: String,
    pub descriptor: String,
}

/// A stable hash of a class's internal name; never 0.
pub fn class_hash(name: &str) -> u32 {
    fold(absorb(OFFSET_BASIS, name.as_bytes()))
}

/// The part of a site's hash that all sites of a method share.
#[derive(Debug, Clone, Copy)]
pub(super) struct MethodHash(u64);

/// Takes the place of the bytecode index where the whole method is meant. No instruction starts there: code is shorter.
const SYNCHRONIZED_METHOD: u16 = 0xFFFF;
const METHOD: u16 = 0xFFFE;

impl MethodHash {
    pub fn new(class: &[u8], name: &[u8], descriptor: &[u8]) -> Self {
        // A class file's strings never contain the byte 0xFF, so it separates them.
        let parts = [class, b"\xff", name, b"\xff", descriptor, b"\xff"];
        MethodHash(
            parts
                .iter()
                .fold(OFFSET_BASIS, |hash, part| absorb(hash, part)),
        )
    }

    pub fn instruction(self, index: u16) -> SiteId {
        SiteId(fold(absorb(self.0, &index.to_be_bytes())))
    }

    pub fn synchronized_method(self) -> SiteId {
        self.instruction(SYNCHRONIZED_METHOD)
    }

    pub fn method(self) -> SiteId {
        self.instruction(METHOD)
    }
}

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1a.
fn absorb(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

fn fold(hash: u64) -> u32 {
    let folded = (hash ^ (hash >> 32)) as u32;
    folded.max(1)
}
