//! Every thread stands where its recording ends. Was the recording cut there, or had the program itself come to a halt: a deadlock, or threads that
//! wait for something that nobody will do?

use crate::agent::Agent;
use crate::jvm::Jni;
use crate::replay::Replaying;
use jvmti_bindings::sys::jni::jobject;
use reweave_runtime::outcome::Outcome;
use reweave_runtime::turns::Activity;
use reweave_trace::{Kind, SiteId, StreamId};
use std::collections::HashMap;
use std::sync::PoisonError;

/// A thread that stopped before an operation it cannot perform.
struct Stuck {
    stream: StreamId,
    kind: Kind,
    site: SiteId,
    /// The thread that holds the lock it wants.
    owner: Option<StreamId>,
    /// Class of the object.
    class: String,
}

pub fn explain(agent: &Agent, replaying: &Replaying) -> Outcome {
    let stuck = stuck_threads(agent, replaying);
    let describe = |thread: &Stuck| {
        let who = replaying.name(thread.stream);
        let place = agent.place(thread.site);
        let what = match thread.kind {
            Kind::Acquire => format!("wants the lock of a {}", thread.class),
            Kind::Wait => format!("waits for a notify of a {}", thread.class),
            Kind::Park => "is parked".to_owned(),
            Kind::Join => "waits for a thread to end".to_owned(),
            other => format!("stopped before {}", other.name()),
        };
        let owner = thread
            .owner
            .map(|owner| format!(", held by {}", replaying.name(owner)));
        format!("{who} {what} at {place}{}", owner.unwrap_or_default())
    };
    if let Some(cycle) = cycle(&stuck) {
        return Outcome::Deadlock {
            waits: cycle.into_iter().map(describe).collect(),
        };
    }
    let waits: Vec<String> = stuck.iter().map(describe).collect();
    let blocked = |thread: &Stuck| match thread.kind {
        Kind::Acquire => thread.owner.is_some(),
        Kind::Wait | Kind::Park | Kind::Join => true,
        _ => false,
    };
    if !stuck.is_empty() && stuck.iter().all(blocked) {
        Outcome::Hang { waits }
    } else {
        Outcome::EndOfLog { waits }
    }
}

fn stuck_threads(agent: &Agent, replaying: &Replaying) -> Vec<Stuck> {
    let jni = agent.vm.attach();
    let objects = replaying
        .stopped_at
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut stuck = vec![];
    for stream in replaying.turns.stream_ids() {
        let Activity::AtEnd(kind, site) = replaying.turns.activity(stream) else {
            continue;
        };
        let object = objects.get(&stream).map(|object| *object as jobject);
        let owner = match (kind, object, jni) {
            (Kind::Acquire, Some(object), Some(jni)) => owner(agent, jni, object),
            _ => None,
        };
        let class = match (object, jni) {
            (Some(object), Some(jni)) => class_name(agent, jni, object),
            _ => "object".to_owned(),
        };
        stuck.push(Stuck {
            stream,
            kind,
            site,
            owner: owner.filter(|owner| *owner != stream),
            class,
        });
    }
    stuck
}

/// The stream of the thread that holds the object's monitor.
fn owner(agent: &Agent, jni: Jni, object: jobject) -> Option<StreamId> {
    let thread = agent.jvmti.owner(object)?;
    let class = jni.find_class(c"java/lang/Thread")?;
    let field = jni.field(class, c"$rwStream", c"I")?;
    let stream = jni.int_field(thread, field);
    (stream > 0).then_some(StreamId(stream as u32))
}

fn class_name(agent: &Agent, jni: Jni, object: jobject) -> String {
    let name = agent
        .jvmti
        .class_name(jni.class_of(object))
        .unwrap_or_default();
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Threads of which each wants a lock that the next one holds.
fn cycle(stuck: &[Stuck]) -> Option<Vec<&Stuck>> {
    let by_stream: HashMap<StreamId, &Stuck> =
        stuck.iter().map(|thread| (thread.stream, thread)).collect();
    for start in stuck {
        let mut path = vec![start];
        while let Some(next) = path
            .last()
            .and_then(|last| last.owner)
            .and_then(|owner| by_stream.get(&owner))
        {
            if let Some(from) = path.iter().position(|thread| thread.stream == next.stream) {
                return Some(path.split_off(from));
            }
            path.push(next);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(stream: u32, owner: Option<u32>) -> Stuck {
        let owner = owner.map(StreamId);
        Stuck {
            stream: StreamId(stream),
            kind: Kind::Acquire,
            site: SiteId(1),
            owner,
            class: String::new(),
        }
    }

    fn check_cycle(threads: &[(u32, Option<u32>)], expected: Option<&[u32]>) {
        let stuck: Vec<Stuck> = threads
            .iter()
            .map(|(stream, owner)| thread(*stream, *owner))
            .collect();
        let found = cycle(&stuck).map(|c| c.iter().map(|t| t.stream.0).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn a_cycle_is_found_without_those_that_only_wait_for_it() {
        check_cycle(&[(1, Some(2)), (2, Some(3)), (3, Some(2))], Some(&[2, 3]));
    }

    #[test]
    fn a_chain_is_no_cycle() {
        check_cycle(&[(1, Some(2)), (2, Some(3)), (3, None)], None);
    }
}
