use super::*;
use reweave_trace::{LinkRole, Woken, text};

#[track_caller]
fn process(text: &str) -> Process {
    text::parse(text).expect("a readable trace")
}

/// One line for each event: number, thread, clock, happened-before, kind, object.
fn list(order: &Order<'_>) -> String {
    let mut lines = String::new();
    for event in order.events() {
        let before = event
            .happened_before
            .map_or("-".to_owned(), |number| number.to_string());
        let object = order.object(&event).map_or("", |object| &object.name);
        let line = format!(
            "{} {} {} {before} {} {object}",
            event.number,
            order.thread(&event).path,
            event.clock,
            event.event.kind
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}

#[track_caller]
fn check_order(text: &str, expected: &str) {
    let process = process(text);
    let expected: String = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(list(&Order::of(&process)), expected);
}

#[test]
fn locks_order_threads() {
    check_order(
        "
        t1 start t2
        t1 acquire m:com/example/Account
        t2 acquire m
        t2 acquire n
        t1 acquire n
        t2 exit
        t1 join t2
        ",
        "
        1 main 1 - start
        2 main 2 - acquire Account#1
        3 main.1 3 2 acquire Account#1
        4 main.1 4 - acquire lock#2
        5 main 5 4 acquire lock#2
        6 main.1 5 - exit
        7 main 6 6 join
        ",
    );
}

#[test]
fn a_thread_comes_after_its_start_and_independent_threads_share_clocks() {
    check_order(
        "
        t1 start t2
        t1 start t3
        t2 acquire a
        t3 acquire b
        t3 start t4
        t4 acquire a
        ",
        "
        1 main 1 - start
        2 main 2 - start
        3 main.1 2 1 acquire lock#1
        4 main.2 3 2 acquire lock#2
        5 main.2 4 - start
        6 main.2.1 5 5 acquire lock#1
        ",
    );
}

#[test]
fn a_wait_comes_after_its_notify() {
    let text = "
        t1 start t2
        t1 acquire m
        t2 acquire m
        t2 notify m
        t2 acquire m
        t1 wait m by 5
        t1 interrupt t2
        t2 wait m by 8
        ";
    check_order(
        text,
        "
        1 main 1 - start
        2 main 2 - acquire lock#1
        3 main.1 3 2 acquire lock#1
        4 main.1 4 3 notify lock#1
        5 main.1 5 4 acquire lock#1
        6 main 6 5 wait lock#1
        7 main 7 - interrupt main.1
        8 main.1 8 7 wait lock#1
        ",
    );
    let process = process(text);
    let order = Order::of(&process);
    assert_eq!(order.woken_by(EventNumber(4)), [EventNumber(6)]);
    assert_eq!(order.woken_by(EventNumber(7)), [EventNumber(8)]);
}

#[test]
fn objects_of_one_cell_are_told_apart() {
    check_order(
        "
        t1 start t2
        t1 acquire c%1
        t2 acquire c%2
        t1 acquire c%1
        t2 acquire c%2
        ",
        "
        1 main 1 - start
        2 main 2 - acquire lock#1
        3 main.1 3 2 acquire lock#2
        4 main 4 3 acquire lock#1
        5 main.1 5 4 acquire lock#2
        ",
    );
}

#[test]
fn repetitions_are_one_event_and_what_is_linked_comes_after_all_of_them() {
    let text = "
        t1 start t2
        t1 acquire m
        t1 repeat 7
        t2 acquire m
        t1 exit
        ";
    check_order(
        text,
        "
        1 main 1 - start
        2 main 2 - acquire lock#1
        3 main 3 - exit
        4 main.1 3 2 acquire lock#1
        ",
    );
    let process = process(text);
    assert_eq!(Order::of(&process).event(EventNumber(2)).unwrap().times, 8);
    assert_eq!(Cut::of(&process).kept, 11);
    assert_eq!(process.events(), 11);
}

#[test]
fn class_initialisers_come_after_the_thread_that_ran_them() {
    check_order(
        "
        t1 acquire m
        t1 acquire m
        c2 class-init t1
        c2 class-init-end
        t1 park
        ",
        "
        1 main 1 - acquire lock#1
        2 main 2 1 acquire lock#1
        3 main 3 - park main
        4 init: 3 2 class-init
        5 init: 4 - class-init-end
        ",
    );
}

#[test]
fn threads_are_found_by_any_of_their_names() {
    let mut process = process("t1 start t2\nt2 exit");
    process.thread_mut(StreamId(2)).name = "worker".to_owned();
    let order = Order::of(&process);
    let worker = &order.threads()[1];
    for name in ["main.1", "worker", "t2", "2"] {
        assert!(worker.is(name), "{name}");
    }
    assert!(!worker.is("main") && !worker.is(""));
    assert_eq!(worker.to_string(), "main.1 \"worker\"");
}

#[test]
fn links_and_numbers_lead_to_each_other() {
    let process = process("t1 start t2\nt1 acquire m\nt2 acquire m");
    let order = Order::of(&process);
    for event in order.events() {
        let link = order.link(event.number).unwrap();
        assert_eq!(order.number_at(link), Some(event.number));
    }
    assert_eq!(order.number_at(Link::new(StreamId(1), Position(99))), None);
    assert_eq!(order.event(EventNumber(0)).map(|event| event.number), None);
}

#[test]
fn what_comes_after_a_missing_event_is_cut() {
    let mut process = process(
        "
        t1 start t2
        t1 acquire m
        t2 acquire m
        t2 exit
        t1 join t2
        t1 exit
        ",
    );
    // The exit of t2 was not written in time.
    process.thread_mut(StreamId(2)).words.pop();
    let cut = Cut::of(&process);
    assert_eq!((cut.kept, cut.left_out), (3, 2));
    assert_eq!(
        (cut.end(StreamId(1)), cut.end(StreamId(2))),
        (Position(6), Position(3))
    );

    // A thread whose start is missing did not run.
    process.thread_mut(StreamId(1)).words.clear();
    let cut = Cut::of(&process);
    assert_eq!((cut.kept, cut.left_out), (0, 1));
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let mut text = "t1 start t2\n".to_owned();
    for _ in 0..50_000 {
        text.push_str("t1 acquire m\nt2 acquire m\n");
    }
    let process = process(&text);
    let order = Order::of(&process);
    assert_eq!(order.len(), 100_001);
    assert_eq!(order.events().last().unwrap().clock, 100_001);
}

/// The definition, word for word: the slowest way to compute it.
mod reference {
    use super::*;
    use std::collections::BTreeMap;

    pub fn predecessors(process: &Process, here: Link, event: &Event) -> Option<Vec<Link>> {
        let mut links = Vec::new();
        if event.kind.link_role() != LinkRole::None {
            links.extend(event.previous);
        }
        if let Ok(Operation::Wait(Woken::By(link))) = event.operation() {
            links.push(link);
        }
        if event.position == Position::FIRST {
            let start = process.threads.iter().flat_map(|thread| thread.events().flatten().map(|event| (thread.stream, event))).find(|(_, event)| {
                matches!(event.operation(), Ok(Operation::Start { child } | Operation::Hook { child }) if child == here.stream)
            });
            match start {
                Some((stream, start)) => links.push(Link::new(stream, start.position)),
                None if process.thread(here.stream).unwrap().parent.is_some() => return None,
                None => (),
            }
        }
        Some(links)
    }

    /// Clock of every event that can be reached: repeated until nothing changes.
    pub fn clocks(process: &Process) -> BTreeMap<Link, u64> {
        let mut clocks: BTreeMap<Link, u64> = BTreeMap::new();
        loop {
            let mut changed = false;
            for thread in &process.threads {
                let mut before = 0;
                for event in thread.events().flatten() {
                    let here = thread.link(event.position);
                    if !clocks.contains_key(&here) {
                        let Some(links) = predecessors(process, here, &event) else {
                            break;
                        };
                        let known: Option<Vec<u64>> = links
                            .iter()
                            .map(|link| {
                                let target = process.thread(link.stream)?.events().flatten().find(
                                    |event| {
                                        event.position <= link.position
                                            && link.position < event.end()
                                    },
                                )?;
                                clocks
                                    .get(&Link::new(link.stream, target.position))
                                    .copied()
                            })
                            .collect();
                        let Some(known) = known else { break };
                        clocks.insert(here, known.into_iter().fold(before, u64::max) + 1);
                        changed = true;
                    }
                    before = clocks[&here];
                }
            }
            if !changed {
                return clocks;
            }
        }
    }
}

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn random_text(random: &mut Random, lines: usize) -> String {
    let mut text = String::new();
    let mut running = vec![1];
    let mut ended: Vec<usize> = Vec::new();
    let mut next = 2;
    let mut notifies: Vec<usize> = Vec::new();
    for line in 1..=lines {
        let thread = running[random.below(running.len())];
        let object = random.below(4);
        let words = match random.below(12) {
            0 if next < 9 => {
                running.push(next);
                next += 1;
                format!("start t{}", next - 1)
            }
            1 if thread != 1 => {
                running.retain(|&other| other != thread);
                ended.push(thread);
                "exit".to_owned()
            }
            2 if !ended.is_empty() => format!("join t{}", ended[random.below(ended.len())]),
            3 => {
                notifies.push(line);
                format!("notify m{object}")
            }
            4 if !notifies.is_empty() => format!(
                "wait m{object} by {}",
                notifies[random.below(notifies.len())]
            ),
            5 => format!("unpark t{}", running[random.below(running.len())]),
            6 => "park".to_owned(),
            7 => format!("acquire cell%{object}"),
            8 => format!("value {line}"),
            _ => format!("acquire m{object}"),
        };
        text.push_str(&format!("t{thread} {words}\n"));
    }
    text
}

#[test]
fn the_fast_way_agrees_with_the_definition() {
    let mut random = Random(42);
    for round in 0..300 {
        let text = random_text(&mut random, 5 + round % 60);
        let mut process = process(&text);
        if round % 2 == 1 {
            for thread in &mut process.threads {
                // Cut at the start of an event, as a killed recording is.
                let starts: Vec<u64> = thread
                    .events()
                    .flatten()
                    .map(|event| event.position.0 - 1)
                    .collect();
                if !starts.is_empty() && random.below(2) == 0 {
                    let cut = starts[random.below(starts.len())];
                    thread.words.truncate(cut as usize);
                }
            }
        }
        let clocks = reference::clocks(&process);
        let order = Order::of(&process);
        let found: std::collections::BTreeMap<Link, u64> = order
            .events()
            .map(|event| (order.link(event.number).unwrap(), event.clock))
            .collect();
        assert_eq!(found, clocks, "round {round}:\n{text}");
        assert_eq!(Cut::of(&process).kept, clocks.len() as u64, "round {round}");
        for event in order.events() {
            assert!(
                event
                    .happened_before
                    .is_none_or(|before| before < event.number),
                "round {round}"
            );
        }
    }
}
