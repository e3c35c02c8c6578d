//! Looking at recordings: info, ls, verify, view, export.

mod common;

use common::Project;
use reweave_trace::file::table::Record;

#[test]
fn info_says_what_ran() {
    let project = Project::new();
    project.bank("run.rwv");
    let ran = project.run(&["info", "run.rwv"]).exits(0);
    ran.prints("./jdk/bin/java Bank")
        .prints("exit code 3 after 1.70 s")
        .prints("2 threads, 9 events")
        .prints("complete   yes");
    let json = project.run(&["--json", "info", "run.rwv"]).exits(0).json();
    assert_eq!(json["verdict"], "complete");
    assert_eq!(
        (json["events"].as_u64(), json["threads"].as_u64()),
        (Some(9), Some(2))
    );
    assert_eq!(
        (json["level"].as_str(), json["complete"].as_bool()),
        (Some("sync"), Some(true))
    );
}

#[test]
fn a_killed_recording_is_shown_as_far_as_it_goes() {
    let project = Project::new();
    project.live("run.rwv", &project.manifest(), common::BANK, &[]);
    project
        .run(&["info", "run.rwv"])
        .exits(0)
        .prints("complete   no")
        .prints("did not end in order");
    project
        .run(&["verify", "run.rwv"])
        .exits(0)
        .prints("incomplete");
    project
        .run(&["view", "run.rwv"])
        .exits(0)
        .prints("Account#1");
}

