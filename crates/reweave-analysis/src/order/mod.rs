//! The order of the events of a process, derived from the links that the recording holds.

pub mod cut;
pub mod walk;

pub use cut::Cut;
