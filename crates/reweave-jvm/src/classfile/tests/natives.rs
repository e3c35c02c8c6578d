//! Native synchronized methods, whose monitor the VM would take where no bytecode sees it.

use super::super::plan::{Around, MethodAction, MethodHook, MonitorCalls, Plan};
use super::super::{SiteKind, SkipReason, rewrite};
use super::assembler::{PUBLIC, STATIC, SYNCHRONIZED, TestClass};
use super::{check, plan};

const NATIVE: u16 = 0x0100;

fn natives() -> Plan<'static> {
    Plan {
        monitors: Some(MonitorCalls {
            before: Some("before"),
            after: Some("after"),
            leaving: None,
            left: None,
        }),
        native_prefix: Some("$native$"),
        ..plan()
    }
}

#[test]
fn a_new_method_takes_the_monitor_and_calls_the_native_one() {
    // public final synchronized native
    let class = TestClass::new(52)
        .bare_method(0x0131, "read", "(J[B)I")
        .method(PUBLIC, "run", "()V", "return");
    let rewritten = check(
        &class.build(),
        &natives(),
        "
        0x0011 read(J[B)I
        0: aload_0
        1: dup
        2: ldc_w site
        5: invokestatic Helper.before (Ljava/lang/Object;I)V
        8: monitorenter
        9: aload_0
        10: ldc_w site
        13: invokestatic Helper.after (Ljava/lang/Object;I)V
        16: aload_0
        17: lload 1
        19: aload 3
        21: invokespecial Subject.$native$read (J[B)I
        24: aload_0
        25: monitorexit
        26: ireturn
        27: aload_0
        28: monitorexit
        29: athrow
        catch 9..26 at 27
        catch 27..29 at 27
        0x0001 run()V
        0: return
        0x1102 $native$read(J[B)I
    ",
    );
    assert_eq!(rewritten.skipped, []);
    let [site] = &rewritten.sites[..] else {
        panic!("one site")
    };
    assert_eq!(site.kind, SiteKind::SynchronizedMethod);
    assert_eq!(site.method, "read(J[B)I");
}

#[test]
fn a_static_one_that_is_the_last_of_its_class() {
    let class = TestClass::new(52).bare_method(STATIC | SYNCHRONIZED | NATIVE, "get", "()I");
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: Some("left"),
        }),
        ..natives()
    };
    check(
        &class.build(),
        &plan,
        "
        0x0009 get()I
        0: ldc_w Subject
        3: monitorenter
        4: invokestatic Subject.$native$get ()I
        7: ldc_w Subject
        10: monitorexit
        11: invokestatic Helper.left ()V
        14: ireturn
        15: ldc_w Subject
        18: monitorexit
        19: invokestatic Helper.left ()V
        22: athrow
        catch 4..11 at 15
        catch 15..19 at 15
        0x110a $native$get()I
    ",
    );
}

#[test]
fn hooks_on_it_apply_since_it_has_code_now() {
    let hook = |action| MethodHook {
        name: "get",
        descriptor: None,
        action,
    };
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        methods: vec![
            hook(MethodAction::Around(Around {
                enter: "enter",
                leave: "leave",
            })),
            hook(MethodAction::Redirect {
                method: "instead",
                class: "Subject",
            }),
        ],
        ..natives()
    };
    let class = TestClass::new(52).bare_method(SYNCHRONIZED | NATIVE, "get", "()V");
    let rewritten = check(
        &class.build(),
        &plan,
        "
        0x0001 get()V
        0: invokestatic Helper.enter ()V
        3: aload_0
        4: monitorenter
        5: aload_0
        6: invokespecial Subject.$native$get ()V
        9: aload_0
        10: monitorexit
        11: invokestatic Helper.leave ()V
        14: return
        15: aload_0
        16: monitorexit
        17: athrow
        18: invokestatic Helper.leave ()V
        21: athrow
        catch 5..11 at 15
        catch 15..17 at 15
        catch 3..11 at 18
        catch 15..18 at 18
        0x1102 $native$get()V
    ",
    );
    // But there is nothing that could be renamed once more.
    let [skipped] = &rewritten.skipped[..] else {
        panic!("one")
    };
    assert_eq!(skipped.reason, SkipReason::Native);
}

#[test]
fn others_are_left_alone() {
    let class = |major| {
        TestClass::new(major)
            .bare_method(NATIVE, "plain", "()V")
            .bare_method(STATIC | SYNCHRONIZED | NATIVE, "get", "()V")
            .build()
    };
    let reasons = |major, plan: &Plan<'_>| {
        let rewritten = rewrite(&class(major), plan).expect("a class file");
        assert_eq!(rewritten.bytes, None);
        assert_eq!(rewritten.sites, []);
        let reasons = rewritten.skipped.iter().map(|skipped| skipped.reason);
        reasons.collect::<Vec<_>>()
    };
    // A class from before Java 5 cannot name its own class object.
    assert_eq!(reasons(48, &natives()), [SkipReason::NoClassConstant]);
    let without = Plan {
        native_prefix: None,
        ..natives()
    };
    assert_eq!(reasons(52, &without), [SkipReason::NativeSynchronized]);
    let other = Plan {
        monitor_methods: &["put"],
        ..natives()
    };
    assert_eq!(reasons(52, &other), []);
}
