//! Write, read, compare; and everything that can happen to a file in between.

use super::header::*;
use super::scan::{Limits, Scan};
use super::seal::{seal, unseal};
use super::table::{CodeSite, Record, SiteKind, ThreadKind};
use super::verify::verify;
use super::writer::{Existing, LiveFile, WriteError, create_live, words_to_bytes};
use super::*;
use crate::ids::*;
use crate::manifest::*;
use crate::model::{Fault, Process, Trace};
use crate::text;
use std::path::{Path, PathBuf};

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("reweave-trace-{}-{test}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn manifest() -> Manifest {
    Manifest {
        version: MANIFEST_VERSION,
        run: "7f3a".into(),
        reweave: "0.1.0".into(),
        level: Level::Sync,
        started_at: "2026-11-15T23:45:10Z".into(),
        argv: vec!["java".into(), "Bank".into()],
        cwd: "/tmp".into(),
        environment: Default::default(),
        java: None,
        class_path: Vec::new(),
        native: None,
        include: Vec::new(),
        exclude: Vec::new(),
        exclude_thread: Vec::new(),
        host: Host::default(),
    }
}

const RESULT: RunResult = RunResult {
    exit_code: 3,
    signal: None,
    wall_ms: 17,
};

fn bank() -> Process {
    let mut process = text::parse(
        "
        t1 start t2
        t1 acquire m:Account @Bank.java:12
        t2 acquire m @Bank.java:14
        t2 notify m
        t1 wait m by 5
        t2 exit
        t1 join t2
        t1 halt 3
        ",
    )
    .unwrap();
    for _ in 0..300 {
        let more = text::parse("t1 value 5\nt1 value 6").unwrap();
        process
            .thread_mut(StreamId::MAIN)
            .words
            .extend_from_slice(&more.threads[0].words);
    }
    process.path = "0".into();
    process.pid = 4711;
    process.main = "Bank".into();
    process.jdk = "17.0.15+6".into();
    process
}

fn records(process: &Process) -> Vec<Record> {
    let mut records = vec![Record::Process {
        path: process.path.clone(),
        pid: process.pid,
        main: process.main.clone(),
        jdk: process.jdk.clone(),
    }];
    records.extend(process.threads.iter().map(|thread| Record::Thread {
        stream: thread.stream,
        parent: thread.parent,
        kind: ThreadKind::Thread,
        name: thread.name.clone(),
    }));
    records.extend(process.classes.iter().map(|(&class, name)| Record::Class {
        class,
        name: name.clone(),
    }));
    records.extend(process.sites.iter().map(|(&id, site)| Record::Code {
        digest: 9,
        class: site.class.to_string(),
        source: site.source.to_string(),
        sites: vec![CodeSite {
            site: id,
            line: site.line,
            kind: SiteKind::MonitorBlock,
            method: site.method.clone(),
        }],
    }));
    records
}

/// Writes each stream in pieces, as a program would, and the end only if it is reached.
fn write_live(path: &Path, process: &Process) {
    let mut live = create_live(path, &manifest(), Existing::Keep).unwrap();
    live.append_table(process.number, 0, &records(process))
        .unwrap();
    write_streams(&mut live, process);
    live.append_table(process.number, 1, &[Record::End])
        .unwrap();
}

fn write_streams(live: &mut LiveFile, process: &Process) {
    for thread in &process.threads {
        let mut number = 0;
        let mut first = 1;
        let mut events = thread.events();
        while first < thread.end().0 {
            // About 200 words each, whole events only.
            while events.position().0 < first + 200 && events.next().is_some() {}
            let end = events.position().0;
            let words = &thread.words[first as usize - 1..end as usize - 1];
            live.append_events(
                process.number,
                thread.stream,
                number,
                Position(first),
                words,
            )
            .unwrap();
            (number, first) = (number + 1, end);
        }
    }
}

/// What a trace says, without the order in which classes were loaded.
fn shape(process: &Process) -> Process {
    Process {
        code: Vec::new(),
        ..process.clone()
    }
}

#[track_caller]
fn check_same(trace: &Trace, process: &Process) {
    assert_eq!(trace.processes.len(), 1);
    assert_eq!(shape(&trace.processes[0]), shape(process));
    assert_eq!(trace.manifest, manifest());
}

