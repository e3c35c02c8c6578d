//! Processes: children, other programs, and ends that run no destructors.

use crate::hooks::io::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::{From, Side};
use crate::state::{Inside, Mode};
use crate::{children, ending, identity, processors, real, serial, start, sys};
use core::ffi::{CStr, c_char, c_int, c_void};
use reweave_trace::Kind;

fn end() {
    if Inside::enter().map(core::mem::forget).is_some() {
        ending::process_ends();
    }
}

/// Whether a process's number means this one, or its group.
pub fn is_this(number: c_int) -> bool {
    number == start::seen_number() || number == 0
}

type List = *const *const c_char;

/// The program's list of variables, with ours as they are to be. The entries of ours that it makes are kept for ever: whoever executes has no further use for memory.
unsafe fn with_ours(list: List, process: Vec<u8>) -> Vec<*const c_char> {
    const OURS: [&[u8]; 2] = [b"LD_PRELOAD=", b"REWEAVE_SESSION="];
    let entries = |list: List| {
        (0..)
            // SAFETY: a list of the program's ends with null.
            .map(move |index| unsafe { *list.add(index) })
            .take_while(|entry| !entry.is_null())
    };
    // SAFETY: entries are terminated texts.
    let starts = |entry: *const c_char, name: &[u8]| {
        // SAFETY: as above.
        unsafe { CStr::from_ptr(entry) }
            .to_bytes()
            .starts_with(name)
    };
    let mut all: Vec<*const c_char> = match list.is_null() {
        true => vec![],
        false => entries(list)
            .filter(|&entry| !starts(entry, identity::VARIABLE))
            .collect(),
    };
    // SAFETY: libc's own list.
    let own = unsafe { libc::environ } as List;
    for name in OURS {
        if !all.iter().any(|&entry| starts(entry, name)) {
            all.extend(entries(own).find(|&entry| starts(entry, name)));
        }
    }
    all.push(Box::leak(process.into_boxed_slice()).as_ptr().cast());
    all.push(core::ptr::null());
    all
}

/// Becomes another program. Returns only if that failed.
unsafe fn execute(from: From, environment: List, execute: impl Fn(List) -> c_int) -> c_int {
    let Some(inside) = Inside::enter() else {
        return execute(environment);
    };
    let path = ending::place().map_or("0", |place| place.process.as_str());
    // SAFETY: passed on.
    let environment = unsafe { with_ours(environment, identity::own_entry(path)) };
    let pointer = environment.as_ptr();
    let succeeded = match start::side() {
        Some(Side::Replay(replaying)) => !replaying.expects_at(inside.thread, Kind::Input, from),
        Some(Side::Record) => false,
        None => Mode::now() == Mode::SerialReplay && !serial::expects_input(inside.thread),
    };
    if succeeded {
        ending::program_is_replaced();
        return processors::as_the_program(|| execute(pointer));
    }
    drop(inside);
    as_errno(input::call(
        Call::telling(from, 0),
        || {
            ending::program_is_replaced();
            negated(processors::as_the_program(|| execute(pointer)) as isize)
        },
        |_| Vec::new(),
        |result, _| result,
    )) as c_int
}

