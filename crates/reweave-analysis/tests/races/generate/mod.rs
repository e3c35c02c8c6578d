//! Random traces that could have happened: threads, loopers that take their messages in the order in which a real
//! queue would, and an environment that posts from outside. Each trace uses a random selection of features, so that
//! both their presence and their absence are tried.

mod actions;
mod outside;

use reweave_analysis::races::environment::EnvironmentOp;
use reweave_analysis::races::event::{
    BarrierId, Event, LocationId, LockId, Op, Passage, Place, Post, Site, TaskId, ThreadId,
};

/// A small generator of random numbers; the same seed gives the same trace for ever.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len());
        from.get(index)
    }
}

/// What may occur in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Locks,
    Notify,
    Volatile,
    Park,
    Jobs,
    Classes,
    AdHoc,
    Delays,
    Front,
    Asynchronous,
    Barriers,
    Idle,
    Input,
    Focus,
    Activity,
    Service,
    Broadcast,
    Sticky,
    TimeTick,
    Joins,
    LooperEnds,
    /// Enables that are logged only after the post that they enable.
    LateEnables,
    /// Environment operations in the middle of tasks that ordinary threads posted.
    Anywhere,
}

const FEATURES: &[Feature] = &[
    Feature::Locks,
    Feature::Locks,
    Feature::Notify,
    Feature::Volatile,
    Feature::Park,
    Feature::Jobs,
    Feature::Classes,
    Feature::AdHoc,
    Feature::Delays,
    Feature::Front,
    Feature::Asynchronous,
    Feature::Barriers,
    Feature::Idle,
    Feature::Input,
    Feature::Focus,
    Feature::Activity,
    Feature::Service,
    Feature::Broadcast,
    Feature::Sticky,
    Feature::Sticky,
    Feature::TimeTick,
    Feature::Joins,
    Feature::LooperEnds,
];

/// Which traces to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As our own recordings are: the environment's operations come first in tasks posted from outside, and what
    /// enables them is recorded before.
    InOrder,
    /// As foreign logs are: orders may point backwards.
    Backward,
}

struct Message {
    due: usize,
    order: usize,
    post: Post,
    trigger: Option<EnvironmentOp>,
    removed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Looper,
    Worker,
    /// Binder threads: they only post from outside.
    Outside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spin {
    No,
    /// Reads a flag until someone writes it.
    On(LocationId, Site, usize),
}

struct Actor {
    id: ThreadId,
    role: Role,
    begun: bool,
    looping: bool,
    ended: bool,
    task: Option<TaskId>,
    held: Vec<LockId>,
    spin: Spin,
    /// In a wait until notified, or parked.
    waiting: bool,
    pending: Vec<Message>,
    barriers: Vec<(usize, BarrierId)>,
}

pub struct Generator {
    random: Random,
    features: Vec<Feature>,
    size: usize,
    actors: Vec<Actor>,
    events: Vec<Event>,
    clock: usize,
    next_task: u32,
    next_barrier: u32,
    next_job: u32,
    locations: u32,
    sites: u32,
    lock_owner: Vec<Option<ThreadId>>,
    submitted: Vec<u32>,
    running_jobs: Vec<(ThreadId, u32)>,
    done_jobs: Vec<u32>,
    ready_classes: Vec<u32>,
    written_flags: Vec<(LocationId, ThreadId, usize)>,
    world: outside::World,
}

/// A trace of 50 to 500 operations.
pub fn trace(seed: u64, kind: Kind) -> Vec<Event> {
    let mut random = Random::new(seed);
    let size = 50 + random.below(451);
    let mut features: Vec<Feature> = Vec::new();
    let percent = [20, 35, 60][random.below(3)];
    for feature in FEATURES {
        if random.chance(percent) {
            features.push(*feature);
        }
    }
    if kind == Kind::Backward {
        features.push(Feature::LateEnables);
        if random.chance(50) {
            features.push(Feature::Anywhere);
        }
    }
    let loopers = 2 + random.below(2);
    let workers = 1 + random.below(3);
    let mut actors = Vec::new();
    for index in 0..loopers + workers + 1 {
        let role = match index {
            _ if index < loopers => Role::Looper,
            _ if index < loopers + workers => Role::Worker,
            _ => Role::Outside,
        };
        actors.push(Actor {
            id: ThreadId(index as u32),
            role,
            begun: false,
            looping: false,
            ended: false,
            task: None,
            held: Vec::new(),
            spin: Spin::No,
            waiting: false,
            pending: Vec::new(),
            barriers: Vec::new(),
        });
    }
    let locks = 1 + random.below(3);
    let locations = 2 + random.below(12) as u32;
    let sites = 1 + random.below(8) as u32;
    let generator = Generator {
        random,
        features,
        size,
        actors,
        events: Vec::new(),
        clock: 0,
        next_task: 0,
        next_barrier: 0,
        next_job: 0,
        locations,
        sites,
        lock_owner: vec![None; locks],
        submitted: Vec::new(),
        running_jobs: Vec::new(),
        done_jobs: Vec::new(),
        ready_classes: Vec::new(),
        written_flags: Vec::new(),
        world: outside::World::default(),
    };
    generator.run()
}

impl Generator {
    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn emit(&mut self, thread: ThreadId, op: Op) {
        self.events.push(Event::new(thread, op));
    }

    fn emit_at(&mut self, thread: ThreadId, op: Op, site: Site) {
        self.events.push(Event::new(thread, op).at(site));
    }

