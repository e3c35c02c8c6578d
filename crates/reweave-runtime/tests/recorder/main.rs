//! The recorder against the reader: what a front end stored is what comes out, in order and once, whatever happened to the process or the disk.

mod bounded;
mod deaths;
mod front_end;
mod full_disk;

use front_end::FrontEnd;
use reweave_runtime::recorder::{JoinError, Keep, Recorder};
use reweave_trace::file::header::{SectionKind, SectionState};
use reweave_trace::file::scan::{Limits, Scan, Section};
use reweave_trace::file::seal::seal;
use reweave_trace::file::table::{CodeSite, Record, SiteKind};
use reweave_trace::file::writer::{Existing, create_live};
use reweave_trace::manifest::{Host, Level, MANIFEST_VERSION, RunResult};
use reweave_trace::{Fault, Manifest, ProcessNumber, SiteId, StreamId, Trace};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A live file in a folder of its own.
struct Live {
    _folder: TempDir,
    path: PathBuf,
}

impl Live {
    fn new() -> Live {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.rwv");
        create(&path);
        Live {
            _folder: folder,
            path,
        }
    }

    fn join(&self) -> Recorder {
        Recorder::join(&self.path, Keep::Everything).expect("a live file")
    }

    fn read(&self) -> Trace {
        Trace::open(&self.path).expect("can be read")
    }

    /// The events sections of a stream of process 0.
    fn sections(&self, stream: StreamId) -> Vec<Section> {
        let scan = Scan::open(&self.path, Limits::default()).expect("can be read");
        scan.of_kind(SectionKind::Events)
            .filter(|section| section.header.stream == stream.0)
            .cloned()
            .collect()
    }
}

fn create(path: &Path) {
    let manifest = Manifest {
        version: MANIFEST_VERSION,
        run: "7f3a".into(),
        reweave: "0.1.0".into(),
        level: Level::Sync,
        started_at: "2026-11-15T23:45:10Z".into(),
        argv: vec![],
        cwd: "/".into(),
        environment: Default::default(),
        java: None,
        class_path: vec![],
        native: None,
        include: vec![],
        exclude: vec![],
        exclude_thread: vec![],
        host: Host::default(),
    };
    create_live(path, &manifest, Existing::Keep).expect("a new file");
}

/// The words of a stream; without naming all of them if they differ.
#[track_caller]
fn check_words(trace: &Trace, process: ProcessNumber, stream: StreamId, expected: &[u64]) {
    let process = trace.process(process).expect("the process");
    let found = process
        .thread(stream)
        .map_or(&[][..], |thread| &thread.words);
    let difference = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(
        difference, None,
        "first word of stream {stream} that differs"
    );
    assert_eq!(found.len(), expected.len(), "words of stream {stream}");
}

