//! The verbs `races` and `import droidracer`, from the outside.

mod common;

use common::Project;
use serde_json::Value;
use std::collections::BTreeSet;

/// A DroidRacer log with one race of each class, made up: a worker and main; two clicks; a delayed post; posts by two
/// threads. Object 0x10 is shared, its fields are the classes' own.
const LOG: &str = include_str!("../../../fuzz/seeds/droidracer/one-of-each-class.txt");

/// What the original detector would have written behind the log, with a wrong answer in it.
const TAIL: &str =
    " HB Graph \n \n HB Graph size : 1\n\nRaces detected\n\nRACE rwId1:1 type - READ obj - 0x99\n";

/// Two threads, one of which takes a lock; both count without one.
const BANK: &str = include_str!("../../../fuzz/seeds/trace/bank.txt");

fn counts(json: &Value) -> [u64; 5] {
    let names = [
        "multi_threaded",
        "cross_posted",
        "co_enabled",
        "delayed",
        "uncategorised",
    ];
    names.map(|name| json["counts"][name].as_u64().expect(name))
}

#[test]
fn a_droidracer_log_is_counted_and_classified() {
    let project = Project::new();
    project.write("abc_log.txt", LOG);
    project.write("with-answers.txt", format!("{LOG}{TAIL}"));
    for file in ["abc_log.txt", "with-answers.txt"] {
        for verb in [&["import", "droidracer"][..], &["races"][..]] {
            let arguments = [verb, &[file, "--json"]].concat();
            let json = project.run(&arguments).exits(66).json();
            assert_eq!(json["verdict"], "races");
            assert_eq!(counts(&json), [1, 1, 1, 1, 0], "{arguments:?}");
            assert_eq!(json["races"].as_array().map(Vec::len), Some(4));
            let stats = &json["stats"];
            let size = [
                "length",
                "fields",
                "threads_without_queue",
                "threads_with_queue",
                "tasks",
            ]
            .map(|name| stats[name].as_u64().expect(name));
            assert_eq!(size, [49, 4, 2, 1, 7]);
        }
    }
    project
        .run(&["races", "abc_log.txt", "--stats", "--count=droidracer"])
        .exits(66)
        .prints("threads without queue")
        .prints("1 multi-threaded, 1 cross-posted, 1 co-enabled")
        .prints("class: co-enabled, write-write")
        .prints("may come in either order");
}

