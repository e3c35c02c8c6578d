//! `pthread_create`, `pthread_join`, `pthread_detach`, and the C11 names.

use crate::order::{From, Side};
use crate::state::{Inside, Mode};
use crate::thread::{DETACHED, JOINED, State, Thread};
use crate::{cancel, log, machine, real, serial, signals, start, sync, sys, tls};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use libc::{pthread_t, timespec};
use reweave_trace::{Kind, SiteId, StreamId, Tag};

type Pointer = *mut c_void;

/// The key whose destructor tells us that a thread ends.
static KEY: AtomicU32 = AtomicU32::new(u32::MAX);
/// Destructors run in up to four rounds; by the third the program's own have had two chances to make new values.
const LAST_ROUND: u32 = 3;

pub fn prepare() {
    let mut key = 0;
    // SAFETY: a new key of our own.
    if unsafe { libc::pthread_key_create(&mut key, Some(destructor)) } == 0 {
        KEY.store(key, Ordering::Relaxed);
    }
}

/// The calling thread's end is to be noticed.
pub fn expect_end() {
    // SAFETY: our own key; the value only has to be something.
    unsafe {
        libc::pthread_setspecific(KEY.load(Ordering::Relaxed), core::ptr::dangling::<c_void>())
    };
}

unsafe extern "C" fn destructor(_value: Pointer) {
    // SAFETY: records are never freed.
    let Some(thread) = (unsafe { tls::record().as_ref() }) else {
        return;
    };
    if thread.rounds.fetch_add(1, Ordering::Relaxed) + 1 < LAST_ROUND {
        expect_end();
        return;
    }
    let Some(inside) = Inside::enter() else {
        return;
    };
    match start::side() {
        Some(side) => {
            thread.exit.store(thread.link(), Ordering::Release);
            match side {
                Side::Record => thread.log_short(Kind::Exit, SiteId(0)),
                Side::Replay(replaying) => {
                    replaying.turn(thread, Kind::Exit, 0);
                    replaying.done(thread);
                    replaying.turns.ended(thread.id());
                }
            }
            thread.set_state(State::Ended);
            thread.log_end();
            let last = Thread::all().all(|other| other.state() == State::Ended);
            if last && let Side::Replay(_) = side {
                // libc would end the process with its last thread, but our watcher is one, too.
                // SAFETY: what libc would call.
                unsafe { libc::exit(0) };
            }
        }
        None => serial::finish(thread),
    }
    // Nothing that this thread still does is recorded, so it must not run handlers either.
    sys::block_signals(u64::MAX);
    core::mem::forget(inside);
    tls::set_record(core::ptr::null_mut());
}

/// How a routine returns its result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Posix,
    C11,
}

const C11: usize = 1;

/// The first code of a new thread. `pthread_exit` and cancellation unwind through here, so nothing in it may need a destructor.
extern "C-unwind" fn begin(record: Pointer) -> Pointer {
    // SAFETY: passed by `create` below; records are never freed.
    let thread: &'static Thread = unsafe { &*record.cast::<Thread>() };
    thread.adopt();
    expect_end();
    machine::enter_thread();
    match start::side() {
        None => serial::begin(thread),
        Some(Side::Replay(replaying)) => {
            replaying.turns.started(thread.id());
            signals::after_event(thread);
        }
        Some(Side::Record) => (),
    }
    tls::set_me(record.cast());
    sys::set_signals(thread.mask.load(Ordering::Relaxed));
    let routine = thread.start.load(Ordering::Relaxed);
    let argument = thread.argument.load(Ordering::Relaxed) as Pointer;
    if thread.result.load(Ordering::Relaxed) == C11 {
        // SAFETY: what the program passed to `thrd_create`.
        let routine: extern "C-unwind" fn(Pointer) -> c_int =
            unsafe { core::mem::transmute(routine) };
        return routine(argument) as isize as Pointer;
    }
    // SAFETY: what the program passed to `pthread_create`.
    let routine: extern "C-unwind" fn(Pointer) -> Pointer =
        unsafe { core::mem::transmute(routine) };
    routine(argument)
}

