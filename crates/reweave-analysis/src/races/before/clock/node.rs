//! The nodes of a clock's tree.

use super::{Chain, Moment};
use std::rc::Rc;

/// Chains per leaf: few enough to copy, enough that comparing two leaves is worth finding them.
pub(super) const LEAF: usize = 32;
const LEAF_BITS: u32 = 5;
/// Children per inner node.
const FAN: usize = 16;
const FAN_BITS: u32 = 4;

/// Chains below a node of this level, as a number of bits. Leaves have level 0.
pub(super) fn bits(level: u32) -> u32 {
    LEAF_BITS + FAN_BITS * level
}

/// Which child, or which moment of a leaf, a chain belongs to in a node of this level.
pub(super) fn digit(chain: u32, level: u32) -> usize {
    if level == 0 {
        chain as usize % LEAF
    } else {
        (chain >> bits(level - 1)) as usize % FAN
    }
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf([u32; LEAF]),
    Inner([Option<Rc<Node>>; FAN]),
}

/// A node one level higher with `node` as its first child.
pub(super) fn lifted(node: Rc<Node>) -> Rc<Node> {
    let mut children: [Option<Rc<Node>>; FAN] = Default::default();
    children[0] = Some(node);
    Rc::new(Node::Inner(children))
}

pub(super) fn raised(node: Option<Rc<Node>>, level: u32, chain: u32, moment: u32) -> Rc<Node> {
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
pub(super) struct Lacks {
    pub(super) mine_lacks: bool,
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
pub(super) fn join(mine: &mut Rc<Node>, theirs: &Rc<Node>) -> Lacks {
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

pub(super) fn visit_all(node: &Node, level: u32, base: u32, visit: &mut impl FnMut(Chain, Moment)) {
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

pub(super) fn visit_above(
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
