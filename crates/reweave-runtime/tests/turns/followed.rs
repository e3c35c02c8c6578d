//! Follows a trace with real threads that dawdle at random, and checks the order in which things happened with a slow and obvious checker.

use crate::random::{Random, trace};
use crate::streams;
use reweave_runtime::turns::{Turn, Turns};
use reweave_runtime::watch;
use reweave_trace::{Event, Kind, Link, Position, Process, SiteId, StreamId, text};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Events in the order in which they happened, each as often as it did.
type Log = Arc<Mutex<Vec<Link>>>;

#[track_caller]
fn check_followed(text: &str, seed: u64) {
    let process = text::parse(text).expect("a trace");
    let log = follow(&process, seed, text);
    if let Err(wrong) = check_order(&process, &log) {
        panic!("seed {seed}: {wrong}\n{text}");
    }
}

/// Runs every stream on a thread of its own.
fn follow(process: &Process, seed: u64, text: &str) -> Vec<Link> {
    let turns = Arc::new(Turns::new(streams(process), None));
    let log = Log::default();
    let (finished, all_finished) = channel();
    for thread in &process.threads {
        let stream = Stream {
            id: thread.stream,
            turns: turns.clone(),
            log: log.clone(),
            random: Random::new(seed + u64::from(thread.stream.0) * 1_000),
        };
        let events: Vec<Event> = thread.events().map(|event| event.expect("valid")).collect();
        let finished: Sender<()> = finished.clone();
        std::thread::spawn(move || {
            stream.run(&events);
            drop(finished);
        });
    }
    drop(finished);
    // Nothing is ever sent: the channel closes when the last thread has ended.
    match all_finished.recv_timeout(Duration::from_secs(60)) {
        Err(RecvTimeoutError::Disconnected) => (),
        _ => panic!(
            "seed {seed}: nobody goes on: {:#?}\n{text}",
            watch::describe(&turns, |id| format!("t{id}"), |site| site.to_string())
        ),
    }
    let log = log.lock().expect("no panic");
    log.clone()
}

struct Stream {
    id: StreamId,
    turns: Arc<Turns>,
    log: Log,
    random: Random,
}

impl Stream {
    fn run(mut self, events: &[Event]) {
        for (index, event) in events.iter().enumerate() {
            match event.kind {
                Kind::Foreign => (),
                Kind::Repeat => {
                    for _ in 0..event.times() {
                        self.perform(&events[index - 1]);
                    }
                }
                _ => self.perform(event),
            }
        }
        let after = self.turns.enter(self.id, Kind::Exit, SiteId(0));
        assert_eq!(after, Turn::End, "t{}", self.id);
        self.turns.ended(self.id);
    }

    fn perform(&mut self, event: &Event) {
        self.dawdle();
        let turn = self.turns.enter(self.id, event.kind, event.site);
        assert_eq!(turn, Turn::Go, "t{} at {}", self.id, event.position);
        self.dawdle();
        let here = Link::new(self.id, event.position);
        self.log.lock().expect("no panic").push(here);
        if event.kind != Kind::Acquire {
            self.turns.done(self.id);
        } else if self.turns.done_without_waking(self.id) {
            self.dawdle();
            self.turns.wake_up(self.id);
        }
    }

    fn dawdle(&mut self) {
        match self.random.below(12) {
            0 => std::thread::sleep(Duration::from_micros(self.random.below(300))),
            1..4 => std::thread::yield_now(),
            4..6 => (0..self.random.below(2_000)).for_each(|_| std::hint::spin_loop()),
            _ => (),
        }
    }
}

/// Whether everything happened as often as recorded, and after what it came after in the recording.
fn check_order(process: &Process, log: &[Link]) -> Result<(), String> {
    let first = |link: Link| log.iter().position(|happened| *happened == link);
    let last = |link: Link| log.iter().rposition(|happened| *happened == link);
    for thread in &process.threads {
        let events: Vec<Event> = thread.events().map(|event| event.expect("valid")).collect();
        for (index, event) in events.iter().enumerate() {
            let here = thread.link(event.position);
            if matches!(event.kind, Kind::Foreign | Kind::Repeat) {
                continue;
            }
            let repeats = events
                .get(index + 1)
                .filter(|next| next.kind == Kind::Repeat)
                .map_or(0, Event::times);
            let times = log.iter().filter(|happened| **happened == here).count() as u64;
            if times != repeats + 1 {
                return Err(format!("{here} happened {times} times"));
            }
            for link in predecessors(event) {
                let before = event_at(process, link);
                // A static initialiser may run between two repetitions, on the thread that makes them.
                let enough = match event.kind {
                    Kind::ClassInit => first(before),
                    _ => last(before),
                };
                if before != here && enough >= first(here) {
                    return Err(format!("{here} did not wait for {before}"));
                }
            }
        }
    }
    Ok(())
}

fn predecessors(event: &Event) -> impl Iterator<Item = Link> {
    let woken_by = match event.kind {
        Kind::Wait => event.value.and_then(Link::unpack),
        _ => None,
    };
    event.previous.into_iter().chain(woken_by)
}

/// The event that a link names, by whichever of its words: for what a thread outside did, the operation that found it out; for repetitions, what
/// was repeated.
fn event_at(process: &Process, link: Link) -> Link {
    let thread = process.thread(link.stream).expect("a thread");
    let mut found = None;
    for event in thread.events().flatten() {
        match event.kind {
            Kind::Foreign => continue,
            Kind::Repeat => (),
            _ => found = Some(event.position),
        }
        if event.end() > link.position {
            break;
        }
    }
    thread.link(found.expect("an event"))
}

#[test]
fn random_traces() {
    for seed in 0..250 {
        check_followed(&trace(seed), seed);
    }
}

#[test]
fn a_lock_goes_back_and_forth() {
    let text = "t1 acquire m\nt2 acquire m\n".repeat(300);
    for seed in 0..5 {
        check_followed(&text, seed);
    }
}

#[test]
fn many_wait_for_one() {
    let mut text = "t1 acquire m\nt1 notify-all m\n".to_owned();
    for thread in 2..30 {
        text += &format!("t{thread} wait m by 2\n");
    }
    for seed in 0..5 {
        check_followed(&text, seed);
    }
}

#[test]
fn the_checker_notices() {
    let process = text::parse("t1 acquire m\nt2 acquire m\nt2 repeat 1").expect("a trace");
    let link = |stream, position| Link::new(StreamId(stream), Position(position));
    let check = |log: &[Link]| check_order(&process, log).err();
    assert_eq!(check(&[link(1, 1), link(2, 1), link(2, 1)]), None);
    assert!(check(&[link(2, 1), link(1, 1), link(2, 1)]).is_some());
    assert!(check(&[link(1, 1), link(2, 1)]).is_some());
    assert!(check(&[]).is_some());
    // And the random traces have something to notice.
    let process = text::parse(&trace(7)).expect("a trace");
    let by_thread: Vec<Link> = process
        .threads
        .iter()
        .flat_map(|thread| {
            thread
                .events()
                .flatten()
                .map(|event| thread.link(event.position))
        })
        .collect();
    assert!(check_order(&process, &by_thread).is_err());
}
