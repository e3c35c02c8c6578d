//! What this process is to do, and whether a thread is in the program's code or in ours.

use crate::thread::Thread;
use crate::tls;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Mode {
    /// Everything goes straight to the real functions.
    Off = 0,
    /// Write the order of synchronization; threads run as they like.
    OrderRecord = 1,
    OrderReplay = 2,
    /// One thread at a time; choose who goes on, and write it down.
    SerialRecord = 3,
    SerialReplay = 4,
    /// A serial replay that has left its recording, because somebody in gdb wanted so.
    SerialFree = 5,
}

/// Read by gdb.
#[unsafe(no_mangle)]
pub static reweave_mode: AtomicU32 = AtomicU32::new(Mode::Off as u32);

impl Mode {
    #[inline]
    pub fn now() -> Mode {
        match reweave_mode.load(Ordering::Relaxed) {
            1 => Mode::OrderRecord,
            2 => Mode::OrderReplay,
            3 => Mode::SerialRecord,
            4 => Mode::SerialReplay,
            5 => Mode::SerialFree,
            _ => Mode::Off,
        }
    }

    pub fn set(self) {
        reweave_mode.store(self as u32, Ordering::SeqCst);
    }

    pub fn is_serial(self) -> bool {
        matches!(
            self,
            Mode::SerialRecord | Mode::SerialReplay | Mode::SerialFree
        )
    }
}

/// The calling thread is in our code: whatever it calls now is not the program's doing. Not for other threads.
pub struct Inside {
    pub thread: &'static Thread,
    not_send: PhantomData<*mut ()>,
}

impl Inside {
    /// `None` if the thread is in our code already, or not recorded.
    #[inline]
    pub fn enter() -> Option<Inside> {
        let me = tls::me();
        if me.is_null() || Mode::now() == Mode::Off {
            return None;
        }
        tls::set_me(core::ptr::null_mut());
        Some(Inside {
            // SAFETY: records are never freed.
            thread: unsafe { &*me },
            not_send: PhantomData,
        })
    }

    /// Runs code of the program.
    pub fn outside<R>(&self, work: impl FnOnce() -> R) -> R {
        tls::set_me((&raw const *self.thread).cast_mut());
        let result = work();
        tls::set_me(core::ptr::null_mut());
        result
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        tls::set_me((&raw const *self.thread).cast_mut());
    }
}
