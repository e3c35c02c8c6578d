//! The functions that we stand in front of, found where the dynamic linker would have found them without us.
//!
//! Each is looked up at its first use, because libraries may call them before our constructor has run.

use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use libc::{pthread_t, size_t, ssize_t, timespec, timeval};

type Pointer = *mut c_void;

pub fn find(slot: &AtomicUsize, name: &CStr) -> usize {
    let known = slot.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let found = look_up(name);
    slot.store(found, Ordering::Relaxed);
    found
}

/// The function of this name that comes after ours. There is no way on without it.
pub fn look_up(name: &CStr) -> usize {
    // Condition variables changed in version 2.3.2; the old ones are still there and must not be found.
    let versioned = name.to_bytes().starts_with(b"pthread_cond_");
    let mut found = core::ptr::null_mut();
    if versioned {
        // SAFETY: both are terminated texts.
        found = unsafe { libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), c"GLIBC_2.3.2".as_ptr()) };
    }
    if found.is_null() {
        // SAFETY: the name is a terminated text.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    }
    if found.is_null() {
        crate::sys::say("reweave: this C library lacks a function that the program called\n");
        crate::sys::exit_now(125);
    }
    found as usize
}

macro_rules! real {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {$(
        /// # Safety
        /// As the function of that name.
        #[inline]
        pub unsafe fn $name($($argument: $type),*) -> $result {
            static SLOT: AtomicUsize = AtomicUsize::new(0);
            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name without a zero byte"),
            };
            let address = find(&SLOT, NAME);
            // SAFETY: what has this name has this type, by its manual.
            let function: unsafe extern "C" fn($($type),*) -> $result = unsafe { core::mem::transmute(address) };
            // SAFETY: the caller keeps the function's contract.
            unsafe { function($($argument),*) }
        }
    )*};
}

