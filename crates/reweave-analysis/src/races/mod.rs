//! Finds data races by happens-before, between threads and between tasks of one queue.

pub mod before;
pub mod classify;
pub mod count;
pub mod droidracer;
pub mod environment;
pub mod event;
mod hash;
pub mod log;
pub mod pairs;
pub mod relation;
pub mod rules;
