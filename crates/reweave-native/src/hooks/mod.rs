//! The functions that we stand in front of: one file per header, each hook guard, translate, call.

/// Exports functions under the names of libc's. Each body gets the address it was called from, in `r9`, where a sixth argument would be;
/// of those with six arguments, as a seventh, on the stack.
macro_rules! hooks {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty |$from:ident| $body:block)*) => {$(
        crate::hooks::hook!([$(#[$doc])*] $name [$($argument: $type),*] $result, $from, $body);
    )*};
}

macro_rules! hook {
    ([$(#[$doc:meta])*] $name:ident [$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty, $e:ident: $te:ty, $f:ident: $tf:ty] $result:ty, $from:ident, $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As the function of that name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            // The pushed word also aligns the stack for the call.
            core::arch::naked_asm!(".cfi_startproc", "push qword ptr [rsp]", ".cfi_def_cfa_offset 16", "call {inner}", "add rsp, 8", ".cfi_def_cfa_offset 8",
                ".if {point}", "mov rcx, qword ptr [rip + reweave_leaving@gottpoff]", "cmp qword ptr fs:[rcx], 0", "jne {leave}", ".endif",
                "ret", ".cfi_endproc",
                inner = sym $name::inner, point = const crate::cancel::is_point(stringify!($name)) as u32, leave = sym crate::cancel::leave)
        }

        #[allow(non_snake_case, reason = "named after the function it belongs to")]
        mod $name {
            #[allow(unused_imports, reason = "not every body needs all of them")]
            use super::*;
            #[allow(unused_variables, clippy::too_many_arguments, reason = "as many as the function has, and where it was called from")]
            pub(super) unsafe extern "C" fn inner($a: $ta, $b: $tb, $c: $tc, $d: $td, $e: $te, $f: $tf, $from: usize) -> $result {
                if let Some(real) = crate::without::real({ static SLOT: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0); &SLOT }, crate::hooks::text!($name), $from) {
                    // SAFETY: the function of that name has this type.
                    let real: unsafe extern "C" fn($ta, $tb, $tc, $td, $te, $tf) -> $result = unsafe { core::mem::transmute(real) };
                    // SAFETY: the caller keeps its contract.
                    return unsafe { real($a, $b, $c, $d, $e, $f) };
                }
                crate::hooks::cancellable!($name $result, $body)
            }
        }
    };
    ([$(#[$doc:meta])*] $name:ident [$($argument:ident: $type:ty),*] $result:ty, $from:ident, $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As the function of that name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            // A thread that is to leave does so from here, where nothing of ours is on the stack any more.
            core::arch::naked_asm!(".cfi_startproc", "mov r9, qword ptr [rsp]",
                ".if {point}", "sub rsp, 8", ".cfi_def_cfa_offset 16", "call {inner}", "add rsp, 8", ".cfi_def_cfa_offset 8",
                "mov rcx, qword ptr [rip + reweave_leaving@gottpoff]", "cmp qword ptr fs:[rcx], 0", "jne {leave}", "ret",
                ".else", "jmp {inner}", ".endif", ".cfi_endproc",
                inner = sym $name::inner, point = const crate::cancel::is_point(stringify!($name)) as u32, leave = sym crate::cancel::leave)
        }

        #[allow(non_snake_case, reason = "named after the function it belongs to")]
        mod $name {
            #[allow(unused_imports, reason = "not every body needs all of them")]
            use super::*;
            crate::hooks::padded!($name [$($argument: $type),*] $result, $from, $body);
        }
    };
}

/// The body of a function, at some of which threads can be cancelled.
macro_rules! cancellable {
    ($name:ident $result:ty, $body:block) => {{
        let body = || -> $result { $body };
        if !const { crate::cancel::is_point(stringify!($name)) } {
            return body();
        }
        if crate::cancel::enter() {
            // Nobody will see it.
            // SAFETY: results are numbers or pointers.
            return unsafe { core::mem::zeroed::<$result>() };
        }
        let result = body();
        crate::cancel::exit();
        result
    }};
}

/// A name as C has it.
macro_rules! text {
    ($name:ident) => {{
        const NAME: &core::ffi::CStr =
            match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes())
            {
                Ok(name) => name,
                Err(_) => panic!("a name without a zero byte"),
            };
        NAME
    }};
}

/// A function with five arguments before the address, whatever it needs of them.
macro_rules! padded {
    ($name:ident [] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!($name [_a: usize, _b: usize, _c: usize, _d: usize, _e: usize] $result, $from, $body);
    };
    ($name:ident [$a:ident: $ta:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!($name [$a: $ta, _b: usize, _c: usize, _d: usize, _e: usize] $result, $from, $body);
    };
    ($name:ident [$a:ident: $ta:ty, $b:ident: $tb:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!($name [$a: $ta, $b: $tb, _c: usize, _d: usize, _e: usize] $result, $from, $body);
    };
    ($name:ident [$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!($name [$a: $ta, $b: $tb, $c: $tc, _d: usize, _e: usize] $result, $from, $body);
    };
    ($name:ident [$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty] $result:ty, $from:ident, $body:block) => {
        crate::hooks::padded!($name [$a: $ta, $b: $tb, $c: $tc, $d: $td, _e: usize] $result, $from, $body);
    };
    ($name:ident [$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty, $e:ident: $te:ty] $result:ty, $from:ident, $body:block) => {
        #[allow(unused_variables, reason = "not every body wants to know where it was called from")]
        pub(super) unsafe extern "C" fn inner($a: $ta, $b: $tb, $c: $tc, $d: $td, $e: $te, $from: usize) -> $result {
            if let Some(real) = crate::without::real({ static SLOT: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0); &SLOT }, crate::hooks::text!($name), $from) {
                // SAFETY: the function of that name has this type, or fewer arguments, which makes no difference to it.
                let real: unsafe extern "C" fn($ta, $tb, $tc, $td, $te) -> $result = unsafe { core::mem::transmute(real) };
                // SAFETY: the caller keeps its contract.
                return unsafe { real($a, $b, $c, $d, $e) };
            }
            crate::hooks::cancellable!($name $result, $body)
        }
    };
}

pub(crate) use cancellable;
pub(crate) use padded;
pub(crate) use {hook, text};

pub mod barrier;
pub mod callbacks;
pub mod cancel;
pub mod condition;
pub mod futex;
pub mod io;
pub mod measures;
pub mod memory;
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
