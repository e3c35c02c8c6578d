//! The compiled helper, in the order in which its classes are defined. Made by the build script.

include!(concat!(env!("OUT_DIR"), "/helper_classes.rs"));
