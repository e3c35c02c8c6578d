//! Hooks on whole methods, alone and together.

use super::super::plan::{Around, MethodAction, MethodHook, MonitorCalls, NewField, Plan};
use super::super::{SiteKind, SkipReason, class_hash, rewrite};
use super::assembler::{NAME, PUBLIC, STATIC, SYNCHRONIZED, TestClass};
use super::{check, plan};

const BRACKET: Around<'static> = Around {
    enter: "enter",
    leave: "leave",
};

fn hook(name: &'static str, action: MethodAction<'static>) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: None,
        action,
    }
}

fn methods(methods: &[MethodHook<'static>]) -> Plan<'static> {
    Plan {
        methods: methods.to_vec(),
        ..plan()
    }
}

fn entry(arguments: bool) -> MethodAction<'static> {
    MethodAction::Entry {
        method: "entered",
        class: NAME,
        arguments,
    }
}

#[test]
fn an_entry_gets_everything() {
    let text = "
        .line 6
        again:
        goto again
    ";
    let rewritten = check(
        &TestClass::new(52)
            .method(PUBLIC, "run", "(JLjava/lang/Object;D[I)V", text)
            .build(),
        &methods(&[hook("run", entry(true))]),
        "
        0x0001 run(JLjava/lang/Object;D[I)V
        0: aload_0
        1: lload 1
        3: aload 3
        5: dload 4
        7: aload 6
        9: ldc_w site
        12: invokestatic Helper.entered (LSubject;JLjava/lang/Object;D[II)V
        15: goto 15
        line 6 at 0
    ",
    );
    let [site] = &rewritten.sites[..] else {
        panic!("one site")
    };
    assert_eq!((site.kind, site.line), (SiteKind::Method, 6));
}

#[test]
fn or_only_this() {
    check(
        &TestClass::new(52)
            .method(PUBLIC, "run", "(J)V", "return")
            .method(STATIC, "run", "(I)V", "return")
            .build(),
        &methods(&[hook("run", entry(false))]),
        "
        0x0001 run(J)V
        0: aload_0
        1: ldc_w site
        4: invokestatic Helper.entered (LSubject;I)V
        7: return
        0x0009 run(I)V
        0: ldc_w site
        3: invokestatic Helper.entered (I)V
        6: return
    ",
    );
}

#[test]
fn an_argument_is_replaced() {
    let action = MethodAction::ReplaceArgument {
        method: "other",
        index: 1,
        descriptor: "[I",
    };
    let rewritten = check(
        &TestClass::new(52)
            .method(PUBLIC, "run", "(J[I)V", "return")
            .method(PUBLIC, "run", "(JI)V", "return")
            .build(),
        &methods(&[hook("run", action)]),
        "
        0x0001 run(J[I)V
        0: aload 3
        2: invokestatic Helper.other ([I)[I
        5: astore 3
        7: return
        0x0001 run(JI)V
        0: return
    ",
    );
    assert_eq!(rewritten.skipped[0].reason, SkipReason::OtherParameter);
}

#[test]
fn a_bracket_is_left_on_every_way_out_and_never_twice() {
    check(
        &TestClass::new(52)
            .method(
                PUBLIC,
                "run",
                "()V",
                "aload_1\nifnull out\nreturn\nout:\nreturn",
            )
            .build(),
        &methods(&[hook("run", MethodAction::Around(BRACKET))]),
        "
        0x0001 run()V
        0: invokestatic Helper.enter ()V
        3: aload_1
        4: ifnull 11
        7: invokestatic Helper.leave ()V
        10: return
        11: invokestatic Helper.leave ()V
        14: return
        15: invokestatic Helper.leave ()V
        18: athrow
        catch 3..7 at 15
    ",
    );
}

#[test]
fn everything_at_once_nests() {
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        ..methods(&[
            hook("run", entry(false)),
            hook("run", MethodAction::Around(BRACKET)),
        ])
    };
    check(
        &TestClass::new(52)
            .method(SYNCHRONIZED, "run", "()V", "return")
            .build(),
        &plan,
        "
        0x0001 run()V
        0: invokestatic Helper.enter ()V
        3: aload_0
        4: ldc_w site
        7: invokestatic Helper.entered (LSubject;I)V
        10: aload_0
        11: monitorenter
        12: aload_0
        13: monitorexit
        14: invokestatic Helper.leave ()V
        17: return
        18: aload_0
        19: monitorexit
        20: athrow
        21: invokestatic Helper.leave ()V
        24: athrow
        catch 12..14 at 18
        catch 18..20 at 18
        catch 3..14 at 21
        catch 18..21 at 21
    ",
    );
}

#[test]
fn a_redirected_method_lives_on_under_another_name() {
    let action = MethodAction::Redirect {
        method: "lock",
        class: "Lock",
    };
    let text = "
        .line 9
        iconst_0
        ireturn
    ";
    // private final synchronized
    let rewritten = check(
        &TestClass::new(52)
            .method(0x0032, "lock", "(Ljava/lang/Object;J)Z", text)
            .build(),
        &methods(&[hook("lock", action)]),
        "
        0x0012 lock(Ljava/lang/Object;J)Z
        0: aload_0
        1: aload 1
        3: lload 2
        5: ldc_w site
        8: invokestatic Helper.lock (LLock;Ljava/lang/Object;JI)Z
        11: ireturn
        line 9 at 0
        0x1031 $rw$lock(Ljava/lang/Object;J)Z
        0: iconst_0
        1: ireturn
        line 9 at 0
    ",
    );
    assert_eq!(rewritten.sites.len(), 1);
}

#[test]
fn a_shortcut_may_be_all() {
    let action = MethodAction::Shortcut {
        helper: "Locks",
        method: "take",
        class: "Lock",
    };
    let text = "
        iconst_0
        ireturn
    ";
    check(
        &TestClass::new(52)
            .method(PUBLIC, "lock", "(I)Z", text)
            .build(),
        &methods(&[hook("lock", action)]),
        "
        0x0001 lock(I)Z
        0: aload_0
        1: iload 1
        3: ldc_w site
        6: invokestatic Locks.take (LLock;II)I
        9: dup
        10: iflt 14
        13: ireturn
        14: pop
        15: iconst_0
        16: ireturn
    ",
    );
}

#[test]
fn a_method_without_a_number_as_result_has_no_shortcut() {
    let action = MethodAction::Shortcut {
        helper: "Locks",
        method: "take",
        class: "Lock",
    };
    let class = TestClass::new(52)
        .method(PUBLIC, "lock", "()V", "return")
        .build();
    let rewritten = rewrite(&class, &methods(&[hook("lock", action)])).expect("a class file");
    assert_eq!(rewritten.skipped.len(), 1);
    assert_eq!(rewritten.skipped[0].reason, SkipReason::NoShortcut);
}

#[test]
fn a_redirected_method_can_be_converted_too() {
    let action = MethodAction::Redirect {
        method: "lock",
        class: "Lock",
    };
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: None,
        }),
        ..methods(&[hook("lock", action)])
    };
    check(
        &TestClass::new(52)
            .method(SYNCHRONIZED, "lock", "()V", "return")
            .build(),
        &plan,
        "
        0x0001 lock()V
        0: aload_0
        1: ldc_w site
        4: invokestatic Helper.lock (LLock;I)V
        7: return
        0x1001 $rw$lock()V
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

#[test]
fn an_initialiser_says_whose_it_is() {
    let plan = Plan {
        initialiser: Some(BRACKET),
        ..plan()
    };
    let class = TestClass::new(52)
        .method(STATIC, "<clinit>", "()V", "return")
        .build();
    let rewritten = check(
        &class,
        &plan,
        "
        0x0009 <clinit>()V
        0: ldc_w site
        3: invokestatic Helper.enter (I)V
        6: invokestatic Helper.leave ()V
        9: return
        10: invokestatic Helper.leave ()V
        13: athrow
    ",
    );
    assert_eq!(rewritten.sites, []);
    let bytes = rewritten.bytes.expect("changed");
    let hash = class_hash(NAME).to_be_bytes();
    assert!(
        bytes
            .windows(5)
            .any(|window| window[0] == 3 && window[1..] == hash)
    );
}

#[test]
fn constructors_and_native_methods_are_named() {
    let class = TestClass::new(52)
        .method(
            PUBLIC,
            "<init>",
            "()V",
            "aload_0\ninvokespecial java/lang/Object.<init> ()V\nreturn",
        )
        .bare_method(PUBLIC | 0x0100, "foreign", "()V")
        .bare_method(PUBLIC | 0x0400, "later", "()V");
    let redirect = MethodAction::Redirect {
        method: "lock",
        class: "Lock",
    };
    let around = MethodAction::Around(BRACKET);
    let plan = methods(&[
        hook("<init>", entry(false)),
        hook("<init>", around),
        hook("<init>", redirect),
        hook("foreign", around),
        hook("later", around),
    ]);
    let rewritten = rewrite(&class.build(), &plan).expect("a class file");
    assert_eq!(rewritten.bytes, None);
    let reasons: Vec<_> = rewritten
        .skipped
        .iter()
        .map(|skipped| skipped.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            SkipReason::Initialiser,
            SkipReason::Initialiser,
            SkipReason::Initialiser,
            SkipReason::Native
        ]
    );
}

#[test]
fn fields_are_appended() {
    let plan = Plan {
        fields: vec![NewField {
            flags: 2,
            name: "$word",
            descriptor: "J",
        }],
        ..plan()
    };
    let class = TestClass::new(52)
        .method(PUBLIC, "run", "()V", "return")
        .build();
    let bytes = rewrite(&class, &plan)
        .expect("a class file")
        .bytes
        .expect("changed");
    let pool = super::super::pool::Pool::parse(&bytes).expect("constants");
    // Flags, name, superclass and the count of interfaces come before the fields.
    let field: Vec<u16> = bytes[pool.end() + 8..][..10]
        .chunks(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .collect();
    assert_eq!((field[0], field[1], field[4]), (1, 2, 0));
    assert_eq!(pool.utf8(field[2]), Ok(&b"$word"[..]));
    assert_eq!(pool.utf8(field[3]), Ok(&b"J"[..]));
}
