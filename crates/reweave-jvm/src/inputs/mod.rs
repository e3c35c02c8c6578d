//! Where the outside world comes in: the methods of the JDK, nearly all native, through which programs read files, sockets, the environment and so on, and what is done
//! to each in a recording and a replay. The list is in [`table`]; the helper (`ReweaveInput.java`) does what it says.

pub mod beans;
pub mod bodies;
mod natives;
pub mod runtime;
pub mod table;

use crate::classfile::plan::{InputCalls, InputKind, InputMethod, InputSide};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The helper class behind these methods.
pub const HELPER: &str = "java/lang/ReweaveInput";

/// What a call means to the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It only asks: recorded, and given back in a replay.
    Input = 0,
    /// It changes something outside: its result is recorded and given back, the change is not made again (unless the user asks for side effects).
    Effect = 1,
    /// It opens a file. Those that hold the program itself stay outside the recording.
    Open = 2,
    Close = 3,
    /// It asks for something that does not change during a run. If the JDK asks on its own account, on whichever thread comes first, the answer is
    /// kept beside the streams.
    Fact = 4,
}

/// Which file or socket is meant. Numbers are indices of arguments, with `this` as the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    None,
    /// The `FileDescriptor` of the stream or file that is `this`.
    OfThis,
    /// An argument is the `FileDescriptor`.
    Descriptor(u8),
    /// An argument is the number of the descriptor.
    Number(u8),
    /// An argument is a path: a `String`.
    Path(u8),
    /// An argument is the address of a path that ends with a zero byte.
    PathAt(u8),
}

/// What a call fills besides its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    Nothing,
    /// A part of a byte array; offset and length are the next arguments, the result says how much was filled.
    Bytes(u8),
    /// Memory at an address; the result says how much.
    Memory(u8),
    /// Memory at the addresses and lengths that stand at an address; the result says how much in all.
    Scattered(u8),
    /// What epoll reports at an address; the result says how many.
    Polled(u8),
    /// An array of `struct pollfd` at an address; the next argument says how many.
    PollArray(u8),
    /// All fields of an object.
    Fields(u8),
    /// All elements of an array, and of the arrays that are the arguments behind it.
    Elements(u8),
    /// A `FileDescriptor`, and behind it an array with the address of the peer.
    Accepted(u8),
    /// Memory at an address, and the sender's address at the address two arguments further on; the result says how much.
    Received(u8),
    /// The file that was mapped at the address that is the result; its length is an argument.
    Mapped(u8),
    /// An event of the display, at an address.
    Event(u8),
}

/// What the result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Value = 0,
    /// A new descriptor's number.
    Number = 1,
    /// Two of them, in one long.
    TwoNumbers = 2,
    /// Nothing, but the `FileDescriptor` of `this` has a new number.
    OfThis = 3,
    /// A new process.
    Process = 4,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub action: Action,
    pub key: Key,
    pub fill: Fill,
    pub gives: Gives,
    /// Whether a replay may make the call, too: if it changes a file and `--side-effects` was given, or if it concerns a child that is replayed itself.
    pub repeatable: bool,
}

impl Rule {
    /// As the helper gets it; `ReweaveRule.java` takes it apart.
    pub const fn pack(self) -> i32 {
        let (key, key_at) = match self.key {
            Key::None => (0, 0),
            Key::OfThis => (1, 0),
            Key::Descriptor(at) => (2, at),
            Key::Number(at) => (3, at),
            Key::Path(at) => (4, at),
            Key::PathAt(at) => (5, at),
        };
        let (fill, fill_at) = match self.fill {
            Fill::Nothing => (0, 0),
            Fill::Bytes(at) => (1, at),
            Fill::Memory(at) => (2, at),
            Fill::Scattered(at) => (3, at),
            Fill::Polled(at) => (4, at),
            Fill::PollArray(at) => (5, at),
            Fill::Fields(at) => (6, at),
            Fill::Elements(at) => (7, at),
            Fill::Accepted(at) => (8, at),
            Fill::Received(at) => (9, at),
            Fill::Mapped(at) => (10, at),
            Fill::Event(at) => (11, at),
        };
        key | (key_at as i32) << 4
            | fill << 8
            | (fill_at as i32) << 12
            | (self.action as i32) << 16
            | (self.gives as i32) << 20
            | (self.repeatable as i32) << 23
    }

    pub const fn of(mut self, key: Key) -> Rule {
        self.key = key;
        self
    }

    pub const fn filling(mut self, fill: Fill) -> Rule {
        self.fill = fill;
        self
    }

    pub const fn repeated(mut self) -> Rule {
        self.repeatable = true;
        self
    }

    pub const fn giving(mut self, gives: Gives) -> Rule {
        self.gives = gives;
        self
    }
}

/// What is done to the methods of this class, if anything.
pub fn of_class(class: &str, side: InputSide) -> Option<InputCalls<'static>> {
    static METHODS: OnceLock<HashMap<&'static str, Vec<InputMethod<'static>>>> = OnceLock::new();
    let methods = METHODS.get_or_init(|| {
        let mut all: HashMap<&'static str, Vec<InputMethod<'static>>> = HashMap::new();
        let lists = [
            (table::NATIVES, InputKind::Native),
            (beans::NATIVES, InputKind::Native),
            (bodies::WITH_BODY, InputKind::WithBody),
            (beans::WITH_BODY, InputKind::WithBody),
        ];
        for (class, name, descriptor) in bodies::NOT_DONE {
            all.entry(class).or_default().push(InputMethod {
                name,
                descriptor,
                rule: 0,
                kind: InputKind::NotDone,
            });
        }
        for (list, kind) in lists {
            for (class, methods) in list {
                let packed = methods.iter().map(|(name, descriptor, rule)| InputMethod {
                    name,
                    descriptor,
                    rule: rule.pack(),
                    kind,
                });
                all.entry(class).or_default().extend(packed);
            }
        }
        all
    });
    Some(InputCalls {
        helper: HELPER,
        side,
        methods: methods.get(class)?,
    })
}
