//! The functions that we stand in front of: one file per header, each hook guard, translate, call.

/// Exports functions under the names of libc's. Each body gets the address it was called from, in `r9`, where a sixth argument would be.
macro_rules! hooks {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty |$from:ident| $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the function of that name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!("mov r9, qword ptr [rsp]", "jmp {inner}", inner = sym $name::inner)
        }

        #[allow(non_snake_case, reason = "named after the function it belongs to")]
        mod $name {
            #[allow(unused_imports, reason = "not every body needs all of them")]
            use super::*;
            crate::hooks::padded!([$($argument: $type),*] $result, $from, $body);
        }
    )*};
}

/// A function with five arguments before the address, whatever it needs of them.
macro_rules! padded {
    ([] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!([_a: usize, _b: usize, _c: usize, _d: usize, _e: usize] $result, $from, $body);
    };
    ([$a:ident: $ta:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!([$a: $ta, _b: usize, _c: usize, _d: usize, _e: usize] $result, $from, $body);
    };
    ([$a:ident: $ta:ty, $b:ident: $tb:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!([$a: $ta, $b: $tb, _c: usize, _d: usize, _e: usize] $result, $from, $body);
    };
    ([$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!([$a: $ta, $b: $tb, $c: $tc, _d: usize, _e: usize] $result, $from, $body);
    };
    ([$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!([$a: $ta, $b: $tb, $c: $tc, $d: $td, _e: usize] $result, $from, $body);
    };
    ([$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty, $e:ident: $te:ty] $result:ty, $from:ident, $body:block) => {
        #[allow(unused_variables, reason = "not every body wants to know where it was called from")]
        pub(super) unsafe extern "C" fn inner($a: $ta, $b: $tb, $c: $tc, $d: $td, $e: $te, $from: usize) -> $result {
            $body
        }
    };
}

pub(crate) use padded;

pub mod barrier;
pub mod callbacks;
pub mod condition;
pub mod futex;
pub mod io;
pub mod mutex;
pub mod once;
pub mod process;
pub mod random;
pub mod rwlock;
pub mod semaphore;
pub mod signals;
pub mod spin;
pub mod threads;
pub mod time;
pub mod tsan;
