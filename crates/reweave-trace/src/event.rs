//! An event as words: one to three 64-bit words, the first of which says how many.
//!
//! ```text
//! bit  63        40 39  38 37  32 31         0
//!      | upper     | form | kind | site       |   short: upper = distance back, else object tag
//! ```

use crate::ids::{ClassId, Link, Position, SiteId, StreamId};
use crate::kind::{Form, Kind};
use thiserror::Error;

pub const SITE_SHIFT: u32 = 0;
pub const SITE_MASK: u64 = 0xffff_ffff;
pub const KIND_SHIFT: u32 = 32;
pub const KIND_MASK: u64 = 0x3f;
pub const FORM_SHIFT: u32 = 38;
pub const FORM_MASK: u64 = 0x3;
/// Where the distance (short form) or the object tag (other forms) starts.
pub const UPPER_SHIFT: u32 = 40;
pub const UPPER_MASK: u64 = 0xff_ffff;
/// Set in an object tag: the object shares its cell with others.
pub const TAG_SHARED: u32 = 1 << 23;
/// The largest distance that the short form can express.
pub const MAX_DISTANCE: u64 = UPPER_MASK;
/// The most words an event takes.
pub const MAX_WORDS: usize = 3;

/// The 24 bits with which a linked or valued event tells objects apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Tag(pub u32);

impl Tag {
    pub const NONE: Tag = Tag(0);

    pub const fn class(class: ClassId) -> Tag {
        Tag(class.0 & (TAG_SHARED - 1))
    }

    pub const fn shared(number: u32) -> Tag {
        Tag(TAG_SHARED | (number & (TAG_SHARED - 1)))
    }

    /// Which of the objects of a shared cell this is, if the object has no order word of its own.
    pub const fn shared_number(self) -> Option<u32> {
        if self.0 & TAG_SHARED != 0 {
            Some(self.0 & (TAG_SHARED - 1))
        } else {
            None
        }
    }
}

/// One event of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub position: Position,
    pub kind: Kind,
    pub site: SiteId,
    pub form: Form,
    /// The previous event on the same object or, for the kinds that say so, the event this one came after.
    pub previous: Option<Link>,
    /// Zero in the short form.
    pub tag: Tag,
    /// Present in the valued form only.
    pub value: Option<u64>,
}

impl Event {
    /// The class of the object, if this is the object's first event and its class is known.
    pub fn first_class(&self) -> Option<ClassId> {
        let first = self.previous.is_none() && self.form != Form::Short;
        (first && self.tag.shared_number().is_none() && self.tag.0 != 0)
            .then_some(ClassId(self.tag.0))
    }

    /// How often this happened: more than once only for a repeat.
    pub fn times(&self) -> u64 {
        if self.kind == Kind::Repeat {
            self.tag.0.into()
        } else {
            1
        }
    }

    /// Position of the word after this event.
    pub fn end(&self) -> Position {
        Position(self.position.0 + self.form.words() as u64)
    }
}

/// The words of one encoded event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    words: [u64; MAX_WORDS],
    length: usize,
}

impl std::ops::Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.words[..self.length]
    }
}

/// Why an event cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    #[error("{kind} is never written in the {} form", form.name())]
    Form { kind: Kind, form: Form },
    #[error("the previous event is {distance} words back, the short form reaches {MAX_DISTANCE}")]
    Distance { distance: i128 },
    #[error("object tag {tag:#x} does not fit in 24 bits")]
    Tag { tag: u32 },
    #[error(
        "a short event has no tag and no value, a linked event no value, a valued event must have one"
    )]
    Parts,
}

/// First word of an event; `upper` is the distance or the tag.
pub const fn first_word(kind: Kind, form: Form, site: SiteId, upper: u32) -> u64 {
    (site.0 as u64) << SITE_SHIFT
        | (kind.number() as u64) << KIND_SHIFT
        | (form.number() as u64) << FORM_SHIFT
        | (upper as u64 & UPPER_MASK) << UPPER_SHIFT
}

pub fn encode(event: &Event) -> Result<Words, EncodeError> {
    if !event.kind.allows(event.form) {
        return Err(EncodeError::Form {
            kind: event.kind,
            form: event.form,
        });
    }
    if u64::from(event.tag.0) > UPPER_MASK {
        return Err(EncodeError::Tag { tag: event.tag.0 });
    }
    let link = Link::pack_option(event.previous);
    let (upper, rest) = match (event.form, event.value) {
        (Form::Short, None) if event.kind == Kind::Repeat => (event.tag.0, [0, 0]),
        (Form::Short, None) if event.tag == Tag::NONE => (distance(event)?, [0, 0]),
        (Form::Linked, None) => (event.tag.0, [link, 0]),
        (Form::Valued, Some(value)) => (event.tag.0, [link, value]),
        _ => return Err(EncodeError::Parts),
    };
    Ok(Words {
        words: [
            first_word(event.kind, event.form, event.site, upper),
            rest[0],
            rest[1],
        ],
        length: event.form.words(),
    })
}

