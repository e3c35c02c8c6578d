//! Java programs that are compiled, rewritten and run in a VM that verifies all code: what they print shows what happened when.

mod java;

use java::{Program, Version};
use reweave_jvm::classfile::plan::{
    Around, CallHook, MethodAction, MethodHook, MonitorCalls, Plan,
};

fn monitors() -> Plan<'static> {
    let calls = MonitorCalls {
        before: Some("before"),
        after: Some("after"),
        leaving: None,
        left: None,
    };
    Plan {
        helper: "Helper",
        monitors: Some(calls),
        ..Plan::default()
    }
}

const MONITORS_OUTPUT: &str = "
      before Monitors$Counter
      after Monitors$Counter, held
    plain 0
      before Monitors$Counter
      after Monitors$Counter, held
    try 12
      before Monitors$Counter
      after Monitors$Counter, held
    catch -1
      before Monitors$Counter
      after Monitors$Counter, held
    rethrown
      before Monitors$Counter
      after Monitors$Counter, held
    thrown as asked
      before Monitors$Counter.class
      after Monitors$Counter.class, held
    static 42
      before Monitors$Counter
      after Monitors$Counter, held
    swap other
    free true true
      before java.lang.Object
      after java.lang.Object, held
      before Monitors$Counter
      after Monitors$Counter, held
    inside
      before java.lang.Object
      after java.lang.Object, held
    block poisoned
      before Monitors$Counter
      after Monitors$Counter, held
    method poisoned
    free true true
";

#[test]
fn monitors_are_released_whatever_happens() {
    Program::new("Monitors")
        .rewritten_by(&monitors())
        .prints(MONITORS_OUTPUT);
}

#[test]
fn monitors_are_released_even_if_this_is_overwritten() {
    // swap: aload_1, astore_2, aload_2, areturn. javac never stores into variable 0; other compilers do.
    let program =
        Program::new("Monitors").patched(&[0x2b, 0x4d, 0x2c, 0xb0], &[0x2b, 0x4b, 0x2a, 0xb0]);
    program.rewritten_by(&monitors()).prints(MONITORS_OUTPUT);
}

#[test]
fn monitors_of_classes_from_before_stack_maps() {
    // Java 5: no frames, the old verifier.
    Program::new("Monitors")
        .of_version(Version(49))
        .rewritten_by(&monitors())
        .prints(MONITORS_OUTPUT);
}

#[test]
fn relocated_programs_do_the_same() {
    let program = Program::new("Monitors").with_nops();
    program.rewritten_by(&monitors()).prints(MONITORS_OUTPUT);
}

#[test]
fn what_comes_after_a_monitor_is_not_taken_for_holding_it() {
    let plan = Plan {
        monitors: Some(MonitorCalls {
            before: None,
            after: None,
            leaving: None,
            left: Some("left"),
        }),
        ..monitors()
    };
    let output = "
        method
          left
        block
          left
        static
          left
        method
          left
        IllegalStateException left
          left
        IllegalStateException left
        block
          left
        IllegalStateException left
          left
        IllegalStateException left
        static
          left
        IllegalStateException left
        free true true
    ";
    Program::new("Left").rewritten_by(&plan).prints(output);
    let relocated = Program::new("Left").with_nops();
    relocated.rewritten_by(&plan).prints(output);
}

#[test]
fn calls_and_method_references_go_to_the_helper() {
    let call = |owner, name, descriptor, receiver, method| CallHook {
        owner,
        name,
        descriptor,
        receiver,
        method,
        class: None,
    };
    let calls = [
        call(
            None,
            "notifyAll",
            "()V",
            Some("java/lang/Object"),
            "signalAll",
        ),
        call(Some("java/lang/Math"), "abs", "(I)I", None, "absolute"),
        call(
            Some("java/util/Collection"),
            "size",
            "()I",
            Some("java/util/Collection"),
            "size",
        ),
    ];
    let plan = Plan {
        helper: "Helper",
        calls: &calls,
        ..Plan::default()
    };
    Program::new("Calls").rewritten_by(&plan).prints(
        "
          signalAll by call
          signalAll by handle
          signalAll by call
          absolute by call
          absolute by handle
          size by call
          size by handle
        3 4 2 2
    ",
    );
}

#[test]
fn hooks_on_methods_run_where_they_should() {
    let hook = |name, action| MethodHook {
        name,
        descriptor: None,
        action,
    };
    let bracket = Around {
        enter: "enter",
        leave: "leave",
    };
    let entry = |method, arguments| MethodAction::Entry {
        method,
        class: "java/lang/Object",
        arguments,
    };
    let argument = MethodAction::ReplaceArgument {
        method: "argument",
        index: 1,
        descriptor: "Ljava/lang/String;",
    };
    let plan = Plan {
        helper: "Helper",
        monitors: Some(MonitorCalls {
            before: None,
            after: Some("after"),
            leaving: None,
            left: None,
        }),
        methods: vec![
            hook("entry", entry("entered", true)),
            hook("plain", entry("enteredStatic", false)),
            hook("bracket", MethodAction::Around(bracket)),
            hook("argument", argument),
            hook(
                "greet",
                MethodAction::Redirect {
                    method: "redirected",
                    class: "java/lang/Object",
                },
            ),
            hook(
                "shortcut",
                MethodAction::Shortcut {
                    helper: "Helper",
                    method: "shortcut",
                    class: "java/lang/Object",
                },
            ),
        ],
        initialiser: Some(Around {
            enter: "initialiserEnter",
            leave: "initialiserLeave",
        }),
        ..Plan::default()
    };
    Program::new("Methods").rewritten_by(&plan).prints(
        "
          entered 1 2 three
        body 1 2 three
          entered static
        static body
          enter
          after Methods, held
          leave
        bracket 2
          enter
          after Methods, held
          leave
        divided
        replaced me
          redirected hello 1.5
          after Methods, held
        hello 1.5 true
          redirected hello -1.0
          after Methods, held
        negative
        deprecated true
          asked 5
        at once 5
          asked 28
        later 8
          asked 9
        nine
          initialiser enter
        interface initialised
          initialiser leave
          initialiser enter
          initialiser leave
        in the initialiser
    ",
    );
}
