use super::*;
use crate::launch::KeptFile;

fn one_of_each() -> Vec<Record> {
    vec![
        Record::Process {
            path: "0.1".into(),
            pid: 4711,
            main: "Bank".into(),
            jdk: "17.0.15+6".into(),
        },
        Record::Thread {
            stream: StreamId(2),
            parent: Some(StreamId::MAIN),
            kind: ThreadKind::Thread,
            name: "worker-ä".into(),
        },
        Record::Thread {
            stream: StreamId(3),
            parent: None,
            kind: ThreadKind::ClassInitialiser,
            name: "Bank".into(),
        },
        Record::Class {
            class: ClassId(1),
            name: "Account".into(),
        },
        Record::Code {
            digest: 0x0123_4567_89ab_cdef,
            class: "Bank".into(),
            source: "Bank.java".into(),
            sites: vec![CodeSite {
                site: SiteId(77),
                line: 31,
                kind: SiteKind::MonitorBlock,
                method: "run()V".into(),
            }],
        },
        Record::Skipped("Big.huge()V: would exceed 64 KiB".into()),
        Record::Note(String::new()),
        Record::End,
        Record::Launch(Launch {
            executable: "/jdk/bin/java".into(),
            directory: "/project".into(),
            arguments: vec!["java".into(), String::new()],
            files: vec![KeptFile {
                path: "/project/@x".into(),
                bytes: vec![0, 255],
            }],
        }),
        Record::Input {
            stream: StreamId(2),
            position: 17,
            bytes: b"\0GET /".to_vec(),
        },
    ]
}

#[test]
fn the_documented_tags_are_these() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trace-format.md");
    let text = std::fs::read_to_string(page).expect("the format page is in docs/");
    let documented: Vec<(u16, String)> = text
        .lines()
        .skip_while(|line| !line.starts_with("| tag | record |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0].parse().expect("a number"), cells[1].to_owned())
        })
        .collect();
    let mut listed: Vec<(u16, String)> = one_of_each()
        .iter()
        .map(|record| {
            let name = match record {
                Record::Process { .. } => "process",
                Record::Thread { .. } => "thread",
                Record::Class { .. } => "class",
                Record::Code { .. } => "code",
                Record::Skipped(_) => "skipped",
                Record::Note(_) => "note",
                Record::End => "end",
                Record::Launch(_) => "launch",
                Record::Input { .. } => "input",
            };
            (record.tag(), name.to_owned())
        })
        .collect();
    listed.dedup();
    assert_eq!(documented, listed);
}

fn encoded() -> Vec<u8> {
    one_of_each().iter().flat_map(Record::encode).collect()
}

#[test]
fn records_lead_back() {
    let mut bytes = encoded();
    let used = bytes.len();
    bytes.extend_from_slice(&[0; 64]);
    let mut records = Records::new(&bytes);
    let read: Result<Vec<Record>, TableError> = records.by_ref().collect();
    assert_eq!(read, Ok(one_of_each()));
    assert_eq!(records.offset(), used);
}

#[test]
fn inputs_are_the_same_either_way() {
    let mut out = vec![7; 100];
    for bytes in [&b""[..], b"abc", b"0123456789"] {
        let fill = |place: &mut [u8]| place.copy_from_slice(bytes);
        Record::encode_input(&mut out, StreamId(3), 17, bytes.len(), fill);
        let record = Record::Input {
            stream: StreamId(3),
            position: 17,
            bytes: bytes.to_vec(),
        };
        assert_eq!(out, record.encode());
    }
}

#[test]
fn any_cut_gives_the_records_before_it() {
    let bytes = encoded();
    for length in 0..bytes.len() {
        let whole: Vec<Record> = Records::new(&bytes[..length])
            .map_while(Result::ok)
            .collect();
        assert_eq!(whole, one_of_each()[..whole.len()]);
    }
}

#[test]
fn any_flipped_byte_is_read_without_panic() {
    let bytes = encoded();
    for place in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = value;
            assert!(Records::new(&damaged).count() <= one_of_each().len() + 1);
        }
    }
}

#[test]
fn long_strings_are_cut_at_a_character() {
    let bytes = Record::Note("ä".repeat(40_000)).encode();
    let read = Records::new(&bytes).next();
    assert_eq!(read, Some(Ok(Record::Note("ä".repeat(32_767)))));
}