real! {
    fn pthread_create(thread: *mut pthread_t, attributes: Pointer, start: Pointer, argument: Pointer) -> c_int;
    fn pthread_join(thread: pthread_t, result: *mut Pointer) -> c_int;
    fn pthread_tryjoin_np(thread: pthread_t, result: *mut Pointer) -> c_int;
    fn pthread_timedjoin_np(thread: pthread_t, result: *mut Pointer, time: *const timespec) -> c_int;
    fn pthread_detach(thread: pthread_t) -> c_int;
    fn pthread_cancel(thread: pthread_t) -> c_int;
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;

    fn pthread_mutex_lock(mutex: Pointer) -> c_int;
    fn pthread_mutex_trylock(mutex: Pointer) -> c_int;
    fn pthread_mutex_timedlock(mutex: Pointer, time: *const timespec) -> c_int;
    fn pthread_mutex_clocklock(mutex: Pointer, clock: c_int, time: *const timespec) -> c_int;
    fn pthread_mutex_unlock(mutex: Pointer) -> c_int;

    fn pthread_rwlock_rdlock(lock: Pointer) -> c_int;
    fn pthread_rwlock_wrlock(lock: Pointer) -> c_int;
    fn pthread_rwlock_tryrdlock(lock: Pointer) -> c_int;
    fn pthread_rwlock_trywrlock(lock: Pointer) -> c_int;
    fn pthread_rwlock_timedrdlock(lock: Pointer, time: *const timespec) -> c_int;
    fn pthread_rwlock_timedwrlock(lock: Pointer, time: *const timespec) -> c_int;
    fn pthread_rwlock_clockrdlock(lock: Pointer, clock: c_int, time: *const timespec) -> c_int;
    fn pthread_rwlock_clockwrlock(lock: Pointer, clock: c_int, time: *const timespec) -> c_int;
    fn pthread_rwlock_unlock(lock: Pointer) -> c_int;

    fn pthread_spin_lock(lock: Pointer) -> c_int;
    fn pthread_spin_trylock(lock: Pointer) -> c_int;
    fn pthread_spin_unlock(lock: Pointer) -> c_int;

    fn pthread_cond_wait(condition: Pointer, mutex: Pointer) -> c_int;
    fn pthread_cond_timedwait(condition: Pointer, mutex: Pointer, time: *const timespec) -> c_int;
    fn pthread_cond_clockwait(condition: Pointer, mutex: Pointer, clock: c_int, time: *const timespec) -> c_int;
    fn pthread_cond_signal(condition: Pointer) -> c_int;
    fn pthread_cond_broadcast(condition: Pointer) -> c_int;

    fn sem_wait(semaphore: Pointer) -> c_int;
    fn sem_trywait(semaphore: Pointer) -> c_int;
    fn sem_timedwait(semaphore: Pointer, time: *const timespec) -> c_int;
    fn sem_clockwait(semaphore: Pointer, clock: c_int, time: *const timespec) -> c_int;
    fn sem_post(semaphore: Pointer) -> c_int;
    fn sem_getvalue(semaphore: Pointer, value: *mut c_int) -> c_int;

    fn pthread_barrier_wait(barrier: Pointer) -> c_int;
    fn pthread_once(control: *mut c_int, routine: Pointer) -> c_int;

    fn clock_gettime(clock: c_int, time: *mut timespec) -> c_int;
    fn gettimeofday(time: *mut timeval, zone: Pointer) -> c_int;
    fn time(time: *mut i64) -> i64;
    fn nanosleep(time: *const timespec, rest: *mut timespec) -> c_int;
    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const timespec, rest: *mut timespec) -> c_int;
    fn usleep(time: c_uint) -> c_int;
    fn sleep(seconds: c_uint) -> c_uint;
    fn sched_yield() -> c_int;

    fn getrandom(buffer: Pointer, length: size_t, flags: c_uint) -> ssize_t;
    fn getentropy(buffer: Pointer, length: size_t) -> c_int;
    fn sigaction(signal: c_int, action: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
    fn signal(signal: c_int, handler: Pointer) -> Pointer;
    fn sigprocmask(how: c_int, set: *const c_void, old: Pointer) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const c_void, old: Pointer) -> c_int;
    fn raise(signal: c_int) -> c_int;
    fn pthread_kill(thread: pthread_t, signal: c_int) -> c_int;
    fn getpid() -> c_int;
    fn getppid() -> c_int;
    fn gettid() -> c_int;

    fn read(descriptor: c_int, buffer: Pointer, length: size_t) -> ssize_t;
    fn recv(descriptor: c_int, buffer: Pointer, length: size_t, flags: c_int) -> ssize_t;
    fn write(descriptor: c_int, buffer: *const c_void, length: size_t) -> ssize_t;
    fn send(descriptor: c_int, buffer: *const c_void, length: size_t, flags: c_int) -> ssize_t;
    fn epoll_wait(descriptor: c_int, events: Pointer, most: c_int, timeout: c_int) -> c_int;
    fn epoll_pwait(descriptor: c_int, events: Pointer, most: c_int, timeout: c_int, mask: *const c_void) -> c_int;
    fn epoll_pwait2(descriptor: c_int, events: Pointer, most: c_int, timeout: *const timespec, mask: *const c_void) -> c_int;
    fn epoll_ctl(set: c_int, operation: c_int, descriptor: c_int, event: Pointer) -> c_int;
    fn __read_chk(descriptor: c_int, buffer: Pointer, length: size_t, room: size_t) -> ssize_t;
    fn __recv_chk(descriptor: c_int, buffer: Pointer, length: size_t, room: size_t, flags: c_int) -> ssize_t;
    fn recvfrom(descriptor: c_int, buffer: Pointer, length: size_t, flags: c_int, address: Pointer, address_length: *mut u32) -> ssize_t;
    fn recvmsg(descriptor: c_int, message: *mut libc::msghdr, flags: c_int) -> ssize_t;
    fn readv(descriptor: c_int, list: *const libc::iovec, count: c_int) -> ssize_t;
    fn sendto(descriptor: c_int, buffer: *const c_void, length: size_t, flags: c_int, address: Pointer, address_length: u32) -> ssize_t;
    fn sendmsg(descriptor: c_int, message: *const libc::msghdr, flags: c_int) -> ssize_t;
    fn writev(descriptor: c_int, list: *const libc::iovec, count: c_int) -> ssize_t;
    fn sendfile(out: c_int, file: c_int, offset: *mut i64, count: size_t) -> ssize_t;
    fn accept4(descriptor: c_int, address: Pointer, length: *mut u32, flags: c_int) -> c_int;
    fn connect(descriptor: c_int, address: Pointer, length: u32) -> c_int;
    fn __poll_chk(descriptors: Pointer, count: c_long, timeout: c_int, room: size_t) -> c_int;
    fn ppoll(descriptors: Pointer, count: c_long, timeout: *const timespec, mask: *const c_void) -> c_int;
    fn pselect(highest: c_int, reading: Pointer, writing: Pointer, other: Pointer, time: *const timespec, mask: *const c_void) -> c_int;
    fn select(highest: c_int, reading: Pointer, writing: Pointer, other: Pointer, time: *mut timeval) -> c_int;
    fn poll(descriptors: Pointer, count: c_long, timeout: c_int) -> c_int;

    fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    fn __open_2(path: *const c_char, flags: c_int) -> c_int;
    fn __open64_2(path: *const c_char, flags: c_int) -> c_int;
    fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    fn creat(path: *const c_char, mode: c_uint) -> c_int;
    fn close(descriptor: c_int) -> c_int;
    fn fcntl64(descriptor: c_int, command: c_int, argument: usize) -> c_int;
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE;
    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut libc::FILE;
    fn fclose(file: *mut libc::FILE) -> c_int;
    fn shm_open(name: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    fn shmat(segment: c_int, address: *const c_void, flags: c_int) -> Pointer;
    fn clock() -> c_long;
    fn getloadavg(averages: *mut f64, count: c_int) -> c_int;
    fn get_nprocs() -> c_int;
    fn get_nprocs_conf() -> c_int;
    fn get_phys_pages() -> c_long;
    fn get_avphys_pages() -> c_long;
    fn sysconf(name: c_int) -> c_long;
    fn sched_getcpu() -> c_int;
    fn sched_getaffinity(process: c_int, length: size_t, set: Pointer) -> c_int;
    fn sched_setaffinity(process: c_int, length: size_t, set: *const c_void) -> c_int;
    fn pthread_getaffinity_np(thread: pthread_t, length: size_t, set: Pointer) -> c_int;
    fn pthread_setaffinity_np(thread: pthread_t, length: size_t, set: *const c_void) -> c_int;

    fn _exit(code: c_int) -> !;
    fn fork() -> c_int;
    fn execve(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int;
    fn execvpe(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int;
    fn posix_spawn(process: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const *const c_char, environment: *const *const c_char) -> c_int;
    fn posix_spawnp(process: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const *const c_char, environment: *const *const c_char) -> c_int;
}
