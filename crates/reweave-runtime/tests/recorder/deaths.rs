//! Processes that die at the worst moments.

use crate::front_end::{FrontEnd, event};
use crate::{Live, check_words};
use reweave_runtime::recorder::{Keep, Recorder};
use reweave_trace::file::header::SECTION_HEADER_SIZE;
use reweave_trace::file::scan::Section;
use reweave_trace::file::seal::seal;
use reweave_trace::file::writer::Existing;
use reweave_trace::{StreamId, Trace};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A full window is written out as a closed section, the next window becomes a section, the full one is no section any more, and is cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dies {
    WhileWritingTheCopy,
    BeforeTheNextSection,
    BeforeTheOldSectionIsGone,
    WhileClearing,
}

#[track_caller]
fn check_death(dies: Dies) {
    let live = Live::new();
    let recorder = live.join();
    let mut thread = FrontEnd::new(&recorder, "main");
    // The page, and both windows once.
    for _ in 0..4 {
        thread.store_many(1);
        thread.fill();
    }
    let last = || live.sections(thread.stream).pop().expect("a section");
    let full = last();
    let size = SECTION_HEADER_SIZE + full.header.capacity as usize;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&live.path)
        .expect("the file");
    let mut bytes = vec![0; size];
    file.read_exact_at(&mut bytes, full.offset)
        .expect("the window");
    let mut expected = thread.words.clone();
    thread.store_many(1);
    let sections = live.sections(thread.stream);
    let [.., copy, next] = &sections[..] else {
        panic!("two sections")
    };
    assert_eq!(copy.header.number, full.header.number);
    match dies {
        Dies::WhileWritingTheCopy => {
            clear(&file, copy, 0..SECTION_HEADER_SIZE);
            clear(&file, copy, 20_000..60_000);
            clear(&file, next, 0..size);
        }
        Dies::BeforeTheNextSection => clear(&file, next, 0..size),
        Dies::BeforeTheOldSectionIsGone => expected.clone_from(&thread.words),
        Dies::WhileClearing => {
            expected.clone_from(&thread.words);
            bytes[..30_000].fill(0);
        }
    }
    file.write_all_at(&bytes, full.offset).expect("writable");
    check_words(&live.read(), recorder.process(), thread.stream, &expected);
    let sealed = live.path.with_extension("sealed");
    seal(&live.path, &sealed, None, Existing::Keep).expect("can be sealed");
    let trace = Trace::open(&sealed).expect("can be read");
    check_words(&trace, recorder.process(), thread.stream, &expected);
}

fn clear(file: &File, section: &Section, range: std::ops::Range<usize>) {
    let zeros = vec![0; range.len()];
    file.write_all_at(&zeros, section.offset + range.start as u64)
        .expect("writable");
}

#[test]
fn while_a_full_window_is_written_out() {
    check_death(Dies::WhileWritingTheCopy);
}

#[test]
fn when_the_closed_copy_is_there_and_the_next_section_is_not() {
    check_death(Dies::BeforeTheNextSection);
}

#[test]
fn when_a_section_is_there_twice() {
    check_death(Dies::BeforeTheOldSectionIsGone);
}

#[test]
fn while_the_old_window_is_cleared() {
    check_death(Dies::WhileClearing);
}

const FILE: &str = "REWEAVE_TEST_KILLED_FILE";
const THREADS: u32 = 3;

/// For `killed_at_any_moment`, in a process of its own: writes until it is killed.
#[test]
fn victim() {
    let Some(path) = std::env::var_os(FILE) else {
        return;
    };
    let recorder = Recorder::join(path.as_ref(), Keep::Everything).expect("a live file");
    let barrier = std::sync::Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut thread = FrontEnd::new(&recorder, "");
                thread.store_many(1_000);
                if barrier.wait().is_leader() {
                    let _ = writeln!(std::io::stdout(), "\nwriting");
                }
                loop {
                    thread.store_many(100_000);
                    thread.words.clear();
                    thread = FrontEnd::new(&recorder, "");
                }
            });
        }
    });
}

#[test]
fn killed_at_any_moment() {
    for round in 0..20 {
        let live = Live::new();
        let mut victim = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "deaths::victim", "--nocapture"])
            .env(FILE, &live.path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("can run itself");
        let output = victim.stdout.take().expect("piped");
        BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find(|line| line == "writing")
            .expect("it writes");
        std::thread::sleep(Duration::from_micros(round * 331));
        victim.kill().expect("can be killed");
        victim.wait().expect("is dead");
        let trace = live.read();
        let process = &trace.processes[0];
        for thread in &process.threads {
            check_prefix(thread.stream, &thread.words);
        }
        let begun = process
            .threads
            .iter()
            .filter(|thread| thread.words.len() > 1_000);
        assert!(begun.count() >= THREADS as usize, "round {round}");
        assert!(
            trace.faults.iter().all(|fault| !fault.is_damage()),
            "round {round}: {:?}",
            trace.faults
        );
    }
}

/// What is there must be the beginning of what the stream would have got.
#[track_caller]
fn check_prefix(stream: StreamId, words: &[u64]) {
    let mut rest = words;
    for n in 0.. {
        if rest.is_empty() {
            return;
        }
        let event = event(stream, n);
        assert!(rest.starts_with(&event), "event {n} of stream {stream}");
        rest = &rest[event.len()..];
    }
}
