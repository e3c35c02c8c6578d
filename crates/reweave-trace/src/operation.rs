//! What an event says, with its value taken apart: the only place that knows how values are packed.

use crate::event::Event;
use crate::ids::{ClassId, Link, StreamId};
use crate::kind::Kind;
use thiserror::Error;

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Woken {
    /// By this notify or notify-all or, if the thread was interrupted, after this event on its interrupt flag.
    By(Link),
    TimedOut,
    /// By a thread outside the recording.
    Interrupted,
    Spurious,
}

impl Woken {
    pub const TIMED_OUT: u64 = 1;
    pub const INTERRUPTED: u64 = 2;
    pub const SPURIOUS: u64 = 3;
}

/// How a join or a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The thread ended, or the time was slept to its end.
    Done,
    TimedOut,
    Interrupted,
}

/// Why the processor went from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Reason {
    /// Taken away at a block or access callback.
    Callback = 0,
    /// Taken away between two instructions.
    Instruction = 1,
    /// The thread waits for something another thread does.
    Blocked = 2,
    /// The thread waits for something outside the program.
    Outside = 3,
    /// The thread offered it.
    Yielded = 4,
    Ended = 5,
}

impl Reason {
    pub const ALL: &'static [Reason] = &[
        Reason::Callback,
        Reason::Instruction,
        Reason::Blocked,
        Reason::Outside,
        Reason::Yielded,
        Reason::Ended,
    ];
    /// The block count takes the bits below.
    pub const SHIFT: u32 = 56;

    pub const fn name(self) -> &'static str {
        match self {
            Reason::Callback => "callback",
            Reason::Instruction => "instruction",
            Reason::Blocked => "blocked",
            Reason::Outside => "outside",
            Reason::Yielded => "yielded",
            Reason::Ended => "ended",
        }
    }

    pub fn from_number(number: u8) -> Option<Reason> {
        Reason::ALL.get(usize::from(number)).copied()
    }

    pub fn from_name(name: &str) -> Option<Reason> {
        Reason::ALL
            .iter()
            .copied()
            .find(|reason| reason.name() == name)
    }
}

/// What an event did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Acquire,
    Wait(Woken),
    Notify,
    NotifyAll,
    Start {
        child: StreamId,
    },
    Exit,
    Join {
        target: StreamId,
        ending: Ending,
    },
    Interrupt {
        target: StreamId,
    },
    ReadInterrupt {
        target: StreamId,
        flag: bool,
        cleared: bool,
    },
    Sleep(Ending),
    Park,
    Unpark {
        target: StreamId,
    },
    ClassInit {
        by: StreamId,
    },
    ClassInitEnd,
    Value(u64),
    Output {
        descriptor: u32,
        hash: u32,
        length: u32,
    },
    Uncaught {
        class: ClassId,
    },
    Halt {
        status: i32,
    },
    Hook {
        child: StreamId,
    },
    Foreign,
    Repeat {
        times: u32,
    },
    /// The `access`th access of this stream came after what the link says.
    Order {
        access: u64,
    },
    Switch {
        next: StreamId,
        reason: Reason,
        /// Blocks that the thread had executed.
        blocks: u64,
    },
    Input {
        descriptor: u32,
        /// What the call returned; below zero, the error's number negated.
        result: i64,
    },
    /// Ran the program's handler of a signal.
    Signal {
        number: u8,
        moment: Moment,
        /// Blocks that the thread had executed, if they were counted.
        blocks: u64,
    },
}

/// Where a signal's handler ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Moment {
    /// Before the thread's next event, or while it waited in that.
    Call = 0,
    /// Somewhere after the thread's last event.
    Between = 1,
    /// At the block that the count names.
    Block = 2,
}

impl Moment {
    pub const fn from_number(number: u8) -> Option<Moment> {
        match number {
            0 => Some(Moment::Call),
            1 => Some(Moment::Between),
            2 => Some(Moment::Block),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Moment::Call => "call",
            Moment::Between => "between",
            Moment::Block => "block",
        }
    }

    pub fn from_name(name: &str) -> Option<Moment> {
        [Moment::Call, Moment::Between, Moment::Block]
            .into_iter()
            .find(|moment| moment.name() == name)
    }
}

/// A value that its kind of event cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("position {}: {} with the value {value:#x}, which has no meaning", event.position, event.kind)]
pub struct ValueError {
    pub event: Event,
    pub value: u64,
}

