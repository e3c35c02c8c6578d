//! A bounded recording: the file stops growing, and what is left of each stream is its last part.

use super::Live;
use super::front_end::FrontEnd;
use reweave_runtime::recorder::{Keep, Recorder};
use reweave_trace::file::seal::seal;
use reweave_trace::file::writer::Existing;
use reweave_trace::{Fault, Position, StreamId, Trace};
use std::time::Duration;

const BYTES: u64 = 1 << 20;

fn bounded(live: &Live, keep: Keep) -> Recorder {
    Recorder::join(&live.path, keep).expect("a live file")
}

fn length(live: &Live) -> u64 {
    live.path.metadata().expect("is there").len()
}

/// What the trace has of a stream is the end of what was stored.
fn check_end(trace: &Trace, stream: StreamId, stored: &[u64]) {
    let thread = trace.processes[0].thread(stream).expect("is there");
    assert!(!thread.words.is_empty());
    assert!(stored.ends_with(&thread.words));
    let before = stored.len() - thread.words.len();
    assert_eq!(thread.first, Position(before as u64 + 1));
}

#[test]
fn the_file_stops_growing_and_the_last_part_is_there() {
    let live = Live::new();
    let recorder = bounded(&live, Keep::LastBytes(BYTES));
    let mut busy = FrontEnd::new(&recorder, "busy");
    let mut other = FrontEnd::new(&recorder, "other");
    busy.store_many(400_000);
    other.store_many(100_000);
    let grown = length(&live);
    busy.store_many(400_000);
    other.store_many(100_000);
    assert_eq!(length(&live), grown);
    let trace = live.read();
    assert!(trace.faults.contains(&Fault::Thinned));
    assert!(!trace.complete);
    check_end(&trace, busy.stream, &busy.words);
    check_end(&trace, other.stream, &other.words);

    let sealed = live.path.with_file_name("sealed.rwv");
    seal(&live.path, &sealed, None, Existing::Keep).expect("can be sealed");
    let (stream, words) = (busy.stream, busy.finish());
    check_end(&Trace::open(&sealed).expect("can be read"), stream, &words);
    check_end(&live.read(), stream, &words);
}

#[test]
fn threads_that_come_and_go_leave_no_windows_behind() {
    let live = Live::new();
    let recorder = bounded(&live, Keep::LastBytes(BYTES));
    let brief = |events| {
        let mut brief = FrontEnd::new(&recorder, "");
        brief.store_many(events);
        brief.finish();
    };
    (0..2_000).for_each(|n| brief(if n % 50 == 0 { 3_000 } else { 5 }));
    let grown = length(&live);
    (0..2_000).for_each(|n| brief(if n % 50 == 0 { 3_000 } else { 5 }));
    // Their names.
    assert!(length(&live) <= grown + (128 << 10));
    assert!(grown < 3 * BYTES, "{grown} bytes");
}

#[test]
fn what_fits_is_whole() {
    let live = Live::new();
    let recorder = bounded(&live, Keep::LastBytes(BYTES));
    let mut thread = FrontEnd::new(&recorder, "main");
    thread.store_many(10_000);
    recorder.input(thread.stream, 1, 3, |bytes| bytes.copy_from_slice(b"abc"));
    recorder.record(&reweave_trace::file::table::Record::End);
    let (stream, words) = (thread.stream, thread.finish());
    let trace = live.read();
    assert_eq!(trace.faults, []);
    let process = &trace.processes[0];
    assert_eq!(process.thread(stream).expect("is there").words, words);
    assert_eq!(process.inputs.len(), 1);
}

#[test]
fn input_is_not_kept_for_ever() {
    let live = Live::new();
    let recorder = bounded(&live, Keep::LastBytes(BYTES));
    let thread = FrontEnd::new(&recorder, "main");
    for position in 1..1_000 {
        recorder.input(thread.stream, position, 9_000, |bytes| bytes.fill(7));
    }
    assert!(length(&live) < 2 * BYTES);
    assert!(live.read().faults.contains(&Fault::Thinned));
}

#[test]
fn what_is_older_than_asked_for_goes() {
    let live = Live::new();
    let recorder = bounded(&live, Keep::LastTime(Duration::ZERO));
    let mut thread = FrontEnd::new(&recorder, "main");
    thread.store_many(400_000);
    assert!(length(&live) < BYTES);
    check_end(&live.read(), thread.stream, &thread.words);
}
