//! The vocabulary of reweave: ids, events, and the only code that knows the bytes of a `.rwv` file.
//! The format is described in `docs/trace-format.md`; tests compare the page with this code.
//!
//! Without the feature `host` this crate is what lives in the program under test: constants, encoding, and a reader of
//! uncompressed files. `host` adds compression, the JSON manifest and everything that makes or changes files.

#![forbid(unsafe_code)]

pub mod event;
pub mod file;
pub mod ids;
pub mod jvm;
pub mod kind;
pub mod launch;
#[cfg(feature = "host")]
pub mod manifest;
pub mod model;
pub mod operation;
pub mod schedule;
pub mod text;

pub use event::{Event, Events, Tag};
pub use file::ReadError;
pub use ids::{ClassId, EventNumber, Link, Position, ProcessNumber, SiteId, StreamId};
pub use kind::{Form, Kind, LinkRole};
pub use launch::Launch;
#[cfg(feature = "host")]
pub use manifest::Manifest;
pub use model::{Fault, Process, Site, Thread, Trace};
pub use operation::{Ending, Moment, Operation, Reason, Woken};
