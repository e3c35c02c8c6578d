//! Calls and method handles that go to the helper instead.

use super::super::plan::{CallHook, ClassUses, Marks, Plan};
use super::super::pool::Pool;
use super::super::{SiteKind, rewrite};
use super::assembler::{PUBLIC, TestClass};
use super::{check, plan};

const CALLS: &[CallHook<'static>] = &[
    CallHook {
        owner: None,
        name: "notify",
        descriptor: "()V",
        receiver: Some("java/lang/Object"),
        method: "signal",
        class: None,
    },
    CallHook {
        owner: Some("Clock"),
        name: "now",
        descriptor: "(I)J",
        receiver: None,
        method: "now",
        class: None,
    },
    CallHook {
        owner: Some("Set"),
        name: "size",
        descriptor: "()I",
        receiver: Some("Set"),
        method: "size",
        class: None,
    },
];

fn calls() -> Plan<'static> {
    Plan {
        calls: CALLS,
        ..plan()
    }
}

fn class(text: &str) -> Vec<u8> {
    TestClass::new(52)
        .method(PUBLIC, "run", "()V", text)
        .build()
}

#[test]
fn every_way_to_call() {
    let text = "
        .line 1
        aload_0
        invokevirtual Anything.notify ()V
        aload_0
        invokespecial java/lang/Object.notify ()V
        iconst_0
        invokestatic Clock.now (I)J
        .line 2
        aload_1
        invokeinterface Set.size ()I
        return
    ";
    let rewritten = check(
        &class(text),
        &calls(),
        "
        0x0001 run()V
        0: aload_0
        1: ldc_w site
        4: invokestatic Helper.signal (Ljava/lang/Object;I)V
        7: aload_0
        8: ldc_w site
        11: invokestatic Helper.signal (Ljava/lang/Object;I)V
        14: iconst_0
        15: ldc_w site
        18: invokestatic Helper.now (II)J
        21: aload_1
        22: ldc_w site
        25: invokestatic Helper.size (LSet;I)I
        28: nop
        29: nop
        30: return
        line 1 at 0
        line 2 at 21
    ",
    );
    assert!(
        rewritten
            .sites
            .iter()
            .all(|site| site.kind == SiteKind::Call)
    );
    let lines: Vec<u16> = rewritten.sites.iter().map(|site| site.line).collect();
    assert_eq!(lines, [1, 1, 1, 2]);
}

#[test]
fn what_is_not_that_call_stays() {
    let text = "
        aload_0
        invokevirtual Other.size ()I
        invokevirtual Clock.now (I)J
        invokespecial Set.size ()I
        invokestatic Any.notify ()V
        return
    ";
    let rewritten = rewrite(&class(text), &calls()).expect("a class file");
    assert_eq!(rewritten.bytes, None);
    assert_eq!(rewritten.sites, []);
}

#[test]
fn handles_lose_the_site() {
    let mut class = TestClass::new(52);
    let virtual_handle = class.method_handle(5, "Lock.notify", "()V");
    let static_handle = class.method_handle(6, "Clock.now", "(I)J");
    let constructor = class.method_handle(8, "Clock.<init>", "()V");
    let rewritten = rewrite(&class.build(), &calls()).expect("a class file");
    assert_eq!(rewritten.handles, 2);
    let bytes = rewritten.bytes.expect("changed");
    let pool = Pool::parse(&bytes).expect("constants");
    let handle = |index: u16| {
        let (kind, method, _) = pool.method_handle(usize::from(index)).expect("a handle");
        let method = pool.method(method).expect("a method");
        let text = [method.owner, b".", method.name, method.descriptor].concat();
        format!("{kind} {}", String::from_utf8_lossy(&text))
    };
    assert_eq!(
        handle(virtual_handle),
        "6 Helper.signal(Ljava/lang/Object;)V"
    );
    assert_eq!(handle(static_handle), "6 Helper.now(I)J");
    assert_eq!(handle(constructor), "8 Clock.<init>()V");
}

#[test]
fn marked_calls_are_made_between_two_others() {
    let marks = Marks {
        methods: &[("join", "()V")],
        concerns: |owner| owner.starts_with(b"app/"),
        before: "before",
        after: "after",
    };
    let text = "
        aload_0
        invokevirtual app/Worker.join ()V
        start:
        aload_0
        invokevirtual java/lang/Thread.join ()V
        end:
        return
        .catch start end end
    ";
    let rewritten = check(
        &class(text),
        &Plan {
            marks: Some(marks),
            ..plan()
        },
        "
        0x0001 run()V
        0: aload_0
        1: ldc_w site
        4: invokestatic Helper.before (I)V
        7: invokevirtual app/Worker.join ()V
        10: invokestatic Helper.after ()V
        13: aload_0
        14: invokevirtual java/lang/Thread.join ()V
        17: return
        catch 10..17 at 17
    ",
    );
    assert_eq!(rewritten.sites.len(), 1);
}

#[test]
fn uses_of_other_classes_are_announced() {
    let uses = ClassUses {
        method: "used",
        concerns: |name| !name.starts_with(b"java/"),
    };
    let text = "
        new Other
        pop
        new java/lang/Object
        pop
        invokestatic Subject.run ()V
        invokestatic Third.run ()V
        return
    ";
    check(
        &class(text),
        &Plan {
            class_uses: Some(uses),
            ..plan()
        },
        "
        0x0001 run()V
        0: ldc_w Other
        3: invokestatic Helper.used (Ljava/lang/Class;)V
        6: new class
        9: pop
        10: new class
        13: pop
        14: invokestatic Subject.run ()V
        17: ldc_w Third
        20: invokestatic Helper.used (Ljava/lang/Class;)V
        23: invokestatic Third.run ()V
        26: return
    ",
    );
}
