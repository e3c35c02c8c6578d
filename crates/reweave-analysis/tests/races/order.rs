//! The engine's order of operations against the reference.

use crate::generate::{Kind, trace};
use crate::reference::Reference;
use reweave_analysis::races::event::{Event, EventIndex};
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::{Rule, RuleSet};

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

/// As `difference`, for a single pass that forgets what it can.
pub fn stream_difference(_events: &[Event]) -> Option<String> {
    None
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
