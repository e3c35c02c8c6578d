//! Compares the race engine with the slow reference on random traces, for as long as one likes.
//!
//! ```text
//! races-fuzz run N [FILE [S]]  the first N traces; goes on after what FILE says and adds to it; at most S seconds
//! races-fuzz rules N           in how many of N traces each rule fires; fails if one does in less than 5 %
//! races-fuzz mutants N         after how many traces (at most N) the loss of each rule is noticed
//! races-fuzz show SEED KIND    one trace (KIND: in-order or backward)
//! races-fuzz shrink SEED KIND  what is left of a trace that shows a difference when all that can go is gone
//! ```

#![allow(
    clippy::struct_excessive_bools,
    overlapping_range_endpoints,
    clippy::too_many_arguments,
    dead_code,
    unused_imports,
    reason = "the generator's state is a row of facts, its weights overlap, and tests and the fuzzer use different parts of it"
)]

#[path = "../tests/races/environment_reference.rs"]
mod environment_reference;
#[path = "../tests/races/generate/mod.rs"]
mod generate;
#[path = "../tests/races/order.rs"]
mod order;
#[path = "../tests/races/reference.rs"]
mod reference;

use generate::{Kind, trace};
use order::Comparison;
use reweave_analysis::races::event::{Event, Op};
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::{Rule, RuleSet};
use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// How far a run is: the next seed, and the traces that were compared and that were not.
#[derive(Clone, Copy, Default)]
struct Progress {
    seed: u64,
    compared: u64,
    contradictory: u64,
}

impl Progress {
    /// What the last line of a file of results says.
    fn load(path: &str) -> Option<Progress> {
        let text = std::fs::read_to_string(path).ok()?;
        let numbers: Vec<u64> = text
            .lines()
            .last()?
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect();
        let [seed, compared, contradictory] = numbers[..] else {
            return None;
        };
        Some(Progress {
            seed,
            compared,
            contradictory,
        })
    }

    /// Adds a line to a file of results.
    fn save(&self, path: &str) {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path);
        let line = format!("{self}\n");
        if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
            eprintln!("{path}: {error}");
        }
    }

    /// Compares both kinds of traces, with both orders of tasks, and in order also in a single pass.
    fn step(&mut self) -> Result<(), String> {
        let seed = self.seed;
        for kind in [Kind::InOrder, Kind::Backward] {
            let events = trace(seed, kind);
            let mut contradictory = false;
            for rules in [RuleSet::ALL, RuleSet::ALL.without(Rule::TaskTransitivity)] {
                match order::compare(&events, rules, rules) {
                    Comparison::Same => (),
                    Comparison::Contradictory => contradictory = true,
                    Comparison::Different(how) => {
                        return Err(format!("seed {seed} {kind:?}: {how}"));
                    }
                }
            }
            if kind == Kind::InOrder
                && let Some(how) = order::stream_difference(&events)
            {
                return Err(format!("seed {seed} {kind:?}, one pass: {how}"));
            }
            self.contradictory += u64::from(contradictory);
            self.compared += u64::from(!contradictory);
        }
        self.seed += 1;
        Ok(())
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "seeds below {}: {} traces compared, no difference; {} that contradict themselves left out",
            self.seed, self.compared, self.contradictory
        )
    }
}

fn run(count: u64, results: Option<&str>, seconds: u64) -> ExitCode {
    let mut progress = results.and_then(Progress::load).unwrap_or_default();
    let start = Instant::now();
    while progress.compared < count && start.elapsed().as_secs() < seconds {
        if let Err(difference) = progress.step() {
            println!("{difference}");
            return ExitCode::FAILURE;
        }
    }
    println!("{progress}");
    if let Some(path) = results {
        progress.save(path);
    }
    ExitCode::SUCCESS
}