#[test]
fn view_lists_events() {
    let project = Project::new();
    project.bank("run.rwv");
    let ran = project.run(&["view", "run.rwv"]).exits(0);
    let text = ran.stdout();
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "EVENT  THREAD             CLOCK  AFTER  WHAT                                      OBJECT     WHERE",
        "    1  main                   1      -  start main.1",
        "    2  main                   2      -  acquire                                   Account#1  Bank.run(Bank.java:12)",
        "    3  main.1 \"worker-2\"      3      2  acquire                                   Account#1  Bank.run(Bank.java:14)",
        "    4  main.1 \"worker-2\"      4      3  notify, woke main                         Account#1  Bank.run(Bank.java:15)",
        "    5  main                   5      4  wait, woken by 4                          Account#1  Bank.run(Bank.java:13)",
        "    6  main.1 \"worker-2\"      5      -  exit",
        "    7  main                   6      6  join main.1",
        "    8  main                   7      -  uncaught java.lang.IllegalStateException",
        "    9  main                   8      -  halt 3",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn view_gives_each_thread_a_column() {
    let project = Project::new();
    project.bank("run.rwv");
    let text = project
        .run(&["view", "run.rwv", "--columns", "--object", "Account#1"])
        .exits(0)
        .stdout();
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "EVENT  CLOCK  main                           main.1 \"worker-2\"",
        "    2      2  acquire Account#1",
        "    3      3                                 acquire Account#1 <2",
        "    4      4                                 notify Account#1, woke main",
        "    5      5  wait Account#1, woken by 4 <4",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn view_can_be_narrowed() {
    let project = Project::new();
    project.bank("run.rwv");
    for thread in ["main.1", "worker-2", "t2"] {
        let text = project
            .run(&["view", "run.rwv", "--thread", thread])
            .exits(0)
            .stdout();
        assert_eq!(text.lines().count(), 4, "{thread}");
    }
    let json = project
        .run(&["view", "run.rwv", "--json", "--thread", "main.1"])
        .exits(0)
        .json();
    let numbers: Vec<u64> = json["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["number"].as_u64())
        .collect();
    assert_eq!(numbers, [3, 4, 6]);
    project
        .run(&["view", "run.rwv", "--thread", "bob"])
        .exits(2)
        .says("choose from main, main.1");
    project
        .run(&["view", "run.rwv", "--object", "Account#9"])
        .exits(2)
        .says("choose from Account#1");
    project
        .run(&["view", "run.rwv", "--process", "7"])
        .exits(2)
        .says("there are 0");
}

#[test]
fn export_writes_json_and_dot() {
    let project = Project::new();
    project.bank("run.rwv");
    let json = project
        .run(&["export", "run.rwv", "--format", "json"])
        .exits(0)
        .json();
    let events = json["processes"][0]["events"].as_array().unwrap();
    assert_eq!(events.len(), 9);
    assert_eq!(events[4]["happened_before"], 4);
    assert_eq!(events[1]["site"]["line"], 12);
    assert_eq!(json["processes"][0]["objects"][0]["name"], "Account#1");
    let ran = project
        .run(&["export", "run.rwv", "--format", "dot", "-o", "graph.dot"])
        .exits(0);
    assert_eq!(ran.stdout(), "");
    let dot = std::fs::read_to_string(project.path("graph.dot")).unwrap();
    assert!(
        dot.starts_with("digraph") && dot.contains("p0e4 -> p0e5;"),
        "{dot}"
    );
    project
        .run(&["export", "run.rwv", "--format", "dot", "-o", "graph.dot"])
        .exits(2)
        .says("exists already");
    project
        .run(&[
            "export",
            "run.rwv",
            "--format",
            "dot",
            "-o",
            "graph.dot",
            "--force",
        ])
        .exits(0);
}

#[test]
fn ls_and_names_of_runs() {
    let project = Project::new();
    project.run(&["ls"]).exits(0).says("no recordings");
    project.run(&["info"]).exits(2).says("no recording in");
    project.bank(".reweave/runs/20261115T234510Z-7f3a0001.rwv");
    project
        .run(&["ls"])
        .exits(0)
        .prints("7f3a0001  2026-11-15T23:45:10Z")
        .prints("./jdk/bin/java Bank");
    for name in ["latest", "7f3a", "20261115"] {
        project.run(&["info", name]).exits(0).prints("7f3a0001");
    }
    project
        .run(&["info"])
        .exits(0)
        .prints("7f3a0001")
        .says("next: reweave replay 7f3a0001");
    project.bank(".reweave/runs/20261115T234511Z-7f3b0002.rwv");
    project
        .run(&["info", "7f3"])
        .exits(2)
        .says("could be any of 7f3a0001, 7f3b0002");
    project
        .run(&["info", "beef"])
        .exits(2)
        .says("neither a file nor the start of an id");
    project.write(
        ".reweave/runs/20261115T234512Z-damaged.rwv",
        "not a recording",
    );
    let json = project.run(&["ls", "--json"]).exits(0).json();
    assert_eq!(json["runs"].as_array().unwrap().len(), 3);
    assert_eq!(json["runs"][2]["readable"], false);
}

#[test]
fn verify_finds_damage() {
    let project = Project::new();
    let path = project.bank("run.rwv");
    project.run(&["verify", "run.rwv"]).exits(0).prints("whole");
    let whole = std::fs::read(&path).unwrap();

    let mut flipped = whole.clone();
    flipped[4096 + 64 + 20] ^= 4;
    project.write("flipped.rwv", flipped);
    project
        .run(&["verify", "flipped.rwv"])
        .exits(1)
        .prints("damaged")
        .prints("checksum");
    let json = project
        .run(&["verify", "--json", "flipped.rwv"])
        .exits(1)
        .json();
    assert_eq!(json["verdict"], "damaged");

    project.write("cut.rwv", &whole[..whole.len() - 40]);
    project
        .run(&["verify", "cut.rwv"])
        .exits(1)
        .prints("the index at the end is missing");
}

#[test]
fn verify_finds_events_that_come_after_missing_ones() {
    let project = Project::new();
    // t1's acquire is linked to that of t2, which is taken away below.
    let manifest = project.manifest();
    let path = project.live(
        "run.rwv",
        &manifest,
        "t1 start t2\nt2 acquire m\nt1 acquire m",
        &[Record::End],
    );
    let mut bytes = std::fs::read(&path).unwrap();
    // The last section is stream 2; without its magic nobody finds it.
    let last = bytes.len() - 4096;
    assert_eq!(&bytes[last..last + 4], b"RWVS");
    bytes[last] = 0;
    std::fs::write(&path, bytes).unwrap();
    project
        .run(&["verify", "run.rwv"])
        .exits(1)
        .prints("what came before 1 event is missing");
}

#[test]
fn results_may_be_cut_short_by_their_reader() {
    let project = Project::new();
    let mut events = "t1 start t2\n".to_owned();
    for _ in 0..20_000 {
        events.push_str("t1 acquire m\nt2 acquire m\n");
    }
    project.recording("run.rwv", &project.manifest(), &events, &[Record::End]);
    let line = format!("{} view run.rwv | head -n 2", env!("CARGO_BIN_EXE_reweave"));
    let output = std::process::Command::new("sh")
        .args(["-c", &line])
        .current_dir(project.root())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
