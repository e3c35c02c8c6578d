//! Calls around the end of a monitor: one while it is still held, one when it is free.

use super::super::plan::{MonitorCalls, Plan};
use super::assembler::{STATIC, TestClass};
use super::{check, plan};

#[test]
fn a_call_before_and_a_call_after_a_monitor_is_left() {
    let calls = MonitorCalls {
        before: None,
        after: None,
        leaving: Some("leaving"),
        left: Some("left"),
    };
    check(
        &TestClass::new(52)
            .method(STATIC, "run", "()V", "aload_0\nmonitorexit\nreturn")
            .build(),
        &Plan {
            monitors: Some(calls),
            ..plan()
        },
        "
        0x0009 run()V
        0: aload_0
        1: dup
        2: invokestatic Helper.leaving (Ljava/lang/Object;)V
        5: monitorexit
        6: invokestatic Helper.left ()V
        9: return
    ",
    );
}