    fn access(&mut self, thread: ThreadId) {
        let location = LocationId(self.random.below(self.locations as usize) as u32);
        let op = if self.random.chance(40) {
            Op::Write(location)
        } else {
            Op::Read(location)
        };
        // Places are told apart by reading and writing, as in a program.
        let site = self.random.below(self.sites as usize) as u32;
        let site = Site(1 + 2 * site + u32::from(matches!(op, Op::Write(_))));
        self.emit_at(thread, op, site);
    }

    fn run(mut self) -> Vec<Event> {
        self.emit(ThreadId(0), Op::ThreadBegin);
        self.actors[0].begun = true;
        let mut idle_rounds = 0;
        while self.events.len() < self.size && idle_rounds < 2000 {
            self.clock += 1;
            let before = self.events.len();
            // Loopers have most to do.
            let mut index = self.random.below(self.actors.len());
            if self.random.chance(40) {
                let loopers = self.loopers();
                index = self.random.pick(&loopers).copied().unwrap_or(index);
            }
            if self.is_outside_due() && self.random.chance(20) {
                self.outside_turn();
            }
            self.turn(index);
            idle_rounds = if self.events.len() == before {
                idle_rounds + 1
            } else {
                0
            };
        }
        self.events.truncate(500);
        self.events
    }

    fn turn(&mut self, index: usize) {
        if self.actors[index].ended {
            return;
        }
        match self.actors[index].role {
            Role::Outside => self.outside_turn(),
            Role::Looper if self.actors[index].looping && self.actors[index].task.is_none() => {
                self.next_message(index);
            }
            Role::Looper | Role::Worker => {
                if !self.actors[index].begun {
                    self.begin_thread(index);
                } else {
                    self.act(index);
                }
            }
        }
    }

    fn begin_thread(&mut self, index: usize) {
        let id = self.actors[index].id;
        // Most threads are forked by another; some are just there.
        if self.random.chance(80) {
            let Some(parent) = self.someone_active(index) else {
                return;
            };
            self.emit(parent, Op::Fork(id));
        }
        self.emit(id, Op::ThreadBegin);
        self.actors[index].begun = true;
        self.access(id);
    }

    /// A thread that could do something now.
    fn someone_active(&mut self, except: usize) -> Option<ThreadId> {
        let able: Vec<ThreadId> = (0..self.actors.len())
            .filter(|i| *i != except)
            .map(|i| &self.actors[i])
            .filter(|a| {
                a.role != Role::Outside && a.begun && !a.ended && !a.waiting && a.spin == Spin::No
            })
            .filter(|a| !a.looping || a.task.is_some())
            .map(|a| a.id)
            .collect();
        self.random.pick(&able).copied()
    }

    fn loopers(&self) -> Vec<usize> {
        (0..self.actors.len())
            .filter(|i| self.actors[*i].role == Role::Looper && !self.actors[*i].ended)
            .collect()
    }

    fn new_post(&mut self, to: ThreadId) -> Post {
        let task = TaskId(self.next_task);
        self.next_task += 1;
        let mut post = Post::plain(task, to);
        if self.has(Feature::Delays) && self.random.chance(30) {
            post.delay = [3, 3, 7, 20][self.random.below(4)];
        }
        if self.has(Feature::Front) && self.random.chance(20) {
            post.place = Place::Front;
            post.delay = 0;
        }
        if self.has(Feature::Asynchronous) && self.random.chance(30) {
            post.passage = Passage::Asynchronous;
        }
        post
    }

    fn enqueue(&mut self, post: Post, trigger: Option<EnvironmentOp>) {
        let message = Message {
            due: self.clock + post.delay as usize,
            order: self.clock,
            post,
            trigger,
            removed: false,
        };
        if let Some(actor) = self.actors.iter_mut().find(|actor| actor.id == post.to) {
            actor.pending.push(message);
        }
    }

    /// The looper runs what its queue gives it now.
    fn next_message(&mut self, index: usize) {
        let clock = self.clock;
        let actor = &self.actors[index];
        let barrier = actor.barriers.iter().map(|(order, _)| *order).min();
        let runnable = |m: &Message| {
            let held_back = barrier.is_some_and(|barrier| {
                m.post.passage == Passage::Synchronous
                    && m.post.place == Place::Back
                    && m.due >= barrier
            });
            m.due <= clock && !held_back && !m.removed
        };
        // The front is a stack; the rest goes by due time, then by arrival.
        let rank = |m: &Message| match m.post.place {
            Place::Front => (0, usize::MAX - m.order, 0),
            Place::Back => (1, m.due, m.order),
        };
        let next = (0..actor.pending.len())
            .filter(|i| runnable(&actor.pending[*i]))
            .min_by_key(|i| (rank(&actor.pending[*i]), *i));
        let id = actor.id;
        let Some(next) = next else {
            self.idle_run(index);
            return;
        };
        let message = self.actors[index].pending.remove(next);
        self.start_task(index, id, message.post.task, message.trigger);
    }

    fn start_task(
        &mut self,
        index: usize,
        id: ThreadId,
        task: TaskId,
        trigger: Option<EnvironmentOp>,
    ) {
        self.emit(id, Op::TaskBegin(task));
        self.actors[index].task = Some(task);
        if let Some(op) = trigger {
            let late = self.has(Feature::LateEnables);
            self.trigger(id, op, late);
        }
        if self.random.chance(80) {
            self.access(id);
        }
    }
}
