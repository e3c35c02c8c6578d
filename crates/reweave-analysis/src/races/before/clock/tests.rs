//! Clocks against plain maps, and what they share.

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
