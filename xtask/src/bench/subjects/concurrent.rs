//! java.util.concurrent: single operations, a map that four threads change, and an executor with a queue.

use super::{Measure, RECORD, RECORD_AND_REPLAY, Subject, Workshop};

const CPU: Measure = Measure::Printed {
    key: "cpu_ns",
    meaning: "CPU ns/operation",
};

/// Name; what `Concurrent` is to do.
const OPERATIONS: &[(&str, [&str; 4])] = &[
    (
        "ReentrantLock, lock and unlock",
        ["lock", "1", "8000000", "own"],
    ),
    (
        "AtomicInteger, incrementAndGet",
        ["increment", "1", "16000000", "own"],
    ),
    (
        "ConcurrentHashMap, get, own map",
        ["get", "1", "16000000", "own"],
    ),
    (
        "ConcurrentHashMap, get, map of four threads",
        ["get", "4", "4000000", "shared"],
    ),
];

impl Workshop<'_> {
    pub fn concurrent(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Subject>, String> {
        let mut subjects = Vec::new();
        for (name, arguments) in OPERATIONS {
            if wanted(name) {
                subjects.push(self.driver(
                    name,
                    "Concurrent",
                    arguments,
                    None,
                    vec![CPU],
                    RECORD,
                    5,
                )?);
            }
        }
        let map = "ConcurrentHashMap, changed by four threads";
        if wanted(map) {
            let measures = vec![Measure::ProcessWall, Measure::ProcessCpu];
            let arguments = ["200000"];
            subjects.push(self.driver(
                map,
                "MapHeavy",
                &arguments,
                None,
                measures,
                RECORD_AND_REPLAY,
                5,
            )?);
        }
        let executor = "executor, 1,000,000 tasks of 2 µs";
        if wanted(executor) {
            let measures = vec![
                Measure::Printed {
                    key: "cpu_ns",
                    meaning: "CPU ns/task",
                },
                Measure::Printed {
                    key: "wall_ns",
                    meaning: "wall ns/task",
                },
            ];
            subjects.push(self.driver(
                executor,
                "ExecutorTasks",
                &["200000", "1000000"],
                None,
                measures,
                RECORD,
                5,
            )?);
        }
        Ok(subjects)
    }
}
