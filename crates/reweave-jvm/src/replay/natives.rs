//! The natives of the helper class in a replay. They have the names and types that the JVM derives from the helper class; a test compares them.

use super::Replaying;
use crate::agent::{Agent, Work, agent};
use crate::jvm::Jni;
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject, jstring};
use reweave_runtime::session::{AtEnd, Enforcement};
use reweave_runtime::sync;
use reweave_runtime::turns::Turn;
use reweave_trace::{Kind, Link, Position, SiteId, StreamId};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// What `before` and `ask` answer; as in ReweaveLight.
const OFF: jint = 0;
const GO: jint = 1;
const LATER: jint = 2;
/// The stream's recording has ended: never.
pub(super) const STOP: jint = 3;

pub fn replaying() -> Option<(&'static Agent, &'static Replaying)> {
    let agent = agent()?;
    match &agent.work {
        Work::Replay(replaying) => Some((agent, replaying)),
        Work::Record(_) => None,
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_before(
    env: *mut JNIEnv,
    class: jclass,
    stream: jint,
    kind: jint,
    site: jint,
    object: jobject,
) -> jint {
    let Some((agent, replaying)) = replaying() else {
        return OFF;
    };
    let Some(kind) = Kind::from_number(kind as u8) else {
        return OFF;
    };
    let stream = StreamId(stream as u32);
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    match sync::begin(&replaying.turns, stream, kind, SiteId(site as u32)) {
        Turn::Go => GO,
        Turn::Later => LATER,
        Turn::StopHere => {
            if let Some(stop) = jni.static_method(class, c"stop", c"()V") {
                jni.call_static(class, stop, &[]);
            }
            GO
        }
        Turn::End => {
            if !object.is_null() && replaying.options.at_end == AtEnd::Stop {
                let mut stopped = replaying
                    .stopped_at
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                stopped.insert(stream, jni.global(object) as usize);
            }
            replaying.at_end(stream)
        }
        Turn::Diverged(divergence) => replaying.diverged(agent, divergence),
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveMemory_ask(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    site: jint,
) -> jint {
    let Some((agent, replaying)) = replaying() else {
        return OFF;
    };
    let stream = StreamId(stream as u32);
    match replaying.turns.enter_access(stream, SiteId(site as u32)) {
        Turn::Go | Turn::StopHere => GO,
        Turn::Later => LATER,
        Turn::End => replaying.at_end(stream),
        Turn::Diverged(divergence) => replaying.diverged(agent, divergence),
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveMemory_tell(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) {
    if let Some((_, replaying)) = replaying() {
        replaying.turns.tell_accesses(StreamId(stream as u32));
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_after(_env: *mut JNIEnv, _class: jclass, stream: jint) {
    if let Some((_, replaying)) = replaying() {
        replaying.turns.done(StreamId(stream as u32));
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_acquiredBy(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jboolean {
    replaying().map_or(0, |(_, replaying)| {
        jboolean::from(replaying.turns.done_without_waking(StreamId(stream as u32)))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_wake(_env: *mut JNIEnv, _class: jclass, stream: jint) {
    if let Some((_, replaying)) = replaying() {
        replaying.turns.wake_up(StreamId(stream as u32));
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_value(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jlong {
    replaying().map_or(0, |(_, replaying)| {
        replaying.turns.value(StreamId(stream as u32)) as jlong
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_check(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    value: jlong,
) {
    let Some((agent, replaying)) = replaying() else {
        return;
    };
    let stream = StreamId(stream as u32);
    if let Err(divergence) = replaying.turns.check(
        stream,
        value as u64,
        "the program writes something else than it did",
    ) {
        replaying.diverged(agent, divergence);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_classStream(
    _env: *mut JNIEnv,
    _class: jclass,
    hash: jint,
) -> jint {
    let Some((agent, replaying)) = replaying() else {
        return 0;
    };
    if replaying.options.enforcement == Enforcement::Off {
        return 0;
    }
    let Some(name) = agent.class_of_hash(hash as u32) else {
        return 0;
    };
    let Some((streams, taken)) = replaying.initialisers.get(&name.replace('/', ".")) else {
        return 0;
    };
    let index = taken.fetch_add(1, Ordering::Relaxed);
    streams.get(index).map_or(0, |stream| stream.0 as jint)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_sourceStream(
    env: *mut JNIEnv,
    _class: jclass,
    name: jstring,
) -> jint {
    let Some((_, replaying)) = replaying() else {
        return 0;
    };
    if replaying.options.enforcement == Enforcement::Off {
        return 0;
    }
    // SAFETY: the JVM passes the calling thread's environment.
    let name = unsafe { Jni::new(env) }.text(name);
    let Some((streams, taken)) = replaying.sources.get(&name) else {
        return 0;
    };
    let index = taken.fetch_add(1, Ordering::Relaxed);
    streams.get(index).map_or(0, |stream| stream.0 as jint)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_begun(
    _env: *mut JNIEnv,
    _class: jclass,
    class: jclass,
    stream: jint,
) -> jint {
    let Some((agent, replaying)) = replaying() else {
        return GO;
    };
    let name = agent
        .jvmti
        .class_name(class)
        .unwrap_or_default()
        .replace('/', ".");
    let Some((streams, _)) = replaying.initialisers.get(&name) else {
        return GO;
    };
    let [initialiser] = streams[..] else {
        // Classes of one name from several loaders: which is which is not known, so nobody waits.
        return GO;
    };
    let begin = Link::new(initialiser, Position(1));
    let runner = replaying.turns.value_at(begin);
    if runner == Some(stream as u64) {
        return jint::from(replaying.turns.has_happened(begin));
    }
    let ran = runner.is_some_and(|runner| runner != 0);
    if ran && !replaying.turns.wait_until(StreamId(stream as u32), begin) {
        return LATER;
    }
    GO
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_release(
    env: *mut JNIEnv,
    _class: jclass,
    object: jobject,
) -> jint {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    let mut depth = 0;
    // Not the number of monitorenters: the VM may have merged some. So until it is no longer held.
    while jni.monitor_exit(object) {
        depth += 1;
    }
    depth
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_retake(
    env: *mut JNIEnv,
    _class: jclass,
    object: jobject,
    depth: jint,
) {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    for _ in 0..depth {
        jni.monitor_enter(object);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_isNotify(
    _env: *mut JNIEnv,
    _class: jclass,
    link: jlong,
) -> jint {
    let Some((_, replaying)) = replaying() else {
        return 0;
    };
    let kind = Link::unpack(link as u64).and_then(|link| replaying.turns.kind_of(link));
    jint::from(matches!(kind, Some(Kind::Notify | Kind::NotifyAll)))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_nextHash(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jint {
    let Some((_, replaying)) = replaying() else {
        return OFF;
    };
    let stream = StreamId(stream as u32);
    if replaying.turns.expected(stream) != Some((Kind::Value, SiteId::IDENTITY_HASH)) {
        return OFF;
    }
    let before = replaying.turns.link(stream);
    match before.is_none_or(|link| replaying.turns.has_happened(link)) {
        true => GO,
        false => LATER,
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_madeHash(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jint {
    let stream = StreamId(stream as u32);
    replaying().map_or(0, |(_, replaying)| {
        let made = replaying.turns.current(stream);
        let expected = made.map_or(0, |(link, _)| link.identity_hash());
        (replaying.turns.value(stream) as u32 ^ expected) as jint
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_steps(_env: *mut JNIEnv, _class: jclass) -> jlong {
    replaying().map_or(0, |(_, replaying)| replaying.turns.steps() as jlong)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_hashSeed(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jlong {
    let stream = StreamId(stream as u32);
    let shared = replaying().and_then(|(_, r)| r.turns.uses_shared_cell(stream));
    shared.map_or(0, |link| link.pack() as jlong)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_Reweave_ended(_env: *mut JNIEnv, _class: jclass, stream: jint) {
    if let Some((_, replaying)) = replaying() {
        replaying.turns.ended(StreamId(stream as u32));
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveLight_add(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jint {
    replaying().map_or(0, |(_, replaying)| {
        replaying.turns.make_light(StreamId(stream as u32));
        replaying.turns.stream_ids().count() as jint
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveLight_next(_env: *mut JNIEnv, _class: jclass) -> jint {
    replaying().map_or(0, |(_, replaying)| {
        replaying.turns.next_to_unpark().0 as jint
    })
}
