//! Any bytes as a trace in text form, read in one pass: an error that names the line, or findings; never a panic.
//!
//! ```text
//! cargo +nightly fuzz run trace fuzz/seeds/trace
//! ```

#![no_main]

use libfuzzer_sys::fuzz_target;
use reweave_analysis::races::Options;
use reweave_analysis::races::text::Reader;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::new(&Options::default());
    for piece in bytes.chunks(7) {
        if reader.feed(piece).is_err() {
            return;
        }
    }
    let _ = reader.finish();
});
