//! Tests of the race engine: against a slow reference, on generated traces, and on real logs where they are present.

mod environment_reference;
mod generate;
mod logs;
mod order;
mod reference;
mod renumber;
