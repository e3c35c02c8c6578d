//! What compilers call before accesses with `-fsanitize=thread`: gcc has no other callback for them. Atomic operations are made by the callback itself.

use super::callbacks::{counted, ignored};
use core::arch::naked_asm;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst, fence};

counted! {
    __tsan_read1 __tsan_read2 __tsan_read4 __tsan_read8 __tsan_read16
    __tsan_write1 __tsan_write2 __tsan_write4 __tsan_write8 __tsan_write16
    __tsan_unaligned_read2 __tsan_unaligned_read4 __tsan_unaligned_read8 __tsan_unaligned_read16
    __tsan_unaligned_write2 __tsan_unaligned_write4 __tsan_unaligned_write8 __tsan_unaligned_write16
    __tsan_read_write1 __tsan_read_write2 __tsan_read_write4 __tsan_read_write8 __tsan_read_write16
    __tsan_unaligned_read_write2 __tsan_unaligned_read_write4 __tsan_unaligned_read_write8 __tsan_unaligned_read_write16
    __tsan_volatile_read1 __tsan_volatile_read2 __tsan_volatile_read4 __tsan_volatile_read8 __tsan_volatile_read16
    __tsan_volatile_write1 __tsan_volatile_write2 __tsan_volatile_write4 __tsan_volatile_write8 __tsan_volatile_write16
    __tsan_unaligned_volatile_read2 __tsan_unaligned_volatile_read4 __tsan_unaligned_volatile_read8
    __tsan_unaligned_volatile_write2 __tsan_unaligned_volatile_write4 __tsan_unaligned_volatile_write8
    __tsan_read_range __tsan_write_range __tsan_vptr_update __tsan_vptr_read
}

ignored! {
    __tsan_init __tsan_func_entry __tsan_func_exit __tsan_ignore_thread_begin __tsan_ignore_thread_end
    __tsan_atomic_signal_fence
}

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void;
    fn memset(to: *mut c_void, value: c_int, length: usize) -> *mut c_void;
}

/// # Safety
/// As `memcpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memcpy(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
) -> *mut c_void {
    crate::serial::point();
    // SAFETY: passed on.
    unsafe { memcpy(to, from, length) }
}

/// # Safety
/// As `memmove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memmove(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
) -> *mut c_void {
    crate::serial::point();
    // SAFETY: passed on.
    unsafe { memmove(to, from, length) }
}

/// # Safety
/// As `memset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memset(
    to: *mut c_void,
    value: c_int,
    length: usize,
) -> *mut c_void {
    crate::serial::point();
    // SAFETY: passed on.
    unsafe { memset(to, value, length) }
}

/// # Safety
/// Called by compiled code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic_thread_fence(_order: c_int) {
    fence(SeqCst);
}

macro_rules! atomics {
    ($value:ty, $atomic:ty, $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
     $strong:ident $weak:ident $value_of:ident) => {
        /// # Safety
        /// The program's own atomic, aligned.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(place: *const $atomic, _order: c_int) -> $value {
            crate::serial::point();
            // SAFETY: by the caller.
            unsafe { (*place).load(SeqCst) }
        }

        /// # Safety
        /// The program's own atomic, aligned.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(place: *const $atomic, value: $value, _order: c_int) {
            crate::serial::point();
            // SAFETY: by the caller.
            unsafe { (*place).store(value, SeqCst) }
        }

        atomics!(@change $value, $atomic, $exchange swap, $add fetch_add, $sub fetch_sub, $and fetch_and, $or fetch_or, $xor fetch_xor, $nand fetch_nand);
        atomics!(@compare $value, $atomic, $strong $weak);

        /// # Safety
        /// The program's own atomic, aligned.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $value_of(place: *const $atomic, expected: $value, value: $value, _order: c_int, _failure: c_int) -> $value {
            crate::serial::point();
            // SAFETY: by the caller.
            match unsafe { (*place).compare_exchange(expected, value, SeqCst, SeqCst) } {
                Ok(old) | Err(old) => old,
            }
        }
    };
    (@change $value:ty, $atomic:ty, $($name:ident $method:ident),*) => {$(
        /// # Safety
        /// The program's own atomic, aligned.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(place: *const $atomic, value: $value, _order: c_int) -> $value {
            crate::serial::point();
            // SAFETY: by the caller.
            unsafe { (*place).$method(value, SeqCst) }
        }
    )*};
    (@compare $value:ty, $atomic:ty, $($name:ident)*) => {$(
        /// # Safety
        /// The program's own atomic and a place for its old value, aligned.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(place: *const $atomic, expected: *mut $value, value: $value, _order: c_int, _failure: c_int) -> c_int {
            crate::serial::point();
            // SAFETY: by the caller.
            unsafe {
                match (*place).compare_exchange(*expected, value, SeqCst, SeqCst) {
                    Ok(_) => 1,
                    Err(old) => {
                        *expected = old;
                        0
                    }
                }
            }
        }
    )*};
}

atomics!(u8, AtomicU8, __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
    __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
    __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val);
atomics!(u16, AtomicU16, __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub
    __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
    __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val);
atomics!(u32, AtomicU32, __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub
    __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
    __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val);
atomics!(u64, AtomicU64, __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub
    __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
    __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val);