impl Event {
    pub fn operation(&self) -> Result<Operation, ValueError> {
        let value = self.value.unwrap_or(0);
        let wrong = ValueError {
            event: *self,
            value,
        };
        // Target threads outside the recording are stream 0.
        let stream = |value: u64| {
            if value <= StreamId::MAX.0.into() {
                Ok(StreamId(value as u32))
            } else {
                Err(wrong)
            }
        };
        Ok(match self.kind {
            Kind::Acquire => Operation::Acquire,
            Kind::Wait => Operation::Wait(match value {
                Woken::TIMED_OUT => Woken::TimedOut,
                Woken::INTERRUPTED => Woken::Interrupted,
                Woken::SPURIOUS => Woken::Spurious,
                link => Woken::By(Link::unpack(link).ok_or(wrong)?),
            }),
            Kind::Notify => Operation::Notify,
            Kind::NotifyAll => Operation::NotifyAll,
            Kind::Start => Operation::Start {
                child: stream(value)?,
            },
            Kind::Exit => Operation::Exit,
            Kind::Join => Operation::Join {
                target: stream(value >> 8)?,
                ending: match value & 0xff {
                    0 => Ending::Done,
                    1 => Ending::TimedOut,
                    2 => Ending::Interrupted,
                    _ => return Err(wrong),
                },
            },
            Kind::Interrupt => Operation::Interrupt {
                target: stream(value)?,
            },
            Kind::ReadInterrupt => Operation::ReadInterrupt {
                target: stream(value >> 8)?,
                flag: value & 1 != 0,
                cleared: value & 2 != 0,
            },
            Kind::Sleep => Operation::Sleep(match value {
                0 => Ending::Done,
                2 => Ending::Interrupted,
                _ => return Err(wrong),
            }),
            Kind::Park => Operation::Park,
            Kind::Unpark => Operation::Unpark {
                target: stream(value)?,
            },
            Kind::ClassInit => Operation::ClassInit { by: stream(value)? },
            Kind::ClassInitEnd => Operation::ClassInitEnd,
            Kind::Value => Operation::Value(value),
            Kind::Output => Operation::Output {
                descriptor: self.tag.0,
                hash: (value >> 32) as u32,
                length: value as u32,
            },
            Kind::Uncaught => Operation::Uncaught {
                class: ClassId(value as u32),
            },
            Kind::Halt => Operation::Halt {
                status: value as i32,
            },
            Kind::Hook => Operation::Hook {
                child: stream(value)?,
            },
            Kind::Foreign => Operation::Foreign,
            Kind::Repeat => Operation::Repeat { times: self.tag.0 },
            Kind::Order => Operation::Order { access: value },
            Kind::Switch => Operation::Switch {
                next: StreamId(self.tag.0),
                reason: Reason::from_number((value >> Reason::SHIFT) as u8).ok_or(wrong)?,
                blocks: value & ((1 << Reason::SHIFT) - 1),
            },
            Kind::Input => Operation::Input {
                descriptor: self.tag.0,
                result: value as i64,
            },
            Kind::Signal => Operation::Signal {
                number: value as u8,
                moment: Moment::from_number((value >> 8) as u8).ok_or(wrong)?,
                blocks: value >> 16,
            },
        })
    }
}

impl Operation {
    pub fn kind(&self) -> Kind {
        match self {
            Operation::Acquire => Kind::Acquire,
            Operation::Wait(_) => Kind::Wait,
            Operation::Notify => Kind::Notify,
            Operation::NotifyAll => Kind::NotifyAll,
            Operation::Start { .. } => Kind::Start,
            Operation::Exit => Kind::Exit,
            Operation::Join { .. } => Kind::Join,
            Operation::Interrupt { .. } => Kind::Interrupt,
            Operation::ReadInterrupt { .. } => Kind::ReadInterrupt,
            Operation::Sleep(_) => Kind::Sleep,
            Operation::Park => Kind::Park,
            Operation::Unpark { .. } => Kind::Unpark,
            Operation::ClassInit { .. } => Kind::ClassInit,
            Operation::ClassInitEnd => Kind::ClassInitEnd,
            Operation::Value(_) => Kind::Value,
            Operation::Output { .. } => Kind::Output,
            Operation::Uncaught { .. } => Kind::Uncaught,
            Operation::Halt { .. } => Kind::Halt,
            Operation::Hook { .. } => Kind::Hook,
            Operation::Foreign => Kind::Foreign,
            Operation::Repeat { .. } => Kind::Repeat,
            Operation::Order { .. } => Kind::Order,
            Operation::Switch { .. } => Kind::Switch,
            Operation::Input { .. } => Kind::Input,
            Operation::Signal { .. } => Kind::Signal,
        }
    }

