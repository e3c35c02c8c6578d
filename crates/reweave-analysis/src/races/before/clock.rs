//! A clock says, for each chain, up to which moment its operations are known: x happened before y if y's clock has
//! reached x's moment on x's chain.
//!
//! Clocks are persistent radix trees. Copying one is copying a pointer, and joining two costs only what
//! differs between them, because equal subtrees are shared and a join puts sharing back wherever two subtrees turn out
//! equal. That keeps a clock cheap when thousands of unrelated tasks have left a chain each (a flat vector per
//! operation is quadratic there).

mod node;

use super::super::event::EventIndex;
use node::{LEAF, Node, bits, digit, join, lifted, raised, visit_above, visit_all};
use std::rc::Rc;

/// One totally ordered row of operations: a thread, or tasks of one queue that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain(pub u32);

/// When an operation happened: the index of its event, from 1. `NEVER` is before all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub u32);

impl Moment {
    pub const NEVER: Moment = Moment(0);

    pub fn of(event: EventIndex) -> Moment {
        Moment(event.0.saturating_add(1))
    }

    pub fn event(self) -> Option<EventIndex> {
        self.0.checked_sub(1).map(EventIndex)
    }
}

/// Up to which moment each chain is known.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    root: Option<Rc<Node>>,
    /// Levels of inner nodes above the leaves.
    height: u32,
}

impl Clock {
    /// Chains whose moments are kept together.
    pub const RANGE: usize = LEAF;

    pub fn get(&self, chain: Chain) -> Moment {
        let Some(root) = &self.root else {
            return Moment::NEVER;
        };
        if (chain.0 as u64) >> bits(self.height) != 0 {
            return Moment::NEVER;
        }
        let mut node = root;
        let mut level = self.height;
        loop {
            let digit = digit(chain.0, level);
            match &**node {
                Node::Leaf(moments) => return Moment(moments[digit]),
                Node::Inner(children) => match &children[digit] {
                    Some(child) => node = child,
                    None => return Moment::NEVER,
                },
            }
            level = level.saturating_sub(1);
        }
    }

    /// Makes the clock know `chain` at least up to `moment`; says whether that was news.
    pub fn raise(&mut self, chain: Chain, moment: Moment) -> bool {
        if moment == Moment::NEVER || self.get(chain) >= moment {
            return false;
        }
        while (chain.0 as u64) >> bits(self.height) != 0 {
            self.grow();
        }
        let root = self.root.take();
        self.root = Some(raised(root, self.height, chain.0, moment.0));
        true
    }

    /// Learns all that `other` knows; says whether anything of it was news.
    pub fn join(&mut self, other: &Clock) -> bool {
        let Some(theirs) = &other.root else {
            return false;
        };
        let Some(mine) = &self.root else {
            *self = other.clone();
            return true;
        };
        if Rc::ptr_eq(mine, theirs) {
            return false;
        }
        while self.height < other.height {
            self.grow();
        }
        let mut theirs = theirs.clone();
        for _ in other.height..self.height {
            theirs = lifted(theirs);
        }
        match &mut self.root {
            Some(mine) => join(mine, &theirs).mine_lacks,
            None => false,
        }
    }

    /// Whether this clock knows all that `other` knows.
    pub fn covers(&self, other: &Clock) -> bool {
        let mut covered = true;
        other.above(self, &mut |_, _| covered = false);
        covered
    }

    /// Calls `visit` for every chain on which this clock knows more than `other`, with this clock's moment.
    pub fn above(&self, other: &Clock, visit: &mut impl FnMut(Chain, Moment)) {
        let Some(mine) = &self.root else { return };
        let Some(theirs) = &other.root else {
            return visit_all(mine, self.height, 0, visit);
        };
        if self.height == other.height {
            visit_above(mine, theirs, self.height, 0, visit);
        } else {
            self.each(&mut |chain, moment| {
                if other.get(chain) < moment {
                    visit(chain, moment);
                }
            });
        }
    }

    /// Calls `visit` for every chain that this clock knows, in order.
    pub fn each(&self, visit: &mut impl FnMut(Chain, Moment)) {
        if let Some(root) = &self.root {
            visit_all(root, self.height, 0, visit);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether both are the same tree, so that they are surely equal.
    pub fn shares(&self, other: &Clock) -> bool {
        match (&self.root, &other.root) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn grow(&mut self) {
        self.root = self.root.take().map(lifted);
        self.height += 1;
    }
}

impl PartialEq for Clock {
    fn eq(&self, other: &Clock) -> bool {
        self.covers(other) && other.covers(self)
    }
}

#[cfg(test)]
mod tests;
