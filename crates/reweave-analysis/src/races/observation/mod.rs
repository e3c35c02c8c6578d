//! What a replay that is observed leaves behind: a log of records of fixed size in one order for all threads, and a text
//! that says what the numbers in it stand for. The helper in the program writes them (`ReweaveObservation.java`,
//! `observe.rs` of reweave-jvm); here they are read.
//!
//! - `Record`: one access or synchronization. - `Names`: sites, classes, fields, stacks.
//! - `Translator` gives a log to the race engine. - `print` makes a text trace of it. - `Lasts`: when an object is used last.

mod lasts;
mod names;
mod print;
mod translate;

pub use lasts::Lasts;
pub use names::{Field, Names, NamesError, frame};
pub use print::Printer;
pub use translate::{Analysed, Translator};

/// Bytes before the first record.
pub const HEADER: usize = 64;

/// What stands before the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of one record.
    pub size: usize,
    /// Where the records end.
    pub end: u64,
    /// There was more than there was room for.
    pub full: bool,
}

impl Header {
    /// `None` if this is not the beginning of a log.
    pub fn read(bytes: &[u8]) -> Option<Header> {
        let word = |index: usize| {
            let bytes = bytes.get(index * 8..index * 8 + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let (next, size, limit) = (word(0)?, word(1)?, word(2)?);
        let known = size == 32 || size == 40;
        (known && next >= HEADER as u64).then_some(Header {
            size: size as usize,
            end: next.min(limit),
            full: next > limit,
        })
    }

    /// Records, finished or not.
    pub fn records(&self) -> u64 {
        self.end.saturating_sub(HEADER as u64) / self.size as u64
    }
}

/// What was done, to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    VolatileRead,
    VolatileWrite,
    /// Read and written at once.
    Update,
}

/// Which part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Field,
    Element,
    /// So many elements.
    Elements(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Access(Access, Part),
    /// A monitor was taken.
    Taken,
    /// It is about to be left.
    Left,
    /// It is given up to wait, however often it is held.
    GivenUp,
    TakenBack,
    /// `object` is the stream that was started.
    Started,
    Ended,
    /// `object` is the stream that has ended.
    Joined,
    Parked,
    Unparked,
    /// A static initialiser has begun, in a stream of its own; `object` is that of the thread.
    Initialises,
    Initialised,
    /// `object` is new to the log; `part` is its class.
    Made,
    /// The same for the statics of a class.
    Class,
    Interrupts,
    WasInterrupted,
    Notified,
}

impl Kind {
    fn of(number: u8, extra: u32) -> Option<Kind> {
        let part = match number >> 3 {
            0 => Part::Field,
            1 => Part::Element,
            2 => Part::Elements(extra),
            _ => {
                return Some(match number {
                    32 => Kind::Taken,
                    33 => Kind::Left,
                    34 => Kind::GivenUp,
                    35 => Kind::TakenBack,
                    36 => Kind::Started,
                    37 => Kind::Ended,
                    38 => Kind::Joined,
                    39 => Kind::Parked,
                    40 => Kind::Unparked,
                    41 => Kind::Initialises,
                    42 => Kind::Initialised,
                    43 => Kind::Made,
                    44 => Kind::Interrupts,
                    45 => Kind::WasInterrupted,
                    46 => Kind::Notified,
                    47 => Kind::Class,
                    _ => return None,
                });
            }
        };
        let access = match number & 7 {
            1 => Access::Read,
            2 => Access::Write,
            3 => Access::VolatileRead,
            4 => Access::VolatileWrite,
            5 => Access::Update,
            _ => return None,
        };
        Some(Kind::Access(access, part))
    }
}

/// One thing that a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub kind: Kind,
    pub stream: u32,
    pub site: u32,
    /// Number of the access in its stream, from 1.
    pub number: u64,
    pub object: u64,
    /// Offset of the field, index of the element, number of the class.
    pub part: u32,
    /// Number of the stack, 0 if there is none.
    pub stack: u32,
    /// What was read or written.
    pub value: Option<u64>,
}

impl Record {
    /// By which an access is found again in another replay.
    pub fn name(&self) -> AccessName {
        AccessName {
            stream: self.stream,
            number: self.number,
        }
    }

    /// The object that it accesses or locks, if that has a number of its own.
    fn used_object(&self) -> Option<u64> {
        let is_use = matches!(
            self.kind,
            Kind::Access(..) | Kind::Taken | Kind::Left | Kind::GivenUp | Kind::TakenBack
        );
        (is_use && !is_shared(self.object)).then_some(self.object)
    }

    /// `None` if the thread never finished writing it.
    fn read(bytes: &[u8]) -> Option<Record> {
        let word = |index: usize| {
            let bytes = bytes.get(index * 8..index * 8 + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let (head, last) = (word(0)?, word(3)?);
        let extra = (last >> 32) as u32;
        let kind = Kind::of(head as u8, extra)?;
        let has_stack = !matches!(kind, Kind::Access(_, Part::Elements(_)));
        Some(Record {
            kind,
            stream: (head >> 8) as u32 & 0xff_ffff,
            site: (head >> 32) as u32,
            number: word(1)?,
            object: word(2)?,
            part: last as u32,
            stack: if has_stack { extra } else { 0 },
            value: word(4),
        })
    }
}

/// The records in a piece of a log that has whole ones only, with their places in the piece.
pub fn records(bytes: &[u8], size: usize) -> impl DoubleEndedIterator<Item = (u64, Record)> {
    let places = bytes.chunks_exact(size.max(1)).enumerate();
    places.filter_map(|(place, bytes)| Some((place as u64, Record::read(bytes)?)))
}

/// An access, the same in every replay of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessName {
    pub stream: u32,
    pub number: u64,
}

impl AccessName {
    pub fn pack(self) -> u64 {
        u64::from(self.stream) << 40 | self.number
    }

    pub fn unpack(packed: u64) -> AccessName {
        AccessName {
            stream: (packed >> 40) as u32,
            number: packed & ((1 << 40) - 1),
        }
    }
}

/// The stream that met an object first.
fn first_user(object: u64) -> u32 {
    (object >> 40) as u32
}

/// Objects without a number of their own share that of their class.
fn is_shared(object: u64) -> bool {
    object >> 63 != 0
}

#[cfg(test)]
mod tests;
