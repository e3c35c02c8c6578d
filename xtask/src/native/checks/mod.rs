//! Checks of native recording and replay, one file each.

pub mod blocks;
pub mod control;
pub mod counter;
pub mod deadlock;
pub mod debian;
pub mod gdb;
pub mod kill;
pub mod messages;
pub mod needed;
pub mod servers;
pub mod together;
