//! Recording and replaying, with a shell script in place of the JVM.

mod common;

use common::{BANK, Project};
use reweave_trace::Trace;
use reweave_trace::file::table::Record;
use reweave_trace::manifest::{ClassPathEntry, EntryKind};

/// Puts the prepared recording in the place of the live file, as if it had been recorded.
const RECORD: &str = "cat prepared.rwv > \"$(sed -n 's/^trace=//p' \"$REWEAVE_SESSION/session\")\"";

/// Leaves an outcome, as the agent would.
fn outcome(text: &str, then: &str) -> String {
    format!("printf '{text}' > \"$REWEAVE_SESSION/outcome-0\"; {then}")
}

#[test]
fn record_keeps_what_the_program_did_and_returns_its_code() {
    let project = Project::new();
    project.live("prepared.rwv", &project.manifest(), BANK, &[Record::End]);
    project.fake_jdk(&format!("echo hello; {RECORD}; exit 3"));
    let ran = project
        .run(&[
            "record",
            "-o",
            "run.rwv",
            "--",
            "jdk/bin/java",
            "-cp",
            "x",
            "Main",
        ])
        .exits(3);
    assert_eq!(ran.stdout(), "hello\n");
    ran.says("recorded 9 events of 2 threads")
        .says("next: reweave replay run.rwv");
    let trace = Trace::open(project.path("run.rwv")).unwrap();
    assert_eq!(trace.result.unwrap().exit_code, 3);
    project
        .run(&["-q", "record", "--", "jdk/bin/java", "Main"])
        .exits(3)
        .prints("hello");
    project
        .run(&["info", "latest"])
        .exits(0)
        .prints("exit code 3");
    let json = project
        .run(&["record", "--json", "--", "jdk/bin/java", "Main"])
        .exits(3)
        .json();
    assert_eq!(
        (json["verdict"].as_str(), json["exit_code"].as_i64()),
        (Some("recorded"), Some(3))
    );
}

#[test]
fn the_program_gets_the_agent_and_a_session() {
    let project = Project::new();
    project.live("prepared.rwv", &project.manifest(), BANK, &[Record::End]);
    project.fake_jdk(&format!(
        "echo \"$@\"; cat \"$REWEAVE_SESSION/session\"; {RECORD}"
    ));
    let line = [
        "record",
        "-o",
        "run.rwv",
        "--exclude",
        "a.*",
        "--",
        "jdk/bin/java",
        "-XX:AOTMode=on",
        "-cp",
        "x y",
        "Main",
    ];
    let text = project.run(&line).exits(0).stdout();
    assert!(
        text.starts_with(&format!(
            "-agentpath:{}=",
            project.path("agent.so").display()
        )),
        "{text}"
    );
    assert!(
        text.contains(" -Xlog:jni+resolve=off -cp x y Main\n"),
        "{text}"
    );
    let trace = project.path("run.rwv");
    assert!(
        text.ends_with(&format!(
            "mode=record\nlevel=sync\ntrace={}\nexclude=a.*\n",
            trace.display()
        )),
        "{text}"
    );

    project.write(
        "build.sh",
        format!("#!/bin/sh\necho \"$JAVA_TOOL_OPTIONS\"\n{RECORD}\n"),
    );
    let ran = project
        .run_with(
            &["record", "--", "sh", "build.sh"],
            &[("JAVA_TOOL_OPTIONS", "-Dmine")],
        )
        .exits(0);
    ran.prints("-Dmine -agentpath:")
        .prints("-Xlog:jni+resolve=off");
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let project = Project::new();
    project.fake_jdk("exit 4");
    let ran = project
        .run(&["record", "-o", "run.rwv", "--", "jdk/bin/java", "Main"])
        .exits(125);
    ran.says("nothing was recorded")
        .says("the program ended with 4");
    assert!(!project.path("run.rwv").exists());
    project
        .run(&["record", "--", "no-such-program"])
        .exits(127)
        .says("cannot run no-such-program");
    project.write("not-executable", "");
    project
        .run(&["record", "--", "./not-executable"])
        .exits(126)
        .says("cannot run ./not-executable");
    let left = std::fs::read_dir(project.path(".reweave/runs"))
        .unwrap()
        .count();
    assert_eq!(left, 0, "failed recordings are not kept");
}