#[test]
fn live_sealed_and_plain_files_say_the_same() {
    let folder = Folder::new("same");
    let (live, sealed, plain) = (
        folder.file("live"),
        folder.file("sealed"),
        folder.file("plain"),
    );
    write_live(&live, &bank());
    let trace = Trace::open(&live).unwrap();
    check_same(&trace, &bank());
    assert!(trace.complete && trace.result.is_none() && trace.faults.is_empty());

    let size = seal(&live, &sealed, Some(&RESULT), Existing::Keep).unwrap();
    assert_eq!(size, std::fs::metadata(&sealed).unwrap().len());
    assert!(size < std::fs::metadata(&live).unwrap().len());
    let trace = Trace::open(&sealed).unwrap();
    check_same(&trace, &bank());
    assert_eq!(
        (trace.state, trace.complete, trace.result),
        (FileState::Sealed, true, Some(RESULT))
    );

    unseal(&sealed, &plain, &|_, _| None).unwrap();
    let trace = Trace::open(&plain).unwrap();
    check_same(&trace, &bank());
    assert_eq!(
        (trace.state, trace.complete, trace.result),
        (FileState::Live, true, Some(RESULT))
    );
    assert!(verify(&sealed).unwrap().errors.is_empty());
    assert_eq!(
        folder.0.read_dir().unwrap().count(),
        3,
        "no temporary file is left"
    );
}

#[test]
fn a_file_may_be_sealed_in_place_but_no_other_is_overwritten() {
    let folder = Folder::new("place");
    let (live, other) = (folder.file("live"), folder.file("other"));
    write_live(&live, &bank());
    std::fs::write(&other, "precious").unwrap();
    let refused = seal(&live, &other, None, Existing::Keep).unwrap_err();
    assert!(matches!(refused, WriteError::Exists { .. }));
    let refused = create_live(&other, &manifest(), Existing::Keep).unwrap_err();
    assert!(matches!(refused, WriteError::Exists { .. }));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    seal(&live, &live, Some(&RESULT), Existing::Keep).unwrap();
    assert_eq!(Trace::open(&live).unwrap().state, FileState::Sealed);
    create_live(&other, &manifest(), Existing::Replace).unwrap();
}

#[test]
fn unseal_cuts_streams() {
    let folder = Folder::new("cut");
    let (live, plain) = (folder.file("live"), folder.file("plain"));
    write_live(&live, &bank());
    let end = bank().threads[0]
        .events()
        .nth(100)
        .unwrap()
        .unwrap()
        .position;
    unseal(&live, &plain, &|_, stream| {
        (stream == StreamId::MAIN).then_some(end)
    })
    .unwrap();
    let trace = Trace::open(&plain).unwrap();
    let threads = &trace.processes[0].threads;
    assert_eq!(
        threads[0].words,
        bank().threads[0].words[..end.0 as usize - 1]
    );
    assert_eq!(threads[1].words, bank().threads[1].words);
}

#[test]
fn a_killed_process_leaves_what_it_wrote() {
    let folder = Folder::new("killed");
    let live = folder.file("live");
    let process = bank();
    let mut file = create_live(&live, &manifest(), Existing::Keep).unwrap();
    let table: Vec<u8> = records(&process).iter().flat_map(Record::encode).collect();
    file.append_open(SectionHeader::open_table(process.number, 0, 0), &table)
        .unwrap();
    let words = &process.threads[0].words;
    let mut killed = words_to_bytes(words);
    // The next event was being written: its second and third word first.
    killed.extend_from_slice(&words_to_bytes(&[0, 5, 6]));
    let header = SectionHeader::open_events(process.number, 1, 0, Position::FIRST, 0);
    file.append_open(header, &killed).unwrap();
    let trace = Trace::open(&live).unwrap();
    assert_eq!(trace.processes[0].threads[0].words, *words);
    assert_eq!(
        trace.faults,
        [Fault::NotEnded {
            process: process.number
        }]
    );
    assert!(!trace.complete);
}

#[test]
fn gaps_and_holes_are_reported_and_end_the_stream() {
    let folder = Folder::new("gaps");
    let live = folder.file("live");
    let words = bank().threads[0].words.clone();
    let number = ProcessNumber(0);
    let mut file = create_live(&live, &manifest(), Existing::Keep).unwrap();
    file.append_events(number, StreamId(1), 0, Position(1), &words[..3])
        .unwrap();
    file.append_events(number, StreamId(1), 2, Position(9), &words[..3])
        .unwrap();
    file.append_events(number, StreamId(1), 3, Position(12), &words[..3])
        .unwrap();
    let mut holed = words_to_bytes(&words[..3]);
    holed.extend_from_slice(&[0; 512]);
    holed.extend_from_slice(&words_to_bytes(&words[..3]));
    file.append_open(
        SectionHeader::open_events(number, 2, 0, Position(1), 0),
        &holed,
    )
    .unwrap();
    file.append_table(number, 0, &[Record::End]).unwrap();
    let trace = Trace::open(&live).unwrap();
    let lengths: Vec<usize> = trace.processes[0]
        .threads
        .iter()
        .map(|thread| thread.words.len())
        .collect();
    assert_eq!(lengths, [3, 3]);
    assert_eq!(
        trace.faults,
        [
            Fault::Gap {
                process: number,
                stream: StreamId(1),
                expected: Position(4),
                found: Position(9)
            },
            Fault::Hole {
                process: number,
                stream: StreamId(2),
                at: Position(4)
            },
        ]
    );
}

