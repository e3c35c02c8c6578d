//! Methods that are left as they are, and why. That is an answer, not an error: the rest of the class is rewritten.

use super::error::ClassFileError;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Name and descriptor.
    pub method: String,
    pub reason: SkipReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// Its code would be longer than 65,535 bytes. Nothing was done to the method.
    CodeTooLarge,
    /// A branch with a 16-bit distance would have to go further. Nothing was done to the method.
    BranchTooFar,
    /// It would need a stack deeper than 65,535 words. Nothing was done to the method.
    StackTooDeep,
    /// It would need more than 65,535 exception handlers. Nothing was done to the method.
    TooManyHandlers,
    /// It is native and synchronized, and the plan has no prefix for such methods: the VM takes the monitor where no bytecode can see it.
    NativeSynchronized,
    /// It is static and synchronized in a class older than Java 5, which cannot name its own class object. It stays synchronized.
    NoClassConstant,
    /// A hook on a whole method does not apply to constructors, in which `this` may not be used yet, nor to static initialisers if they
    /// would have to be renamed.
    Initialiser,
    /// A hook on a whole method does not apply to native methods; nor does renaming one to those that are converted.
    Native,
    /// The argument to be replaced does not exist or has another type.
    OtherParameter,
    /// A shortcut is possible only first thing in a method of an object that returns an int or a boolean.
    NoShortcut,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::CodeTooLarge => "its code would be longer than 65535 bytes",
            Self::BranchTooFar => "a branch would have to go further than 32 KiB",
            Self::StackTooDeep => "its stack would be deeper than 65535 words",
            Self::TooManyHandlers => "it would have more than 65535 exception handlers",
            Self::NativeSynchronized => "it is native and synchronized",
            Self::NoClassConstant => "its class is too old to name its own class object",
            Self::Initialiser => "it is a constructor or static initialiser",
            Self::Native => "it is native",
            Self::OtherParameter => {
                "the argument to be replaced does not exist or has another type"
            }
            Self::NoShortcut => "its result cannot be known before it begins",
        })
    }
}

/// What can stop the rewriting of one method.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// This method cannot be changed; the others can.
    Skip(SkipReason),
    /// The class file makes no sense.
    Error(ClassFileError),
}

impl From<ClassFileError> for Obstacle {
    fn from(error: ClassFileError) -> Self {
        Obstacle::Error(error)
    }
}

impl From<SkipReason> for Obstacle {
    fn from(reason: SkipReason) -> Self {
        Obstacle::Skip(reason)
    }
}
