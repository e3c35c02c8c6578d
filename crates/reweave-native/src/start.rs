//! The start of a process: what the session folder asks for.

use crate::ending::Place;
use crate::latest::Latest;
use crate::order::Side;
use crate::order::replay::{Replaying, unknown_process};
use crate::state::Mode;
use crate::thread::Thread;
use crate::{
    alloc, children, ending, identity, log, machine, processors, sent, serial, signals, sys, tls,
    without,
};
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicI32, Ordering};
use reweave_runtime::recorder::{Keep, Recorder};
use reweave_runtime::session::{self, Enforcement, Session};
use reweave_runtime::sys::place_mappings_from;
use reweave_trace::file::table::Record;
use reweave_trace::{StreamId, Trace};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::{Path, PathBuf};

/// The library's constructor. With `-z initfirst` it comes before those of all other libraries, when not even `getenv` works; the environment is passed.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = construct;

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destruct;

static SIDE: Latest<Side> = Latest::none();
static OWN: AtomicI32 = AtomicI32::new(-1);
static SEEN: AtomicI32 = AtomicI32::new(0);
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Which side of a run in sync order this is.
pub fn side() -> Option<Side> {
    SIDE.get().copied()
}

/// The descriptor of the recording, which the program must not close; -1 if there is none.
pub fn own_descriptor() -> c_int {
    OWN.load(Ordering::Relaxed)
}

/// The number of this process as the program knows it: in a replay that of the recording.
pub fn seen_number() -> c_int {
    match SEEN.load(Ordering::Relaxed) {
        0 => process(),
        seen => seen,
    }
}

/// The program has asked for its number.
pub fn saw_number(number: c_int) {
    SEEN.store(number, Ordering::Relaxed);
}

/// The process that was started; a child that it forks is another one.
pub fn process() -> i32 {
    PROCESS.load(Ordering::Relaxed)
}

extern "C" fn destruct() {
    tls::set_me(core::ptr::null_mut());
    ending::process_ends();
}

extern "C" fn construct(
    _count: c_int,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // SAFETY: the loader passes the lists that the kernel made; they end with null.
    let Some(folder) = (unsafe { variable(environment, b"REWEAVE_SESSION=") }) else {
        return;
    };
    if let Err(why) = begin(Path::new(folder), arguments, environment) {
        sys::say(&format!("reweave: {why}\n"));
        sys::exit_now(125);
    }
}

/// # Safety
/// The list ends with null, its entries are terminated texts that stay.
unsafe fn variable(list: *const *const c_char, prefix: &[u8]) -> Option<&'static str> {
    let entries = (0..)
        // SAFETY: by the caller; nothing behind the null is read.
        .map(|index| unsafe { *list.add(index) })
        .take_while(|entry| !entry.is_null());
    entries
        // SAFETY: by the caller.
        .map(|entry| unsafe { CStr::from_ptr(entry) }.to_bytes())
        .find_map(|entry| entry.strip_prefix(prefix))
        .and_then(|value| core::str::from_utf8(value).ok())
}

fn begin(
    folder: &Path,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) -> Result<(), String> {
    let session = Session::read(folder).map_err(|error| error.to_string())?;
    let settings = serial::Settings::read(&session.native)?;
    for (key, value) in &session.native {
        match key.as_str() {
            "sent" => sent::keep_in(PathBuf::from(value)),
            "without" => without::leave_out(value),
            _ => (),
        }
    }
    // SAFETY: the list is the kernel's.
    let Some(path) = (unsafe { identity::read(environment) }) else {
        // A program that was started in a way that we did not see. It runs as if we were not there.
        if let Some(settings) = settings {
            processors::undo_inherited(&settings.processors);
        }
        return Ok(());
    };
    if settings.is_some() {
        same_addresses_again(arguments, environment)?;
    }
    place_mappings_from(alloc::MAPPINGS);
    crate::hooks::threads::prepare();
    without::leave_allocators_out();
    signals::prepare();
    take_part(folder, &path, session, settings)?;
    let me = tls::me();
    tls::set_me(core::ptr::null_mut());
    machine::prepare();
    tls::set_me(me);
    Ok(())
}

/// A child that was forked: one thread, and a part of the recording of its own.
pub fn begin_child(path: &str) {
    let Some(place) = ending::place() else {
        return;
    };
    log::stop();
    children::forget_parent();
    machine::enter_thread();
    Thread::forget_all();
    let own = OWN.swap(-1, Ordering::Relaxed);
    if own >= 0 {
        // SAFETY: the parent's part of the file, which is not ours.
        unsafe { sys::call(libc::SYS_close, [own as usize, 0, 0, 0, 0, 0]) };
    }
    let begun = Session::read(&place.folder)
        .map_err(|error| error.to_string())
        .and_then(|session| {
            let settings = serial::Settings::read(&session.native)?;
            take_part(&place.folder, path, session, settings)
        });
    if let Err(why) = begun {
        sys::say(&format!("reweave: {why}\n"));
        sys::exit_now(125);
    }
}

