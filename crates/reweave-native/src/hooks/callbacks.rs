//! What compilers call at the start of a block and before an access (`-fsanitize-coverage`).
//!
//! The whole of it is a countdown: one word per thread serves as block counter and as the question whether to stop here. A replay sets it to the blocks that are
//! left until the next switch, so it runs as fast as a recording. The counter is changed by one instruction, so that a signal never sees it half changed.

use core::arch::naked_asm;

macro_rules! counted {
    ($($name:ident)*) => {$(
        /// # Safety
        /// Called by compiled code only.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                "mov rax, qword ptr [rip + reweave_countdown@gottpoff]",
                "sub qword ptr fs:[rax], 1",
                "jz 2f",
                "ret",
                "2:",
                "mov rdi, qword ptr [rsp]",
                "jmp {slow}",
                slow = sym crate::serial::countdown_is_over
            )
        }
    )*};
}
pub(crate) use counted;

counted! {
    __sanitizer_cov_trace_pc
    __sanitizer_cov_trace_pc_guard
    __sanitizer_cov_load1 __sanitizer_cov_load2 __sanitizer_cov_load4 __sanitizer_cov_load8 __sanitizer_cov_load16
    __sanitizer_cov_store1 __sanitizer_cov_store2 __sanitizer_cov_store4 __sanitizer_cov_store8 __sanitizer_cov_store16
}

macro_rules! ignored {
    ($($name:ident)*) => {$(
        /// # Safety
        /// Called by compiled code only.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            naked_asm!("ret")
        }
    )*};
}
pub(crate) use ignored;

ignored! {
    __sanitizer_cov_trace_pc_guard_init
    __sanitizer_cov_pcs_init
    __sanitizer_cov_trace_pc_indir
}
