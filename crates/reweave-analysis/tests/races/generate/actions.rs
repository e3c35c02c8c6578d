//! What a thread of the program may do next.

use super::{Feature, Generator, Role, Spin};
use reweave_analysis::races::event::{
    BarrierId, ClassId, JobId, LocationId, LockId, Op, Site, ThreadId,
};

impl Generator {
    pub(super) fn act(&mut self, index: usize) {
        let id = self.actors[index].id;
        if self.actors[index].waiting {
            return;
        }
        if let Spin::On(location, site, since) = self.actors[index].spin {
            self.spin(index, location, site, since);
            return;
        }
        let before = self.events.len();
        let idle_looper = self.actors[index].role == Role::Looper && !self.actors[index].looping;
        if idle_looper && self.random.chance(40) {
            self.begin_loop(index);
            return;
        }
        if self.actors[index].task.is_some() && self.random.chance(30) {
            self.end(index);
            return;
        }
        match self.random.below(24) {
            0..=5 => self.post(id),
            6..=9 if self.has(Feature::Locks) => self.lock(index),
            10 if self.has(Feature::Notify) => self.wait_or_notify(index),
            11 if self.has(Feature::Volatile) => self.volatile(id),
            12 if self.has(Feature::Park) => self.park_or_unpark(index),
            13..=14 if self.has(Feature::Jobs) && self.random.chance(70) => self.job(index),
            14 if self.has(Feature::Classes) => self.class(id),
            15 if self.has(Feature::AdHoc) => self.flag(index),
            16 if self.has(Feature::Barriers) => self.barrier(id),
            17 if self.random.chance(40) => self.unpost(id),
            18..=20 => self.enable(id),
            21 if self.has(Feature::Joins) => self.join(index),
            22 => self.end(index),
            _ => self.access(id),
        }
        if self.events.len() > before && self.can_go_on(index) && self.random.chance(45) {
            self.access(id);
        }
    }

    fn can_go_on(&self, index: usize) -> bool {
        let actor = &self.actors[index];
        !actor.ended
            && !actor.waiting
            && actor.spin == Spin::No
            && (!actor.looping || actor.task.is_some())
    }

    fn post(&mut self, id: ThreadId) {
        let loopers = self.loopers();
        let Some(&to) = self.random.pick(&loopers) else {
            return;
        };
        let to = self.actors[to].id;
        let post = self.new_post(to);
        self.emit(id, Op::Post(post));
        self.enqueue(post, None);
    }

    fn unpost(&mut self, id: ThreadId) {
        let loopers = self.loopers();
        let Some(&index) = self.random.pick(&loopers) else {
            return;
        };
        let plain = |i: &usize| self.actors[index].pending[*i].trigger.is_none();
        let removable: Vec<usize> = (0..self.actors[index].pending.len())
            .filter(plain)
            .collect();
        if let Some(&at) = self.random.pick(&removable) {
            let message = self.actors[index].pending.remove(at);
            self.emit(id, Op::Unpost(message.post.task));
        }
    }

    fn begin_loop(&mut self, index: usize) {
        let id = self.actors[index].id;
        if !self.actors[index].held.is_empty() {
            return;
        }
        self.emit(id, Op::AttachQueue);
        self.access(id);
        self.emit(id, Op::Loop);
        self.actors[index].looping = true;
    }

    fn lock(&mut self, index: usize) {
        let id = self.actors[index].id;
        if let Some(lock) = self.actors[index].held.last().copied()
            && self.random.chance(70)
        {
            self.actors[index].held.pop();
            self.emit(id, Op::Release(lock));
            if !self.actors[index].held.contains(&lock) {
                self.lock_owner[lock.index()] = None;
            }
            return;
        }
        let lock = LockId(self.random.below(self.lock_owner.len()) as u32);
        if self.lock_owner[lock.index()].is_some_and(|owner| owner != id) {
            return;
        }
        self.lock_owner[lock.index()] = Some(id);
        self.actors[index].held.push(lock);
        self.emit(id, Op::Acquire(lock));
        self.access(id);
    }

    fn release_all(&mut self, index: usize) {
        let id = self.actors[index].id;
        while let Some(lock) = self.actors[index].held.pop() {
            self.emit(id, Op::Release(lock));
            self.lock_owner[lock.index()] = None;
        }
    }

    fn wait_or_notify(&mut self, index: usize) {
        let id = self.actors[index].id;
        let sleeper = (0..self.actors.len()).find(|i| self.actors[*i].waiting && *i != index);
        if let Some(sleeper) = sleeper {
            let woken = self.actors[sleeper].id;
            self.emit(id, Op::Notify(woken));
            self.actors[sleeper].waiting = false;
            self.access(id);
            self.emit(woken, Op::Wait);
            self.access(woken);
        } else if self.actors[index].role == Role::Worker && self.actors[index].held.is_empty() {
            self.actors[index].waiting = true;
        }
    }

    fn park_or_unpark(&mut self, index: usize) {
        let id = self.actors[index].id;
        let others: Vec<ThreadId> = self
            .actors
            .iter()
            .map(|a| a.id)
            .filter(|other| *other != id)
            .collect();
        if self.random.chance(60) {
            if let Some(&target) = self.random.pick(&others) {
                self.emit(id, Op::Unpark(target));
            }
        } else {
            self.emit(id, Op::Park);
        }
    }

