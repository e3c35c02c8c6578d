//! The rewriter on tiny hand-made classes, whose listings can be compared word for word.
//! What real classes and real VMs make of it is tested by `tests/` of this crate and by `cargo xtask rewriter`.

mod accesses;
mod assembler;
mod bombs;
mod calls;
mod leaving;
mod listing;
mod methods;
mod mnemonics;
mod monitors;
mod natives;
mod relocation;

use super::plan::Plan;
use super::{Rewritten, rewrite};
use listing::listing;

const HELPER: &str = "Helper";

fn plan() -> Plan<'static> {
    Plan {
        helper: HELPER,
        ..Plan::default()
    }
}

/// Rewrites a class and compares it with the expected listing, line by line, whatever the indentation.
#[track_caller]
fn check(class_file: &[u8], plan: &Plan<'_>, expected: &str) -> Rewritten {
    let rewritten = rewrite(class_file, plan).expect("a class file");
    let text = listing(rewritten.bytes.as_deref().unwrap_or(class_file));
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    };
    assert_eq!(lines(&text), lines(expected), "\n{text}");
    rewritten
}