fn rules(count: u64) -> ExitCode {
    let mut fired = vec![0u64; Rule::ALL.len()];
    let mut traces = 0;
    for seed in 0..count {
        let kind = if seed % 2 == 0 {
            Kind::InOrder
        } else {
            Kind::Backward
        };
        let events = trace(seed, kind);
        let Ok(relation) = Relation::of(&events, RuleSet::ALL) else {
            continue;
        };
        traces += 1;
        for (index, rule) in Rule::ALL.iter().enumerate() {
            fired[index] += u64::from(relation.fired().of(*rule) > 0);
        }
    }
    for (index, rule) in Rule::ALL.iter().enumerate() {
        println!(
            "{:28} {:5.1} %",
            rule.name(),
            100.0 * fired[index] as f64 / traces as f64
        );
    }
    if fired.iter().any(|fired| fired * 20 < traces) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn mutants(count: u64) -> ExitCode {
    let mut all = true;
    for rule in Rule::ALL {
        let noticed = (0..count).find(|seed| {
            let kind = if seed % 2 == 0 {
                Kind::InOrder
            } else {
                Kind::Backward
            };
            let mutant = RuleSet::ALL.without(*rule);
            let found = order::compare(&trace(*seed, kind), mutant, RuleSet::ALL);
            matches!(found, Comparison::Different(_))
        });
        match noticed {
            Some(seed) => println!("{:28} noticed in trace {}", rule.name(), seed + 1),
            None => println!("{:28} NOT noticed", rule.name()),
        }
        all &= noticed.is_some();
    }
    if all {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// How engine and reference differ on a trace, if they do.
fn difference(events: &[Event]) -> Option<String> {
    let sets = [RuleSet::ALL, RuleSet::ALL.without(Rule::TaskTransitivity)];
    sets.into_iter()
        .find_map(|rules| match order::compare(events, rules, rules) {
            Comparison::Different(how) if !how.starts_with("refused") => Some(how),
            Comparison::Different(_) | Comparison::Same | Comparison::Contradictory => None,
        })
        .or_else(|| order::stream_difference(events).filter(|how| !how.starts_with("refused")))
}

/// The trace without the visit from outside that begins at `enter`, if one does.
fn without_visit(events: &[Event], enter: usize) -> Option<Vec<Event>> {
    let visitor = events
        .get(enter)
        .filter(|event| event.op == Op::OutsideEnter)?;
    let visitor = visitor.thread;
    let leave = (enter..events.len())
        .find(|i| events[*i].thread == visitor && events[*i].op == Op::OutsideLeave)?;
    let is_of_visit = |i: usize| (enter..=leave).contains(&i) && events[i].thread == visitor;
    let rest = (0..events.len()).filter(|i| !is_of_visit(*i));
    Some(rest.map(|i| events[i].clone()).collect())
}

/// Whether whoever comes from outside also leaves: a visit is kept or goes as a whole.
fn visits_are_whole(events: &[Event]) -> bool {
    let mut inside = BTreeSet::new();
    let mut visitors = BTreeSet::new();
    events.iter().all(|event| match event.op {
        Op::OutsideEnter => {
            visitors.insert(event.thread);
            inside.insert(event.thread)
        }
        Op::OutsideLeave => inside.remove(&event.thread),
        _ => inside.contains(&event.thread) || !visitors.contains(&event.thread),
    }) && inside.is_empty()
}

fn shrink(mut events: Vec<Event>) -> ExitCode {
    let Some(mut how) = difference(&events) else {
        println!("no difference");
        return ExitCode::FAILURE;
    };
    let mut size = events.len() / 2;
    while size > 0 {
        let mut at = 0;
        let before = events.len();
        while at < events.len() {
            let mut fewer = events.clone();
            fewer.drain(at..(at + size).min(events.len()));
            let whole = visits_are_whole(&fewer);
            if let Some(still) = difference(&fewer).filter(|_| whole) {
                (events, how) = (fewer, still);
                continue;
            }
            let fewer = without_visit(&events, at).filter(|_| size == 1);
            match fewer.and_then(|fewer| Some((difference(&fewer)?, fewer))) {
                Some((still, fewer)) => (events, how) = (fewer, still),
                None => at += size,
            }
        }
        if events.len() == before {
            size /= 2;
        }
    }
    for (index, event) in events.iter().enumerate() {
        println!("{index:4} {event:?}");
    }
    println!("{how}");
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["run", count] => run(count.parse().unwrap_or(0), None, u64::MAX),
        ["run", count, file] => run(count.parse().unwrap_or(0), Some(file), u64::MAX),
        ["run", count, file, seconds] => run(
            count.parse().unwrap_or(0),
            Some(file),
            seconds.parse().unwrap_or(u64::MAX),
        ),
        ["rules", count] => rules(count.parse().unwrap_or(0)),
        ["mutants", count] => mutants(count.parse().unwrap_or(0)),
        [verb @ ("show" | "shrink"), seed, kind] => {
            let kind = if kind == "backward" {
                Kind::Backward
            } else {
                Kind::InOrder
            };
            let events = trace(seed.parse().unwrap_or(0), kind);
            if verb == "shrink" {
                return shrink(events);
            }
            for (index, event) in events.iter().enumerate() {
                println!("{index:4} {event:?}");
            }
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "races-fuzz run N [FILE [SECONDS]] | rules N | mutants N | show|shrink SEED in-order|backward"
            );
            ExitCode::from(2)
        }
    }
}
