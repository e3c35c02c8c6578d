//! The end of the log: accesses whose group is still open, names of locations, posts that never ran, the size of it all.

use super::super::{ImportError, Problem};
use super::{Holder, Translator};
use crate::races::event::{Event, EventIndex, Op, ThreadId};
use crate::races::log::{ClassName, LocationName, Log};
use std::collections::BTreeSet;

impl Translator {
    pub fn finish(mut self, last_line: u32) -> Result<Log, ImportError> {
        if self.counted.operations == 0 {
            return Err(ImportError {
                line: last_line.max(1),
                problem: Problem::Empty,
            });
        }
        self.flush_open_groups();
        self.name_locations();
        let uncalled = self
            .messages
            .values()
            .filter(|message| !message.called)
            .count() as u64;
        self.drop_uncalled_posts();
        let fields: BTreeSet<(ClassName, &str)> = self
            .log
            .locations
            .iter()
            .map(|location| (location.class(), location.field()))
            .collect();
        self.log.table.fields = fields.len() as u64;
        let counted = &self.counted;
        self.log.table.length =
            (counted.last_operation + 1 + counted.accesses).saturating_sub(counted.groups);
        self.log.table.threads_with_queue = counted.queues;
        self.log.table.threads_without_queue = counted.threads.saturating_sub(counted.queues);
        self.log.table.tasks = counted.tasks;
        let unused_enables = self.enables - self.used_enables.len() as u64;
        self.log.table.nodes = counted.operations - uncalled - unused_enables;
        self.log.table.accesses = counted.accesses;
        self.log.classes = self.classes.names;
        self.log.lock_names = self.locks.names;
        Ok(self.log)
    }

    /// Accesses whose group the log does not close any more, in the order of threads.
    fn flush_open_groups(&mut self) {
        let mut open: Vec<i64> = self
            .threads
            .iter()
            .filter(|(_, t)| !t.accesses.is_empty())
            .map(|(id, _)| *id)
            .collect();
        open.sort_by_key(|tid| self.threads[tid].id);
        for tid in open {
            self.close_group(tid);
        }
    }

    /// A location has the class of its first write, or if it is never written of its first read.
    fn name_locations(&mut self) {
        for (key, first) in self.location_keys.iter().zip(&self.first_classes) {
            let class = first.write.or(first.read).unwrap_or(ClassName(0));
            let field = self.fields.names[key.field as usize].clone();
            self.log.locations.push(match key.holder {
                Holder::Object(object) => {
                    let object = self.objects.names[object as usize].clone();
                    LocationName::Field {
                        object,
                        class,
                        field,
                    }
                }
                Holder::Class(class) => LocationName::Static { class, field },
            });
        }
        for (event, class) in &self.access_classes {
            let access = self.log.events[event.index()].op.access();
            if access.is_some_and(|(location, _)| self.log.location(location).class() != *class) {
                self.log.other_classes.insert(*event, *class);
            }
        }
    }

    /// Posts whose message never ran order nothing.
    fn drop_uncalled_posts(&mut self) {
        let dropped =
            |event: &Event| matches!(&event.op, Op::Post(post) if post.to == ThreadId(u32::MAX));
        let mut moved = Vec::with_capacity(self.log.events.len());
        let mut next = 0u32;
        for event in &self.log.events {
            moved.push(next);
            next += u32::from(!dropped(event));
        }
        let mut index = 0;
        let events = &self.log.events;
        self.log.origins.retain(|_| {
            index += 1;
            !dropped(&events[index - 1])
        });
        let classes = std::mem::take(&mut self.log.other_classes);
        self.log.other_classes = classes
            .into_iter()
            .map(|(event, class)| (EventIndex(moved[event.index()]), class))
            .collect();
        self.log.events.retain(|event| !dropped(event));
    }
}
