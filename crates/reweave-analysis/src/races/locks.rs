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
    unused: Vec<LockSet>,
}

impl Default for LockSets {
    fn default() -> LockSets {
        let mut numbers = IdMap::default();
        numbers.insert(Vec::new(), LockSet(0));
        LockSets {
            sets: vec![Vec::new()],
            numbers,
            unused: Vec::new(),
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
        let number = self.unused.pop().unwrap_or_else(|| {
            self.sets.push(Vec::new());
            LockSet(self.sets.len() as u32 - 1)
        });
        self.numbers.insert(locks.clone(), number);
        self.sets[number.0 as usize] = locks;
        number
    }

    /// Forgets all sets but these and the empty one; the locks in those that are left.
    pub fn keep(&mut self, used: impl Iterator<Item = LockSet>) -> impl Iterator<Item = LockId> {
        let mut is_used = vec![false; self.sets.len()];
        is_used[LockSets::EMPTY.0 as usize] = true;
        used.for_each(|set| is_used[set.0 as usize] = true);
        let unused = &mut self.unused;
        self.numbers.retain(|_, set| {
            let keep = is_used[set.0 as usize];
            if !keep {
                unused.push(*set);
            }
            keep
        });
        for set in &self.unused {
            self.sets[set.0 as usize] = Vec::new();
        }
        self.sets.iter().flatten().copied()
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
