//! A memory barrier on every processor that runs a thread of this process: one side pays for it, so that the other side needs none.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// From linux/membarrier.h, which the libc crate does not have.
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

enum Means {
    /// The kernel's own.
    Membarrier,
    /// Taking away the right to write to a page interrupts all processors that may still use it.
    Page(Mutex<usize>),
}

const PAGE: usize = 4096;

pub fn everywhere() {
    static MEANS: OnceLock<Means> = OnceLock::new();
    match MEANS.get_or_init(choose) {
        Means::Membarrier => {
            membarrier(PRIVATE_EXPEDITED);
        }
        Means::Page(address) => {
            let address = address.lock().unwrap_or_else(PoisonError::into_inner);
            let page = *address as *mut libc::c_void;
            // SAFETY: the page was mapped for this and belongs to nobody else; it is writable while it is written to, by one thread at a time.
            unsafe {
                libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE);
                AtomicU8::from_ptr(page.cast()).fetch_add(1, Ordering::SeqCst);
                libc::mprotect(page, PAGE, libc::PROT_READ);
            }
        }
    }
}

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call takes numbers only.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

fn choose() -> Means {
    if membarrier(REGISTER_PRIVATE_EXPEDITED) {
        return Means::Membarrier;
    }
    // SAFETY: a fresh anonymous page at an address of the kernel's choice.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    Means::Page(Mutex::new(page as usize))
}
