//! Any bytes as a DroidRacer log: an error that names the line, or findings; never a panic, never unbounded work.
//!
//! ```text
//! cargo +nightly fuzz run droidracer fuzz/seeds/droidracer
//! ```

#![no_main]

use libfuzzer_sys::fuzz_target;
use reweave_analysis::races::Options;
use reweave_analysis::races::analyse::{Counting, analyse};
use reweave_analysis::races::droidracer::{Importer, Limits};
use reweave_analysis::races::rules::RuleSet;

fuzz_target!(|bytes: &[u8]| {
    let mut importer = Importer::new(Limits { operations: 10_000 });
    // The pieces in which a file is read must not matter.
    for piece in bytes.chunks(7) {
        if importer.feed(piece).is_err() {
            return;
        }
    }
    let Ok(log) = importer.finish() else { return };
    for (rules, counting) in [
        (RuleSet::ALL, Counting::Places),
        (RuleSet::DROIDRACER, Counting::DroidRacer),
    ] {
        let options = Options {
            rules,
            pairs: 100_000,
            ..Options::default()
        };
        let _ = analyse(&log, &options, counting);
    }
});
