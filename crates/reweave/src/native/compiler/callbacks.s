# The callbacks once more, linked into the program itself: a call then goes straight to them, and the countdown lies at a fixed distance from the thread's base.
# They end in the library's when the countdown is over. The prefixes in front of the jump and the return mean nothing; the library knows
# them by it and never stops a thread there: when the countdown is over in a replay, the thread does not come this way.

	.text
	.macro	callback name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	subq	$1, %fs:reweave_countdown@tpoff
	.byte	0x2e
	jz	1f
	.byte	0x2e
	ret
1:	jmp	*reweave_callback_over@GOTPCREL(%rip)
	.size	\name, .-\name
	.endm

	.macro	nothing name
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	ret
	.size	\name, .-\name
	.endm

	callback __sanitizer_cov_trace_pc
	callback __sanitizer_cov_trace_pc_guard
	nothing	__sanitizer_cov_trace_pc_guard_init
	nothing	__tsan_func_entry
	nothing	__tsan_func_exit
	.irp	size, 1, 2, 4, 8, 16
	callback __sanitizer_cov_load\size
	callback __sanitizer_cov_store\size
	callback __tsan_read\size
	callback __tsan_write\size
	callback __tsan_read_write\size
	callback __tsan_volatile_read\size
	callback __tsan_volatile_write\size
	.endr
	.irp	size, 2, 4, 8, 16
	callback __tsan_unaligned_read\size
	callback __tsan_unaligned_write\size
	.endr

# For blocks of gcc's, whose code knows of no call there.
	.globl	reweave_counted
	.hidden	reweave_counted
	.type	reweave_counted, @function
	.p2align 4
reweave_counted:
	subq	$1, %fs:reweave_countdown@tpoff
	.byte	0x2e
	jz	1f
	.byte	0x2e
	ret
1:	jmp	*reweave_countdown_over@GOTPCREL(%rip)
	.size	reweave_counted, .-reweave_counted

# In front of the library's own, which then uses this one, too.
	.section .tdata, "awT", @progbits
	.globl	reweave_countdown
	.type	reweave_countdown, @object
	.size	reweave_countdown, 8
	.p2align 3
reweave_countdown:
	.quad	0x4000000000000000

	.section .note.GNU-stack, "", @progbits
