//! Exit codes, and failures that end a command.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// What the command returns to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(u8);

impl Exit {
    pub const SUCCESS: Exit = Exit(0);
    /// A failure was found or reproduced.
    pub const FOUND: Exit = Exit(1);
    /// Wrong arguments, or input that cannot be read.
    pub const USAGE: Exit = Exit(2);
    /// Races were found; ThreadSanitizer returns this too.
    pub const RACES: Exit = Exit(66);
    pub const DIVERGED: Exit = Exit(10);
    pub const STALLED: Exit = Exit(13);
    /// reweave itself failed while running a program.
    pub const OWN_FAILURE: Exit = Exit(125);
    pub const CANNOT_EXECUTE: Exit = Exit(126);
    pub const NOT_FOUND: Exit = Exit(127);

    /// The program's own code, a signal as 128+n.
    pub fn of_program(code: i32) -> Exit {
        Exit(code as u8)
    }

    pub fn code(self) -> u8 {
        self.0
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}

/// Why a command could not do what it was asked to.
#[derive(Debug)]
pub struct Failure {
    /// `None`: whatever the verb's own failures return.
    pub exit: Option<Exit>,
    pub message: String,
    /// What to do next.
    pub next: Option<String>,
    broken_pipe: bool,
}

impl Failure {
    pub fn new(message: impl fmt::Display) -> Failure {
        Failure {
            exit: None,
            message: message.to_string(),
            next: None,
            broken_pipe: false,
        }
    }

    pub fn with_exit(mut self, exit: Exit) -> Failure {
        self.exit = Some(exit);
        self
    }

    pub fn with_next(mut self, next: impl Into<String>) -> Failure {
        self.next = Some(next.into());
        self
    }

    /// The reader of our output went away, which is no mistake of anybody.
    pub fn is_broken_pipe(&self) -> bool {
        self.broken_pipe
    }

    /// A program's code counts for more than a reader of our output that went away.
    pub fn unless_broken_pipe(result: Result<(), Failure>) -> Result<(), Failure> {
        match result {
            Err(failure) if failure.broken_pipe => Ok(()),
            other => other,
        }
    }

    /// Writing results failed.
    pub fn output(error: io::Error) -> Failure {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Failure {
            exit: broken_pipe.then_some(Exit::SUCCESS),
            message: format!("cannot write the result: {error}"),
            next: None,
            broken_pipe,
        }
    }
}

impl From<reweave_trace::ReadError> for Failure {
    fn from(error: reweave_trace::ReadError) -> Failure {
        Failure::new(error)
    }
}

impl From<reweave_trace::file::writer::WriteError> for Failure {
    fn from(error: reweave_trace::file::writer::WriteError) -> Failure {
        Failure::new(error)
    }
}
