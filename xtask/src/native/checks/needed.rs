//! Every hook is needed: with `REWEAVE_TEST_WITHOUT` it is left out, and then a recording of its program fails, or a replay fails or differs.

use super::super::Harness;
use super::super::programs::{self, Build, Level};
use super::builds;
use crate::e2e::Tally;
use crate::process;
use crate::reweave::Enforcement;
use std::time::Duration;

/// What is left out, and whom that hurts.
const NEEDED: &[(Level, &str, &[&str])] = &[
    (Level::Sync, "attempts", &["pthread_mutex_trylock"]),
    (Level::Sync, "barriers", &["pthread_barrier_wait"]),
    (Level::Serial, "bounded-buffer", &["pthread_cond_signal"]),
    (Level::Sync, "becomes", &["execve", "execvpe"]),
    (Level::Sync, "bounded-buffer", &["pthread_cond_wait"]),
    (Level::Serial, "c11", &["mtx_unlock", "thrd_join"]),
    (
        Level::Sync,
        "c11",
        &["cnd_timedwait", "mtx_lock", "mtx_trylock", "thrd_create"],
    ),
    (Level::Serial, "cancelled", &["pthread_mutex_lock"]),
    (
        Level::Serial,
        "cancelled-waiting",
        &["pthread_cancel", "pthread_setcancelstate"],
    ),
    (Level::Serial, "cpp-atomic-wait", &["syscall"]),
    (Level::Serial, "cpp-threads", &["pthread_mutex_lock"]),
    (Level::Serial, "detached", &["pthread_detach"]),
    (Level::Sync, "environment", &["environment"]),
    (Level::Sync, "families", &["fork", "posix_spawn", "waitpid"]),
    (Level::Sync, "locked-counter", &["pthread_create"]),
    (
        Level::Sync,
        "measures",
        &["clock", "fopen", "getppid", "getrusage", "sysinfo", "times"],
    ),
    (Level::Serial, "once", &["pthread_once"]),
    (Level::Sync, "once", &["pthread_once"]),
    (
        Level::Serial,
        "ordered-locks",
        &["pthread_mutex_lock", "pthread_mutex_unlock"],
    ),
    (Level::Sync, "ordered-locks", &["pthread_mutex_lock"]),
    (
        Level::Serial,
        "outcomes",
        &["cnd_broadcast", "cnd_wait", "pthread_cond_broadcast"],
    ),
    (
        Level::Sync,
        "outcomes",
        &[
            "call_once",
            "pthread_mutex_clocklock",
            "pthread_mutex_timedlock",
            "pthread_rwlock_clockrdlock",
            "pthread_rwlock_clockwrlock",
            "pthread_rwlock_timedrdlock",
            "pthread_rwlock_timedwrlock",
            "pthread_rwlock_tryrdlock",
            "pthread_rwlock_trywrlock",
            "pthread_spin_trylock",
            "sem_clockwait",
            "sem_getvalue",
            "sem_timedwait",
            "sem_trywait",
        ],
    ),
    (Level::Sync, "own-calls", &["raw-syscall"]),
    (
        Level::Sync,
        "pipes",
        &["epoll_wait", "poll", "read", "select", "write"],
    ),
    (Level::Sync, "processor-clock", &["rdtsc"]),
    (
        Level::Serial,
        "processors",
        &[
            "pthread_getaffinity_np",
            "sched_getaffinity",
            "sched_setaffinity",
        ],
    ),
    (Level::Sync, "processors", &["sysconf"]),
    (Level::Serial, "raw-futex", &["syscall"]),
    (Level::Serial, "robust", &["pthread_mutex_lock"]),
    (Level::Serial, "rust-locks", &["syscall"]),
    (Level::Serial, "rust-parking", &["syscall"]),
    (
        Level::Serial,
        "rwlocks",
        &["pthread_rwlock_rdlock", "pthread_rwlock_unlock"],
    ),
    (Level::Sync, "rwlocks", &["pthread_rwlock_wrlock"]),
    (Level::Serial, "semaphores", &["sem_post"]),
    (Level::Sync, "semaphores", &["sem_wait"]),
    (Level::Serial, "signals", &["sigaction", "sigsuspend"]),
    (
        Level::Sync,
        "signals",
        &["pthread_kill", "raise", "sigaction", "sigwait"],
    ),
    (
        Level::Sync,
        "sockets",
        &[
            "accept",
            "accept4",
            "bind",
            "connect",
            "getpeername",
            "getsockname",
            "getsockopt",
            "ioctl",
            "listen",
            "readv",
            "recv",
            "recvfrom",
            "recvmsg",
            "send",
            "sendmsg",
            "sendto",
            "socket",
            "writev",
        ],
    ),
    (
        Level::Sync,
        "sleepers",
        &["clock_nanosleep", "nanosleep", "sleep", "usleep"],
    ),
    (
        Level::Serial,
        "spinlocks",
        &["pthread_spin_lock", "pthread_spin_unlock"],
    ),
    (
        Level::Serial,
        "thread-tree",
        &["pthread_join", "pthread_timedjoin_np"],
    ),
    (Level::Sync, "thread-tree", &["pthread_tryjoin_np"]),
    (
        Level::Sync,
        "timed-waits",
        &["pthread_cond_clockwait", "pthread_cond_timedwait"],
    ),
    (
        Level::Sync,
        "world",
        &[
            "arc4random",
            "clock_gettime",
            "getentropy",
            "getpid",
            "getrandom",
            "gettid",
            "gettimeofday",
        ],
    ),
];

