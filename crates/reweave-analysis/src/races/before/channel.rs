//! What one operation leaves for another to find: in a lock, a volatile variable, a permit, an initialised class.
//!
//! Tasks of one queue leave and find nothing for each other there, so what they leave is kept apart per queue: a lock
//! orders a task after every release by another thread, never after a release by another task of its own queue.

use super::knowledge::{Class, Knowledge, Point};
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// Left by operations outside tasks.
    threads: Option<Point>,
    /// Left by tasks, all of one queue joined.
    queues: Vec<(u32, Rc<Knowledge>)>,
}

impl Channel {
    /// Leaves `point`, which has found all that was here (a release after an acquire).
    pub fn replace(&mut self, point: Point) {
        match point.class {
            Class::Threads => {
                self.queues.clear();
                self.threads = Some(point);
            }
            Class::Queue(queue) => self.join(queue, &point),
        }
    }

    /// Leaves `point` beside what is here.
    pub fn add(&mut self, point: Point) {
        match point.class {
            Class::Threads => {
                let Some(old) = self.threads.take() else {
                    self.threads = Some(point);
                    return;
                };
                let known_already = |(chain, moment)| point.known.threads.get(chain) >= moment;
                self.threads = Some(if old.stand.is_some_and(known_already) {
                    point
                } else {
                    joined(&old, &point)
                });
            }
            Class::Queue(queue) => self.join(queue, &point),
        }
    }

    fn join(&mut self, queue: u32, point: &Point) {
        let index = match self.queues.iter().position(|(other, _)| *other == queue) {
            Some(index) => index,
            None => {
                self.queues.push((queue, Rc::default()));
                self.queues.len() - 1
            }
        };
        Rc::make_mut(&mut self.queues[index].1).learn(point.class, point);
    }

    /// What is here, if it was left by operations outside tasks and there is nothing else.
    pub fn only_thread(&self) -> Option<&Point> {
        self.threads.as_ref().filter(|_| self.queues.is_empty())
    }

    /// What an operation of class `me` finds.
    pub fn found(&self, me: Class) -> impl Iterator<Item = Point> + '_ {
        let by_tasks = self
            .queues
            .iter()
            .filter(move |(queue, _)| me != Class::Queue(*queue));
        self.threads
            .clone()
            .into_iter()
            .chain(by_tasks.map(|(queue, known)| Point {
                known: known.clone(),
                class: Class::Queue(*queue),
                stand: None,
                task: None,
            }))
    }

    /// All that is kept here.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        self.found(Class::Threads)
    }
}

fn joined(a: &Point, b: &Point) -> Point {
    let mut known = Knowledge::clone(&a.known);
    if let (Class::Threads, Some((chain, moment))) = (a.class, a.stand) {
        known.threads.raise(chain, moment);
    }
    known.learn(Class::Threads, b);
    Point {
        known: Rc::new(known),
        class: Class::Threads,
        stand: None,
        task: None,
    }
}
