//! The rules written down as they are stated, with no thought of speed: every operation is a node, the relation is a
//! bit matrix, and all rules are applied to all nodes until nothing changes. The engine must agree with it.

use crate::environment_reference::{Automata, Link};
use reweave_analysis::races::event::{
    Event, LocationId, Op, Passage, Place, Post, Site, TaskId, ThreadId,
};
use reweave_analysis::races::rules::{Rule, RuleSet};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq)]
pub struct Bits(Vec<u64>);

impl Bits {
    fn new(size: usize) -> Bits {
        Bits(vec![0; size.div_ceil(64)])
    }

    pub fn has(&self, bit: usize) -> bool {
        self.0[bit / 64] & (1 << (bit % 64)) != 0
    }

    fn set(&mut self, bit: usize) -> bool {
        let new = !self.has(bit);
        self.0[bit / 64] |= 1 << (bit % 64);
        new
    }

    fn add(&mut self, other: &Bits, mask: Option<&Bits>) -> bool {
        let mut changed = false;
        for (index, word) in self.0.iter_mut().enumerate() {
            let more = other.0[index] & mask.map_or(u64::MAX, |mask| mask.0[index]);
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|bit| self.has(*bit))
    }
}

#[derive(Clone, Default)]
struct Task {
    post: Option<(usize, Post)>,
    begin: Option<usize>,
    end: Option<usize>,
    queue: Option<ThreadId>,
}

/// The relation of one trace.
pub struct Reference {
    rules: RuleSet,
    /// For each operation, those that happened before it.
    pub before: Vec<Bits>,
    edges: Vec<(usize, usize)>,
    thread: Vec<ThreadId>,
    task: Vec<Option<TaskId>>,
    tasks: BTreeMap<TaskId, Task>,
    barriers: Vec<(ThreadId, usize, Option<usize>)>,
    links: Vec<Link>,
}

