//! Tests of the race engine: against a slow reference, on generated traces, and on real logs where they are present.

#![allow(
    clippy::struct_excessive_bools,
    overlapping_range_endpoints,
    clippy::too_many_arguments,
    dead_code,
    unused_imports,
    reason = "the generator's state is a row of facts, its weights overlap, and tests and the fuzzer use different parts of it"
)]

mod backward;
mod environment_reference;
mod generate;
mod logs;
mod order;
mod reference;
mod renumber;
mod traces;
