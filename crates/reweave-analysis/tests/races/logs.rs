//! Real logs with known answers. They are not part of the project: without them these tests say so and pass.
//!
//! The files carry the original detector's answers behind the line ` HB Graph `. The importer must not look there, so
//! it is given the part before; the answers are read here.

use crate::renumber::renumbered;
use reweave_analysis::races::count::{Counts, Tally, count};
use reweave_analysis::races::droidracer;
use reweave_analysis::races::log::{LocationName, Log};
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::RuleSet;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The text of a file in the shared folder, if there is one.
pub fn shared(path: &str) -> Option<String> {
    let root = match std::env::var_os("REWEAVE_SHARED") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    let file = root.join("data").join(path);
    let text = std::fs::read(&file)
        .ok()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if text.is_none() {
        println!("skipped: {} is absent", file.display());
    }
    text
}

/// What comes before the answers.
pub fn without_answers(text: &str) -> &str {
    let graph = text.find(" HB Graph ").unwrap_or(text.len());
    &text[..graph]
}

pub fn tally(text: &str) -> (Log, Tally) {
    let log = droidracer::parse(text.as_bytes()).expect("the log is readable");
    let relation = Relation::of(&log.events, RuleSet::DROIDRACER).expect("the log makes sense");
    let tally = count(&log, &relation, u64::MAX);
    (log, tally)
}

/// What the original printed as witnesses: for each, object, class and field, and the numbers of both accesses.
fn printed_witnesses(text: &str) -> Vec<(String, String, String, u32, u32)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("RACE rwId1:") else {
            continue;
        };
        let second = lines
            .next()
            .unwrap_or_default()
            .trim()
            .trim_start_matches("rwId2:");
        let number = |text: &str| {
            text.split(' ')
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or(0)
        };
        let value = |key: &str| {
            let rest = first.split(key).nth(1).unwrap_or_default();
            rest.trim().split(' ').next().unwrap_or_default().to_owned()
        };
        found.push((
            value(" obj - "),
            value(" class - "),
            value(" fieldIdx - "),
            number(first),
            number(second),
        ));
    }
    found.sort();
    found
}

fn our_witnesses(log: &Log, tally: &Tally) -> Vec<(String, String, String, u32, u32)> {
    let mut found: Vec<_> = tally
        .witnesses
        .iter()
        .map(|witness| {
            let class = log.class_of(witness.first, witness.location).to_owned();
            let (object, field) = match log.location(witness.location) {
                LocationName::Field { object, field, .. } => (object.clone(), field.clone()),
                LocationName::Static { field, .. } => ("0".to_owned(), field.clone()),
            };
            (
                object,
                class,
                field,
                log.origin(witness.first).number,
                log.origin(witness.second).number,
            )
        })
        .collect();
    found.sort();
    found
}

struct Expected {
    counts: Counts,
    /// Length, fields, threads without and with a queue, tasks; the length may differ by one.
    table: Option<[u64; 5]>,
    nodes: u64,
}

fn counts(
    multi: u64,
    cross: u64,
    ui: u64,
    other: u64,
    delayed: u64,
    rest: u64,
    locations: u64,
    pairs: u64,
) -> Counts {
    Counts {
        multi_threaded: multi,
        cross_posted: cross,
        co_enabled_ui: ui,
        co_enabled_other: other,
        delayed,
        uncategorised: rest,
        locations,
        pairs,
    }
}

fn check(path: &str, expected: &Expected) {
    let Some(text) = shared(path) else { return };
    let (log, tally) = tally(without_answers(&text));
    assert_eq!(tally.counts, expected.counts, "{path}");
    assert_eq!(log.table.nodes, expected.nodes, "{path}");
    if let Some([length, rest @ ..]) = expected.table {
        let table = log.table;
        assert!(
            table.length.abs_diff(length) <= 1,
            "{path}: length {}",
            table.length
        );
        assert_eq!(
            [
                table.fields,
                table.threads_without_queue,
                table.threads_with_queue,
                table.tasks
            ],
            rest,
            "{path}"
        );
    }
    let printed = printed_witnesses(&text);
    assert_eq!(our_witnesses(&log, &tally), printed, "{path}: witnesses");
    // The answers are there, yet nobody looks at them.
    let (_, with_answers) = self::tally(&text);
    assert_eq!(
        with_answers, tally,
        "{path}: the importer looked at the answers"
    );
    for seed in 0..3 {
        let (_, again) = self::tally(&renumbered(without_answers(&text), seed));
        assert_eq!(
            again.counts, expected.counts,
            "{path} renumbered with seed {seed}"
        );
    }
}

#[test]
fn remind_me() {
    let expected = Expected {
        counts: counts(0, 21, 19, 14, 0, 0, 54, 760),
        table: Some([10348, 348, 3, 1, 176]),
        nodes: 1041,
    };
    check("droidracer/remind-me.abc_log.txt", &expected);
}

#[test]
fn twitter() {
    let expected = Expected {
        counts: counts(0, 20, 0, 7, 4, 0, 22, 505),
        table: Some([16975, 1362, 21, 5, 97]),
        nodes: 2075,
    };
    check("droidracer/twitter.abc_log.txt", &expected);
}

#[test]
fn aarddict_for_exploration() {
    let expected = Expected {
        counts: counts(1, 0, 0, 0, 0, 0, 1, 1),
        table: None,
        nodes: 578,
    };
    check("em-explorer/aarddict/abc_log.txt", &expected);
}

#[test]
fn remind_me_for_exploration() {
    let expected = Expected {
        counts: counts(0, 0, 0, 0, 0, 1, 1, 1),
        table: None,
        nodes: 221,
    };
    check("em-explorer/remind-me/abc_log.txt", &expected);
}

/// Without one rule the tables come out wrong: that they come out right is not luck.
#[test]
fn the_counts_depend_on_the_rules() {
    use reweave_analysis::races::rules::Rule;
    let Some(text) = shared("droidracer/remind-me.abc_log.txt") else {
        return;
    };
    let log = droidracer::parse(without_answers(&text).as_bytes()).expect("the log is readable");
    let mut found = BTreeMap::new();
    for rule in [Rule::Fifo, Rule::Focus, Rule::Lifecycle] {
        let relation = Relation::of(&log.events, RuleSet::DROIDRACER.without(rule))
            .expect("the log makes sense");
        found.insert(rule, count(&log, &relation, u64::MAX).counts);
    }
    let right = counts(0, 21, 19, 14, 0, 0, 54, 760);
    assert!(found.values().all(|counts| *counts != right), "{found:?}");
}
