//! Recording: the helper's natives. They are called when a chunk is full, a thread or class is new, and when the VM ends; never per event.

use crate::agent::{Agent, Work, agent};
use crate::jvm::Jni;
use crate::unordered;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jlong, jobject, jstring, jvalue};
use reweave_runtime::recorder::Recorder;
use reweave_runtime::session::{Session, glob_matches};
use reweave_runtime::slots::SLOT_BYTES;
use reweave_trace::file::table::{Record, ThreadKind};
use reweave_trace::{ClassId, StreamId};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Recording {
    recorder: Recorder,
    /// Sites whose answers are recorded as facts.
    pub facts: Mutex<HashSet<u32>>,
    path: String,
    next_class: AtomicU32,
}

/// Words in the table that objects without an order word share; as in ReweaveLog.CELLS.
const CELLS: usize = 1 << 16;

/// Locks behind that table, one more for alignment, and how large each is; as in ReweaveMemory.LOCKS.
const MEMORY_LOCKS: usize = (1 << 16) + 1;
const LOCK_WORDS: usize = 8;
/// Words in the table of memory words that objects without one share; as in ReweaveMemory.SHARED.
const MEMORY_CELLS: usize = 1 << 18;
/// Words in the table of those of arrays; as in ReweaveIds.WORDS.
const ARRAY_WORDS: usize = 1 << 22;
/// As many streams count their accesses to memory; threads beyond that are outside.
const SLOTS: usize = 1 << 20;
/// So many descriptors can be told apart, a byte each behind the first cache line; as in ReweaveInput.DESCRIPTORS.
const DESCRIPTORS: usize = 1 << 20;
const SLOT_WORDS: usize = SLOT_BYTES / 8;

impl Recording {
    pub fn start(
        session: &Session,
        path: Option<String>,
        main: &str,
        jdk: &str,
    ) -> Result<Recording, String> {
        let recorder = Recorder::join(&session.trace, session.keep).map_err(|error| {
            format!(
                "cannot join the recording in {}: {error}",
                session.trace.display()
            )
        })?;
        let path = path.unwrap_or_else(|| recorder.process().0.to_string());
        recorder.record(&Record::Process {
            path: path.clone(),
            pid: std::process::id(),
            main: main.to_owned(),
            jdk: jdk.to_owned(),
        });
        Ok(Recording {
            recorder,
            path,
            facts: Mutex::default(),
            next_class: AtomicU32::new(1),
        })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn record(&self, record: &Record) {
        self.recorder.record(record);
    }

    /// Adds what came in from outside.
    pub fn input(
        &self,
        stream: StreamId,
        position: u64,
        length: usize,
        fill: impl FnOnce(&mut [u8]),
    ) {
        self.recorder.input(stream, position, length, fill);
    }

    /// Wakes the helper up.
    pub fn vm_init(&self, agent: &Agent, jni: Jni, child_options: jobject) {
        // Memory that nobody has touched yet costs nothing.
        let table = |words: usize| -> jlong {
            let table: &'static mut [u64] = vec![0; words].leak();
            table.as_ptr() as jlong
        };
        // Each in cache lines of its own.
        let slots = (table((SLOTS + 2) * SLOT_WORDS) as usize).next_multiple_of(SLOT_BYTES);
        // Nobody has stream 0: its line is for the recorder itself.
        let line = slots as *mut u64;
        // SAFETY: the table begins with that line, and nobody else knows it yet.
        unsafe { line.add(1).write(unordered::too_eager()) };
        let started = jni.find_class(c"java/lang/Reweave").is_some_and(|class| {
            let init = jni.static_method(class, c"init", c"(JJIJJJ[Ljava/lang/String;)V");
            let arguments = [
                jvalue { j: table(CELLS) },
                jvalue { j: slots as jlong },
                jvalue { i: SLOTS as jint },
                jvalue {
                    j: table(MEMORY_CELLS + ARRAY_WORDS + MEMORY_LOCKS * LOCK_WORDS),
                },
                jvalue {
                    j: agent.fields.address() as jlong,
                },
                jvalue {
                    j: table(DESCRIPTORS / 8 + 8),
                },
                jvalue { l: child_options },
            ];
            init.is_some_and(|init| jni.call_static(class, init, &arguments))
        });
        if !started {
            self.record(&Record::Note(
                "the helper class could not be started: nothing was recorded".to_owned(),
            ));
        }
    }

    pub fn vm_death(&self, jni: Jni) {
        if let Some(class) = jni.find_class(c"java/lang/Reweave")
            && let Some(close) = jni.static_method(class, c"close", c"()V")
        {
            jni.call_static(class, close, &[]);
        }
        self.record(&Record::End);
    }
}

pub fn recording() -> Option<&'static Recording> {
    match &agent()?.work {
        Work::Record(recording) => Some(recording.as_ref()),
        Work::Replay(_) => None,
    }
}