fn distance(event: &Event) -> Result<u32, EncodeError> {
    let Some(previous) = event.previous else {
        return Ok(0);
    };
    let distance = i128::from(event.position.0) - i128::from(previous.position.0);
    if distance < 1 || distance > i128::from(MAX_DISTANCE) {
        return Err(EncodeError::Distance { distance });
    }
    Ok(distance as u32)
}

/// Why words are not an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    #[error("position {position}: no event starts with {word:#018x} (kind {kind}, form {form})")]
    Unknown {
        position: Position,
        word: u64,
        kind: u8,
        form: u8,
    },
    #[error("position {position}: {kind} in the {} form, which it never has", form.name())]
    Form {
        position: Position,
        kind: Kind,
        form: Form,
    },
    #[error("position {position}: an event of {needs} words, but only {has} are left")]
    Truncated {
        position: Position,
        needs: usize,
        has: usize,
    },
    #[error(
        "position {position}: the previous event would be {distance} words back, before the start of the stream"
    )]
    Distance { position: Position, distance: u64 },
    #[error("position {position}: {word:#018x} is no link to an event")]
    Link { position: Position, word: u64 },
    #[error("position {position}: the stream is longer than a link can reach")]
    Position { position: Position },
}

impl DecodeError {
    pub fn position(&self) -> Position {
        match *self {
            DecodeError::Unknown { position, .. }
            | DecodeError::Form { position, .. }
            | DecodeError::Truncated { position, .. }
            | DecodeError::Distance { position, .. }
            | DecodeError::Link { position, .. }
            | DecodeError::Position { position } => position,
        }
    }
}

/// Decodes the event whose first word is `words[0]`, at `position` of `stream`.
pub fn decode(stream: StreamId, position: Position, words: &[u64]) -> Result<Event, DecodeError> {
    let Some(&word) = words.first() else {
        return Err(DecodeError::Truncated {
            position,
            needs: 1,
            has: 0,
        });
    };
    if position > Position::MAX {
        return Err(DecodeError::Position { position });
    }
    let kind_number = (word >> KIND_SHIFT & KIND_MASK) as u8;
    let form_number = (word >> FORM_SHIFT & FORM_MASK) as u8;
    let (Some(kind), Some(form)) = (
        Kind::from_number(kind_number),
        Form::from_number(form_number),
    ) else {
        return Err(DecodeError::Unknown {
            position,
            word,
            kind: kind_number,
            form: form_number,
        });
    };
    if !kind.allows(form) {
        return Err(DecodeError::Form {
            position,
            kind,
            form,
        });
    }
    if words.len() < form.words() {
        return Err(DecodeError::Truncated {
            position,
            needs: form.words(),
            has: words.len(),
        });
    }
    let upper = word >> UPPER_SHIFT & UPPER_MASK;
    let (previous, tag) = match form {
        Form::Short if kind == Kind::Repeat => (None, Tag(upper as u32)),
        Form::Short if upper == 0 => (None, Tag::NONE),
        Form::Short if upper < position.0 => (
            Some(Link::new(stream, Position(position.0 - upper))),
            Tag::NONE,
        ),
        Form::Short => {
            return Err(DecodeError::Distance {
                position,
                distance: upper,
            });
        }
        Form::Linked | Form::Valued => match (words[1], Link::unpack(words[1])) {
            (Link::NONE, _) => (None, Tag(upper as u32)),
            (_, Some(link)) => (Some(link), Tag(upper as u32)),
            (word, None) => return Err(DecodeError::Link { position, word }),
        },
    };
    Ok(Event {
        position,
        kind,
        site: SiteId((word >> SITE_SHIFT & SITE_MASK) as u32),
        form,
        previous,
        tag,
        value: (form == Form::Valued).then(|| words[2]),
    })
}

/// The events of a row of words. Ends after the first error.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    stream: StreamId,
    position: Position,
    rest: &'a [u64],
}

impl<'a> Events<'a> {
    /// `first` is the position of `words[0]`.
    pub fn new(stream: StreamId, first: Position, words: &'a [u64]) -> Events<'a> {
        Events {
            stream,
            position: first,
            rest: words,
        }
    }

    /// Position at which the next event starts.
    pub fn position(&self) -> Position {
        self.position
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let event = decode(self.stream, self.position, self.rest);
        match &event {
            Ok(event) => {
                self.rest = &self.rest[event.form.words()..];
                self.position = event.end();
            }
            Err(_) => self.rest = &[],
        }
        Some(event)
    }
}

#[cfg(test)]
mod tests;
