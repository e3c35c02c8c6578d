//! Which locks accesses hold: sets of locks, and how often each location is accessed with one.

use super::event::LockId;
use super::findings::Locking;
use super::hash::IdMap;

/// Number of a set of locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LockSet(u32);

/// The sets that occur, each once.
#[derive(Debug)]
pub struct LockSets {
    sets: Vec<Vec<LockId>>,
    numbers: IdMap<Vec<LockId>, LockSet>,
}

impl Default for LockSets {
    fn default() -> LockSets {
        let mut numbers = IdMap::default();
        numbers.insert(Vec::new(), LockSet(0));
        LockSets {
            sets: vec![Vec::new()],
            numbers,
        }
    }
}

impl LockSets {
    pub const EMPTY: LockSet = LockSet(0);

    pub fn number(&mut self, locks: impl Iterator<Item = LockId>) -> LockSet {
        let locks: Vec<LockId> = locks.collect();
        if locks.is_empty() {
            return LockSets::EMPTY;
        }
        if let Some(number) = self.numbers.get(&locks) {
            return *number;
        }
        let number = LockSet(self.sets.len() as u32);
        self.numbers.insert(locks.clone(), number);
        self.sets.push(locks);
        number
    }

    pub fn locks(&self, set: LockSet) -> &[LockId] {
        &self.sets[set.0 as usize]
    }
}

/// The lock with which a location is accessed most, as a majority vote tells it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guard {
    candidate: Option<LockId>,
    lead: u32,
    holding: u32,
    accesses: u32,
}

impl Guard {
    pub fn vote(&mut self, held: &[LockId]) {
        self.accesses = self.accesses.saturating_add(1);
        match (self.candidate, held.first()) {
            (Some(candidate), _) if held.contains(&candidate) => {
                self.lead = self.lead.saturating_add(1);
                self.holding = self.holding.saturating_add(1);
            }
            (_, Some(lock)) if self.lead == 0 => {
                *self = Guard {
                    candidate: Some(*lock),
                    lead: 1,
                    holding: 1,
                    accesses: self.accesses,
                };
            }
            (_, _) => self.lead = self.lead.saturating_sub(1),
        }
    }

    pub fn compare(&self, first: &[LockId], second: &[LockId]) -> Locking {
        if let Some(common) = first.iter().find(|lock| second.contains(lock)) {
            return Locking::Common(*common);
        }
        let lock = match (first, second) {
            ([], []) => return Locking::None,
            ([], [lock, ..]) | ([lock, ..], []) => *lock,
            ([_, ..], [_, ..]) => return Locking::Different,
        };
        let usual = self
            .candidate
            .filter(|candidate| first.contains(candidate) || second.contains(candidate));
        Locking::OneSide {
            lock: usual.unwrap_or(lock),
            holding: if usual.is_some() {
                self.holding.into()
            } else {
                1
            },
            of: self.accesses.into(),
        }
    }
}
