//! The natives of `ReweaveInput`: bytes go into the recording's table, or come out of the recording that is replayed. They have the names and types that the JVM
//! derives from the helper class.

use crate::jvm::Jni;
use crate::record::recording;
use crate::replay::natives::replaying;
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jstring};
use reweave_trace::file::table::Record;
use reweave_trace::{Link, Position, StreamId};
use std::sync::PoisonError;

fn record(stream: jint, position: jlong, length: usize, fill: impl FnOnce(&mut [u8])) {
    if let Some(recording) = recording() {
        let stream = StreamId(stream as u32);
        recording.input(stream, position as u64, length, fill);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_data(
    env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    position: jlong,
    bytes: jbyteArray,
    from: jint,
    length: jint,
) {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    record(stream, position, length.max(0) as usize, |place| {
        jni.get_bytes(bytes, from, place);
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_memory(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    position: jlong,
    address: jlong,
    length: jlong,
) {
    // SAFETY: the helper passes memory of a buffer that was just filled so far.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, length as usize) };
    record(stream, position, bytes.len(), |place| {
        place.copy_from_slice(bytes);
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_knows(
    _env: *mut JNIEnv,
    _class: jclass,
    site: jint,
) -> jboolean {
    let known = recording().is_none_or(|recording| {
        let mut facts = recording
            .facts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        !facts.insert(site as u32)
    });
    jboolean::from(known)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_lost(
    env: *mut JNIEnv,
    _class: jclass,
    why: jstring,
) {
    // SAFETY: the JVM passes the calling thread's environment.
    let why = unsafe { Jni::new(env) }.text(why);
    if let Some(recording) = recording() {
        recording.record(&Record::Note(format!(
            "an input could not be recorded: {why}"
        )));
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveNative_isAddress(
    _env: *mut JNIEnv,
    _class: jclass,
    number: jlong,
) -> jboolean {
    const PAGE: jlong = 4096;
    let page = number & -PAGE;
    // SAFETY: asks about a page of this process, which may be there or not; writes back nothing.
    let mapped = unsafe { libc::msync(page as *mut libc::c_void, PAGE as usize, libc::MS_ASYNC) };
    jboolean::from(mapped == 0)
}

/// The bytes beside the stream's current event.
fn current(stream: jint) -> Option<&'static [u8]> {
    let (_, replaying) = replaying()?;
    let (link, _) = replaying.turns.current(StreamId(stream as u32))?;
    replaying.inputs.get(&link).map(Vec::as_slice)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_threw(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jint {
    let event = replaying().and_then(|(_, r)| r.turns.current(StreamId(stream as u32)));
    event.map_or(0, |(_, tag)| tag as jint)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_bytes(
    env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
) -> jbyteArray {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    current(stream).map_or(std::ptr::null_mut(), |bytes| jni.byte_array(bytes))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_feedArray(
    env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    array: jbyteArray,
    from: jint,
    length: jint,
) {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    let bytes = current(stream).unwrap_or_default();
    jni.set_bytes(array, from, &bytes[..bytes.len().min(length as usize)]);
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_feedMemory(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    address: jlong,
    length: jlong,
) {
    let bytes = current(stream).unwrap_or_default();
    let length = bytes.len().min(length as usize);
    // SAFETY: the helper passes memory that the call it stands for would have filled so far.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, length) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_feedMapped(
    _env: *mut JNIEnv,
    _class: jclass,
    stream: jint,
    length: jlong,
) -> jlong {
    let bytes = current(stream).unwrap_or_default();
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new memory, wherever the kernel likes; as much is copied there as it and the recording have. The JDK unmaps it as it would the file.
    unsafe {
        let memory = libc::mmap(std::ptr::null_mut(), length as usize, access, kind, -1, 0);
        if memory == libc::MAP_FAILED {
            return -1;
        }
        let length = bytes.len().min(length as usize);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.cast::<u8>(), length);
        memory as jlong
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_fact(
    env: *mut JNIEnv,
    _class: jclass,
    site: jint,
) -> jbyteArray {
    // SAFETY: the JVM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    let link = Link::new(StreamId(0), Position(u64::from(site as u32)));
    replaying()
        .and_then(|(_, replaying)| replaying.inputs.get(&link))
        .map_or(std::ptr::null_mut(), |bytes| jni.byte_array(bytes))
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveInput_move(
    _env: *mut JNIEnv,
    _class: jclass,
    from: jint,
    to: jint,
) {
    // SAFETY: descriptors only; the helper has just got the first, and nobody has the second.
    unsafe {
        libc::dup2(from, to);
        libc::close(from);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveRule_fromMemory(
    env: *mut JNIEnv,
    _class: jclass,
    address: jlong,
    bytes: jbyteArray,
    from: jint,
    length: jint,
) {
    // SAFETY: the JVM passes the calling thread's environment; the helper passes memory of a buffer that has as much.
    unsafe {
        let memory = std::slice::from_raw_parts(address as *const u8, length as usize);
        Jni::new(env).set_bytes(bytes, from, memory);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveRule_toMemory(
    env: *mut JNIEnv,
    _class: jclass,
    address: jlong,
    bytes: jbyteArray,
    from: jint,
    length: jint,
) {
    // SAFETY: as above.
    unsafe {
        let memory = std::slice::from_raw_parts_mut(address as *mut u8, length as usize);
        Jni::new(env).get_bytes(bytes, from, memory);
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveChildren_nothing(
    _env: *mut JNIEnv,
    _class: jclass,
) -> jint {
    // SAFETY: opens a device; the path is a C string.
    unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveChildren_close(
    _env: *mut JNIEnv,
    _class: jclass,
    number: jint,
) {
    // SAFETY: the helper passes what `nothing` gave it.
    unsafe { libc::close(number) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveChildren_pid(_env: *mut JNIEnv, _class: jclass) -> jlong {
    jlong::from(std::process::id())
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveChildren_recordedPid(
    _env: *mut JNIEnv,
    _class: jclass,
) -> jlong {
    replaying().map_or(-1, |(_, replaying)| jlong::from(replaying.recorded_pid))
}