#[test]
fn a_race_of_threads_is_told_like_threadsanitizer_tells_it() {
    let project = Project::new();
    project.write("bank.txt", BANK);
    let ran = project.run(&["races", "bank.txt"]).exits(66);
    let expected = "\
==================
WARNING: reweave: data race (bank.txt, race 1)  class: multi-threaded, read-write
  Write of Account.balance (Account#3) by thread T3 \"worker-2\" holding {}:
    #0 Account.withdraw Account.java:14
    #1 Bank.lambda$run$0 Bank.java:31
  Previous read by thread T2 \"worker-1\" holding {Lock#5}:
    #0 Account.withdraw Account.java:12
    #1 Bank.lambda$run$0 Bank.java:31
  Thread T2 was created by thread T1 at:
    #0 Bank.run Bank.java:29
  Thread T3 was created by thread T1 at:
    #0 Bank.run Bank.java:30
  Locks: one side holds Lock#5, the other none; 1 of 2 accesses to this location hold it
  Missing order: after the read, the first thing others could learn of is releasing lock Lock#5 by T2 (event 7);
    before the write, the last thing its thread learnt from was the beginning of the thread by T3 (event 4);
    of T2 it knew nothing
  Nearest common point: the start of thread T2 by T1 at Bank.run Bank.java:29 (event 1)
SUMMARY: reweave: data race on Account.balance in Account.withdraw Account.java:14
";
    assert!(ran.stdout().starts_with(expected), "{}", ran.stdout());
    ran.prints("reweave: 2 races in 1 file");
}

#[test]
fn several_files_share_their_races() {
    let project = Project::new();
    project.write("one.txt", BANK);
    project.write("two.txt", BANK.replace("Account#3", "Account#9"));
    let json = project
        .run(&["races", "one.txt", "two.txt", "--json"])
        .exits(66)
        .json();
    // The same race on another object in another run is the same race.
    assert_eq!(json["races"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn suppressions_are_threadsanitizers_and_unused_ones_are_named() {
    let project = Project::new();
    project.write("bank.txt", BANK);
    project.write(
        "suppressions.txt",
        "# harmless\nrace:^Stats.add$\nrace_top:nothing.like.this\nmutex:ignored\n",
    );
    let ran = project
        .run(&[
            "races",
            "bank.txt",
            "--suppress",
            "suppressions.txt",
            "--json",
        ])
        .exits(66);
    let ran = ran.says(
        "warning: suppression `race_top:nothing.like.this` (suppressions.txt:3) matches no race",
    );
    assert!(!ran.stderr().contains("mutex"), "{}", ran.stderr());
    let json = ran.json();
    assert_eq!(json["suppressed"], 1);
    assert_eq!(json["races"][1]["status"], "suppressed");
    project.write("all.txt", "race:Account*\nrace:Stats.java\n");
    project
        .run(&["races", "bank.txt", "--suppress", "all.txt"])
        .exits(0)
        .prints("0 races in 1 file; 2 suppressed");
    project.write("wrong.txt", "race:a\nrase:b\n");
    project
        .run(&["races", "bank.txt", "--suppress", "wrong.txt"])
        .exits(2)
        .says("wrong.txt:2: unknown kind of suppression");
}

#[test]
fn a_baseline_lets_only_new_races_fail() {
    let project = Project::new();
    project.write("bank.txt", BANK);
    project
        .run(&["races", "bank.txt", "--fail-on", "new"])
        .exits(2)
        .says("none is given");
    project
        .run(&["races", "bank.txt", "--baseline", "known.json"])
        .exits(2)
        .says("cannot read known.json");
    project
        .run(&[
            "races",
            "bank.txt",
            "--write-baseline",
            "known.json",
            "--fail-on",
            "never",
        ])
        .exits(0);
    let new = ["--baseline", "known.json", "--fail-on", "new"];
    project
        .run(&[&["races", "bank.txt"], &new[..]].concat())
        .exits(0)
        .prints("2 races in 1 file, 2 of them known");
    // Other lines and other objects are the same races; another function is not.
    let moved = BANK
        .replace(":14)", ":15)")
        .replace("Account#3", "Account#1");
    project.write("moved.txt", &moved);
    project
        .run(&[&["races", "moved.txt"], &new[..]].concat())
        .exits(0);
    project.write(
        "more.txt",
        BANK.replace(
            "worker-2 write Stats.total @ Stats.add",
            "worker-2 write Stats.total @ Stats.reset",
        ),
    );
    let json = project
        .run(&[&["races", "more.txt", "--json"], &new[..]].concat())
        .exits(66)
        .json();
    assert_eq!(
        (json["new"].as_u64(), json["known"].as_u64()),
        (Some(1), Some(1))
    );
    project.write("no-baseline.json", "{\"version\": 7, \"races\": {}}");
    project
        .run(&["races", "bank.txt", "--baseline", "no-baseline.json"])
        .exits(2)
        .says("version 7");
}

#[test]
fn loops_that_wait_can_be_distrusted() {
    let project = Project::new();
    let spin = "t2 read stop @ spin(A.java:3)\n";
    let trace = format!(
        "reweave trace 1\nt1 write data @ main(A.java:9)\n{spin}{spin}{spin}t1 write stop @ main(A.java:10)\n{spin}t2 read data @ use(A.java:5)\n"
    );
    project.write("spin.txt", trace);
    project.run(&["races", "spin.txt"]).exits(0);
    project
        .run(&["races", "spin.txt", "--no-adhoc"])
        .exits(66)
        .prints("data race on data in use A.java:5");
}

/// The parts of SARIF 2.1.0 that the standard demands of a file with results and code flows.
fn check_sarif(sarif: &Value, results: usize) {
    assert_eq!(sarif["version"], "2.1.0");
    let runs = sarif["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "reweave");
    let rules: Vec<&str> = driver["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|rule| {
            assert!(rule["shortDescription"]["text"].is_string());
            rule["id"].as_str().expect("a rule has an id")
        })
        .collect();
    let found = runs[0]["results"].as_array().expect("results");
    assert_eq!(found.len(), results);
    for result in found {
        let index = result["ruleIndex"].as_u64().expect("a rule") as usize;
        assert_eq!(result["ruleId"], rules[index]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].is_string());
        check_location(&result["locations"][0]);
        check_location(&result["relatedLocations"][0]);
        let flows = result["codeFlows"][0]["threadFlows"]
            .as_array()
            .expect("thread flows");
        assert_eq!(flows.len(), 2, "one for each thread");
        let ids: BTreeSet<&str> = flows
            .iter()
            .map(|flow| flow["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), 2, "told apart");
        for flow in flows {
            let steps = flow["locations"].as_array().expect("locations");
            assert!(!steps.is_empty());
            for step in steps {
                let importance = step["importance"].as_str().unwrap();
                assert!(["important", "essential", "unimportant"].contains(&importance));
                check_location(&step["location"]);
            }
            assert_eq!(steps.last().unwrap()["importance"], "essential");
        }
    }
}

fn check_location(location: &Value) {
    let physical = &location["physicalLocation"];
    let uri = physical["artifactLocation"]["uri"].as_str().expect("a uri");
    assert!(!uri.is_empty() && !uri.contains([' ', '#', '\\']), "{uri}");
    if let Some(region) = physical.get("region") {
        assert!(region["startLine"].as_u64().expect("a line") >= 1);
    }
    assert!(location["message"]["text"].is_string());
}

#[test]
fn sarif_has_one_flow_for_each_thread() {
    let project = Project::new();
    project.write("bank.txt", BANK);
    project.write("abc log.txt", LOG);
    project
        .run(&["races", "bank.txt", "--sarif", "bank.sarif"])
        .exits(66);
    project
        .run(&["races", "abc log.txt", "--sarif", "log.sarif"])
        .exits(66);
    let read = |name: &str| -> Value {
        let text = std::fs::read(project.path(name)).expect("the file was written");
        serde_json::from_slice(&text).expect("it is JSON")
    };
    let bank = read("bank.sarif");
    check_sarif(&bank, 2);
    let result = &bank["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "Account.java");
    assert_eq!(place["region"]["startLine"], 14);
    check_sarif(&read("log.sarif"), 4);
    project
        .run(&["races", "bank.txt", "--write-baseline", "known.json"])
        .exits(66);
    project
        .run(&[
            "races",
            "bank.txt",
            "--baseline",
            "known.json",
            "--sarif",
            "bank.sarif",
        ])
        .exits(66);
    let state = &read("bank.sarif")["runs"][0]["results"][0]["baselineState"];
    assert_eq!(state, "unchanged");
}

#[test]
fn a_recording_without_accesses_says_what_is_missing() {
    let project = Project::new();
    project.bank("run.rwv");
    project
        .run(&["races", "run.rwv"])
        .exits(2)
        .says("recorded at level sync")
        .says("next: record the program again with --level access");
    project
        .run(&["import", "droidracer", "run.rwv"])
        .exits(2)
        .says("is a recording, not a DroidRacer log");
}

#[test]
fn files_that_are_nothing_we_know() {
    let project = Project::new();
    let mut random = 88_172_645_463_325_252u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as u8
    })
    .take(10_000_000)
    .collect();
    project.write("random.bin", bytes);
    project.write("empty.txt", "");
    project.write("words.txt", "hello world\n");
    project.write(
        "unknown-call.txt",
        LOG.replace("22 CALL tid:1\t msg:3", "22 CALL tid:1\t msg:99"),
    );
    project.write(
        "unknown-kind.txt",
        LOG.replace("48 THREADEXIT", "48 THREADEXTI"),
    );
    std::fs::File::create(project.path("huge.txt"))
        .and_then(|file| file.set_len(5 << 30))
        .expect("a sparse file");
    for (file, message) in [
        ("random.bin", "line 1: not text"),
        ("empty.txt", "the log is empty"),
        (
            "words.txt",
            "line 1: expected an operation of a DroidRacer log, found \"hello world\"",
        ),
        (
            "unknown-call.txt",
            "line 26: message 99 is called but was never posted",
        ),
        (
            "unknown-kind.txt",
            "line 58: unknown kind of operation \"THREADEXTI\"",
        ),
        ("huge.txt", "line 1: longer than 65536 bytes"),
        ("./missing.txt", "cannot open ./missing.txt"),
    ] {
        for verb in [&["import", "droidracer"][..], &["races"][..]] {
            project
                .run(&[verb, &[file]].concat())
                .exits(2)
                .says(message);
        }
    }
    project
        .run(&["races", "random.bin"])
        .says("random.bin is neither a recording nor a trace as text");
    project
        .run(&["import", "droidracer", "random.bin"])
        .says("random.bin cannot be read as a DroidRacer log: line 1:");
    project
        .run(&["import", "droidracer", "words.txt", "--max-operations", "0"])
        .exits(2);
    project.write("long.txt", LOG);
    project
        .run(&["import", "droidracer", "long.txt", "--max-operations", "20"])
        .exits(2)
        .says("more than 20 operations")
        .says("--max-operations");
}

/// A log may end anywhere: what is there is analysed, and nothing panics.
#[test]
fn logs_that_are_cut_off() {
    let project = Project::new();
    for length in (100..LOG.len()).step_by(37) {
        project.write("cut.txt", &LOG[..length]);
        let ran = project.run(&["import", "droidracer", "cut.txt", "--json"]);
        assert!(
            !ran.stderr().contains("panicked"),
            "{length}: {}",
            ran.stderr()
        );
        let json = ran.json();
        assert_ne!(json["verdict"], "error", "{length}: {}", ran.stderr());
    }
}

#[test]
fn very_many_tasks_are_counted_by_places() {
    let project = Project::new();
    let mut log = "1 START\n2 THREADINIT tid:1\n3 ATTACH-Q tid:1 queue:7\n4 LOOP tid:1 queue:7\n5 THREADINIT tid:2\n".to_owned();
    for task in 0..5001 {
        let id = 6 + 3 * task;
        log += &format!("{id} POST src:2 msg:{task} dest:-1 delay:0\n");
        log += &format!("{} CALL tid:1 msg:{task}\n", id + 1);
        log += &format!("{} RET tid:1 msg:{task}\n", id + 2);
    }
    project.write("long.txt", log);
    let json = project
        .run(&["races", "long.txt", "--json"])
        .exits(0)
        .json();
    assert_eq!(json["count"], "places");
    project
        .run(&["races", "long.txt", "--count=droidracer"])
        .exits(2)
        .says("too many to count as DroidRacer counts")
        .says("--count=places");
}
