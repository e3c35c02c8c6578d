//! How fast a trace is analysed, and in how much memory.
//!
//! ```text
//! races-bench generated [EVENTS…]   made-up traces, by default of 1, 3 and 10 million events
//! races-bench logs FILE…            DroidRacer logs: reading, order and counting, best of ten
//! ```
//!
//! The made-up program has 3 queues, 13 threads and 16 locks; a quarter of the posts come from outside and are related
//! to nothing. Locations are as many for a long trace as for a short one, so that what grows with the trace shows.

use reweave_analysis::races::Options;
use reweave_analysis::races::count::count;
use reweave_analysis::races::droidracer;
use reweave_analysis::races::event::{Event, LocationId, LockId, Op, Post, Site, TaskId, ThreadId};
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::RuleSet;
use reweave_analysis::races::stream::Stream;
use std::collections::VecDeque;
use std::process::ExitCode;
use std::time::Instant;

const QUEUES: u32 = 3;
const WORKERS: u32 = 13;
const OUTSIDE: u32 = QUEUES + WORKERS;
const LOCKS: usize = 16;
const OUTSIDE_POSTS: usize = 25;
/// Posts that may wait in all queues together.
const WAITING: usize = 200;

/// Where a task or thread keeps its own variables.
#[derive(Clone, Copy)]
struct Home(u32);

const POOL: usize = 256;
/// Variables that are accessed under a lock, and variables that are only read.
const GUARDED: usize = 1024;
const CONSTANTS: usize = 1024;

struct Program {
    random: u64,
    running: Vec<Option<(TaskId, Home)>>,
    waiting: Vec<VecDeque<(TaskId, Home)>>,
    lock_holder: [bool; LOCKS],
    next_task: u32,
    out: Vec<Event>,
}

impl Program {
    fn new() -> Program {
        let mut program = Program {
            random: 88_172_645_463_325_252,
            running: vec![None; OUTSIDE as usize],
            waiting: vec![VecDeque::new(); QUEUES as usize],
            lock_holder: [false; LOCKS],
            next_task: 0,
            out: Vec::new(),
        };
        for thread in 0..OUTSIDE {
            program.emit(thread, Op::ThreadBegin, 0);
            if thread < QUEUES {
                program.emit(thread, Op::AttachQueue, 0);
                program.emit(thread, Op::Loop, 0);
            }
        }
        program
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % limit
    }

    fn emit(&mut self, thread: u32, op: Op, site: u32) {
        self.out
            .push(Event::new(ThreadId(thread), op).at(Site(site)));
    }

    /// Appends what one thread does next.
    fn turn(&mut self) {
        let thread = self.below(OUTSIDE as usize) as u32;
        let mut home = Home(thread);
        if thread < QUEUES {
            let Some((task, from)) = self.waiting[thread as usize].pop_front() else {
                return;
            };
            self.emit(thread, Op::TaskBegin(task), 0);
            self.running[thread as usize] = Some((task, from));
            home = from;
        }
        for _ in 0..1 + self.below(4) {
            match self.below(20) {
                0..=3 => self.post(thread),
                4..=5 => self.lock(thread, home),
                _ => self.accesses(thread, home),
            }
        }
        if let Some((task, _)) = self.running[thread as usize].take() {
            self.emit(thread, Op::TaskEnd(task), 0);
        }
    }

    fn post(&mut self, thread: u32) {
        if self.waiting.iter().map(VecDeque::len).sum::<usize>() >= WAITING {
            return;
        }
        let to = self.below(QUEUES as usize) as u32;
        let task = TaskId(self.next_task);
        self.next_task += 1;
        let post = Op::Post(Post::plain(task, ThreadId(to)));
        if self.below(100) < OUTSIDE_POSTS {
            self.emit(OUTSIDE, Op::OutsideEnter, 0);
            self.emit(OUTSIDE, post, 0);
            self.emit(OUTSIDE, Op::OutsideLeave, 0);
            self.waiting[to as usize].push_back((task, Home(OUTSIDE + 1 + to)));
        } else {
            self.emit(thread, post, 0);
            // Tasks that one thread posts to one queue follow each other: they share their variables. Those posted by
            // unrelated tasks do not.
            let home = if thread < QUEUES {
                OUTSIDE + 1 + to
            } else {
                OUTSIDE + 10 + thread * QUEUES + to
            };
            self.waiting[to as usize].push_back((task, Home(home)));
        }
    }