#[test]
fn every_word_comes_back_once_and_in_order() {
    let live = Live::new();
    // From nothing over a part of the first page to many windows.
    let lengths = [0, 1, 100, 250, 2_000, 10_000, 60_000];
    let recorders = [live.join(), live.join()];
    let words: Vec<(ProcessNumber, StreamId, Vec<u64>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = recorders
            .iter()
            .flat_map(|recorder| lengths.map(|length| (recorder, length)))
            .map(|(recorder, length)| {
                scope.spawn(move || {
                    let mut thread = FrontEnd::new(recorder, &format!("{length} events"));
                    thread.store_many(length);
                    let stream = thread.stream;
                    // Some threads end, the others are still there when the process is gone.
                    let words = match stream.0 % 2 {
                        0 => thread.finish(),
                        _ => thread.words,
                    };
                    (recorder.process(), stream, words)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    recorders[0].record(&Record::End);
    drop(recorders);
    let trace = live.read();
    for (process, stream, words) in &words {
        check_words(&trace, *process, *stream, words);
    }
    assert_eq!(
        trace.faults,
        [Fault::NotEnded {
            process: ProcessNumber(1)
        }]
    );
    let mut names: Vec<&str> = trace.processes[1]
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    names.sort_unstable();
    let mut expected = lengths.map(|length| format!("{length} events"));
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_stream_starts_on_one_page_and_goes_on_in_two_windows() {
    let live = Live::new();
    let recorder = live.join();
    let mut thread = FrontEnd::new(&recorder, "main");
    let mut windows = vec![];
    for _ in 0..6 {
        thread.store_many(1);
        thread.fill();
        let sections = live.sections(thread.stream);
        let (last, before) = sections.split_last().expect("a section");
        assert_eq!(last.header.state, SectionState::Open);
        assert!(
            before
                .iter()
                .all(|section| section.header.state != SectionState::Open)
        );
        windows.push((last.offset, last.header.capacity));
    }
    let capacities: Vec<u64> = windows.iter().map(|window| window.1).collect();
    assert_eq!(capacities, [4032, 65472, 65472, 65472, 65472, 65472]);
    let window = |index: usize| windows[index].0;
    assert_ne!(window(1), window(2));
    assert_eq!([window(1), window(2)], [window(3), window(4)]);
    check_words(
        &live.read(),
        recorder.process(),
        thread.stream,
        &thread.words,
    );
}

#[test]
fn a_stream_that_ends_leaves_only_closed_sections() {
    let live = Live::new();
    let recorder = live.join();
    for events in [1, 300, 30_000] {
        let mut thread = FrontEnd::new(&recorder, "");
        thread.store_many(events);
        let stream = thread.stream;
        let words = thread.finish();
        let open = live
            .sections(stream)
            .iter()
            .filter(|section| section.header.state == SectionState::Open)
            .count();
        assert_eq!(open, 0);
        check_words(&live.read(), recorder.process(), stream, &words);
    }
}

#[test]
fn records_of_all_sizes() {
    let live = Live::new();
    let recorder = live.join();
    let mut records: Vec<Record> = (0..5_000)
        .map(|n| Record::Note("word ".repeat(n % 40)))
        .collect();
    // Larger than the window.
    records.insert(
        777,
        Record::Code {
            digest: 1,
            class: "Large".into(),
            source: "Large.java".into(),
            sites: (1..20_000)
                .map(|n| CodeSite {
                    site: SiteId(n),
                    line: 1,
                    kind: SiteKind::Call,
                    method: "run()V".into(),
                })
                .collect(),
        },
    );
    for (count, record) in records.iter().enumerate() {
        // At any moment all of them are there, whether the window was just written out or not.
        if count % 97 == 0 && count <= 777 {
            let so_far = live.read();
            let read = so_far.processes.first().map_or(0, |p| p.notes.len());
            assert_eq!(read, count);
            assert!(so_far.faults.iter().all(|fault| !fault.is_damage()));
        }
        recorder.record(record);
    }
    recorder.record(&Record::End);
    let trace = live.read();
    assert_eq!(trace.faults, []);
    let notes: Vec<Record> = trace.processes[0]
        .notes
        .iter()
        .map(|note| Record::Note(note.clone()))
        .collect();
    records.remove(777);
    assert!(notes == records, "all notes in order");
    assert_eq!(trace.processes[0].sites.len(), 19_999);
}

#[test]
fn what_is_no_live_file_is_not_joined() {
    let live = Live::new();
    let folder = live._folder.path();
    let join = |path: &Path| match Recorder::join(path, Keep::Everything) {
        Ok(_) => panic!("joined"),
        Err(error) => error,
    };
    assert!(matches!(join(&folder.join("missing")), JoinError::Io(_)));
    for length in [0, 100, 4095] {
        let path = folder.join("short");
        std::fs::write(&path, vec![0; length]).expect("writable");
        assert!(matches!(join(&path), JoinError::TooShort));
    }
    let path = folder.join("other");
    std::fs::write(&path, vec![7; 8192]).expect("writable");
    assert!(matches!(join(&path), JoinError::Header(_)));
    let result = RunResult {
        exit_code: 0,
        signal: None,
        wall_ms: 1,
    };
    let sealed = folder.join("sealed.rwv");
    seal(&live.path, &sealed, Some(&result), Existing::Keep).expect("can be sealed");
    assert!(matches!(join(&sealed), JoinError::Sealed));
}
