//! See the crate's description.
pub mod classfile;
