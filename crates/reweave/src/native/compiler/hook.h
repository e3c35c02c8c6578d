/* The callbacks of clang's coverage, to be inlined where they are called. Each counts down this thread's word; at zero the library is called.
   The prefix in front of the jump means nothing to the processor; the library knows the jump by it and never stops a thread there. The call hands over no values and keeps
   all registers, so the code around it need not make room for it; it must not keep anything below its stack pointer (-mno-red-zone). */
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif
extern __thread long reweave_countdown __attribute__((tls_model("initial-exec"), visibility("default")));

#define REWEAVE_CALLBACK(name, type)                                                                                                  \
    __attribute__((always_inline, nodebug, used)) static __inline__ void name(type place) {                                               \
        (void)place;                                                                                                                  \
        __asm__ volatile("subq $1, %0\n\t.byte 0x2e\n\tjnz 1f\n\tcall *reweave_countdown_over@GOTPCREL(%%rip)\n1:"                    \
                         : "+m"(reweave_countdown)                                                                                    \
                         :                                                                                                            \
                         : "cc");                                                                                                     \
    }

REWEAVE_CALLBACK(__sanitizer_cov_trace_pc_guard, unsigned *)
#ifdef REWEAVE_ACCESSES
REWEAVE_CALLBACK(__sanitizer_cov_load1, unsigned char *)
REWEAVE_CALLBACK(__sanitizer_cov_load2, unsigned short *)
REWEAVE_CALLBACK(__sanitizer_cov_load4, unsigned *)
REWEAVE_CALLBACK(__sanitizer_cov_load8, unsigned long *)
REWEAVE_CALLBACK(__sanitizer_cov_load16, __int128 *)
REWEAVE_CALLBACK(__sanitizer_cov_store1, unsigned char *)
REWEAVE_CALLBACK(__sanitizer_cov_store2, unsigned short *)
REWEAVE_CALLBACK(__sanitizer_cov_store4, unsigned *)
REWEAVE_CALLBACK(__sanitizer_cov_store8, unsigned long *)
REWEAVE_CALLBACK(__sanitizer_cov_store16, __int128 *)
#endif
#undef REWEAVE_CALLBACK
#ifdef __cplusplus
}
#endif
