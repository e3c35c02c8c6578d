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

/// Called by code into which the countdown was inlined, when it is over. That code knows of no call there, so every register comes back as it was; the stack
/// may be aligned to eight bytes only.
///
/// # Safety
/// Called by compiled code only.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reweave_countdown_over() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rax",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "push r11",
        // Vectors, masks and the old floating-point unit, in the layout without gaps closed; its header has to be zero before.
        "sub rsp, {area}",
        "and rsp, -64",
        "xor eax, eax",
        "lea rdi, [rsp + 512]",
        "mov ecx, 8",
        "rep stosq",
        "mov eax, {parts}",
        "xor edx, edx",
        "xsave64 [rsp]",
        "mov rdi, qword ptr [rbp + 8]",
        "call {slow}",
        "mov eax, {parts}",
        "xor edx, edx",
        "xrstor64 [rsp]",
        "lea rsp, [rbp - 72]",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rax",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        area = const 2688,
        // x87, SSE, AVX and the three parts of AVX-512: what compiled code keeps values in.
        parts = const 0xe7,
        slow = sym crate::serial::countdown_is_over
    )
}

/// The same for callbacks that are called in the program itself.
///
/// # Safety
/// Called by compiled code only.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reweave_callback_over() {
    naked_asm!(
        "mov rdi, qword ptr [rsp]",
        "jmp {slow}",
        slow = sym crate::serial::countdown_is_over
    )
}

/// A block of gcc's in a shared library, whose code expects all registers but one to be as they were.
///
/// # Safety
/// Called by compiled code only.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reweave_counted() {
    naked_asm!(
        "mov r11, qword ptr [rip + reweave_countdown@gottpoff]",
        "sub qword ptr fs:[r11], 1",
        "jz {over}",
        "ret",
        over = sym reweave_countdown_over
    )
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
