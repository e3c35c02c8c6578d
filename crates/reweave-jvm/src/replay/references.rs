//! The natives of `ReweaveReference`: what the recording says of references.

use super::natives::replaying;
use crate::jvm::Jni;
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use reweave_runtime::turns::Activity;
use reweave_trace::{Kind, Link, SiteId, StreamId};

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_isNext(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    site: jint,
    value: jlong,
) -> jboolean {
    let stream = StreamId(stream as u32);
    let next = replaying().is_some_and(|(_, replaying)| {
        replaying.turns.expected(stream) == Some((Kind::Value, SiteId(site as u32)))
            && replaying.turns.value(stream) == value as u64
    });
    jboolean::from(next)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_own(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jlong {
    let current = replaying().and_then(|(_, r)| r.turns.current(StreamId(stream as u32)));
    current.map_or(0, |(link, _)| link.pack() as jlong)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_before(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jlong {
    let link = replaying().and_then(|(_, r)| r.turns.link(StreamId(stream as u32)));
    link.map_or(0, |link| link.pack() as jlong)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_returns(
    _env: *mut JNIEnv,
    _class: jclass,
    link: jlong,
) -> jboolean {
    let (Some((_, replaying)), Some(link)) = (replaying(), Link::unpack(link as u64)) else {
        return 0;
    };
    let returning = replaying.returning.get_or_init(|| {
        let sites = [SiteId::POLLED, SiteId::REMOVED, SiteId::FINALIZED];
        replaying.turns.links_at(Kind::Value, &sites)
    });
    jboolean::from(returning.contains(&link))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_isBuilt(
    _env: *mut JNIEnv,
    _class: jclass,
    link: jlong,
    stream: jint,
) -> jboolean {
    let (Some((_, replaying)), Some(made)) = (replaying(), Link::unpack(link as u64)) else {
        return 1;
    };
    let (reached, _) = replaying.turns.progress(made.stream);
    let built = made.stream == StreamId(stream as u32)
        || reached > made.position.0 + 2
        || replaying.turns.activity(made.stream) != Activity::Running;
    jboolean::from(built)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_finalizerStream(
    _env: *mut JNIEnv,
    _class: jclass,
    index: jint,
) -> jint {
    replaying()
        .and_then(|(_, replaying)| replaying.finalizers.get(index as usize).copied())
        .map_or(0, |stream| stream.0 as jint)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveUncovered_called(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    site: jint,
) {
    if let Some((_, replaying)) = replaying()
        && let Ok(mut calls) = replaying.uncovered.lock()
    {
        calls.insert(StreamId(stream as u32), SiteId(site as u32));
    }
}

/// Its class and method are the JDK's own: only JNI may call them.
#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveReference_runFinalizer(
    env: *mut JNIEnv,
    _class: jclass,
    finalizer: jobject,
) {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    jni.run_finalizer(finalizer);
}