impl Reference {
    pub fn of(events: &[Event], rules: RuleSet) -> Reference {
        let mut reference = Reference {
            rules,
            before: vec![Bits::new(events.len()); events.len()],
            edges: Vec::new(),
            thread: events.iter().map(|event| event.thread).collect(),
            task: vec![None; events.len()],
            tasks: BTreeMap::new(),
            barriers: Vec::new(),
            links: Vec::new(),
        };
        reference.find_tasks(events);
        reference.program_order(events);
        reference.synchronization(events);
        reference.queues(events);
        reference.adhoc(events);
        let loops = events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.op == Op::Loop);
        let loops = loops.map(|(index, event)| (event.thread, index)).collect();
        let posts = reference
            .tasks
            .iter()
            .filter_map(|(id, task)| Some((*id, task.post?.0)))
            .collect();
        let mut automata = Automata::new(rules).know(loops, posts);
        for (index, event) in events.iter().enumerate() {
            if let Op::Environment(op) = &event.op {
                automata.step(op, index, event.thread, reference.task[index]);
            }
        }
        reference.links = automata.links;
        reference.saturate(events);
        reference
    }

    fn edge(&mut self, from: Option<usize>, to: Option<usize>) {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            self.edges.push((from, to));
        }
    }

    fn find_tasks(&mut self, events: &[Event]) {
        let mut running: BTreeMap<ThreadId, TaskId> = BTreeMap::new();
        for (index, event) in events.iter().enumerate() {
            match &event.op {
                Op::Post(post) => {
                    let task = self.tasks.entry(post.task).or_default();
                    task.post = Some((index, *post));
                    task.queue = Some(post.to);
                }
                Op::TaskBegin(id) => {
                    running.insert(event.thread, *id);
                    self.tasks.entry(*id).or_default().begin = Some(index);
                }
                Op::TaskEnd(id) => self.tasks.entry(*id).or_default().end = Some(index),
                _ => (),
            }
            self.task[index] = running.get(&event.thread).copied();
            if matches!(event.op, Op::TaskEnd(_)) {
                running.remove(&event.thread);
            }
        }
    }

    fn program_order(&mut self, events: &[Event]) {
        let mut previous: BTreeMap<ThreadId, usize> = BTreeMap::new();
        let mut looped: BTreeMap<ThreadId, usize> = BTreeMap::new();
        for (index, event) in events.iter().enumerate() {
            let thread = event.thread;
            if !matches!(
                event.op,
                Op::ThreadBegin | Op::TaskBegin(_) | Op::OutsideEnter
            ) {
                self.edge(previous.get(&thread).copied(), Some(index));
            }
            previous.insert(thread, index);
            match event.op {
                Op::Loop => {
                    looped.insert(thread, index);
                }
                Op::TaskBegin(_) if self.rules.has(Rule::Loop) => {
                    self.edge(looped.get(&thread).copied(), Some(index));
                }
                _ => (),
            }
            // Between tasks only the beginning of the loop is certain.
            if matches!(event.op, Op::Loop | Op::TaskEnd(_)) {
                match looped.get(&thread) {
                    Some(looped) if self.rules.has(Rule::Loop) => previous.insert(thread, *looped),
                    _ => previous.remove(&thread),
                };
            }
            if matches!(event.op, Op::OutsideLeave | Op::ThreadEnd) {
                previous.remove(&thread);
            }
        }
    }

    /// Whether a synchronization between these two may order them at all.
    fn may_order(&self, from: usize, to: usize) -> bool {
        self.thread[from] != self.thread[to]
    }

    fn synchronization(&mut self, events: &[Event]) {
        let mut held: BTreeMap<(ThreadId, u32), u32> = BTreeMap::new();
        for (index, event) in events.iter().enumerate() {
            match &event.op {
                Op::Acquire(lock) => *held.entry((event.thread, lock.0)).or_default() += 1,
                Op::Release(lock) => *held.entry((event.thread, lock.0)).or_default() -= 1,
                _ => (),
            }
            let outermost = |lock: u32, depth| held[&(event.thread, lock)] == depth;
            let (rule, froms): (Rule, Vec<usize>) = match &event.op {
                Op::ThreadBegin => (
                    Rule::Fork,
                    last(events, index, |e| e.op == Op::Fork(event.thread)),
                ),
                Op::Join(child) => (
                    Rule::Join,
                    last(events, index, |e| {
                        e.op == Op::ThreadEnd && e.thread == *child
                    }),
                ),
                Op::Acquire(lock) if outermost(lock.0, 1) => (
                    Rule::Lock,
                    all(events, index, |e| e.op == Op::Release(*lock)),
                ),
                Op::Wait => (
                    Rule::Notify,
                    last(events, index, |e| e.op == Op::Notify(event.thread)),
                ),
                Op::VolatileRead(x) | Op::VolatileUpdate(x) => {
                    let writes =
                        |e: &Event| e.op == Op::VolatileWrite(*x) || e.op == Op::VolatileUpdate(*x);
                    (Rule::Volatile, all(events, index, writes))
                }
                Op::Park => {
                    let parked = last(events, index, |e| {
                        e.op == Op::Park && e.thread == event.thread
                    });
                    let since = parked.first().copied().unwrap_or(0);
                    let unparks = all(events, index, |e| e.op == Op::Unpark(event.thread));
                    (
                        Rule::Park,
                        unparks
                            .into_iter()
                            .filter(|unpark| *unpark >= since)
                            .collect(),
                    )
                }
                Op::JobBegin(job) => (Rule::Job, last(events, index, |e| e.op == Op::Submit(*job))),
                Op::JobAwait(job) => (Rule::Job, last(events, index, |e| e.op == Op::JobEnd(*job))),
                Op::ClassUse(class) => (
                    Rule::ClassInit,
                    all(events, index, |e| e.op == Op::ClassReady(*class)),
                ),
                Op::ThreadEnd => {
                    let ends =
                        |e: &Event| matches!(e.op, Op::TaskEnd(_)) && e.thread == event.thread;
                    (Rule::LoopEnd, all(events, index, ends))
                }
                _ => continue,
            };
            for from in froms {
                if self.rules.has(rule) && (rule == Rule::LoopEnd || self.may_order(from, index)) {
                    self.edge(Some(from), Some(index));
                }
            }
        }
    }

    fn queues(&mut self, events: &[Event]) {
        let tasks: Vec<Task> = self.tasks.values().cloned().collect();
        for task in &tasks {
            let Some((post, _)) = task.post else { continue };
            if self.rules.has(Rule::Post) {
                self.edge(Some(post), task.begin);
                // The task that posted it, if on the same queue.
                if let Some(parent) = self.task[post]
                    .and_then(|parent| self.tasks.get(&parent))
                    .cloned()
                    && parent.queue == task.queue
                    && task.begin.is_some()
                {
                    self.edge(parent.end, task.begin);
                }
            }
        }
        for (index, event) in events.iter().enumerate() {
            match &event.op {
                Op::BarrierPost { barrier, to } => {
                    let removed = events
                        .iter()
                        .position(|e| e.op == Op::BarrierRemove(*barrier));
                    self.barriers.push((*to, index, removed));
                }
                _ => continue,
            }
        }
    }

    /// A read that is at least the third of one variable at one place, with only reads in between, and the first to
    /// see another thread's write: that write comes before what follows, unless the same read follows.
    fn adhoc(&mut self, events: &[Event]) {
        if !self.rules.has(Rule::AdHoc) {
            return;
        }
        for (index, event) in events.iter().enumerate() {
            let Op::Read(location) = event.op else {
                continue;
            };
            if event.site == Site::UNKNOWN {
                continue;
            }
            let own: Vec<usize> = all(events, index, |e| e.thread == event.thread);
            let mut streak: Vec<usize> = own
                .iter()
                .rev()
                .copied()
                .take_while(|i| is_read(&events[*i]))
                .collect();
            streak.reverse();
            // One loop is taken to read no more than eight variables.
            let mut followed: Vec<(LocationId, Site)> = Vec::new();
            for i in streak.iter().copied().chain([index]) {
                let (Op::Read(x), site) = (&events[i].op, events[i].site) else {
                    continue;
                };
                if site != Site::UNKNOWN && !followed.contains(&(*x, site)) && followed.len() < 8 {
                    followed.push((*x, site));
                }
            }
            if !followed.contains(&(location, event.site)) {
                continue;
            }
            let same = |e: &Event| e.op == Op::Read(location) && e.site == event.site;
            let reads: Vec<usize> = streak.into_iter().filter(|i| same(&events[*i])).collect();
            let Some(&previous) = reads.last().filter(|_| reads.len() >= 2) else {
                continue;
            };
            let write = events[..index]
                .iter()
                .rposition(|e| e.op == Op::Write(location));
            let Some(write) =
                write.filter(|write| *write > previous && events[*write].thread != event.thread)
            else {
                continue;
            };
            let next = (index + 1..events.len()).find(|i| events[*i].thread == event.thread);
            if let Some(next) = next.filter(|next| !same(&events[*next])) {
                self.adhoc_edge(events, write, next);
            }
        }
    }

    fn adhoc_edge(&mut self, events: &[Event], write: usize, next: usize) {
        let both_in_tasks = self.task[write].is_some() && self.task[next].is_some();
        if both_in_tasks && self.thread[write] == self.thread[next] {
            return;
        }
        // An operation that begins a new stretch has nothing to do with what was read before it.
        let fresh = matches!(
            events[next].op,
            Op::ThreadBegin | Op::TaskBegin(_) | Op::OutsideEnter
        );
        if !fresh {
            self.edge(Some(write), Some(next));
        }
    }

    fn saturate(&mut self, events: &[Event]) {
        for (from, to) in std::mem::take(&mut self.edges) {
            self.before[to].set(from);
        }
        while self.round(events) {}
    }

    /// One application of every rule. Says whether anything changed.
    fn round(&mut self, events: &[Event]) -> bool {
        let mut changed = self.environment_links();
        changed |= self.task_rules(events);
        for index in 0..events.len() {
            changed |= self.transitivity(index);
        }
        changed
    }

    fn environment_links(&mut self) -> bool {
        let mut changed = false;
        let links = std::mem::take(&mut self.links);
        for link in &links {
            let holds = link
                .provided
                .is_none_or(|(first, second)| self.before[second].has(first));
            let from = link.from.resolve(
                |task| {
                    self.tasks
                        .get(&task)
                        .and_then(|task| task.post.map(|post| post.0))
                },
                |task| self.tasks.get(&task).and_then(|task| task.end),
            );
            let post_of = |task| {
                self.tasks
                    .get(&task)
                    .and_then(|task: &Task| task.post.map(|post| post.0))
            };
            let begin_of = |task| self.tasks.get(&task).and_then(|task: &Task| task.begin);
            let to = link.to.resolve(post_of, begin_of);
            if let (true, Some(from), Some(to)) = (holds && from != to, from, to) {
                changed |= self.before[to].set(from);
            }
        }
        self.links = links;
        changed
    }

    fn task_rules(&mut self, events: &[Event]) -> bool {
        let mut changed = false;
        let tasks: Vec<(TaskId, Task)> = self
            .tasks
            .iter()
            .map(|(id, task)| (*id, task.clone()))
            .collect();
        for (id, task) in &tasks {
            let (Some(begin), Some((post, spec))) = (task.begin, task.post) else {
                continue;
            };
            let had_barrier = self
                .barriers
                .iter()
                .any(|(to, at, _)| Some(*to) == task.queue && *at < begin);
            let mut first = BTreeSet::new();
            for (other_id, other) in &tasks {
                let (Some(end), Some((other_post, other_spec))) = (other.end, other.post) else {
                    continue;
                };
                if other_id == id || other.queue != task.queue {
                    continue;
                }
                let fifo = self.rules.has(Rule::Fifo)
                    && self.before[post].has(other_post)
                    && self.runs_first(&other_spec, &spec, had_barrier);
                let front = self.rules.has(Rule::Front)
                    && other_spec.place == Place::Front
                    && self.before[other_post].has(post)
                    && self.before[begin].has(other_post);
                let part = self.rules.has(Rule::NoPreemption)
                    && self.before[begin]
                        .ones()
                        .any(|x| self.task[x] == Some(*other_id));
                if fifo || front || part {
                    first.insert(end);
                }
            }
            if self.rules.has(Rule::TaskTransitivity) {
                for (middle_id, middle) in &tasks {
                    let Some((middle_begin, middle_end)) = middle.begin.zip(middle.end) else {
                        continue;
                    };
                    if middle_id != id
                        && middle.queue == task.queue
                        && self.before[begin].has(middle_end)
                    {
                        let earlier = tasks
                            .iter()
                            .filter(|(_, t)| t.queue == task.queue)
                            .filter_map(|(_, t)| t.end);
                        first.extend(earlier.filter(|end| self.before[middle_begin].has(*end)));
                    }
                }
                first.retain(|end| Some(*end) != task.end);
            }
            if self.rules.has(Rule::Barrier)
                && spec.passage == Passage::Synchronous
                && spec.place == Place::Back
            {
                for (to, posted, removed) in &self.barriers {
                    let behind = Some(*to) == task.queue && self.before[post].has(*posted);
                    first.extend(removed.filter(|removed| behind && *removed < begin));
                }
            }
            for before in first {
                changed |= self.before[begin].set(before);
            }
            // A post hands all it knows to its task.
            if self.rules.has(Rule::Post) {
                let known = self.before[post].clone();
                changed |= self.before[begin].add(&known, None);
            }
        }
        let _ = events;
        changed
    }

    fn runs_first(&self, first: &Post, second: &Post, had_barrier: bool) -> bool {
        if second.place == Place::Front {
            return false;
        }
        if first.place == Place::Front {
            return true;
        }
        let may_pass =
            first.passage == Passage::Synchronous && second.passage == Passage::Asynchronous;
        if may_pass && had_barrier && self.rules.has(Rule::Asynchronous) {
            return false;
        }
        first.delay == 0
            || (second.delay != 0 && first.delay <= second.delay)
            || !self.rules.has(Rule::Delay)
    }

    fn transitivity(&mut self, index: usize) -> bool {
        let mask = self.visible(index);
        let mut changed = false;
        loop {
            let mut more = false;
            let known: Vec<usize> = self.before[index].ones().collect();
            for b in known {
                let theirs = self.before[b].clone();
                more |= self.before[index].add(&theirs, mask.as_ref());
            }
            if !more {
                return changed;
            }
            changed = true;
        }
    }

    /// What an operation in a task may learn by transitivity: all but other tasks of its queue that do not end before
    /// its own begins. `None`: everything.
    fn visible(&self, index: usize) -> Option<Bits> {
        let task = self.task[index]?;
        if !self.rules.has(Rule::ConditionalTransitivity) {
            return None;
        }
        let begin = self.tasks[&task].begin?;
        let mut mask = Bits::new(self.thread.len());
        for other in 0..self.thread.len() {
            let hidden = match self.task[other] {
                Some(other_task)
                    if other_task != task && self.thread[other] == self.thread[index] =>
                {
                    !self.tasks[&other_task]
                        .end
                        .is_some_and(|end| self.before[begin].has(end))
                }
                _ => false,
            };
            if !hidden {
                mask.set(other);
            }
        }
        Some(mask)
    }
}

fn is_read(event: &Event) -> bool {
    matches!(event.op, Op::Read(_))
}

/// The last operation before `index` that fits.
fn last(events: &[Event], index: usize, fits: impl Fn(&Event) -> bool) -> Vec<usize> {
    events[..index].iter().rposition(fits).into_iter().collect()
}

fn all(events: &[Event], index: usize, fits: impl Fn(&Event) -> bool) -> Vec<usize> {
    (0..index).filter(|i| fits(&events[*i])).collect()
}
