//! Traces a person can read, with the races they hold: one for each rule and each trap.

mod gone;
mod queues;
mod threads;

use reweave_analysis::races::Options;
use reweave_analysis::races::findings::Findings;
use reweave_analysis::races::rules::RuleSet;
use reweave_analysis::races::text::{TITLE, analyse};

fn findings(trace: &str, rules: RuleSet) -> Findings {
    let options = Options {
        rules,
        ..Options::default()
    };
    match analyse(&format!("{TITLE}\n{trace}"), &options) {
        Ok((findings, _)) => findings,
        Err(error) => panic!("{error} in {trace}"),
    }
}

fn described(findings: &Findings) -> Vec<String> {
    let races = findings.races.iter();
    races
        .map(|race| {
            let line = |event: u32| event + 1;
            let (first, second) = (line(race.first.event.0), line(race.second.event.0));
            format!("{first} and {second}, {}", race.class)
        })
        .collect()
}

/// Events count from 1. An expectation is the racing pairs, each with its class.
#[track_caller]
fn check_races(trace: &str, expected: &[&str]) {
    assert_eq!(
        described(&findings(trace, RuleSet::ALL)),
        expected,
        "{trace}"
    );
}

#[test]
fn a_race_is_explained() {
    let trace = "
        t1 fork t2
        t2 thread-begin
        t1 write x
        t1 acquire m
        t1 release m
        t2 acquire n
        t2 read x";
    let race = &findings(trace, RuleSet::ALL).races[0];
    let gap = race.gap.expect("a short trace is explained");
    let event = |event: Option<reweave_analysis::races::event::EventIndex>| event.map(|e| e.0 + 1);
    assert_eq!(event(gap.common), Some(1), "the fork is before both");
    assert_eq!(event(gap.published), Some(5), "the release of m");
    assert_eq!(event(gap.learned), Some(6), "the acquire of n");
    assert_eq!(event(gap.seen), Some(1), "of t1 only the fork is known");
}

#[test]
fn nonsense_is_refused_with_its_line() {
    let refused = |trace: &str| {
        let text = format!("{TITLE}\n{trace}");
        analyse(&text, &Options::default()).unwrap_err().to_string()
    };
    assert_eq!(refused("t1 write"), "line 2: `write` needs a name");
    assert_eq!(refused("t1 wriet x"), "line 2: unknown operation \"wriet\"");
    assert!(refused("main begin a").starts_with("line 2: this cannot have happened here"));
    assert_eq!(
        analyse("t1 write x", &Options::default())
            .unwrap_err()
            .to_string(),
        "line 1: expected `reweave trace 1`"
    );
}
