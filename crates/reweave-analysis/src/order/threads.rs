//! Names for threads that are the same in every run: the path of spawns. `main.2.1` is the first thread that the second
//! thread started by main has started.

use super::walk::{Start, Starts};
use reweave_trace::file::table::ThreadKind;
use reweave_trace::{Operation, Process, StreamId};
use std::collections::HashMap;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadName {
    pub stream: StreamId,
    pub kind: ThreadKind,
    /// `main`, `main.2.1`; for a class initialiser `init:` and the class; `t7` for a thread that nobody recorded started.
    pub path: String,
    /// What Java calls the thread; may be empty.
    pub java: String,
}

impl ThreadName {
    /// Whether the user means this thread: by path, Java's name or stream.
    pub fn is(&self, text: &str) -> bool {
        let stream = text.strip_prefix('t').unwrap_or(text);
        text == self.path || text == self.java || stream.parse() == Ok(self.stream.0)
    }
}

/// `main.2 "worker-2"`
impl fmt::Display for ThreadName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path)?;
        let says_more =
            !self.java.is_empty() && self.java != self.path && self.kind == ThreadKind::Thread;
        if says_more {
            write!(out, " {:?}", self.java)
        } else {
            Ok(())
        }
    }
}

/// In the order of the process's threads.
pub fn names(process: &Process) -> Vec<ThreadName> {
    let mut paths = root_paths(process);
    let mut children: HashMap<StreamId, Vec<StreamId>> = HashMap::new();
    for thread in &process.threads {
        let started = thread
            .events()
            .flatten()
            .filter_map(|event| match event.operation() {
                Ok(Operation::Start { child } | Operation::Hook { child }) => Some(child),
                _ => None,
            });
        children.insert(thread.stream, started.collect());
    }
    let mut named: Vec<StreamId> = paths.keys().copied().collect();
    while let Some(parent) = named.pop() {
        let parent_path = paths[&parent].clone();
        for (index, child) in children
            .remove(&parent)
            .unwrap_or_default()
            .into_iter()
            .enumerate()
        {
            paths.entry(child).or_insert_with(|| {
                named.push(child);
                format!("{parent_path}.{}", index + 1)
            });
        }
    }
    process
        .threads
        .iter()
        .map(|thread| ThreadName {
            stream: thread.stream,
            kind: thread.kind,
            path: paths
                .get(&thread.stream)
                .cloned()
                .unwrap_or_else(|| format!("t{}", thread.stream)),
            java: thread.name.clone(),
        })
        .collect()
}

/// The threads that no recorded thread started.
fn root_paths(process: &Process) -> HashMap<StreamId, String> {
    let starts = Starts::of(process);
    let mut paths = HashMap::new();
    for thread in &process.threads {
        let path = match (thread.kind, starts.of_stream(thread.stream)) {
            (ThreadKind::ClassInitialiser, _) => format!("init:{}", thread.name.replace('/', ".")),
            (ThreadKind::Thread, _) if thread.stream == StreamId::MAIN => "main".to_owned(),
            (ThreadKind::Thread, Start::At(_)) => continue,
            (ThreadKind::Thread, Start::Missing | Start::Free) => format!("t{}", thread.stream),
        };
        paths.insert(thread.stream, path);
    }
    paths
}