    /// The third word of an event that says this; `None` for the kinds that have none.
    pub fn value(&self) -> Option<u64> {
        let ending = |ending: Ending| match ending {
            Ending::Done => 0,
            Ending::TimedOut => 1,
            Ending::Interrupted => 2,
        };
        match *self {
            Operation::Wait(Woken::By(link)) => Some(link.pack()),
            Operation::Wait(Woken::TimedOut) => Some(Woken::TIMED_OUT),
            Operation::Wait(Woken::Interrupted) => Some(Woken::INTERRUPTED),
            Operation::Wait(Woken::Spurious) => Some(Woken::SPURIOUS),
            Operation::Start { child } | Operation::Hook { child } => Some(child.0.into()),
            Operation::Join {
                target,
                ending: how,
            } => Some(u64::from(target.0) << 8 | ending(how)),
            Operation::Interrupt { target } | Operation::Unpark { target } => Some(target.0.into()),
            Operation::ReadInterrupt {
                target,
                flag,
                cleared,
            } => Some(u64::from(target.0) << 8 | u64::from(cleared) << 1 | u64::from(flag)),
            Operation::Sleep(how) => Some(ending(how)),
            Operation::ClassInit { by } => Some(by.0.into()),
            Operation::Park => Some(0),
            Operation::Value(value) => Some(value),
            Operation::Order { access } => Some(access),
            Operation::Output { hash, length, .. } => {
                Some(u64::from(hash) << 32 | u64::from(length))
            }
            Operation::Uncaught { class } => Some(class.0.into()),
            Operation::Halt { status } => Some(status as u32 as u64),
            Operation::Switch { reason, blocks, .. } => {
                Some((reason as u64) << Reason::SHIFT | blocks)
            }
            Operation::Input { result, .. } => Some(result as u64),
            Operation::Signal {
                number,
                moment,
                blocks,
            } => Some(blocks << 16 | (moment as u64) << 8 | u64::from(number)),
            Operation::Acquire
            | Operation::Notify
            | Operation::NotifyAll
            | Operation::Exit
            | Operation::ClassInitEnd
            | Operation::Foreign
            | Operation::Repeat { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Tag;
    use crate::ids::{Position, SiteId};

    fn event(kind: Kind, tag: Tag, value: Option<u64>) -> Event {
        Event {
            position: Position::FIRST,
            kind,
            site: SiteId(0),
            form: *kind.forms().last().unwrap(),
            previous: None,
            tag,
            value,
        }
    }

    #[test]
    fn operations_lead_back() {
        let stream = StreamId(9);
        let link = Link::new(stream, Position(4));
        for operation in [
            Operation::Acquire,
            Operation::Wait(Woken::By(link)),
            Operation::Wait(Woken::TimedOut),
            Operation::Wait(Woken::Interrupted),
            Operation::Wait(Woken::Spurious),
            Operation::Notify,
            Operation::NotifyAll,
            Operation::Start { child: stream },
            Operation::Exit,
            Operation::Join {
                target: stream,
                ending: Ending::TimedOut,
            },
            Operation::Interrupt { target: stream },
            Operation::ReadInterrupt {
                target: stream,
                flag: true,
                cleared: false,
            },
            Operation::Sleep(Ending::Interrupted),
            Operation::Park,
            Operation::Unpark { target: stream },
            Operation::ClassInit { by: stream },
            Operation::ClassInitEnd,
            Operation::Value(u64::MAX),
            Operation::Output {
                descriptor: 2,
                hash: 0xdead_beef,
                length: 17,
            },
            Operation::Uncaught { class: ClassId(3) },
            Operation::Halt { status: -1 },
            Operation::Hook { child: stream },
            Operation::Foreign,
            Operation::Repeat { times: 9 },
            Operation::Switch {
                next: stream,
                reason: Reason::Ended,
                blocks: (1 << Reason::SHIFT) - 1,
            },
            Operation::Input {
                descriptor: 3,
                result: -11,
            },
            Operation::Signal {
                number: 64,
                moment: Moment::Block,
                blocks: (1 << 48) - 1,
            },
        ] {
            let tag = match operation {
                Operation::Output { descriptor, .. } => Tag(descriptor),
                Operation::Repeat { times } => Tag(times),
                Operation::Switch { next, .. } => Tag(next.0),
                Operation::Input { descriptor, .. } => Tag(descriptor),
                _ => Tag::NONE,
            };
            assert_eq!(
                event(operation.kind(), tag, operation.value()).operation(),
                Ok(operation)
            );
        }
    }

    #[test]
    fn meaningless_values_are_refused() {
        for (kind, value) in [
            (Kind::Wait, 4),
            (Kind::Wait, 0),
            (Kind::Start, 1 << 24),
            (Kind::Join, 3),
            (Kind::Sleep, 1),
            (Kind::Switch, 6 << Reason::SHIFT),
        ] {
            assert!(
                event(kind, Tag::NONE, Some(value)).operation().is_err(),
                "{kind} {value}"
            );
        }
    }
}
