//! The agent in a real VM, without the command: programs are recorded into a live file, which is then followed.

#[path = "../java/mod.rs"]
mod java;

mod session;

use session::{Program, Recorded};
use std::path::Path;
use std::process::Command;

/// Threads take turns in native code: what they print is the order in which they did.
#[test]
fn native_synchronized_methods() {
    let program = Program::compile("Natives");
    let library = program.folder().join("libnatives.so");
    if !compile_natives(&library) {
        // No C compiler, or no header files of the JDK.
        return;
    }
    let library = format!("-Dlibrary={}", library.display());
    let options = [library.as_str(), "-Xcheck:jni"];
    let recorded = program.record(&options);
    let lines: Vec<&str> = recorded.output.lines().collect();
    assert_eq!(lines[30..], ["as given 601200", "failed, free true"]);
    let trace = recorded.trace();
    assert_eq!(trace.processes[0].skipped, [""; 0]);
    let names: Vec<&str> = trace.processes[0]
        .sites
        .values()
        .filter(|site| &*site.class == "Natives")
        .map(|site| site.method_name())
        .collect();
    for method in ["add", "registered", "text", "failing"] {
        assert!(names.contains(&method), "{names:?}");
    }
    // 1200 calls by the threads, and two by the main thread.
    assert!(trace.processes[0].events() > 1202);
    for _ in 0..3 {
        let followed = program.replay(&recorded, &options, "");
        assert_eq!(followed.verdict(), "followed");
        assert_eq!(followed.output, recorded.output);
    }
}

fn compile_natives(library: &Path) -> bool {
    let include = java::home().join("include");
    if !include.join("jni.h").is_file() {
        return false;
    }
    let compiler = Command::new("gcc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(library)
        .arg("-I")
        .arg(&include)
        .arg("-I")
        .arg(include.join("linux"))
        .arg(java::sources().join("agent/natives.c"))
        .output();
    match compiler {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{text}");
            true
        }
        Err(_) => false,
    }
}

#[test]
fn a_thread_that_computes_before_its_first_event_is_no_stall() {
    let program = Program::compile("SlowStart");
    let recorded = program.record(&[]);
    assert_eq!(recorded.output, "computed\njoined\n");
    let followed = program.replay(&recorded, &[], "stall-after=1\n");
    assert_eq!(followed.verdict(), "followed");
    assert_eq!(followed.output, recorded.output);
}

fn killed() -> (Program, Recorded) {
    let program = Program::compile("Killed");
    let recorded = program.record_and_kill(&["-Dsleep=600000"], "before");
    (program, recorded)
}

#[test]
fn a_recording_that_was_cut_stops_where_it_ends() {
    let (program, recorded) = killed();
    let followed = program.replay(&recorded, &["-Dsleep=1"], "");
    assert_eq!(followed.verdict(), "end-of-log");
    assert_eq!(followed.output, "before\n");
}

#[test]
fn or_goes_on_if_it_is_told_to() {
    let (program, recorded) = killed();
    let followed = program.replay(&recorded, &["-Dsleep=1"], "at-end=continue\n");
    assert_eq!(followed.verdict(), "followed");
    assert_eq!(followed.output, "before\nafter\n");
}

#[test]
fn methods_that_subclasses_of_thread_have_instead() {
    let program = Program::compile("OwnMethods");
    let expected = "\
        by thread: my interrupt\n\
        by thread interrupted, closed true\n\
        my sleep 5\n\
        by name: my interrupt\n\
        by name interrupted, closed true\n\
        my sleep 5\n\
        by reference: my interrupt\n\
        by reference interrupted, closed true\n\
        my sleep 5\n\
        true true\n\
        my sleep 6\n\
        my sleep 7\n\
        OwnMethods\n\
        OwnMethods\n";
    assert_eq!(program.run(), expected);
    let recorded = program.record(&[]);
    assert_eq!(recorded.output, expected);
    let followed = program.replay(&recorded, &[], "");
    assert_eq!(followed.verdict(), "followed");
    assert_eq!(followed.output, expected);
}

const TOKEN: (&str, &str) = ("REWEAVE_TEST_TOKEN", "open sesame 42");
const PLAIN: (&str, &str) = ("REWEAVE_TEST_GREETING", "good morning 42");

#[test]
fn a_secret_that_nobody_asked_for_is_not_recorded() {
    let program = Program::compile("Secrets");
    let option = format!("-Dvariable={}", PLAIN.0);
    let recorded = program.record_with(&[&option], &[TOKEN, PLAIN]);
    assert_eq!(recorded.output, format!("{}\n", PLAIN.1));
    assert!(recorded.contains(PLAIN.1));
    assert!(recorded.contains(TOKEN.0));
    assert!(!recorded.contains(TOKEN.1));
    let followed = program.replay(&recorded, &[&option], "");
    assert_eq!(followed.verdict(), "followed");
    assert_eq!(followed.output, recorded.output);
}

#[test]
fn one_that_the_program_asked_for_is() {
    let program = Program::compile("Secrets");
    let option = format!("-Dvariable={}", TOKEN.0);
    let recorded = program.record_with(&[&option], &[TOKEN, PLAIN]);
    assert!(recorded.contains(TOKEN.1));
    let followed = program.replay(&recorded, &[&option], "");
    assert_eq!(followed.verdict(), "followed");
    assert_eq!(followed.output, format!("{}\n", TOKEN.1));
}

/// What a garbage collection found is not recorded: the replay ends where it shows, and says where that is.
#[test]
fn what_is_not_covered_is_a_divergence_that_names_the_call() {
    let program = Program::compile("Uncovered");
    let recorded = program.record(&[]);
    let followed = program.replay(&recorded, &[], "");
    assert_eq!(followed.verdict(), "diverged");
    assert_eq!(followed.output, "begin\n");
    let outcome = followed.outcome();
    assert!(outcome.contains("Uncovered.main"), "{outcome}");
    assert!(outcome.contains("getLastGcInfo0"), "{outcome}");
}
