//! Calls around monitors, and synchronized methods with explicit ones.

use super::super::plan::{ClassUses, Marks, MonitorCalls, Plan};
use super::super::{SiteKind, SkipReason};
use super::assembler::{PUBLIC, STATIC, SYNCHRONIZED, TestClass};
use super::{check, plan};

const BOTH: MonitorCalls<'static> = MonitorCalls {
    before: Some("before"),
    after: Some("after"),
    leaving: None,
    left: None,
};

fn monitors(monitors: MonitorCalls<'static>) -> Plan<'static> {
    Plan {
        monitors: Some(monitors),
        ..plan()
    }
}

/// As javac compiles `synchronized (argument) {}`.
fn block() -> Vec<u8> {
    let text = "
        .line 3
        aload_1
        monitorenter
        start:
        .line 4
        aload_1
        monitorexit
        end:
        goto out
        handler:
        aload_1
        monitorexit
        handled:
        athrow
        out:
        return
        .catch start end handler
        .catch handler handled handler
    ";
    TestClass::new(52)
        .method(PUBLIC, "run", "(Ljava/lang/Object;)V", text)
        .build()
}

#[test]
fn the_protected_range_covers_the_call_after_a_monitor_was_entered() {
    let rewritten = check(
        &block(),
        &monitors(BOTH),
        "
        0x0001 run(Ljava/lang/Object;)V
        0: aload_1
        1: dup
        2: dup
        3: ldc_w site
        6: invokestatic Helper.before (Ljava/lang/Object;I)V
        9: monitorenter
        10: ldc_w site
        13: invokestatic Helper.after (Ljava/lang/Object;I)V
        16: aload_1
        17: monitorexit
        18: goto 24
        21: aload_1
        22: monitorexit
        23: athrow
        24: return
        catch 10..18 at 21
        catch 21..23 at 21
        line 3 at 0
        line 4 at 16
    ",
    );
    let [site] = &rewritten.sites[..] else {
        panic!("one site")
    };
    assert_eq!(site.kind, SiteKind::MonitorBlock);
    assert_eq!(site.method, "run(Ljava/lang/Object;)V");
    assert_eq!(site.line, 3);
}

#[test]
fn the_protected_range_ends_where_the_monitor_is_free() {
    let only = MonitorCalls {
        before: None,
        after: None,
        leaving: None,
        left: Some("left"),
    };
    check(
        &block(),
        &monitors(only),
        "
        0x0001 run(Ljava/lang/Object;)V
        0: aload_1
        1: monitorenter
        2: aload_1
        3: monitorexit
        4: invokestatic Helper.left ()V
        7: goto 16
        10: aload_1
        11: monitorexit
        12: invokestatic Helper.left ()V
        15: athrow
        16: return
        catch 2..4 at 10
        catch 10..12 at 10
        line 3 at 0
        line 4 at 2
    ",
    );
}

#[test]
fn only_before() {
    let only = MonitorCalls {
        before: Some("before"),
        after: None,
        leaving: None,
        left: None,
    };
    check(
        &TestClass::new(52)
            .method(STATIC, "run", "()V", "aload_0\nmonitorenter\nreturn")
            .build(),
        &monitors(only),
        "
        0x0009 run()V
        0: aload_0
        1: dup
        2: ldc_w site
        5: invokestatic Helper.before (Ljava/lang/Object;I)V
        8: monitorenter
        9: return
    ",
    );
}

#[test]
fn only_after() {
    let only = MonitorCalls {
        before: None,
        after: Some("after"),
        leaving: None,
        left: None,
    };
    check(
        &TestClass::new(52)
            .method(STATIC, "run", "()V", "aload_0\nmonitorenter\nreturn")
            .build(),
        &monitors(only),
        "
        0x0009 run()V
        0: aload_0
        1: dup
        2: monitorenter
        3: ldc_w site
        6: invokestatic Helper.after (Ljava/lang/Object;I)V
        9: return
    ",
    );
}

#[test]
fn a_synchronized_method_releases_its_monitor_on_every_way_out() {
    let text = "
        .line 8
        aload_1
        ifnull nothing
        aload_1
        areturn
        nothing:
        aconst_null
        areturn
    ";
    let flags = PUBLIC | SYNCHRONIZED;
    let rewritten = check(
        &TestClass::new(52)
            .method(flags, "get", "(Ljava/lang/Object;)Ljava/lang/Object;", text)
            .build(),
        &monitors(BOTH),
        "
        0x0001 get(Ljava/lang/Object;)Ljava/lang/Object;
        0: aload_0
        1: dup
        2: ldc_w site
        5: invokestatic Helper.before (Ljava/lang/Object;I)V
        8: monitorenter
        9: aload_0
        10: ldc_w site
        13: invokestatic Helper.after (Ljava/lang/Object;I)V
        16: aload_1
        17: ifnull 24
        20: aload_1
        21: aload_0
        22: monitorexit
        23: areturn
        24: aconst_null
        25: aload_0
        26: monitorexit
        27: areturn
        28: aload_0
        29: monitorexit
        30: athrow
        catch 9..23 at 28
        catch 24..27 at 28
        catch 28..30 at 28
        line 8 at 0
    ",
    );
    let [site] = &rewritten.sites[..] else {
        panic!("one site")
    };
    assert_eq!((site.kind, site.line), (SiteKind::SynchronizedMethod, 8));
}

#[test]
fn a_range_of_the_program_leaves_out_the_release() {
    let text = "
        start:
        return
        end:
        athrow
        .catch start end end
    ";
    check(
        &TestClass::new(52)
            .method(SYNCHRONIZED, "get", "()V", text)
            .build(),
        &monitors(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        "
        0x0001 get()V
        0: aload_0
        1: monitorenter
        2: aload_0
        3: monitorexit
        4: return
        5: athrow
        6: aload_0
        7: monitorexit
        8: athrow
        catch 2..4 at 6
        catch 5..8 at 6
    ",
    );
}

#[test]
fn a_static_one_locks_its_class_whatever_it_does_to_its_locals() {
    let class = TestClass::new(52).method(
        STATIC | SYNCHRONIZED,
        "set",
        "(Ljava/lang/Object;)V",
        "aconst_null\nastore_0\nreturn",
    );
    check(
        &class.build(),
        &monitors(MonitorCalls {
            before: None,
            after: Some("after"),
            leaving: None,
            left: None,
        }),
        "
        0x0009 set(Ljava/lang/Object;)V
        0: ldc_w Subject
        3: monitorenter
        4: ldc_w Subject
        7: ldc_w site
        10: invokestatic Helper.after (Ljava/lang/Object;I)V
        13: aconst_null
        14: astore_0
        15: ldc_w Subject
        18: monitorexit
        19: return
        20: ldc_w Subject
        23: monitorexit
        24: athrow
        catch 4..19 at 20
        catch 20..24 at 20
    ",
    );
}

#[test]
fn a_method_that_overwrites_this_is_called_by_one_that_does_not() {
    let text = "
        .line 5
        aload_1
        astore_0
        aload_0
        areturn
    ";
    let flags = PUBLIC | SYNCHRONIZED;
    check(
        &TestClass::new(52)
            .method(
                flags,
                "swap",
                "(Ljava/lang/Object;J)Ljava/lang/Object;",
                text,
            )
            .build(),
        &monitors(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        "
        0x0001 swap(Ljava/lang/Object;J)Ljava/lang/Object;
        0: aload_0
        1: monitorenter
        2: aload_0
        3: aload 1
        5: lload 2
        7: invokespecial Subject.$rw$body$swap (Ljava/lang/Object;J)Ljava/lang/Object;
        10: aload_0
        11: monitorexit
        12: areturn
        13: aload_0
        14: monitorexit
        15: athrow
        catch 2..12 at 13
        catch 13..15 at 13
        line 5 at 0
        0x1002 $rw$body$swap(Ljava/lang/Object;J)Ljava/lang/Object;
        0: aload_1
        1: astore_0
        2: aload_0
        3: areturn
        line 5 at 0
    ",
    );
}

#[test]
fn with_everything_else_that_a_plan_can_ask_for() {
    let text = "
        aload_1
        astore_0
        return
    ";
    let plan = Plan {
        marks: Some(Marks {
            methods: &[("join", "()V")],
            concerns: |_| true,
            before: "mark",
            after: "unmark",
        }),
        class_uses: Some(ClassUses {
            method: "touch",
            concerns: |_| true,
        }),
        ..monitors(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        })
    };
    check(
        &TestClass::new(52)
            .method(SYNCHRONIZED, "swap", "(Ljava/lang/Object;)V", text)
            .build(),
        &plan,
        "
        0x0001 swap(Ljava/lang/Object;)V
        0: aload_0
        1: monitorenter
        2: aload_0
        3: aload 1
        5: invokespecial Subject.$rw$body$swap (Ljava/lang/Object;)V
        8: aload_0
        9: monitorexit
        10: return
        11: aload_0
        12: monitorexit
        13: athrow
        catch 2..10 at 11
        catch 11..13 at 11
        0x1002 $rw$body$swap(Ljava/lang/Object;)V
        0: aload_1
        1: astore_0
        2: return
    ",
    );
}

#[test]
fn so_is_one_whose_frames_forget_this() {
    // One full frame at index 1, without locals or stack.
    let frames = vec![0, 1, 255, 0, 1, 0, 0, 0, 0];
    let class = TestClass::new(52).method_with(
        SYNCHRONIZED,
        "run",
        "()V",
        "nop\nreturn",
        &[("StackMapTable", frames)],
    );
    let rewritten = check(
        &class.build(),
        &monitors(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        "
        0x0001 run()V
        0: aload_0
        1: monitorenter
        2: aload_0
        3: invokespecial Subject.$rw$body$run ()V
        6: aload_0
        7: monitorexit
        8: return
        9: aload_0
        10: monitorexit
        11: athrow
        catch 2..8 at 9
        catch 9..11 at 9
        0x1002 $rw$body$run()V
        0: nop
        1: return
    ",
    );
    assert_eq!(rewritten.skipped, []);
}

#[test]
fn methods_that_cannot_be_converted_are_named() {
    let class = TestClass::new(48)
        .method(STATIC | SYNCHRONIZED, "old", "()V", "return")
        .bare_method(PUBLIC | SYNCHRONIZED | 0x0100, "foreign", "()V");
    let rewritten = check(
        &class.build(),
        &monitors(BOTH),
        "
        0x0029 old()V
        0: return
        0x0121 foreign()V
    ",
    );
    assert_eq!(rewritten.bytes, None);
    let skipped: Vec<_> = rewritten
        .skipped
        .iter()
        .map(|skipped| (skipped.method.as_str(), skipped.reason))
        .collect();
    assert_eq!(
        skipped,
        [
            ("old()V", SkipReason::NoClassConstant),
            ("foreign()V", SkipReason::NativeSynchronized)
        ]
    );
}

#[test]
fn only_the_named_methods_are_concerned() {
    let class = TestClass::new(52)
        .method(SYNCHRONIZED, "first", "()V", "return")
        .method(SYNCHRONIZED, "second", "()V", "return");
    let plan = Plan {
        monitor_methods: &["second"],
        ..monitors(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        })
    };
    check(
        &class.build(),
        &plan,
        "
        0x0021 first()V
        0: return
        0x0001 second()V
        0: aload_0
        1: monitorenter
        2: aload_0
        3: monitorexit
        4: return
        5: aload_0
        6: monitorexit
        7: athrow
        catch 2..4 at 5
        catch 5..7 at 5
    ",
    );
}
