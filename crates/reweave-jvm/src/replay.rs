//! Replay: the helper's natives. Every recorded event passes through [`Turns`] here; what cannot follow ends the process with an outcome for the command.

pub mod natives;
mod references;

use crate::agent::Agent;
use crate::ending;
use crate::jvm::{Field, Jni};
use crate::observe::Observing;
use jvmti_bindings::sys::jni::{jboolean, jint, jlong, jobject, jvalue};
use jvmti_bindings::sys::jvmti::JVMTI_EVENT_THREAD_START;
use reweave_runtime::outcome::{self, Outcome};
use reweave_runtime::session::{
    AtEnd, Debugger, Effects, Enforcement, Pace, ReplayOptions, Session,
};
use reweave_runtime::sys::exit_now;
use reweave_runtime::turns::{Activity, Beyond, Divergence, Turns};
use reweave_runtime::watch;
use reweave_trace::file::table::ThreadKind;
use reweave_trace::model::{Thread, Trace};
use reweave_trace::{Kind, Link, Position, SiteId, StreamId};
use std::collections::{HashMap, HashSet};
use std::ffi::CStr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

pub struct Replaying {
    pub turns: Turns,
    path: String,
    options: ReplayOptions,
    /// Names of the streams, for people.
    names: HashMap<StreamId, String>,
    /// Streams of the static initialisers of each class, and how many were taken.
    initialisers: HashMap<String, (Vec<StreamId>, AtomicUsize)>,
    /// Its number when it was recorded.
    pub recorded_pid: u32,
    /// The same of threads that no recorded thread started, by name.
    sources: HashMap<String, (Vec<StreamId>, AtomicUsize)>,
    /// What the threads that stopped at the end of their recording were about to use; global references.
    pub stopped_at: Mutex<HashMap<StreamId, usize>>,
    /// The field of Thread that holds its stream.
    stream_field: OnceLock<Field>,
    /// Whether the recording was cut short.
    cut: bool,
    /// What came in from outside, by event; facts by their sites, in stream 0.
    pub inputs: HashMap<Link, Vec<u8>>,
    /// Set if accesses are written down.
    pub observing: Option<Observing>,
    /// The last call of each stream that varies and is not recorded.
    pub uncovered: Mutex<HashMap<StreamId, SiteId>>,
    /// Streams in which the VM ran finalizers.
    pub finalizers: Vec<StreamId>,
    /// Where those references were made that came out of queues, or whose objects were finalized.
    pub returning: OnceLock<HashSet<Link>>,
}

/// Exit codes for a process that did not end by itself; the command reads the outcome, these are for whoever does not.
const DIVERGED: i32 = 10;
const STALLED: i32 = 13;

