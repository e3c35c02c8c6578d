//! There is one list of hooks. Everything that must agree with it is compared with it: the helper classes of both modes and what they call in the
//! agent, the stubs that they are compiled against, the numbers of the trace format they write, and the page that describes it all.

#[path = "../java/mod.rs"]
mod java;

mod helper;
mod inputs;
mod list;
mod numbers;
mod page;
mod stubs;
mod unsafe_list;

use std::path::{Path, PathBuf};

/// A file of this crate.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    let path = file(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
