//! Everything that can be wrong with what the command is given.

mod common;

use common::Project;

#[test]
fn usage_errors_exit_with_2_and_suggest() {
    let project = Project::new();
    project.run(&[]).exits(2);
    project.run(&["rekord"]).exits(2).says("'record'");
    project
        .run(&["view", "--colums"])
        .exits(2)
        .says("'--columns'");
    project
        .run(&["record", "--levle", "sync", "--", "java"])
        .exits(2)
        .says("'--level'");
    project.run(&["record"]).exits(2).says("CMD");
    project.run(&["replay", "--times", "0"]).exits(2);
    project.run(&["replay", "--stall-after", "-1"]).exits(2);
    project
        .run(&["record", "--time-limit", "soon", "--", "java"])
        .exits(2);
    project
        .run(&["export", "run.rwv"])
        .exits(2)
        .says("--format");
}

#[test]
fn help_and_version_exit_with_0() {
    let project = Project::new();
    project
        .run(&["--help"])
        .exits(0)
        .prints("record")
        .prints("replay");
    project.run(&["--version"]).exits(0).prints("reweave 0.");
    project.run(&["man"]).exits(0).prints(".TH");
    project
        .run(&["completions", "bash"])
        .exits(0)
        .prints("_reweave");
}

#[test]
fn files_that_are_no_recordings() {
    let project = Project::new();
    project.write("empty.rwv", "");
    project.write("text.rwv", "x".repeat(5000));
    let mut version = std::fs::read(project.bank("run.rwv")).unwrap();
    version[8] = 9;
    project.write("version.rwv", version);
    std::fs::create_dir(project.path("folder.rwv")).unwrap();
    for (file, message) in [
        ("./missing.rwv", "cannot open ./missing.rwv"),
        ("empty.rwv", "it has 0 bytes"),
        ("text.rwv", "not a reweave file"),
        (
            "version.rwv",
            "written in format 9, this reweave reads format 1",
        ),
        ("folder.rwv", "not a regular file"),
    ] {
        for verb in ["info", "view", "verify"] {
            project.run(&[verb, file]).exits(2).says(message);
        }
        project
            .run(&["export", file, "--format", "json"])
            .exits(2)
            .says(message);
        // What a program returns must not be mistaken for this.
        project.run(&["replay", file]).exits(125).says(message);
        let json = project.run(&["--json", "info", file]).exits(2).json();
        assert_eq!(json["verdict"], "error");
    }
}

#[test]
fn damaged_recordings_are_refused_with_the_place() {
    let project = Project::new();
    let whole = std::fs::read(project.bank("run.rwv")).unwrap();
    for offset in (4096..whole.len()).step_by(16) {
        let mut damaged = whole.clone();
        damaged[offset] ^= 0x55;
        project.write("damaged.rwv", damaged);
        let ran = project.run(&["info", "damaged.rwv"]);
        assert!(
            !ran.stderr().contains("panicked"),
            "offset {offset}: {}",
            ran.stderr()
        );
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let project = Project::new();
    project.bank("run.rwv");
    project.fake_jdk("exit 0");
    project
        .run(&[
            "export",
            "run.rwv",
            "--format",
            "dot",
            "-o",
            "no/such/folder.dot",
        ])
        .exits(2)
        .says("cannot write");
    project
        .run(&[
            "record",
            "-o",
            "no/such/run.rwv",
            "--",
            "jdk/bin/java",
            "Main",
        ])
        .exits(125)
        .says("cannot write");
    project
        .run(&["record", "-o", "run.rwv", "--", "jdk/bin/java", "Main"])
        .exits(125)
        .says("exists already")
        .says("--force");
}

#[test]
fn the_agent_must_be_there() {
    let project = Project::new();
    let ran = project
        .run_with(
            &["record", "--", "java"],
            &[("REWEAVE_AGENT", "/nowhere.so")],
        )
        .exits(125);
    ran.says("REWEAVE_AGENT names /nowhere.so, which is no file");
}
