//! The engine's order of operations against the reference.

use crate::generate::{Kind, trace};
use crate::reference::Reference;
use reweave_analysis::races::Options;
use reweave_analysis::races::event::{AccessKind, Event, EventIndex, LocationId, Site};
use reweave_analysis::races::findings::Access;
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::{Rule, RuleSet};
use reweave_analysis::races::stream::{Stream, StreamError};
use std::collections::BTreeSet;

/// What came of comparing engine and reference on one trace.
#[derive(Debug, PartialEq, Eq)]
pub enum Comparison {
    Same,
    /// The first pair of accesses on which they disagree.
    Different(String),
    /// The trace's orders contradict each other, so that there is no order to agree on. The engine got to an end.
    Contradictory,
}

/// Compares the order of all pairs of accesses.
pub fn compare(events: &[Event], engine: RuleSet, reference: RuleSet) -> Comparison {
    let relation = match Relation::of(events, engine) {
        Ok(relation) => relation,
        Err(error) => return Comparison::Different(format!("refused: {error}")),
    };
    let reference = Reference::of(events, reference);
    if (0..events.len()).any(|i| reference.before[i].has(i)) {
        return Comparison::Contradictory;
    }
    let accesses: Vec<usize> = (0..events.len())
        .filter(|i| events[*i].op.access().is_some())
        .collect();
    let group = |event: usize| relation.group_of(EventIndex(event as u32));
    for &j in &accesses {
        for &i in &accesses {
            // Within a group the order is that of the trace.
            let fast = if group(i) == group(j) {
                i < j
            } else {
                relation.ordered(group(i), group(j))
            };
            let slow = reference.before[j].has(i);
            if i != j && fast != slow {
                return Comparison::Different(format!(
                    "{i} {:?} before {j} {:?}: engine {fast}, reference {slow}",
                    events[i], events[j]
                ));
            }
        }
    }
    Comparison::Same
}

/// Location, and place and kind of both accesses.
type Key = (LocationId, (Site, AccessKind), (Site, AccessKind));

/// The first race that a single pass finds alone or does not find. A pass that forgets tasks may find more, never fewer.
pub fn stream_difference(events: &[Event]) -> Option<String> {
    let (whole, flags, late) = match stream_places(events, None) {
        Ok(found) => found,
        Err(error) => return Some(format!("refused: {error}")),
    };
    // What enabled an event came after its post, or broadcasts were received in another order than they were sent: one
    // pass cannot know, and says so.
    if late > 0 {
        return None;
    }
    let slow = racing_places(events, &Reference::of(events, RuleSet::ALL), &flags);
    if let Some(differing) = whole.symmetric_difference(&slow).next() {
        let who = if whole.contains(differing) {
            "engine"
        } else {
            "reference"
        };
        return Some(format!("only the {who} has {differing:?}"));
    }
    let (forgetful, ..) = stream_places(events, Some(1)).ok()?;
    let missed = slow.difference(&forgetful).next()?;
    Some(format!("missed by a pass that forgets: {missed:?}"))
}

type Streamed = (BTreeSet<Key>, BTreeSet<(LocationId, Site)>, u64);

/// Races that a single pass finds, the flags that it took to synchronize, and the orders that came late.
fn stream_places(events: &[Event], keep: Option<usize>) -> Result<Streamed, StreamError> {
    let options = Options {
        history: usize::MAX,
        ..Options::default()
    };
    let mut stream = Stream::new(&options);
    if let Some(keep) = keep {
        stream.keep_ended(keep);
    }
    for event in events {
        stream.event(event)?;
    }
    let flags = stream.before().adhoc_flags().clone();
    let findings = stream.finish();
    let side = |access: &Access| (access.site, access.kind);
    let places = findings
        .races
        .iter()
        .map(|race| (race.location, side(&race.first), side(&race.second)));
    Ok((places.collect(), flags, findings.work.late_orders))
}

fn racing_places(
    events: &[Event],
    reference: &Reference,
    flags: &BTreeSet<(LocationId, Site)>,
) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    let accesses: Vec<(usize, LocationId, AccessKind, Site)> = events
        .iter()
        .enumerate()
        .filter_map(|(index, event)| {
            let (location, kind) = event.op.access()?;
            Some((index, location, kind, event.site))
        })
        .collect();
    for (n, &(j, location, kind, site)) in accesses.iter().enumerate() {
        for &(i, other, other_kind, other_site) in &accesses[..n] {
            if other != location || !kind.conflicts(other_kind) || reference.before[j].has(i) {
                continue;
            }
            let is_flag =
                |kind, site| kind == AccessKind::Read && flags.contains(&(location, site));
            if !is_flag(kind, site) && !is_flag(other_kind, other_site) {
                found.insert((location, (other_site, other_kind), (site, kind)));
            }
        }
    }
    found
}

#[cfg(test)]
fn check(kind: Kind, rules: RuleSet, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let events = trace(seed, kind);
        if let Comparison::Different(difference) = compare(&events, rules, rules) {
            let listing: Vec<String> = events
                .iter()
                .enumerate()
                .map(|(i, e)| format!("{i:4} {e:?}"))
                .collect();
            panic!("seed {seed} {kind:?}: {difference}\n{}", listing.join("\n"));
        }
    }
}

#[test]
fn transitive_tasks_in_order() {
    check(Kind::InOrder, RuleSet::ALL, 0..300);
}

#[test]
fn transitive_tasks_backward() {
    check(Kind::Backward, RuleSet::ALL, 0..300);
}

#[test]
fn tasks_as_droidracer_orders_them() {
    check(
        Kind::InOrder,
        RuleSet::ALL.without(Rule::TaskTransitivity),
        0..300,
    );
    check(
        Kind::Backward,
        RuleSet::ALL.without(Rule::TaskTransitivity),
        0..300,
    );
}

#[test]
fn a_single_pass() {
    for seed in 0..500 {
        let events = trace(seed, Kind::InOrder);
        if let Some(difference) = stream_difference(&events) {
            panic!("seed {seed}: {difference}");
        }
    }
}

/// Each rule contributes something that random traces show: without it the engine differs from the reference.
#[test]
fn the_loss_of_any_rule_is_noticed() {
    for rule in Rule::ALL {
        let noticed = (0..200).any(|seed| {
            let kind = if seed % 2 == 0 {
                Kind::InOrder
            } else {
                Kind::Backward
            };
            let mutant = RuleSet::ALL.without(*rule);
            let found = compare(&trace(seed, kind), mutant, RuleSet::ALL);
            matches!(found, Comparison::Different(_))
        });
        assert!(noticed, "{rule}");
    }
}