    fn lock(&mut self, thread: u32, home: Home) {
        let lock = self.below(LOCKS);
        if self.lock_holder[lock] {
            return;
        }
        self.emit(thread, Op::Acquire(LockId(lock as u32)), 0);
        for _ in 0..3 {
            let guarded = LocationId((lock + LOCKS * self.below(GUARDED / LOCKS)) as u32);
            self.emit(thread, Op::Read(guarded), 1);
            self.emit(thread, Op::Write(guarded), 2);
        }
        self.accesses(thread, home);
        self.emit(thread, Op::Release(LockId(lock as u32)), 0);
    }

    fn accesses(&mut self, thread: u32, home: Home) {
        let from_outside = home.0 > OUTSIDE && home.0 <= OUTSIDE + QUEUES;
        for _ in 0..12 {
            let site = 10 + self.below(3) as u32;
            let is_constant = self.below(20) == 0;
            let location = if is_constant {
                LocationId((GUARDED + self.below(CONSTANTS)) as u32)
            } else {
                LocationId((GUARDED + CONSTANTS + home.0 as usize * POOL + self.below(POOL)) as u32)
            };
            // Tasks from outside mostly look at things; what they write is unordered and races.
            let one_in = if from_outside { 2000 } else { 6 };
            let writes = !is_constant && self.below(one_in) == 0;
            let op = if writes {
                Op::Write(location)
            } else {
                Op::Read(location)
            };
            self.emit(thread, op, if writes { site + 10 } else { site });
        }
    }
}

/// Peak resident memory of this process, in MB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

/// Processor time of this process, in seconds.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|field| field.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

fn generate(count: usize, mut take: impl FnMut(&Event)) -> f64 {
    let start = processor_time();
    let mut program = Program::new();
    let mut made = 0;
    while made < count {
        program.turn();
        for event in program.out.drain(..) {
            take(&event);
            made += 1;
        }
    }
    processor_time() - start
}

fn generated(count: usize) {
    let alone = generate(count, |event| {
        std::hint::black_box(event);
    });
    let mut stream = Stream::new(&Options::default());
    let mut refused = 0u64;
    let total = generate(count, |event| {
        refused += u64::from(stream.event(event).is_err())
    });
    let findings = stream.finish();
    let seconds = total - alone;
    println!(
        "{count} events: {seconds:.2} s of processor time, {:.2} M events/s; peak memory {} MB; {} tasks, at most {} kept; {} chains; \
         {} races of {} pairs; {} accesses forgotten; {refused} events refused",
        count as f64 / seconds / 1e6,
        peak_memory(),
        findings.work.tasks_begun,
        findings.work.tasks_kept,
        findings.work.chains,
        findings.races.len(),
        findings.pairs,
        findings.forgotten,
    );
}

fn logs(paths: &[String]) -> ExitCode {
    let mut total = 0.0;
    for path in paths {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let mut best = f64::MAX;
        let mut line = String::new();
        for _ in 0..10 {
            let start = Instant::now();
            let log = match droidracer::parse(&bytes) {
                Ok(log) => log,
                Err(error) => {
                    eprintln!("{path}: {error}");
                    return ExitCode::FAILURE;
                }
            };
            let Ok(relation) = Relation::of(&log.events, RuleSet::DROIDRACER) else {
                return ExitCode::FAILURE;
            };
            let counts = count(&log, &relation, u64::MAX).counts;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            line = format!(
                "{} operations: {}/{}/{}/{}/{}, {} pairs, {} passes",
                log.table.length,
                counts.multi_threaded,
                counts.cross_posted,
                counts.co_enabled(),
                counts.delayed,
                counts.uncategorised,
                counts.pairs,
                relation.work().passes,
            );
        }
        println!("{path}: {best:.1} ms, {line}");
        total += best;
    }
    println!("together {total:.1} ms");
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((verb, files)) if verb == "logs" => logs(files),
        Some((verb, counts)) if verb == "generated" => {
            let counts: Vec<usize> = counts
                .iter()
                .filter_map(|count| count.parse().ok())
                .collect();
            let default = [1_000_000, 3_000_000, 10_000_000];
            let counts = if counts.is_empty() {
                &default[..]
            } else {
                &counts
            };
            counts.iter().for_each(|count| generated(*count));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("races-bench generated [EVENTS…] | logs FILE…");
            ExitCode::from(2)
        }
    }
}
