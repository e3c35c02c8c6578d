//! A clock says, for each chain, up to which moment its operations are known: x happened before y if y's clock has
//! reached x's moment on x's chain.
//!
//! Clocks are persistent radix trees. Copying one is copying a pointer, and joining two costs only what
//! differs between them, because equal subtrees are shared and a join puts sharing back wherever two subtrees turn out
//! equal. That keeps a clock cheap when thousands of unrelated tasks have left a chain each (a flat vector per
//! operation is quadratic there).

use super::super::event::EventIndex;
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

/// Chains per leaf: few enough to copy, enough that comparing two leaves is worth finding them.
const LEAF: usize = 32;
const LEAF_BITS: u32 = 5;
/// Children per inner node.
const FAN: usize = 16;
const FAN_BITS: u32 = 4;

/// Chains below a node of this level, as a number of bits. Leaves have level 0.
fn bits(level: u32) -> u32 {
    LEAF_BITS + FAN_BITS * level
}

/// Which child, or which moment of a leaf, a chain belongs to in a node of this level.
fn digit(chain: u32, level: u32) -> usize {
    if level == 0 {
        chain as usize % LEAF
    } else {
        (chain >> bits(level - 1)) as usize % FAN
    }
}

#[derive(Clone, Debug)]
enum Node {
    Leaf([u32; LEAF]),
    Inner([Option<Rc<Node>>; FAN]),
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

/// A node one level higher with `node` as its first child.
fn lifted(node: Rc<Node>) -> Rc<Node> {
    let mut children: [Option<Rc<Node>>; FAN] = Default::default();
    children[0] = Some(node);
    Rc::new(Node::Inner(children))
}

fn raised(node: Option<Rc<Node>>, level: u32, chain: u32, moment: u32) -> Rc<Node> {
    let empty = || {
        Rc::new(if level == 0 {
            Node::Leaf([0; LEAF])
        } else {
            Node::Inner(Default::default())
        })
    };
    let mut node = node.unwrap_or_else(empty);
    let digit = digit(chain, level);
    match Rc::make_mut(&mut node) {
        Node::Leaf(moments) => moments[digit] = moments[digit].max(moment),
        Node::Inner(children) => {
            children[digit] = Some(raised(children[digit].take(), level - 1, chain, moment));
        }
    }
    node
}

/// What two nodes had that the other had not, before they were joined.
#[derive(Clone, Copy, Debug, Default)]
struct Lacks {
    mine_lacks: bool,
    theirs_lacks: bool,
}

impl Lacks {
    const NEITHER: Lacks = Lacks {
        mine_lacks: false,
        theirs_lacks: false,
    };
    const MINE: Lacks = Lacks {
        mine_lacks: true,
        theirs_lacks: false,
    };
    const THEIRS: Lacks = Lacks {
        mine_lacks: false,
        theirs_lacks: true,
    };