#[test]
fn signals_and_time_limits() {
    let project = Project::new();
    project.live("prepared.rwv", &project.manifest(), BANK, &[]);
    project.fake_jdk(&format!("{RECORD}; kill -9 $$"));
    let ran = project
        .run(&["record", "-o", "killed.rwv", "--", "jdk/bin/java", "Main"])
        .exits(137);
    ran.says("ended by signal 9").says("did not end in order");
    project.fake_jdk(&format!("{RECORD}; exec sleep 60"));
    let line = [
        "record",
        "-o",
        "slow.rwv",
        "--time-limit",
        "300ms",
        "--",
        "jdk/bin/java",
        "Main",
    ];
    project
        .run(&line)
        .exits(143)
        .says("ended at the time limit");
}

#[test]
fn a_request_to_end_is_passed_on_and_the_recording_is_finished() {
    let project = Project::new();
    project.live("prepared.rwv", &project.manifest(), BANK, &[]);
    project.fake_jdk(&format!(
        "trap 'exit 9' TERM; {RECORD}; touch ready; while :; do sleep 0.05; done"
    ));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_reweave"))
        .args(["record", "-o", "run.rwv", "--", "jdk/bin/java", "Main"])
        .current_dir(project.root())
        .env("REWEAVE_AGENT", project.path("agent.so"))
        .spawn()
        .unwrap();
    while !project.path("ready").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    // Ctrl-C must not end reweave before its program has ended.
    std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none());
    std::process::Command::new("kill")
        .args(["-TERM", &pid])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(9));
    assert_eq!(
        Trace::open(project.path("run.rwv"))
            .unwrap()
            .result
            .unwrap()
            .exit_code,
        9
    );
}

#[test]
fn successful_runs_need_not_be_kept() {
    let project = Project::new();
    project.live("prepared.rwv", &project.manifest(), BANK, &[Record::End]);
    for (code, kept) in [(0, false), (1, true)] {
        project.fake_jdk(&format!("{RECORD}; exit {code}"));
        let line = [
            "record",
            "-o",
            "run.rwv",
            "--keep",
            "on-failure",
            "--",
            "jdk/bin/java",
            "Main",
        ];
        project.run(&line).exits(code);
        assert_eq!(project.path("run.rwv").exists(), kept);
    }
}

#[test]
fn a_program_is_recorded_until_it_fails() {
    let project = Project::new();
    project.live("prepared.rwv", &project.manifest(), BANK, &[Record::End]);
    // Fails in its third run.
    project.fake_jdk(&format!(
        "{RECORD}; echo x >> runs; [ $(wc -l < runs) -ne 3 ] || exit 7"
    ));
    let line = |most: &'static str| {
        let mut line = vec!["record", "-o", "run.rwv", "--until-fail"];
        line.extend((!most.is_empty()).then_some(most));
        line.extend(["--", "jdk/bin/java", "Main"]);
        line
    };
    project
        .run(&line("2"))
        .exits(0)
        .says("did not fail in 2 runs");
    assert!(!project.path("run.rwv").exists());
    project
        .run(&line(""))
        .exits(7)
        .says("the program failed in run 1");
    let trace = Trace::open(project.path("run.rwv")).unwrap();
    assert_eq!(trace.result.unwrap().exit_code, 7);
}

#[test]
fn replay_runs_the_recorded_command_and_returns_its_code() {
    let project = Project::new();
    project.fake_jdk(&outcome(
        "verdict=followed\\nfollowed=9\\ntotal=9\\n",
        "echo \"$@\"; cat \"$REWEAVE_SESSION/session\"; exit 3",
    ));
    project.recording(
        "run.rwv",
        &project.java_manifest(Vec::new()),
        BANK,
        &[Record::End],
    );
    let ran = project
        .run(&["replay", "run.rwv"])
        .exits(3)
        .says("followed 9 of 9 events");
    ran.prints(" -Xlog:jni+resolve=off Bank\n")
        .prints("mode=replay\n")
        .prints("at-end=stop\nreal-time=0\nenforce=on\nstall-after=20\ndebug=0\n");
    let line = [
        "replay",
        "run.rwv",
        "--at-end",
        "continue",
        "--real-time",
        "--stall-after",
        "2.5",
    ];
    project
        .run(&line)
        .exits(3)
        .prints("at-end=continue\nreal-time=1\nenforce=on\nstall-after=2.5\n");
    let json = project
        .run(&["replay", "run.rwv", "--json"])
        .exits(3)
        .json();
    assert_eq!(
        (json["verdict"].as_str(), json["followed"].as_u64()),
        (Some("followed"), Some(9))
    );
}

