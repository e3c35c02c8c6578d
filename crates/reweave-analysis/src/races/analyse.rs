//! The races of a log that is kept whole, as findings: every racing pair, grouped by location, pair of code places and
//! class, or one per location and class as DroidRacer's authors counted them.

use super::Options;
use super::classify::RaceClass;
use super::count::{Tally, count};
use super::event::{AccessKind, EventIndex, LocationId, Site};
use super::findings::{Access, Findings, Race, TaskFacts};
use super::gap::Gaps;
use super::hash::IdMap;
use super::locks::Guard;
use super::log::Log;
use super::pairs::each;
use super::relation::{Relation, RelationError};

/// How races are grouped and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// One race per location, pair of code places and class; every pair has one class.
    Places,
    /// One race per location and class, as in DroidRacer's tables; a location may count in several classes.
    DroidRacer,
}

/// A log with its order and its races.
#[derive(Debug)]
pub struct Analysis {
    pub relation: Relation,
    pub findings: Findings,
    /// With `Counting::DroidRacer`.
    pub tally: Option<Tally>,
}

/// Finds the races of a log.
pub fn analyse(
    log: &Log,
    options: &Options,
    counting: Counting,
) -> Result<Analysis, RelationError> {
    let relation = Relation::of(&log.events, options.rules)?;
    let (mut findings, tally) = match counting {
        Counting::Places => (by_places(log, &relation, options.pairs), None),
        Counting::DroidRacer => {
            let tally = count(log, &relation, options.pairs);
            (witnessed(log, &relation, &tally), Some(tally))
        }
    };
    findings.work = relation.work();
    findings.fired = relation.fired().clone();
    explain(log, &relation, &mut findings);
    Ok(Analysis {
        relation,
        findings,
        tally,
    })
}

/// What makes two racing pairs one race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    location: LocationId,
    first: (Site, AccessKind),
    second: (Site, AccessKind),
    class: RaceClass,
}

fn by_places(log: &Log, relation: &Relation, bound: u64) -> Findings {
    let mut races: Vec<Race> = Vec::new();
    let mut known: IdMap<Key, usize> = IdMap::default();
    let coverage = each(log, relation, bound, |racing| {
        let mut sides = [
            (racing.first.first, racing.first.site, racing.first_kind),
            (racing.second.first, racing.second.site, AccessKind::Write),
        ];
        sides.sort_by_key(|(event, ..)| *event);
        let [
            (first, first_site, first_kind),
            (second, second_site, second_kind),
        ] = sides;
        let key = Key {
            location: racing.location,
            first: (first_site, first_kind),
            second: (second_site, second_kind),
            class: racing.nature.class(),
        };
        let index = *known.entry(key).or_insert_with(|| {
            races.push(race(
                log,
                relation,
                racing.location,
                key.class,
                first,
                second,
            ));
            races.len() - 1
        });
        races[index].pairs += racing.pairs();
    });
    races.sort_by_key(|race| (race.second.event, race.first.event));
    let mut findings = Findings {
        races,
        coverage,
        ..Findings::default()
    };
    findings.count();
    findings
}

fn witnessed(log: &Log, relation: &Relation, tally: &Tally) -> Findings {
    let mut findings = Findings {
        coverage: tally.coverage,
        ..Findings::default()
    };
    for witness in &tally.witnesses {
        let class = witness.counted.class();
        let (first, second) = (
            witness.first.min(witness.second),
            witness.first.max(witness.second),
        );
        let mut race = race(log, relation, witness.location, class, first, second);
        race.pairs = witness.pairs;
        findings.races.push(race);
    }
    findings.count();
    findings.pairs = tally.counts.pairs;
    findings
}

fn race(
    log: &Log,
    relation: &Relation,
    location: LocationId,
    class: RaceClass,
    first: EventIndex,
    second: EventIndex,
) -> Race {
    let side = |event: EventIndex| {
        let access = &log.events[event.index()];
        let group = relation.group(relation.group_of(event));
        let kind = access
            .op
            .access()
            .map_or(AccessKind::Read, |(_, kind)| kind);
        Access {
            event,
            thread: access.thread,
            task: group.stand.run.as_ref().map(|run| TaskFacts::of(run)),
            kind,
            site: access.site,
            held: group.held.clone(),
            tag: 0,
        }
    };
    let (first, second) = (side(first), side(second));
    let locking = Guard::default().compare(&first.held, &second.held);
    Race {
        location,
        class,
        first,
        second,
        pairs: 0,
        examples: Vec::new(),
        locking,
        gap: None,
    }
}

/// Adds what only races need that are reported: how the location is usually locked, and why nothing orders the accesses.
fn explain(log: &Log, relation: &Relation, findings: &mut Findings) {
    let mut guards: IdMap<LocationId, Guard> = findings
        .races
        .iter()
        .map(|race| (race.location, Guard::default()))
        .collect();
    for (index, event) in log.events.iter().enumerate() {
        let Some((location, _)) = event.op.access() else {
            continue;
        };
        if let Some(guard) = guards.get_mut(&location) {
            let group = relation.group_of(EventIndex(index as u32));
            guard.vote(&relation.group(group).held);
        }
    }
    let mut gaps = Gaps::new(log, relation);
    for race in &mut findings.races {
        if let Some(guard) = guards.get(&race.location) {
            race.locking = guard.compare(&race.first.held, &race.second.held);
        }
        race.gap = gaps.of(race.first.event, race.second.event);
    }
}