    fn volatile(&mut self, id: ThreadId) {
        // Numbers apart from those of plain variables.
        let location = LocationId(1000 + self.random.below(2) as u32);
        match self.random.below(3) {
            0 => self.emit(id, Op::VolatileWrite(location)),
            1 => self.emit(id, Op::VolatileRead(location)),
            _ => self.emit(id, Op::VolatileUpdate(location)),
        }
    }

    fn job(&mut self, index: usize) {
        let id = self.actors[index].id;
        if let Some(at) = self
            .running_jobs
            .iter()
            .position(|(thread, _)| *thread == id)
        {
            let (_, job) = self.running_jobs.remove(at);
            self.emit(id, Op::JobEnd(JobId(job)));
            self.done_jobs.push(job);
            return;
        }
        match self.random.below(3) {
            0 => {
                self.emit(id, Op::Submit(JobId(self.next_job)));
                self.submitted.push(self.next_job);
                self.next_job += 1;
            }
            1 if self.actors[index].role == Role::Worker && !self.submitted.is_empty() => {
                let job = self.submitted.remove(0);
                self.emit(id, Op::JobBegin(JobId(job)));
                self.running_jobs.push((id, job));
            }
            _ => {
                if let Some(&job) = self.random.pick(&self.done_jobs) {
                    self.emit(id, Op::JobAwait(JobId(job)));
                }
            }
        }
    }

    fn class(&mut self, id: ThreadId) {
        let class = self.random.below(3) as u32;
        if self.ready_classes.contains(&class) {
            self.emit(id, Op::ClassUse(ClassId(class)));
        } else {
            self.emit(id, Op::ClassReady(ClassId(class)));
            self.ready_classes.push(class);
        }
    }

    /// Begins to wait for a flag, or writes one.
    fn flag(&mut self, index: usize) {
        let id = self.actors[index].id;
        let waited: Vec<LocationId> = self
            .actors
            .iter()
            .filter(|a| a.id != id)
            .filter_map(|a| match a.spin {
                Spin::On(location, ..) => Some(location),
                Spin::No => None,
            })
            .collect();
        if let Some(&location) = self.random.pick(&waited) {
            self.emit_at(id, Op::Write(location), Site(90));
            self.written_flags.push((location, id, self.events.len()));
        } else if self.actors[index].role == Role::Worker && self.actors[index].held.is_empty() {
            let location = LocationId(500 + self.random.below(2) as u32);
            let site = Site(91 + self.random.below(2) as u32);
            self.actors[index].spin = Spin::On(location, site, self.events.len());
            self.emit_at(id, Op::Read(location), site);
        }
    }

    fn spin(&mut self, index: usize, location: LocationId, site: Site, since: usize) {
        let id = self.actors[index].id;
        let written = self
            .written_flags
            .iter()
            .any(|(flag, by, at)| *flag == location && *by != id && *at > since);
        self.emit_at(id, Op::Read(location), site);
        if self.random.chance(15) {
            self.access(id);
        }
        if written || self.random.chance(3) {
            self.actors[index].spin = Spin::No;
            self.access(id);
        }
    }

    fn barrier(&mut self, id: ThreadId) {
        let loopers = self.loopers();
        let Some(&index) = self.random.pick(&loopers) else {
            return;
        };
        if let Some((_, barrier)) = self.actors[index].barriers.pop() {
            self.emit(id, Op::BarrierRemove(barrier));
        } else {
            let barrier = BarrierId(self.next_barrier);
            self.next_barrier += 1;
            let to = self.actors[index].id;
            self.emit(id, Op::BarrierPost { barrier, to });
            let clock = self.clock;
            self.actors[index].barriers.push((clock, barrier));
        }
    }

    fn join(&mut self, index: usize) {
        let ended: Vec<ThreadId> = self
            .actors
            .iter()
            .filter(|a| a.ended)
            .map(|a| a.id)
            .collect();
        let id = self.actors[index].id;
        if let Some(&child) = self.random.pick(&ended) {
            self.emit(id, Op::Join(child));
        }
    }

    /// Ends the running task, sometimes the thread.
    fn end(&mut self, index: usize) {
        let id = self.actors[index].id;
        if let Some(task) = self.actors[index].task {
            self.release_all(index);
            self.emit(id, Op::TaskEnd(task));
            self.actors[index].task = None;
            let quit = self.has(Feature::LooperEnds) && index > 0 && self.random.chance(20);
            if quit
                && self
                    .actors
                    .iter()
                    .filter(|a| a.role == Role::Looper && !a.ended)
                    .count()
                    > 1
            {
                self.quit(index);
            }
        } else if self.actors[index].role == Role::Worker && self.random.chance(15) {
            let busy = self.running_jobs.iter().any(|(thread, _)| *thread == id);
            if !busy {
                self.quit(index);
            }
        }
    }

    fn quit(&mut self, index: usize) {
        let id = self.actors[index].id;
        self.release_all(index);
        self.emit(id, Op::ThreadEnd);
        self.actors[index].ended = true;
    }
}