fn parent(stream: jint) -> Option<StreamId> {
    (stream > 0).then_some(StreamId(stream as u32))
}

/// The natives have the names and types that the JVM derives from the helper class; a test compares them.
#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_chunk(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    position: jlong,
) -> jlong {
    let next = recording().and_then(|r| {
        r.recorder
            .next_chunk(StreamId(stream as u32), position as usize)
    });
    next.unwrap_or(0) as jlong
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_stream(
    env: *mut JNIEnv,
    _class: jclass,
    from: jint,
    name: jstring,
) -> jint {
    let Some(recording) = recording() else {
        return -1;
    };
    // SAFETY: the JVM passes the calling thread's environment.
    let name = unsafe { Jni::new(env) }.text(name);
    recording
        .recorder
        .stream(parent(from), ThreadKind::Thread, &name)
        .map_or(-1, |stream| stream.0 as jint)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_newClassStream(
    _env: *mut JNIEnv,
    _class: jclass,
    from: jint,
    hash: jint,
) -> jint {
    let Some(recording) = recording() else {
        return -1;
    };
    let name = agent()
        .and_then(|agent| agent.class_of_hash(hash as u32))
        .unwrap_or_default();
    recording
        .recorder
        .stream(
            parent(from),
            ThreadKind::ClassInitialiser,
            &name.replace('/', "."),
        )
        .map_or(-1, |stream| stream.0 as jint)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_outside(
    env: *mut JNIEnv,
    _class: jclass,
    name: jstring,
) -> jint {
    let Some(agent) = agent() else { return 0 };
    if agent.session.exclude_threads.is_empty() {
        return 0;
    }
    // SAFETY: the JVM passes the calling thread's environment.
    let name = unsafe { Jni::new(env) }.text(name);
    jint::from(
        agent
            .session
            .exclude_threads
            .iter()
            .any(|pattern| glob_matches(pattern, &name)),
    )
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_classId(
    _env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
) -> jint {
    let (Some(agent), Some(recording)) = (agent(), recording()) else {
        return 0;
    };
    let id = recording.next_class.fetch_add(1, Ordering::Relaxed);
    let name = agent
        .jvmti
        .class_name(class)
        .unwrap_or_default()
        .replace('/', ".");
    recording.record(&Record::Class {
        class: ClassId(id),
        name,
    });
    id as jint
}

/// The class that declares the order word of this class's instances, or null.
#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_orderClass(
    env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
) -> jclass {
    declaring(env, class, crate::hooks::ORDER_WORD)
}

/// The class that declares the memory word of this class's instances, or null.
#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveMemory_wordClass(
    env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
) -> jclass {
    declaring(env, class, crate::hooks::MEMORY_WORD)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveMemory_barrier(_env: *mut JNIEnv, _class: jclass) {
    reweave_runtime::sys::barrier_on_all_processors();
}

/// The class or superclass that declares this word.
pub fn declaring(env: *mut JNIEnv, class: jclass, word: &str) -> jclass {
    let Some(agent) = agent() else {
        return std::ptr::null_mut();
    };
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    let mut next = Some(class);
    while let Some(class) = next {
        if agent.jvmti.declares(class, word) {
            return class;
        }
        next = jni.superclass(class);
    }
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_finish(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    position: jlong,
) {
    if let Some(recording) = recording() {
        recording
            .recorder
            .finish(StreamId(stream as u32), position as usize);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_outsideOutput(
    env: *mut JNIEnv,
    _class: jclass,
    thread: jstring,
) {
    let Some(recording) = recording() else { return };
    // SAFETY: the JVM passes the calling thread's environment.
    let thread = unsafe { Jni::new(env) }.text(thread);
    recording.record(&Record::Note(format!(
        "thread \"{thread}\" is outside the recording and wrote to standard output or error: a replay does not order or compare that"
    )));
}

/// For a thread that began to write while the VM ends: the process is gone in a moment.
#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_blockForever(_env: *mut JNIEnv, _class: jclass) {
    loop {
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }
}
