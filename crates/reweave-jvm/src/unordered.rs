//! A switch for tests alone: leaves some kinds of accesses to memory unordered, so that it can be seen that programs then fail, and what the ordering of the others costs.
//! Has to be set for the recording and for its replays.

use std::sync::OnceLock;

/// Kinds of accesses, with commas between them: `all`, `fields`, `elements`, `plain`, `repeated-reads`, `late-writes`, or a part of the names of Unsafe's methods (`Volatile`, `Acquire`, `compareAnd` …),
/// or a whole name behind `=` (`=getIntAcquire`).
const VARIABLE: &str = "REWEAVE_TEST_UNORDERED";

fn kinds() -> &'static [String] {
    static KINDS: OnceLock<Vec<String>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let text = std::env::var(VARIABLE).unwrap_or_default();
        let kinds = text.split(',').filter(|kind| !kind.is_empty());
        kinds.map(str::to_owned).collect()
    })
}

fn any(matches: impl Fn(&str) -> bool) -> bool {
    kinds().iter().any(|kind| kind == "all" || matches(kind))
}

/// Accesses by instructions to fields.
pub fn fields() -> bool {
    any(|kind| kind == "fields")
}

/// Accesses by instructions to elements of arrays.
pub fn elements() -> bool {
    any(|kind| kind == "elements")
}

/// Which rules of the recorder leave out more than they may; as in ReweaveMemory.
pub fn too_eager() -> u64 {
    let on = |kind: &str| u64::from(kinds().iter().any(|found| found == kind));
    on("repeated-reads") | on("late-writes") << 1
}

/// Accesses by this method of Unsafe.
pub fn method(name: &str, is_plain: bool) -> bool {
    any(|kind| match kind {
        "plain" => is_plain,
        kind => match kind.strip_prefix('=') {
            Some(whole) => name == whole,
            None => name.contains(kind),
        },
    })
}