/// Some things go well by chance.
const TRIES: usize = 40;
const LIMIT: Duration = Duration::from_secs(8);

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("native programs with one hook left out");
    for (level, program, hooks) in NEEDED {
        for hook in *hooks {
            let name = format!("{hook}, {program}, {level}");
            tally.check_with(&name, once(harness, hook, program, *level));
        }
    }
    tally.check_with("dlopen, plugin, serial", library(harness));
}

/// Code of a library that is loaded later has callbacks as well: only who knows that stops threads between its instructions.
fn library(harness: &Harness) -> Result<String, String> {
    match builds::stops_in_library(harness, "dlopen") {
        Ok(0) => Ok("no thread is stopped in the library".to_owned()),
        Ok(stops) => Err(format!("{stops} stops in the library without it")),
        Err(why) => Err(why),
    }
}

fn once(harness: &Harness, hook: &str, name: &str, level: Level) -> Result<String, String> {
    let program = programs::named(name)?;
    let compiler = harness
        .compilers
        .iter()
        .find(|compiler| compiler.language == program.language)
        .ok_or("there is no compiler for it")?;
    let build = match level {
        Level::Sync => Build::Plain,
        Level::Serial => Build::Instrumented,
    };
    let binary = program.compile(harness, compiler, build)?;
    let recording = harness.trials().recording();
    for round in 1..=TRIES {
        let _ = std::fs::remove_file(&recording);
        let mut record = harness.reweave.command();
        record
            .args(["-q", "record", "-o"])
            .arg(&recording)
            .args(program.record_options(level))
            .arg("--")
            .arg(&binary)
            .env("GIVEN", round.to_string())
            .env("REWEAVE_TEST_WITHOUT", hook);
        let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
        if program.check(&recorded).is_err() {
            return Ok(format!("recording {round} fails: {}", recorded.end));
        }
        let report = harness.scratch.join("report.json");
        let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
        replay
            .args(["--stall-after", "1"])
            .env("GIVEN", "something else")
            .env("REWEAVE_TEST_WITHOUT", hook);
        let replayed = process::run(&mut replay, LIMIT, &harness.scratch)?;
        if replayed.end != recorded.end {
            return Ok(format!("replay {round} fails: {}", replayed.end));
        }
        if replayed.stdout != recorded.stdout {
            return Ok(format!("replay {round} prints something else"));
        }
    }
    Err(format!("{TRIES} replays without it were the same"))
}
