//! Lives in the program under test: records its synchronization, and makes a replay follow a recording.
//!
//! Front ends stand on this (`reweave-jvm` is the first). They translate what the program does; what it means and who may go on is decided here.
//! Nothing here takes a lock of the program, panics, or lets an error reach it.

#![deny(unsafe_code)]

pub mod outcome;
pub mod recorder;
pub mod session;
pub mod slots;
pub mod sync;
#[allow(
    unsafe_code,
    reason = "raw kernel calls and mapped memory live here and nowhere else"
)]
pub mod sys;
pub mod turns;
pub mod watch;