#[test]
fn of_a_section_left_twice_the_closed_one_counts() {
    let folder = Folder::new("twice");
    let live = folder.file("live");
    let words = bank().threads[0].words.clone();
    let number = ProcessNumber(0);
    for closed_first in [true, false] {
        let mut file = create_live(&live, &manifest(), Existing::Replace).unwrap();
        let open = SectionHeader::open_events(number, 1, 0, Position::FIRST, 0);
        let half = words_to_bytes(&words[..3]);
        if !closed_first {
            file.append_open(open.clone(), &half).unwrap();
        }
        file.append_events(number, StreamId(1), 0, Position(1), &words)
            .unwrap();
        if closed_first {
            file.append_open(open, &half).unwrap();
        }
        file.append_table(number, 0, &[Record::End]).unwrap();
        let trace = Trace::open(&live).unwrap();
        assert!(trace.complete);
        assert_eq!(trace.processes[0].threads[0].words, words);
    }
}

/// Whatever is left of a file reads as a prefix of every stream, or is refused.
#[track_caller]
fn check_prefix(bytes: Vec<u8>, whole: &Process, what: &str) {
    let Ok(trace) = Trace::from_bytes("cut.rwv", bytes) else {
        return;
    };
    for process in &trace.processes {
        for thread in &process.threads {
            let all = whole
                .thread(thread.stream)
                .map_or(&[][..], |thread| &thread.words[..]);
            // Lost pages may tear the last event apart; its first word still stands.
            let sure = thread
                .words
                .len()
                .saturating_sub(crate::event::MAX_WORDS - 1);
            assert!(
                all.starts_with(&thread.words[..sure]),
                "{what}: stream {}",
                thread.stream
            );
        }
    }
    let lost = trace.processes.iter().map(Process::events).sum::<u64>() < whole.events();
    assert!(
        !(lost && trace.complete),
        "{what}: looks complete, but events are missing"
    );
}

#[test]
fn a_cut_at_any_place_leaves_a_prefix() {
    let folder = Folder::new("truncate");
    let (live, sealed) = (folder.file("live"), folder.file("sealed"));
    write_live(&live, &bank());
    seal(&live, &sealed, Some(&RESULT), Existing::Keep).unwrap();
    for path in [&live, &sealed] {
        let bytes = std::fs::read(path).unwrap();
        for length in (0..bytes.len()).step_by(64) {
            check_prefix(
                bytes[..length].to_vec(),
                &bank(),
                &format!("cut at {length}"),
            );
        }
    }
}

#[test]
fn zero_tails_and_holes_leave_a_prefix() {
    let folder = Folder::new("zeros");
    let live = folder.file("live");
    let process = bank();
    let mut file = create_live(&live, &manifest(), Existing::Keep).unwrap();
    file.append_table(process.number, 0, &records(&process))
        .unwrap();
    for thread in &process.threads {
        let header =
            SectionHeader::open_events(process.number, thread.stream.0, 0, Position::FIRST, 0);
        file.append_open(header, &words_to_bytes(&thread.words))
            .unwrap();
    }
    let bytes = std::fs::read(&live).unwrap();
    for start in (8192..bytes.len()).step_by(512) {
        let mut tail = bytes.clone();
        tail[start..].fill(0);
        check_prefix(tail, &process, &format!("zeros from {start}"));
        let mut hole = bytes.clone();
        let end = (start + 512).min(bytes.len());
        hole[start..end].fill(0);
        check_prefix(hole, &process, &format!("zeros from {start} to {end}"));
    }
}