/// What a child left: its number, how it ended, what it used.
unsafe fn wait_for(
    from: From,
    number: c_int,
    status: *mut c_int,
    options: c_int,
    usage: *mut c_void,
) -> c_int {
    const USAGE: usize = core::mem::size_of::<libc::rusage>();
    let wait = |number: c_int, status: *mut c_int, options: c_int, usage: *mut c_void| {
        // SAFETY: passed on.
        unsafe {
            sys::call(
                libc::SYS_wait4,
                [
                    number as usize,
                    status as usize,
                    options as usize,
                    usage as usize,
                    0,
                    0,
                ],
            )
        }
    };
    let mut own_status: c_int = 0;
    let own_status = &raw mut own_status;
    let show = |text: &[u8]| {
        // SAFETY: where the program wants them.
        unsafe {
            if let (Some(status), Some(found)) = (status.as_mut(), text.first_chunk::<4>()) {
                *status = c_int::from_le_bytes(*found);
            }
            if !usage.is_null() && text.len() == 4 + USAGE {
                core::ptr::copy_nonoverlapping(text[4..].as_ptr(), usage.cast(), USAGE);
            }
        }
    };
    let keep = |result: isize| match result {
        // SAFETY: our own word, and what the call has filled.
        1.. => unsafe {
            let mut bytes = (*own_status).to_le_bytes().to_vec();
            bytes.extend_from_slice(input::slice(usage.cast(), USAGE));
            bytes
        },
        _ => Vec::new(),
    };
    let live = || {
        let result = wait(number, own_status, options, usage);
        if result > 0 {
            show(&keep(result));
        }
        result
    };
    let feed = |result: isize, bytes: &[u8]| {
        show(bytes);
        // The child of this replay is to have ended, too: what it prints comes before what we print.
        if let Some(real) = children::take_number(result.max(0) as c_int) {
            while wait(real, core::ptr::null_mut(), 0, core::ptr::null_mut())
                == -(libc::EINTR as isize)
            {}
        }
        result
    };
    as_errno(input::call(Call::receiving(from, 0), live, keep, feed)) as c_int
}

hooks! {
    fn _exit(code: c_int) -> c_int |from| {
        end();
        // SAFETY: passed on.
        unsafe { real::_exit(code) }
    }

    fn _Exit(code: c_int) -> c_int |from| {
        end();
        // SAFETY: the same function under its C name.
        unsafe { real::_exit(code) }
    }

    fn fork() -> c_int |from| {
        as_errno(children::fork(from)) as c_int
    }

    /// The parent's memory is not the child's with us: a real one would let the child write into our records.
    fn vfork() -> c_int |from| {
        as_errno(children::fork(from)) as c_int
    }

    fn wait(status: *mut c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait_for(from, -1, status, 0, core::ptr::null_mut()) }
    }

    fn waitpid(number: c_int, status: *mut c_int, options: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait_for(from, number, status, options, core::ptr::null_mut()) }
    }

    fn wait3(status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait_for(from, -1, status, options, usage) }
    }

    fn wait4(number: c_int, status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait_for(from, number, status, options, usage) }
    }

    fn execve(path: *const c_char, arguments: List, environment: List) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { execute(from, environment, |environment| real::execve(path, arguments, environment)) }
    }

    fn execvpe(path: *const c_char, arguments: List, environment: List) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { execute(from, environment, |environment| real::execvpe(path, arguments, environment)) }
    }

    fn execv(path: *const c_char, arguments: List) -> c_int |from| {
        // SAFETY: passed on, with libc's own list.
        unsafe { execute(from, libc::environ as List, |environment| real::execve(path, arguments, environment)) }
    }

    fn execvp(path: *const c_char, arguments: List) -> c_int |from| {
        // SAFETY: passed on, with libc's own list.
        unsafe { execute(from, libc::environ as List, |environment| real::execvpe(path, arguments, environment)) }
    }

    fn posix_spawn(number: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: List, environment: List) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { spawn(from, number, environment, |number, environment| real::posix_spawn(number, path, actions, attributes, arguments, environment)) }
    }

    fn posix_spawnp(number: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: List, environment: List) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { spawn(from, number, environment, |number, environment| real::posix_spawnp(number, path, actions, attributes, arguments, environment)) }
    }
}

/// A child that is another program from the start. The error is the result.
unsafe fn spawn(
    from: From,
    number: *mut c_int,
    environment: List,
    spawn: impl Fn(*mut c_int, List) -> c_int,
) -> c_int {
    let result = children::make(from, |path| {
        let mut made = 0;
        let ours = (!path.is_empty()).then(|| {
            // SAFETY: passed on.
            unsafe { with_ours(environment, identity::entry_for_child(path)) }
        });
        let list = ours.as_ref().map_or(environment, |list| list.as_ptr());
        let result = processors::as_the_program(|| spawn(&mut made, list));
        match result {
            0 => made as isize,
            error => -(error as isize),
        }
    });
    if result < 0 {
        return -result as c_int;
    }
    // SAFETY: where the program wants it.
    if let Some(number) = unsafe { number.as_mut() } {
        *number = result as c_int;
    }
    0
}
