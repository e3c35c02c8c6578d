//! The names of things in a trace: processes, streams, positions, links, sites and classes.
//! Each is its own type, so that no bare number stands for two of them.

use std::fmt;

/// Number of a process within one run, in the order in which processes joined the recording, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ProcessNumber(pub u32);

/// A row of events: a thread, or one class's static initialiser. From 1 within a process; the main thread is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u32);

impl StreamId {
    pub const MAIN: StreamId = StreamId(1);
    /// A link has 24 bits for the stream.
    pub const MAX: StreamId = StreamId((1 << 24) - 1);
}

/// Index of a word in its stream, from 1. An event is named by the position of its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub u64);

impl Position {
    pub const FIRST: Position = Position(1);
    /// A link has 40 bits for the position.
    pub const MAX: Position = Position((1 << Link::STREAM_SHIFT) - 1);
}

/// A reference to an event of the same process. `Option<Link>` is stored as one word in which 0 is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    pub stream: StreamId,
    pub position: Position,
}

impl Link {
    pub const STREAM_SHIFT: u32 = 40;
    pub const NONE: u64 = 0;

    pub const fn new(stream: StreamId, position: Position) -> Link {
        Link { stream, position }
    }

    pub const fn pack(self) -> u64 {
        (self.stream.0 as u64) << Self::STREAM_SHIFT | (self.position.0 & Position::MAX.0)
    }

    /// `None` for 0 and for words that cannot name an event (stream 0 or position 0).
    pub const fn unpack(word: u64) -> Option<Link> {
        let stream = (word >> Self::STREAM_SHIFT) as u32;
        let position = word & Position::MAX.0;
        if stream == 0 || position == 0 {
            return None;
        }
        Some(Link {
            stream: StreamId(stream),
            position: Position(position),
        })
    }

    pub const fn pack_option(link: Option<Link>) -> u64 {
        match link {
            Some(link) => link.pack(),
            None => Self::NONE,
        }
    }

    /// The identity hash code that an object gets if it is made at this event. Recordings keep what the real one differs by, which is nothing for nearly all.
    pub const fn identity_hash(self) -> u32 {
        let seed = self.pack().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (seed ^ seed >> 29) as u32 & 0x7fff_ffff;
        if hash == 0 { 1 } else { hash }
    }
}

/// Hash of class, method, descriptor and bytecode index; 0 when the event has no place in the program's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SiteId(pub u32);

impl SiteId {
    /// Of a value that is an identity hash code. Hashes of places are never that small.
    pub const IDENTITY_HASH: SiteId = SiteId(2);
    /// Of the value from which immutable collections take their order.
    pub const SALT: SiteId = SiteId(3);
    /// Of the values that `Runtime` gives: processors, and from here on most memory, free memory, memory in all.
    pub const FIGURES: SiteId = SiteId(4);
    /// Of values about references: one was made that has a queue, one was found empty, one came out of a queue at once or after a wait, an object was finalized.
    pub const MADE: SiteId = SiteId(8);
    pub const GONE: SiteId = SiteId(9);
    pub const POLLED: SiteId = SiteId(10);
    pub const REMOVED: SiteId = SiteId(11);
    pub const FINALIZED: SiteId = SiteId(12);
    /// From here on, of facts that are properties of the machine and its user.
    pub const PROPERTIES: SiteId = SiteId(32);
}

/// Number of a class in the table of its process; 0 is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ClassId(pub u32);

/// Number of an event in the one order in which reweave lists all events of a process, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventNumber(pub u64);

macro_rules! show_as_number {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    )*};
}
show_as_number!(ProcessNumber StreamId Position ClassId EventNumber);

impl fmt::Display for SiteId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:08x}", self.0)
    }
}

/// `stream:position`, as the command line accepts it.
impl fmt::Display for Link {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.stream, self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_pack_and_unpack() {
        for link in [
            Link::new(StreamId::MAIN, Position::FIRST),
            Link::new(StreamId::MAX, Position::MAX),
            Link::new(StreamId(7), Position(1 << 39)),
        ] {
            assert_eq!(Link::unpack(link.pack()), Some(link));
        }
        // The small numbers that stand for "timed out", "interrupted" and "spurious" are no links.
        for word in [0, 1, 2, 3, 1 << 40] {
            assert_eq!(Link::unpack(word), None);
        }
    }
}