/// A small generator, so that a failure can be repeated.
fn random(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

#[test]
fn a_flipped_byte_in_a_sealed_file_is_found_or_harmless() {
    let folder = Folder::new("flips");
    let (live, sealed) = (folder.file("live"), folder.file("sealed"));
    write_live(&live, &bank());
    seal(&live, &sealed, Some(&RESULT), Existing::Keep).unwrap();
    let bytes = std::fs::read(&sealed).unwrap();
    let original = Trace::open(&sealed).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        let Ok(trace) = Trace::from_bytes("flipped.rwv", damaged) else {
            continue;
        };
        let same = trace.processes == original.processes && trace.result == original.result;
        assert!(
            same || !trace.complete,
            "a flipped bit at {place} changes the trace silently"
        );
    }
}

#[test]
fn random_damage_never_panics() {
    let folder = Folder::new("random");
    let (live, sealed) = (folder.file("live"), folder.file("sealed"));
    write_live(&live, &bank());
    seal(&live, &sealed, Some(&RESULT), Existing::Keep).unwrap();
    let mut state = 1;
    for path in [&live, &sealed] {
        let bytes = std::fs::read(path).unwrap();
        for _ in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(&mut state) % 20 {
                let place = random(&mut state) % damaged.len();
                damaged[place] = random(&mut state) as u8;
            }
            let _ = Trace::from_bytes("random.rwv", damaged);
        }
    }
}

#[test]
fn checksums_are_checked_and_name_the_place() {
    let folder = Folder::new("crc");
    let live = folder.file("live");
    write_live(&live, &bank());
    let mut bytes = std::fs::read(&live).unwrap();
    let scan = Scan::open(&live, Limits::default()).unwrap();
    let section = scan.of_kind(SectionKind::Events).next().unwrap();
    bytes[section.offset as usize + SECTION_HEADER_SIZE] ^= 1;
    let error = Trace::from_bytes("x.rwv", bytes.clone()).unwrap_err();
    assert!(
        matches!(error, ReadError::Damaged { offset, .. } if offset == section.offset),
        "{error}"
    );
    std::fs::write(&live, bytes).unwrap();
    let report = verify(&live).unwrap();
    assert_eq!(report.errors.len(), 1);
}

#[test]
fn other_files_and_versions_are_told_apart() {
    let read = |bytes: Vec<u8>| Trace::from_bytes("x.rwv", bytes).unwrap_err().to_string();
    assert!(read(Vec::new()).contains("it has 0 bytes"));
    assert!(read(vec![b'x'; 5000]).contains("not a reweave file"));
    let mut bytes = FileHeader::live(4096).encode().to_vec();
    bytes[OFFSET_VERSION] = 7;
    assert!(read(bytes).contains("written in format 7, this reweave reads format 1"));
    assert!(read(FileHeader::live(4096).encode().to_vec()).contains("no manifest"));
}

#[test]
fn a_bomb_is_refused() {
    let folder = Folder::new("bomb");
    let (live, sealed) = (folder.file("live"), folder.file("sealed"));
    let mut process = bank();
    let words = process.threads[0].words.clone();
    for _ in 0..400 {
        process.threads[0]
            .words
            .extend_from_slice(&words[words.len() - 6..]);
    }
    write_live(&live, &process);
    seal(&live, &sealed, None, Existing::Keep).unwrap();
    let refuse = |limits: Limits| Trace::open_with(&sealed, limits).unwrap_err();
    let section = Limits {
        section_bytes: 4096,
        ..Limits::default()
    };
    let total = Limits {
        total_bytes: 4096,
        ..Limits::default()
    };
    assert!(matches!(
        refuse(section),
        ReadError::TooLarge { limit: 4096, .. }
    ));
    assert!(matches!(
        refuse(total),
        ReadError::TooLarge { limit: 4096, .. }
    ));

    // A section that claims to be small but is not.
    let mut bytes = std::fs::read(&sealed).unwrap();
    let scan = Scan::open(&sealed, Limits::default()).unwrap();
    let offset = scan.of_kind(SectionKind::Events).next().unwrap().offset as usize;
    bytes[offset + SECTION_OFFSET_DECODED..offset + SECTION_OFFSET_DECODED + 8]
        .copy_from_slice(&64u64.to_le_bytes());
    let error = Trace::from_bytes("bomb.rwv", bytes)
        .unwrap_err()
        .to_string();
    assert!(error.contains("64 bytes announced, more found"), "{error}");
}

#[test]
fn a_manifest_of_the_future_is_refused_by_its_version() {
    let json = br#"{"version": 9, "everything": "else"}"#;
    assert!(matches!(
        Manifest::from_json(json),
        Err(ManifestError::Version { found: 9 })
    ));
}