impl Replaying {
    pub fn start(
        session: &Session,
        options: ReplayOptions,
        path: Option<String>,
    ) -> Result<Replaying, String> {
        let trace = Trace::open(&session.trace).map_err(|error| error.to_string())?;
        let path = match path {
            Some(path) => path,
            None => claim(session).ok_or("cannot write into the session folder")?,
        };
        let Some(process) = trace.processes.iter().find(|process| process.path == path) else {
            let divergence = Divergence {
                stream: StreamId::MAIN,
                position: Position::FIRST,
                expected: None,
                observed: (Kind::Start, SiteId(0)),
                detail: format!(
                    "a JVM was started that the recording does not have (process {path})"
                ),
            };
            let observed_at = "the start of a JVM".to_owned();
            outcome::write(
                &session.folder,
                &path,
                (0, 0),
                &Outcome::Diverged {
                    divergence,
                    observed_at,
                    stack: vec![],
                },
            );
            return Err(format!("this JVM (process {path}) is not in the recording"));
        };
        let count = process
            .threads
            .iter()
            .map(|thread| thread.stream.0 as usize)
            .max()
            .unwrap_or(0);
        // A main thread there is always, even if the file was cut before its first event.
        let mut words = vec![vec![]; count.max(1)];
        let mut names = HashMap::new();
        let mut initialisers: HashMap<String, (Vec<StreamId>, AtomicUsize)> = HashMap::new();
        let mut sources: HashMap<String, (Vec<StreamId>, AtomicUsize)> = HashMap::new();
        for thread in &process.threads {
            words[thread.stream.0 as usize - 1] = thread.words.clone();
            names.insert(
                thread.stream,
                format!("thread {} \"{}\"", thread.stream.0, thread.name),
            );
            if thread.kind == ThreadKind::Thread && thread.parent.is_none() {
                let same_name = sources.entry(thread.name.clone()).or_default();
                same_name.0.push(thread.stream);
            }
            if thread.kind == ThreadKind::ClassInitialiser {
                names.insert(thread.stream, format!("initialiser of {}", thread.name));
                initialisers
                    .entry(thread.name.clone())
                    .or_default()
                    .0
                    .push(thread.stream);
            }
        }
        let goto = options
            .goto
            .filter(|goto| goto.process == process.number.0)
            .map(|goto| Link::new(StreamId(goto.stream), Position(goto.position)));
        let beyond = if process.ended || words[0].is_empty() {
            Beyond::GoOn
        } else {
            Beyond::Stop
        };
        let observing = Observing::start(session, &options.observe, process.number.0, &path)?;
        Ok(Replaying {
            observing,
            turns: Turns::new(words, goto).ending(beyond),
            path,
            options,
            names,
            initialisers,
            sources,
            recorded_pid: process.pid,
            stopped_at: Mutex::default(),
            stream_field: OnceLock::new(),
            cut: !process.ended,
            inputs: process.inputs.clone(),
            uncovered: Mutex::default(),
            finalizers: finalizers(&process.threads),
            returning: OnceLock::new(),
        })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// What immutable collections took their order from: the first event of the main thread.
    pub fn salt(&self) -> Option<u64> {
        let expected = self.turns.expected(StreamId::MAIN)?;
        let first = Link::new(StreamId::MAIN, Position::FIRST);
        (expected == (Kind::Value, SiteId::SALT)).then(|| self.turns.value_at(first))?
    }

    /// Properties of the machine and its user, as they were.
    pub fn properties(&self) -> impl Iterator<Item = (&'static CStr, String)> {
        PROPERTIES
            .iter()
            .zip(SiteId::PROPERTIES.0..)
            .filter_map(|(name, site)| {
                let link = Link::new(StreamId(0), Position(u64::from(site)));
                Some((*name, text_of(self.inputs.get(&link)?)?))
            })
    }

    pub fn name(&self, stream: StreamId) -> String {
        self.names
            .get(&stream)
            .cloned()
            .unwrap_or_else(|| format!("thread {}", stream.0))
    }

    pub fn vm_init(&'static self, agent: &'static Agent, jni: Jni, child_options: jobject) {
        let enforce = self.options.enforcement == Enforcement::On;
        if enforce {
            // First: the helper may stop at once.
            self.turns.started(StreamId::MAIN);
            std::thread::spawn(move || self.watch(agent));
        }
        let started = jni.find_class(c"java/lang/Reweave").is_some_and(|class| {
            let init = jni.static_method(class, c"init", c"(ZZZZJJ[Ljava/lang/String;)V");
            let arguments = [
                jvalue {
                    z: jboolean::from(self.options.pace == Pace::RealTime),
                },
                jvalue {
                    z: jboolean::from(enforce),
                },
                jvalue {
                    z: jboolean::from(self.salt().is_some()),
                },
                jvalue {
                    z: jboolean::from(self.options.effects == Effects::Made),
                },
                jvalue {
                    j: self.turns.slots().address() as jlong,
                },
                jvalue {
                    j: agent.fields.address() as jlong,
                },
                jvalue { l: child_options },
            ];
            init.is_some_and(|init| jni.call_static(class, init, &arguments))
        });
        let observed = self
            .observing
            .as_ref()
            .is_none_or(|observing| observing.wake(jni));
        if !started || !observed {
            eprintln!("reweave: the helper class could not be started");
            exit_now(125);
        }
        if enforce {
            self.turns.started(StreamId::MAIN);
            if let Some(class) = jni.find_class(c"java/lang/Thread")
                && let Some(field) = jni.field(class, c"$rwStream", c"I")
            {
                let _ = self.stream_field.set(field);
                agent.jvmti.enable(JVMTI_EVENT_THREAD_START);
            }
        }
    }

    /// A thread starts; it is the calling one.
    pub fn thread_start(&self, jni: Jni, thread: jobject) {
        if let Some(field) = self.stream_field.get() {
            let stream = jni.int_field(thread, *field);
            if stream > 0 {
                self.turns.started(StreamId(stream as u32));
            }
        }
    }

    fn watch(&'static self, agent: &'static Agent) {
        let debugged = self.options.debugger == Debugger::Attached;
        watch::watch(
            &self.turns,
            self.options.stall_after,
            debugged,
            self.cut,
            |finding| match finding {
                watch::Finding::AllAtEnd => self.finish(agent, ending::explain(agent, self), 0),
                watch::Finding::Stalled => {
                    let waits = watch::describe(
                        &self.turns,
                        |s| self.name(s),
                        |site| agent.place(SiteId(site)),
                    );
                    self.finish(agent, Outcome::Stalled { waits }, STALLED);
                }
            },
        );
    }

    /// Ends the process with this outcome.
    fn finish(&self, agent: &Agent, outcome: Outcome, code: i32) -> ! {
        if outcome::write(&agent.session.folder, &self.path, self.progress(), &outcome) {
            exit_now(code);
        }
        // Another thread got there first and is about to end the process.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn diverged(&self, agent: &Agent, mut divergence: Divergence) -> ! {
        let uncovered = self.uncovered.lock().ok();
        let called = uncovered.and_then(|calls| calls.get(&divergence.stream).copied());
        if let Some(site) = called {
            let place = agent.place(site);
            if !divergence.detail.is_empty() {
                divergence.detail.push_str("; ");
            }
            divergence.detail +=
                &format!("before that it called {place}, whose answer varies and is not recorded");
        }
        let observed_at = agent.place(divergence.observed.1);
        let stack = agent
            .jvmti
            .stack(64)
            .into_iter()
            .filter(|frame| !frame.starts_with("java.lang.Reweave"))
            .take(24)
            .collect();
        self.finish(
            agent,
            Outcome::Diverged {
                divergence,
                observed_at,
                stack,
            },
            DIVERGED,
        )
    }

    /// The recording has nothing more for this stream: it stops here, or goes on by itself.
    fn at_end(&self, stream: StreamId) -> jint {
        if self.options.at_end == AtEnd::Continue {
            self.turns.ended(stream);
            return 0;
        }
        if self.turns.is_light(stream) {
            return natives::STOP;
        }
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }

    fn progress(&self) -> (u64, u64) {
        self.turns.stream_ids().fold((0, 0), |(done, all), id| {
            let (finished, recorded) = self.turns.progress(id);
            (
                done + self.turns.events_in(id, finished),
                all + self.turns.events_in(id, recorded),
            )
        })
    }

    fn unfinished(&self) -> Option<StreamId> {
        self.turns.stream_ids().find(|id| {
            let (finished, recorded) = self.turns.progress(*id);
            finished < recorded && self.turns.expected(*id).is_some()
        })
    }

    /// The VM is about to end. Threads that still have recorded events are given the time to follow them.
    pub fn vm_death(&self, agent: &Agent) {
        if self.options.enforcement == Enforcement::Off {
            outcome::write(
                &agent.session.folder,
                &self.path,
                (0, 0),
                &Outcome::NotEnforced,
            );
            return;
        }
        let mut steps = self.turns.steps();
        let mut since = Instant::now();
        while self.unfinished().is_some() {
            let alive = self.turns.stream_ids().any(|id| {
                matches!(
                    self.turns.activity(id),
                    Activity::Running | Activity::Waiting(_) | Activity::WaitingForAccesses(..)
                )
            });
            let patience = if alive {
                self.options.stall_after
            } else {
                Duration::from_millis(500)
            };
            if since.elapsed() > patience {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            if self.turns.steps() != steps {
                steps = self.turns.steps();
                since = Instant::now();
            }
        }
        let outcome = match self.unfinished() {
            None => Outcome::Followed,
            Some(stream) => Outcome::Diverged {
                divergence: Divergence {
                    stream,
                    position: self.turns.next(stream),
                    expected: self.turns.expected(stream),
                    observed: (Kind::Exit, SiteId(0)),
                    detail: "the program ended before this event".to_owned(),
                },
                observed_at: "the end of the program".to_owned(),
                stack: vec![],
            },
        };
        let diverged = outcome != Outcome::Followed;
        outcome::write(&agent.session.folder, &self.path, self.progress(), &outcome);
        if diverged {
            exit_now(DIVERGED);
        }
    }
}

/// As in ReweaveRuntime.java.
const PROPERTIES: [&CStr; 7] = [
    c"user.name",
    c"user.home",
    c"os.version",
    c"user.language",
    c"user.script",
    c"user.country",
    c"user.variant",
];

/// A text as ReweaveForm.java writes it: its kind, its length, and two bytes for each character.
fn text_of(bytes: &[u8]) -> Option<String> {
    const STRING: u8 = 2;
    let (&[STRING, _, _, _, _], chars) = bytes.split_first_chunk::<5>()? else {
        return None;
    };
    let units: Vec<u16> = chars
        .chunks_exact(2)
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
        .collect();
    String::from_utf16(&units).ok()
}

/// The VM's own thread for finalizers is nobody's child.
fn finalizers(threads: &[Thread]) -> Vec<StreamId> {
    let ran = |thread: &&Thread| {
        thread.stream != StreamId::MAIN
            && thread.parent.is_none()
            && thread.kind == ThreadKind::Thread
            && thread.name == "Finalizer"
    };
    threads
        .iter()
        .filter(ran)
        .map(|thread| thread.stream)
        .collect()
}

/// A process that was not told which one it is takes the first number that is free.
fn claim(session: &Session) -> Option<String> {
    (0..10_000u32)
        .map(|number| number.to_string())
        .find(|number| {
            let path = session.folder.join(format!("claim-{number}"));
            std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)
                .is_ok()
        })
}
