//! Thinks about traces: the order of events, and data races. Pure: no I/O, no clock, the same trace gives the same answer.

#![forbid(unsafe_code)]

pub mod order;
pub mod races;
