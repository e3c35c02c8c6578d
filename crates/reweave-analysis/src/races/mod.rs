//! Finds data races by happens-before, between threads and between tasks of one queue.

pub mod before;
pub mod environment;
pub mod event;
mod hash;
pub mod relation;
pub mod rules;