unsafe fn create(
    handle: *mut pthread_t,
    attributes: Pointer,
    routine: Pointer,
    argument: Pointer,
    style: Style,
    from: From,
) -> c_int {
    let Some(inside) = Inside::enter() else {
        // SAFETY: passed on. Only threads that are not recorded come here, and none of those uses C11.
        return unsafe { real::pthread_create(handle, attributes, routine, argument) };
    };
    let parent = inside.thread;
    signals::due(parent);
    let side = start::side();
    let stream = match side {
        Some(Side::Replay(replaying)) => {
            replaying.start_watching();
            replaying.turn(parent, Kind::Start, from);
            let child = StreamId(replaying.turns.value(parent.id()) as u32);
            replaying.done(parent);
            if replaying.expects_at(parent, Kind::Value, from) {
                // It could not be made.
                return Side::Replay(replaying).value(parent, from, || 0) as c_int;
            }
            Some(child)
        }
        Some(Side::Record) => log::stream(Some(parent.id()), "thread"),
        None => serial::new_stream(parent),
    };
    let Some(child) = stream.and_then(|stream| Thread::new(stream, parent.stream)) else {
        // Too many to follow; it runs outside the recording.
        // SAFETY: passed on.
        return unsafe { real::pthread_create(handle, attributes, routine, argument) };
    };
    child.start.store(routine.addr(), Ordering::Relaxed);
    child.argument.store(argument.addr(), Ordering::Relaxed);
    let c11 = usize::from(style == Style::C11);
    child.result.store(c11, Ordering::Relaxed);
    if let Some(Side::Record) = side {
        // Before the thread is there: it may end the process before we come to write it.
        let site = parent.places.site(from);
        let value = child.stream.into();
        parent.log_valued(Kind::Start, site, Tag::NONE, 0, value);
    }
    let mut own: pthread_t = 0;
    // SAFETY: passed on, with a routine that calls the program's.
    let result = unsafe {
        let made = Joinable::make(attributes, child, side.is_none());
        // Until it has its record the thread must not run handlers. It gets this mask from its parent.
        let mask = sys::block_signals(u64::MAX);
        child.mask.store(mask, Ordering::Relaxed);
        let result = real::pthread_create(
            &mut own,
            attributes,
            begin as *mut c_void,
            (&raw const *child).cast_mut().cast(),
        );
        sys::set_signals(mask);
        made.restore();
        result
    };
    if result == 0 {
        child.handle.store(own as usize, Ordering::Relaxed);
        // SAFETY: where the program wants it.
        unsafe { *handle = own };
    }
    match (side, result) {
        (Some(Side::Record), 0) | (Some(Side::Replay(_)), _) => (),
        (Some(Side::Record), error) => {
            let _ = Side::Record.value(parent, from, || error as u64);
        }
        (None, result) => serial::created(parent, child, from, result),
    }
    result
}

/// In a serial run every thread is made joinable, because whoever goes on waits until a thread that ended is really gone.
struct Joinable {
    attributes: Pointer,
    detached: bool,
}

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: Pointer, state: *mut c_int) -> c_int;
    fn pthread_attr_setdetachstate(attributes: Pointer, state: c_int) -> c_int;
}

impl Joinable {
    unsafe fn make(attributes: Pointer, child: &Thread, serial: bool) -> Joinable {
        let mut state = libc::PTHREAD_CREATE_JOINABLE;
        if !attributes.is_null() {
            // SAFETY: the program's own attributes.
            unsafe { pthread_attr_getdetachstate(attributes, &mut state) };
        }
        let detached = state == libc::PTHREAD_CREATE_DETACHED;
        if detached {
            child.fate.store(DETACHED, Ordering::Relaxed);
        }
        if detached && serial {
            // SAFETY: as above; given back by `restore`, before the program runs again.
            unsafe { pthread_attr_setdetachstate(attributes, libc::PTHREAD_CREATE_JOINABLE) };
        }
        Joinable {
            attributes,
            detached: detached && serial,
        }
    }

    unsafe fn restore(self) {
        if self.detached {
            // SAFETY: the program's own attributes.
            unsafe { pthread_attr_setdetachstate(self.attributes, libc::PTHREAD_CREATE_DETACHED) };
        }
    }
}

/// How long a join may take.
#[derive(Clone, Copy)]
enum Patience {
    Endless,
    None,
    Until(*const timespec),
}

