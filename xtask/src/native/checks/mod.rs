//! Checks of native recording and replay, one file each.

pub mod blocks;
pub mod builds;
pub mod control;
pub mod counter;
pub mod deadlock;
pub mod debian;
pub mod gdb;
pub mod kill;
pub mod messages;
pub mod needed;
pub mod schedule;
pub mod servers;
pub mod together;