/// This process is `path` of the recording.
fn take_part(
    folder: &Path,
    path: &str,
    session: Session,
    settings: Option<serial::Settings>,
) -> Result<(), String> {
    PROCESS.store(sys::process_number(), Ordering::Relaxed);
    SEEN.store(0, Ordering::Relaxed);
    identity::promise(path);
    ending::set_place(Place {
        folder: folder.to_owned(),
        process: path.to_owned(),
    });
    match session.mode {
        session::Mode::Record => {
            join(&session.trace, path)?;
            main_thread(log::stream(None, "main").ok_or("the recording has no room")?)?;
            match settings {
                None => {
                    SIDE.set(Side::Record);
                    Mode::OrderRecord.set();
                }
                Some(settings) => serial::record(&settings)?,
            }
        }
        session::Mode::Replay(options) if options.enforcement == Enforcement::Off => {
            return Ok(());
        }
        session::Mode::Replay(options) => {
            let trace = Trace::open(&session.trace).map_err(|error| error.to_string())?;
            let Some(process) = trace.processes.into_iter().find(|p| p.path == path) else {
                ending::finish((0, 0), &unknown_process());
            };
            match settings {
                None => {
                    main_thread(StreamId::MAIN)?;
                    let replaying: &'static Replaying =
                        Box::leak(Box::new(Replaying::new(process, options)));
                    replaying.turns.started(StreamId::MAIN);
                    SIDE.set(Side::Replay(replaying));
                    Mode::OrderReplay.set();
                }
                Some(settings) => {
                    if let Some(file) = &settings.as_run {
                        join(file, path)?;
                        log::stream(None, "main");
                    }
                    main_thread(StreamId::MAIN)?;
                    serial::replay(process, &settings, options)?;
                }
            }
        }
    }
    tls::set_me(tls::record());
    Ok(())
}

/// Joins the recording, with a file descriptor out of the program's way: the ones it gets must be the same in both modes.
fn join(path: &Path, process: &str) -> Result<(), String> {
    let failed = |error: &dyn core::fmt::Display| {
        format!("cannot join the recording in {}: {error}", path.display())
    };
    let file = File::options()
        .read(true)
        .write(true)
        .open(path)
        .map_err(|error| failed(&error))?;
    let file = out_of_the_way(file);
    OWN.store(file.as_raw_fd(), Ordering::Relaxed);
    let recorder = Recorder::join_file(file, Keep::Everything).map_err(|error| failed(&error))?;
    recorder.record(&Record::Process {
        path: process.to_owned(),
        pid: sys::process_number() as u32,
        main: std::fs::read_link("/proc/self/exe")
            .unwrap_or_else(|_| PathBuf::from("program"))
            .to_string_lossy()
            .into_owned(),
        jdk: reweave_trace::model::NATIVE.to_owned(),
    });
    log::start(recorder);
    Ok(())
}

/// The same file under a high number, if one is free.
pub fn out_of_the_way(file: File) -> File {
    for lowest in [900, 200] {
        // SAFETY: makes a new descriptor of one that we own.
        let high = unsafe {
            sys::call(
                libc::SYS_fcntl,
                [
                    file.as_raw_fd() as usize,
                    libc::F_DUPFD_CLOEXEC as usize,
                    lowest,
                    0,
                    0,
                    0,
                ],
            )
        };
        if high >= 0 {
            // SAFETY: it is new and nobody else's.
            return unsafe { File::from_raw_fd(high as i32) };
        }
    }
    file
}

fn main_thread(stream: StreamId) -> Result<(), String> {
    let thread = Thread::new(stream, 0).ok_or("the main thread has no room")?;
    thread
        .handle
        // SAFETY: no preconditions.
        .store(unsafe { libc::pthread_self() } as usize, Ordering::Relaxed);
    thread.adopt();
    crate::hooks::threads::expect_end();
    Ok(())
}

/// Addresses must be the same in the replay, so the kernel must not choose them at random. Asks it not to, and starts the program again.
fn same_addresses_again(
    arguments: *const *const c_char,
    environment: *const *const c_char,
) -> Result<(), String> {
    const NO_RANDOM_ADDRESSES: usize = 0x004_0000;
    const ASK: usize = 0xffff_ffff;
    // SAFETY: only asks.
    let now = unsafe { sys::call(libc::SYS_personality, [ASK, 0, 0, 0, 0, 0]) };
    if now >= 0 && now as usize & NO_RANDOM_ADDRESSES != 0 {
        return Ok(());
    }
    const HINT: &str = "addresses are chosen at random here and that cannot be switched off (personality() is forbidden, as in some containers); \
        serial recording needs them to be the same in every run. Record with --level sync, or permit personality(ADDR_NO_RANDOMIZE)";
    if now < 0 {
        return Err(HINT.to_owned());
    }
    let wanted = now as usize | NO_RANDOM_ADDRESSES;
    // SAFETY: only changes how the next program of this process is loaded.
    if unsafe { sys::call(libc::SYS_personality, [wanted, 0, 0, 0, 0, 0]) } < 0 {
        return Err(HINT.to_owned());
    }
    // SAFETY: only asks; the loader keeps the text for as long as the process lives.
    let path = unsafe { libc::getauxval(libc::AT_EXECFN) };
    // SAFETY: the lists are those of the kernel; if it succeeds, nothing of this program is left.
    let error = unsafe {
        sys::call(
            libc::SYS_execve,
            [
                path as usize,
                arguments as usize,
                environment as usize,
                0,
                0,
                0,
            ],
        )
    };
    Err(format!("cannot start the program again: error {}", -error))
}