unsafe fn join(handle: pthread_t, result: *mut Pointer, patience: Patience, from: From) -> c_int {
    // SAFETY: passed on.
    let real = || unsafe {
        match patience {
            Patience::Endless => real::pthread_join(handle, result),
            Patience::None => real::pthread_tryjoin_np(handle, result),
            Patience::Until(time) => real::pthread_timedjoin_np(handle, result, time),
        }
    };
    let Some(inside) = Inside::enter() else {
        return real();
    };
    let Some(target) = Thread::by_handle(handle) else {
        return real();
    };
    let thread = inside.thread;
    signals::due(thread);
    let joined = match start::side() {
        Some(Side::Record) => {
            let joined = signals::while_waiting(thread, real);
            if joined == 0 {
                let site = thread.places.site(from);
                let link = target.exit.load(Ordering::Acquire);
                let value = u64::from(target.stream) << 8;
                thread.log_valued(Kind::Join, site, Tag::NONE, link, value);
            } else {
                Side::Record.value(thread, from, || joined as u64);
            }
            joined
        }
        Some(side @ Side::Replay(replaying)) => {
            if replaying.expects(thread, &[Kind::Value]) {
                return side.value(thread, from, || 0) as c_int;
            }
            replaying.turn(thread, Kind::Join, from);
            // SAFETY: passed on; the thread has ended or is about to.
            let joined = unsafe { real::pthread_join(handle, result) };
            replaying.done(thread);
            joined
        }
        None => {
            if core::ptr::eq(target, thread) {
                return libc::EDEADLK;
            }
            // libc does not know that it is: see `detach`.
            if target.fate.load(Ordering::Relaxed) == DETACHED {
                return libc::EINVAL;
            }
            let deadline = match patience {
                Patience::Endless | Patience::None => None,
                Patience::Until(time) => Some(sync::deadline(libc::CLOCK_REALTIME, time)),
            };
            while target.state() != State::Ended {
                if matches!(patience, Patience::None) {
                    return libc::EBUSY;
                }
                let object = (&raw const *target).addr();
                if serial::block(thread, object, from, deadline) == serial::Ended::TimedOut {
                    return libc::ETIMEDOUT;
                }
                if cancel::ends_wait(thread) {
                    return libc::EINTR;
                }
            }
            // SAFETY: passed on; the thread has ended.
            unsafe { real::pthread_join(handle, result) }
        }
    };
    if joined == 0 {
        target.fate.store(JOINED, Ordering::Relaxed);
    }
    joined
}

unsafe fn detach(handle: pthread_t) -> c_int {
    // SAFETY: passed on.
    let real = || unsafe { real::pthread_detach(handle) };
    if !Mode::now().is_serial() {
        return real();
    }
    let (Some(_inside), Some(target)) = (Inside::enter(), Thread::by_handle(handle)) else {
        return real();
    };
    if target.fate.swap(DETACHED, Ordering::Relaxed) == DETACHED {
        return libc::EINVAL;
    }
    match target.state() {
        State::Ended => real(),
        // Whoever goes on after it will join it.
        _ => 0,
    }
}

/// The results of C11 functions.
fn c11(result: c_int) -> c_int {
    match result {
        0 => 0,
        libc::ENOMEM => 3,
        _ => 2,
    }
}

hooks! {
    fn pthread_create(handle: *mut pthread_t, attributes: Pointer, routine: Pointer, argument: Pointer) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { create(handle, attributes, routine, argument, Style::Posix, from) }
    }

    fn pthread_join(handle: pthread_t, result: *mut Pointer) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { join(handle, result, Patience::Endless, from) }
    }

    fn pthread_tryjoin_np(handle: pthread_t, result: *mut Pointer) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { join(handle, result, Patience::None, from) }
    }

    fn pthread_timedjoin_np(handle: pthread_t, result: *mut Pointer, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { join(handle, result, Patience::Until(time), from) }
    }

    fn pthread_detach(handle: pthread_t) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { detach(handle) }
    }

    fn thrd_create(handle: *mut pthread_t, routine: Pointer, argument: Pointer) -> c_int |from| {
        // SAFETY: passed on.
        c11(unsafe { create(handle, core::ptr::null_mut(), routine, argument, Style::C11, from) })
    }

    fn thrd_join(handle: pthread_t, result: *mut c_int) -> c_int |from| {
        let mut pointer: Pointer = core::ptr::null_mut();
        // SAFETY: passed on.
        let joined = unsafe { join(handle, &mut pointer, Patience::Endless, from) };
        if joined == 0 && !result.is_null() {
            // SAFETY: where the program wants it.
            unsafe { *result = pointer.addr() as c_int };
        }
        c11(joined)
    }

    fn thrd_detach(handle: pthread_t) -> c_int |from| {
        // SAFETY: passed on.
        c11(unsafe { detach(handle) })
    }
}
