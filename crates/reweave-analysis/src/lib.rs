//! See the crate's description.
pub mod order;
pub mod races;