#[test]
fn replay_hands_the_debugger_in() {
    let project = Project::new();
    project.fake_jdk(&outcome(
        "verdict=followed\\nfollowed=9\\ntotal=9\\n",
        "echo \"$@\"; cat \"$REWEAVE_SESSION/session\"",
    ));
    project.recording(
        "run.rwv",
        &project.java_manifest(Vec::new()),
        BANK,
        &[Record::End],
    );
    let ran = project.run(&["replay", "run.rwv", "--debug"]).exits(0);
    ran.prints("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y")
        .prints("debug=1")
        .says("jdb -attach 127.0.0.1:");
    // Event 4 is the notify, the second event of stream 2; event 8 the exception.
    project
        .run(&["replay", "run.rwv", "--goto", "4"])
        .exits(0)
        .prints("goto=0:2:3\n")
        .prints("onthrow=");
    project
        .run(&["replay", "run.rwv", "--goto", "failure"])
        .exits(0)
        .prints("goto=0:1:12\n");
    project
        .run(&["replay", "run.rwv", "--goto", "0:1:4"])
        .exits(0)
        .prints("goto=0:1:4\n");
    for wrong in ["0", "99", "0:1:5", "7:1:1", "there"] {
        project
            .run(&["replay", "run.rwv", "--goto", wrong])
            .exits(2)
            .says("--goto");
    }
}

#[test]
fn a_divergence_is_explained() {
    let project = Project::new();
    let text = "verdict=diverged\\nfollowed=3\\ntotal=9\\nstream=2\\nposition=3\\nexpected-kind=3\\nexpected-site=1\\n\
                observed-kind=6\\nobserved-site=2\\nobserved-at=Bank.run(Bank.java:99)\\ndetail=\\n";
    project.fake_jdk(&outcome(text, "exit 1"));
    project.recording(
        "run.rwv",
        &project.java_manifest(Vec::new()),
        BANK,
        &[Record::End],
    );
    let ran = project.run(&["replay", "run.rwv"]).exits(10);
    ran.says("left the recording at event 4 of 9")
        .says("thread    main.1 \"worker-2\"")
        .says("expected  notify Account#1, woke main at Bank.run(Bank.java:15)")
        .says("observed  exit at Bank.run(Bank.java:99)")
        .says("next      reweave view run.rwv --columns --around 4");
    let json = project
        .run(&["replay", "run.rwv", "--json"])
        .exits(10)
        .json();
    assert_eq!(json["divergence"]["expected"]["kind"], "notify");
}

#[test]
fn other_endings_of_a_replay() {
    let project = Project::new();
    project.fake_jdk("exit 0");
    project.recording(
        "run.rwv",
        &project.java_manifest(Vec::new()),
        BANK,
        &[Record::End],
    );
    project
        .run(&["replay", "run.rwv"])
        .exits(125)
        .says("before it could say how the replay went");
    for (verdict, code, message) in [
        ("stalled", 13, "cannot go on"),
        ("deadlock", 3, "deadlock reproduced"),
        ("hang", 3, "hang reproduced"),
        ("end-of-log", 3, "the recording ends here"),
    ] {
        project.fake_jdk(&outcome(
            &format!("verdict={verdict}\\nfollowed=5\\ntotal=9\\nwaits=ann waits for bob\\n"),
            "exit 99",
        ));
        let ran = project.run(&["replay", "run.rwv"]).exits(code);
        ran.says(message)
            .says("5 of 9 events")
            .says("ann waits for bob");
        let json = project
            .run(&["replay", "run.rwv", "--json"])
            .exits(code)
            .json();
        assert_eq!(json["verdict"], verdict);
    }
}