    fn and(self, other: Lacks) -> Lacks {
        Lacks {
            mine_lacks: self.mine_lacks || other.mine_lacks,
            theirs_lacks: self.theirs_lacks || other.theirs_lacks,
        }
    }
}

/// Adds `theirs` to `mine`. Where theirs has all that mine has, it is taken as it is, so that the next join finds it
/// shared; a node that nobody else has is changed in place.
fn join(mine: &mut Rc<Node>, theirs: &Rc<Node>) -> Lacks {
    if Rc::ptr_eq(mine, theirs) {
        return Lacks::NEITHER;
    }
    let lacks = match Rc::get_mut(mine) {
        Some(node) => join_in_place(node, theirs),
        None => {
            let (lacks, joined) = joined(mine, theirs);
            if let Some(joined) = joined {
                *mine = joined;
            }
            lacks
        }
    };
    if !lacks.theirs_lacks {
        *mine = theirs.clone();
    }
    lacks
}

fn join_in_place(mine: &mut Node, theirs: &Rc<Node>) -> Lacks {
    match (mine, &**theirs) {
        (Node::Leaf(a), Node::Leaf(b)) => {
            let lacks = compare(a, b);
            if lacks.mine_lacks && lacks.theirs_lacks {
                *a = later(a, b);
            }
            // If only mine lacks something the caller takes theirs.
            lacks
        }
        (Node::Inner(a), Node::Inner(b)) => {
            let mut lacks = Lacks::NEITHER;
            for (x, y) in a.iter_mut().zip(b) {
                lacks = lacks.and(match (&mut *x, y) {
                    (None, None) => Lacks::NEITHER,
                    (Some(_), None) => Lacks::THEIRS,
                    (None, Some(y)) => {
                        *x = Some(y.clone());
                        Lacks::MINE
                    }
                    (Some(x), Some(y)) => join(x, y),
                });
            }
            lacks
        }
        // Trees of equal height have equal levels; nothing sensible could be done here, and nothing is lost.
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => Lacks::THEIRS,
    }
}

/// The join of two nodes that others have, too; `None` if it is one of the two, as `Lacks` says, with nothing to share.
fn joined(mine: &Rc<Node>, theirs: &Rc<Node>) -> (Lacks, Option<Rc<Node>>) {
    if Rc::ptr_eq(mine, theirs) {
        return (Lacks::NEITHER, None);
    }
    match (&**mine, &**theirs) {
        (Node::Leaf(a), Node::Leaf(b)) => {
            let lacks = compare(a, b);
            let is_new = lacks.mine_lacks && lacks.theirs_lacks;
            (lacks, is_new.then(|| Rc::new(Node::Leaf(later(a, b)))))
        }
        (Node::Inner(a), Node::Inner(b)) => joined_children(a, b),
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => (Lacks::THEIRS, None),
    }
}

/// Copies children only when it is clear that a new node is needed: counting references touches each child's memory.
fn joined_children(
    a: &[Option<Rc<Node>>; FAN],
    b: &[Option<Rc<Node>>; FAN],
) -> (Lacks, Option<Rc<Node>>) {
    let mut lacks = Lacks::NEITHER;
    let mut changed: [Option<Rc<Node>>; FAN] = Default::default();
    let mut is_changed = false;
    for i in 0..FAN {
        let child = match (&a[i], &b[i]) {
            (None, None) => Lacks::NEITHER,
            (Some(_), None) => Lacks::THEIRS,
            (None, Some(y)) => {
                changed[i] = Some(y.clone());
                is_changed = true;
                Lacks::MINE
            }
            (Some(x), Some(y)) => {
                let (child, joined) = joined(x, y);
                changed[i] = match joined {
                    Some(joined) => Some(joined),
                    // Theirs has all that mine has: from now on it is shared.
                    None if !child.theirs_lacks && !Rc::ptr_eq(x, y) => Some(y.clone()),
                    None => None,
                };
                is_changed |= changed[i].is_some();
                child
            }
        };
        lacks = lacks.and(child);
    }
    if !is_changed || !lacks.theirs_lacks {
        return (lacks, None);
    }
    for (mine, changed) in a.iter().zip(&mut changed) {
        if changed.is_none() {
            changed.clone_from(mine);
        }
    }
    (lacks, Some(Rc::new(Node::Inner(changed))))
}

fn compare(a: &[u32; LEAF], b: &[u32; LEAF]) -> Lacks {
    let (mut mine_lacks, mut theirs_lacks) = (false, false);
    for i in 0..LEAF {
        mine_lacks |= b[i] > a[i];
        theirs_lacks |= a[i] > b[i];
    }
    Lacks {
        mine_lacks,
        theirs_lacks,
    }
}

fn later(a: &[u32; LEAF], b: &[u32; LEAF]) -> [u32; LEAF] {
    let mut most = *a;
    for i in 0..LEAF {
        most[i] = a[i].max(b[i]);
    }
    most
}

fn visit_all(node: &Node, level: u32, base: u32, visit: &mut impl FnMut(Chain, Moment)) {
    match node {
        Node::Leaf(moments) => {
            for (i, &moment) in moments.iter().enumerate() {
                if moment != 0 {
                    visit(Chain(base + i as u32), Moment(moment));
                }
            }
        }
        Node::Inner(children) => {
            for (i, child) in children.iter().enumerate() {
                if let Some(child) = child {
                    visit_all(
                        child,
                        level - 1,
                        base + ((i as u32) << bits(level - 1)),
                        visit,
                    );
                }
            }
        }
    }
}

fn visit_above(
    mine: &Rc<Node>,
    theirs: &Rc<Node>,
    level: u32,
    base: u32,
    visit: &mut impl FnMut(Chain, Moment),
) {
    if Rc::ptr_eq(mine, theirs) {
        return;
    }
    match (&**mine, &**theirs) {
        (Node::Leaf(a), Node::Leaf(b)) => {
            for i in 0..LEAF {
                if a[i] > b[i] {
                    visit(Chain(base + i as u32), Moment(a[i]));
                }
            }
        }
        (Node::Inner(a), Node::Inner(b)) => {
            for i in 0..FAN {
                let base = base + ((i as u32) << bits(level - 1));
                match (&a[i], &b[i]) {
                    (Some(x), Some(y)) => visit_above(x, y, level - 1, base, visit),
                    (Some(x), None) => visit_all(x, level - 1, base, visit),
                    (None, _) => (),
                }
            }
        }
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => {
            visit_all(mine, level, base, visit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(entries: &[(u32, u32)]) -> Clock {
        let mut clock = Clock::default();
        for &(chain, moment) in entries {
            clock.raise(Chain(chain), Moment(moment));
        }
        clock
    }

    fn entries(clock: &Clock) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        clock.each(&mut |chain, moment| all.push((chain.0, moment.0)));
        all
    }

    #[test]
    fn a_join_takes_the_later_moment_of_each_chain() {
        let mut a = clock(&[(0, 5), (17, 2), (300, 9)]);
        assert!(a.join(&clock(&[(0, 3), (17, 4), (4096, 1)])));
        assert_eq!(entries(&a), [(0, 5), (17, 4), (300, 9), (4096, 1)]);
        assert!(!a.join(&clock(&[(300, 9), (17, 1)])));
    }

    #[test]
    fn equal_trees_become_shared() {
        let mut a = clock(&[(1, 1), (40, 2)]);
        let b = clock(&[(1, 1), (40, 2)]);
        assert!(!a.shares(&b) && a == b);
        assert!(!a.join(&b));
        assert!(a.shares(&b));
    }

    #[test]
    fn above_lists_what_the_other_lacks() {
        let (a, b) = (
            clock(&[(0, 5), (17, 2), (300, 9)]),
            clock(&[(0, 5), (17, 1)]),
        );
        let mut found = Vec::new();
        a.above(&b, &mut |chain, moment| found.push((chain.0, moment.0)));
        assert_eq!(found, [(17, 2), (300, 9)]);
        assert!(a.covers(&b) && !b.covers(&a));
    }

    #[test]
    fn joins_agree_with_plain_maps() {
        let mut random = 88_172_645_463_325_252u64;
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let mut clocks: Vec<Clock> = (0..8).map(|_| Clock::default()).collect();
        let mut maps = vec![std::collections::BTreeMap::<u32, u32>::new(); 8];
        for moment in 1..5000 {
            let (i, j) = (next(8) as usize, next(8) as usize);
            if next(2) == 0 {
                let chain = next(700) as u32;
                clocks[i].raise(Chain(chain), Moment(moment));
                maps[i].insert(chain, moment);
            } else {
                let (theirs, map) = (clocks[j].clone(), maps[j].clone());
                clocks[i].join(&theirs);
                for (chain, moment) in map {
                    let mine = maps[i].entry(chain).or_default();
                    *mine = (*mine).max(moment);
                }
            }
            assert_eq!(
                entries(&clocks[i]),
                maps[i].clone().into_iter().collect::<Vec<_>>()
            );
        }
    }
}
