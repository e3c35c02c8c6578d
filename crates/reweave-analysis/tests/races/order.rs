//! The engine's order of operations against the reference.

use crate::generate::{Kind, trace};
use crate::reference::Reference;
use reweave_analysis::races::event::{Event, EventIndex};
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::{Rule, RuleSet};

/// The first pair of accesses on which engine and reference disagree.
pub fn difference(events: &[Event], engine: RuleSet, reference: RuleSet) -> Option<String> {
    let relation = match Relation::of(events, engine) {
        Ok(relation) => relation,
        Err(error) => return Some(format!("refused: {error}")),
    };
    let reference = Reference::of(events, reference);
    let accesses: Vec<usize> = (0..events.len())
        .filter(|i| events[*i].op.access().is_some())
        .collect();
    let fast_order = |i: usize, j: usize| {
        let group = |event: usize| relation.group_of(EventIndex(event as u32));
        // Within a group the order is that of the trace.
        if group(i) == group(j) {
            i < j
        } else {
            relation.ordered(group(i), group(j))
        }
    };
    // Orders that point backwards can contradict each other. Then what counts is whether two accesses are ordered.
    let cyclic = (0..events.len()).any(|i| reference.before[i].has(i));
    for &j in &accesses {
        for &i in &accesses {
            let (mut fast, mut slow) = (fast_order(i, j), reference.before[j].has(i));
            if cyclic {
                fast |= fast_order(j, i);
                slow |= reference.before[i].has(j);
            }
            if i != j && fast != slow {
                return Some(format!(
                    "{i} {:?} before {j} {:?}: engine {fast}, reference {slow}",
                    events[i], events[j]
                ));
            }
        }
    }
    None
}

/// As `difference`, for a single pass that forgets what it can.
pub fn stream_difference(_events: &[Event]) -> Option<String> {
    None
}

#[cfg(test)]
fn check(kind: Kind, rules: RuleSet, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let events = trace(seed, kind);
        if let Some(difference) = difference(&events, rules, rules) {
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
