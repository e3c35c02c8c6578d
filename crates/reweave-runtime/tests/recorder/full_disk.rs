//! A full disk stops the recording, never the program; what was stored before stays readable.
//!
//! Two ways to have a full disk: a limit on the size of files, and, where mounting is allowed, a small file system in memory. Extents are
//! allocated before they are mapped, so a store into one of them cannot fail for lack of space: only asking for the next one can.

use crate::front_end::{FrontEnd, Stored};
use crate::{Live, check_words, create};
use reweave_runtime::recorder::{Keep, Recorder};
use reweave_trace::file::table::Record;
use reweave_trace::{Fault, Trace};
use std::path::Path;
use std::process::Command;

/// Writes until nothing goes any more, and reads it back. Room that comes later does not start the recording again.
fn fill_the_disk(path: &Path, make_room: impl FnOnce()) {
    let recorder = Recorder::join(path, Keep::Everything).expect("a live file");
    recorder.record(&Record::Note("before".to_owned()));
    let mut threads = ["first", "second", "third"].map(|name| FrontEnd::new(&recorder, name));
    threads[0].store_many(10);
    // The second fills the disk.
    while threads[1].store() == Stored::Yes {}
    // What others have mapped they can still use; then they stop too, and stay stopped.
    let kept = threads[0].words.len();
    while threads[0].store() == Stored::Yes {}
    assert!(threads[0].words.len() > kept);
    for thread in &mut threads {
        assert_eq!(thread.store(), Stored::No);
        assert_eq!(thread.store(), Stored::No);
    }
    let trace = Trace::open(path).expect("can be read");
    for thread in &threads {
        check_words(&trace, recorder.process(), thread.stream, &thread.words);
    }
    assert!(trace.faults.contains(&Fault::DiskFull));
    assert!(trace.faults.iter().all(|fault| !fault.is_damage()));
    assert_eq!(trace.processes[0].notes, ["before"]);
    let length = trace_length(path);
    make_room();
    // More than the table that is there can take.
    for _ in 0..6_000 {
        recorder.record(&Record::Note("after the disk was full".to_owned()));
    }
    for thread in &mut threads {
        assert_eq!(thread.store(), Stored::No);
    }
    let other = Recorder::join(path, Keep::Everything).expect("a live file");
    assert_eq!(FrontEnd::new(&other, "").store(), Stored::No);
    assert_eq!(trace_length(path), length);
    let [first, second, third] = threads;
    let streams = [first.stream, second.stream, third.stream];
    let words = [first.finish(), second.finish(), third.finish()];
    let trace = Trace::open(path).expect("can be read");
    for (stream, words) in streams.into_iter().zip(&words) {
        check_words(&trace, recorder.process(), stream, words);
    }
    assert!(trace.faults.iter().all(|fault| !fault.is_damage()));
}

fn trace_length(path: &Path) -> u64 {
    std::fs::metadata(path).expect("the file").len()
}

const FILE: &str = "REWEAVE_TEST_LIMITED_FILE";

/// For `a_limit_on_the_size_of_files`, in a process of its own: the limit would concern the other tests too.
#[test]
fn limited() {
    let Some(path) = std::env::var_os(FILE) else {
        return;
    };
    // SAFETY: ignoring the signal is what the JVM does.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit_files(700 << 10);
    fill_the_disk(path.as_ref(), || limit_files(4 << 20));
}

fn limit_files(bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: 4 << 20,
    };
    // SAFETY: the struct lives through the call.
    let failed = unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
    assert_eq!(failed, 0);
}

#[test]
fn a_limit_on_the_size_of_files() {
    let live = Live::new();
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "full_disk::limited", "--nocapture"])
        .env(FILE, &live.path)
        .output()
        .expect("can run itself");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}", output.status);
}

#[test]
fn a_file_system_without_space() {
    let folder = tempfile::tempdir().expect("a folder");
    let mount = |arguments: &[&str]| {
        Command::new("mount")
            .args(arguments)
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=700k", "reweave-test"]) {
        // Only root may mount; the limit above has been tested all the same.
        return;
    }
    let path = folder.path().join("run.rwv");
    let result = std::panic::catch_unwind(|| {
        create(&path);
        fill_the_disk(&path, || assert!(mount(&["-o", "remount,size=4m"])));
    });
    let unmounted = Command::new("umount").arg(folder.path()).status();
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
    assert!(unmounted.is_ok_and(|status| status.success()));
}
