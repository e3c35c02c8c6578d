//! Lives in native programs (`LD_PRELOAD`): stands in front of the functions with which threads synchronize and programs learn about the world,
//! and receives the callbacks that a compiler put into the program's blocks and accesses.
//!
//! Two modes. *Sync order* (`order`) writes the order of operations on each object and needs no recompiled program. *Serial* (`serial`) lets one
//! thread run at a time and writes every switch as thread, block count and address (Srinivasan 2005), without a patched kernel, libc, compiler or debugger.
//! Where we differ from the paper: the switch is made in the program itself, not in the kernel, and found again by a countdown, not by a breakpoint's condition.
//!
//! Nothing here uses the program's allocator or locks; see `alloc`, `sys` and `state::Inside`.

#![allow(
    non_upper_case_globals,
    reason = "the variables that gdb reads have the names that a person types there"
)]

mod alloc;
mod cancel;
mod children;
mod ending;
mod hooks;
mod identity;
mod input;
mod latest;
mod log;
mod machine;
mod order;
mod place;
mod processors;
mod real;
mod sent;
mod serial;
mod signals;
mod start;
mod state;
mod sync;
mod sys;
mod thread;
mod tls;
mod without;