#[test]
fn repeated_replays_are_compared() {
    let project = Project::new();
    project.recording(
        "run.rwv",
        &project.java_manifest(Vec::new()),
        BANK,
        &[Record::End],
    );
    let followed = "verdict=followed\\nfollowed=9\\ntotal=9\\n";
    project.fake_jdk(&outcome(followed, "echo hello; exit 3"));
    let ran = project
        .run(&["replay", "run.rwv", "--times", "3"])
        .exits(3)
        .says("3 of 3 replays are alike");
    assert_eq!(
        ran.stdout(),
        "hello\n",
        "the first run's output is passed on, once"
    );
    project.fake_jdk(&outcome(followed, "echo x >> count; wc -l < count; exit 3"));
    let ran = project
        .run(&["replay", "run.rwv", "--times", "3"])
        .exits(10);
    ran.says("1 of 3 replays are alike")
        .says("replay 2 differs from the first");
}

#[test]
fn everything_that_changed_is_listed_at_once() {
    let project = Project::new();
    project.fake_jdk(&outcome("verdict=followed\\n", "exit 0"));
    project.write("lib.jar", "one");
    project.write("classes/Bank.class", "bytes");
    let class_path = vec![
        entry("classes", EntryKind::Directory, None),
        entry("lib.jar", EntryKind::Jar, Some("0000000000000001")),
        entry("gone.jar", EntryKind::Jar, Some("0000000000000001")),
        entry("never-there.jar", EntryKind::Missing, None),
    ];
    project.recording(
        "run.rwv",
        &project.java_manifest(class_path),
        BANK,
        &[Record::End],
    );
    project.write(
        "jdk/release",
        "IMPLEMENTOR=\"Fake\"\nJAVA_RUNTIME_VERSION=\"18\"\n",
    );
    let ran = project.run(&["replay", "run.rwv"]).exits(125);
    ran.says("recorded with JDK Fake 17.0.1+2, but here is Fake 18")
        .says("lib.jar has changed since")
        .says("gone.jar is not there any more")
        .says("class Bank has changed since")
        .says("--ignore-changes");
    project
        .run(&["replay", "run.rwv", "--ignore-changes"])
        .exits(0)
        .says("warning:");

    std::fs::remove_dir_all(project.path("jdk")).unwrap();
    project
        .run(&["replay", "run.rwv", "--ignore-changes"])
        .exits(125)
        .says("jdk/bin/java is not there");
    project
        .run(&["replay", "run.rwv", "--cwd", "nowhere"])
        .exits(125)
        .says("the directory nowhere is not there");
}

fn entry(path: &str, kind: EntryKind, digest: Option<&str>) -> ClassPathEntry {
    ClassPathEntry {
        path: path.to_owned(),
        kind,
        digest: digest.map(str::to_owned),
    }
}

#[test]
fn a_killed_recording_is_cut_before_it_is_followed() {
    let project = Project::new();
    project.fake_jdk(&outcome(
        "verdict=end-of-log\\nfollowed=3\\ntotal=3\\n",
        "cp \"$REWEAVE_SESSION/trace.rwv\" followed.rwv",
    ));
    // t1 joins t2, but the section with t2's exit was never written.
    let path = project.live("run.rwv", &project.java_manifest(Vec::new()), BANK, &[]);
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 4096;
    bytes[last] = 0;
    std::fs::write(&path, bytes).unwrap();
    project
        .run(&["replay", "run.rwv"])
        .exits(0)
        .says("4 events left out")
        .says("the recording ends here");
    let followed = Trace::open(project.path("followed.rwv")).unwrap();
    assert_eq!(followed.processes[0].events(), 2);
}

#[test]
fn doctor_looks_at_everything() {
    let project = Project::new();
    project.fake_jdk("exit 0");
    let path = project.path("jdk/bin").display().to_string();
    project
        .run_with(&["doctor"], &[("PATH", &path)])
        .exits(0)
        .prints("ok       java: Fake 17.0.1+2");
    let json = project
        .run_with(&["doctor", "--json"], &[("PATH", "/nowhere")])
        .exits(1)
        .json();
    assert_eq!(json["verdict"], "problems");
}
