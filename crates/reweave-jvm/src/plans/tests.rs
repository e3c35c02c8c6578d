//! Which classes get what. A class is a line: `Account < java/lang/Object, with initialiser`; so is what is done to it.

use super::*;
use crate::classfile::plan::MethodAction;
use crate::fields::FieldTable;
use crate::scope::Scope;
use reweave_runtime::session::{
    AtEnd, Debugger, Effects, Enforcement, Level, Observe, Pace, ReplayOptions,
};
use std::path::PathBuf;
use std::time::Duration;

fn session(mode: Mode) -> Session {
    Session {
        folder: PathBuf::new(),
        trace: PathBuf::new(),
        mode,
        include: vec![],
        exclude: vec![],
        exclude_threads: vec![],
        level: Level::Sync,
        keep: reweave_runtime::recorder::Keep::Everything,
        native: vec![],
    }
}

fn recording() -> Session {
    session(Mode::Record)
}

fn replay() -> Session {
    session(Mode::Replay(ReplayOptions {
        at_end: AtEnd::Stop,
        pace: Pace::Fast,
        enforcement: Enforcement::On,
        stall_after: Duration::ZERO,
        debugger: Debugger::None,
        goto: None,
        effects: Effects::None,
        observe: Observe::default(),
    }))
}

/// `[interface] NAME [< SUPERCLASS][, with volatile fields][, with initialiser]`
fn class(text: &str) -> Summary<'_> {
    let text = text.strip_suffix(", with volatile fields").unwrap_or(text);
    let (rest, has_initialiser) = match text.strip_suffix(", with initialiser") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (rest, access_flags) = match rest.strip_prefix("interface ") {
        Some(rest) => (rest, INTERFACE),
        None => (rest, 0),
    };
    let (name, superclass) = match rest.split_once(" < ") {
        Some((name, superclass)) => (name, Some(superclass.into())),
        None => (rest, None),
    };
    Summary {
        name: name.into(),
        superclass,
        access_flags,
        major: 61,
        has_initialiser,
        source_file: None,
    }
}

/// What a plan does, a word each; methods with the helper they go to.
fn describe(plan: &Plan<'_>) -> String {
    let mut words = vec![];
    words.extend(plan.fields.iter().map(|field| field.name.to_owned()));
    if let Some(calls) = plan.monitors {
        let names = [calls.before, calls.after, calls.left];
        let names: Vec<&str> = names.into_iter().flatten().collect();
        words.push(format!("monitors:{}", names.join("+")));
    }
    words.extend(
        plan.monitor_methods
            .iter()
            .map(|name| format!("only:{name}")),
    );
    words.extend((!plan.calls.is_empty()).then(|| "calls".to_owned()));
    words.extend(plan.accesses.map(|calls| match calls.elements {
        true => "accesses+elements".to_owned(),
        false => "accesses".to_owned(),
    }));
    words.extend(
        plan.every_method
            .map(|around| format!("*:{}", around.enter)),
    );
    words.extend(plan.marks.map(|_| "marks".to_owned()));
    words.extend(plan.class_uses.map(|uses| uses.method.to_owned()));
    words.extend(plan.initialiser.map(|around| around.enter.to_owned()));
    words.extend(plan.methods.iter().map(|hook| {
        let helper = match hook.action {
            MethodAction::Entry { method, .. }
            | MethodAction::ReplaceArgument { method, .. }
            | MethodAction::Exit { method, .. }
            | MethodAction::Result { method }
            | MethodAction::Redirect { method, .. }
            | MethodAction::Shortcut { method, .. } => method,
            MethodAction::Around(around) => around.enter,
        };
        format!("{}:{helper}", hook.name)
    }));
    words.join(" ")
}

#[track_caller]
fn check(session: &Session, text: &str, origin: Origin, expected: &str) {
    let (plans, class) = (Plans::new(session, None), class(text));
    let found = match plans.ignores(&class.name, origin) {
        true => "left alone".to_owned(),
        false => {
            let memory = Memory {
                fields: &FieldTable::new(Scope::default()),
                has_word: text.contains("volatile"),
                made: false,
                merged: false,
                named: false,
                helper: hooks::MEMORY_HELPER,
            };
            describe(&plans.plan(&class, origin, hooks::OBJECT_CALLS, memory))
        }
    };
    assert_eq!(found, expected, "{text}");
}

const LOADER: &str = "loadClass:quietEnter loadClass:quietEnter findClass:quietEnter";

#[test]
fn a_class_of_the_program() {
    check(
        &recording(),
        "Account < Base",
        Origin::Application,
        &format!("monitors:acquired calls accesses marks {LOADER}"),
    );
    check(
        &replay(),
        "Account < Base",
        Origin::Application,
        &format!("monitors:acquiring+acquired+released calls accesses marks touch {LOADER}"),
    );
}

#[test]
fn its_static_initialiser() {
    check(
        &recording(),
        "Account < Base, with initialiser",
        Origin::Application,
        &format!("monitors:acquired calls accesses marks initialiserEnter {LOADER}"),
    );
}

#[test]
fn the_first_class_below_the_jdk_gets_the_order_word() {
    for superclass in ["java/lang/Object", "java/lang/Thread", "javax/swing/JFrame"] {
        check(
            &recording(),
            &format!("Account < {superclass}"),
            Origin::Application,
            &format!("$rw monitors:acquired calls accesses marks {LOADER}"),
        );
    }
}

#[test]
fn an_interface_has_no_order_word() {
    check(
        &recording(),
        "interface Account < java/lang/Object",
        Origin::Application,
        &format!("monitors:acquired calls accesses marks {LOADER}"),
    );
}

#[test]
fn an_excluded_class_is_marked_and_keeps_its_order_word() {
    let excluding = |session| Session {
        exclude: vec!["com.example.*".to_owned()],
        ..session
    };
    let class = "com/example/Account < java/lang/Object, with initialiser";
    let (recording, replay) = (excluding(recording()), excluding(replay()));
    check(
        &recording,
        class,
        Origin::Application,
        "$rw monitors:acquiredOutside",
    );
    // Whatever the objects look like to the program, they look the same.
    check(&replay, class, Origin::Application, "$rw");
    check(
        &recording,
        "org/Account < Base",
        Origin::Application,
        &format!("monitors:acquired calls accesses marks {LOADER}"),
    );
}

#[test]
fn with_includes_all_others_are_excluded() {
    let session = Session {
        include: vec!["com.example.*".to_owned(), "Main".to_owned()],
        exclude: vec!["*Test".to_owned()],
        ..recording()
    };
    let check = |class, expected: &str| check(&session, class, Origin::Application, expected);
    let whole = format!("monitors:acquired calls accesses marks {LOADER}");
    check("com/example/Account < Base", &whole);
    check("Main < Base", &whole);
    check("Other < Base", "monitors:acquiredOutside");
    check("com/example/AccountTest < Base", "monitors:acquiredOutside");
}

#[test]
fn object_and_the_helper_are_left_alone() {
    for origin in [Origin::Boot, Origin::BootLater, Origin::Application] {
        check(&recording(), "java/lang/Object", origin, "left alone");
        check(
            &replay(),
            "java/lang/Reweave < java/lang/Object",
            origin,
            "left alone",
        );
        check(
            &replay(),
            "java/lang/ReweaveQuiet < java/lang/Object",
            origin,
            "left alone",
        );
    }
}

#[test]
fn other_boot_classes_are_not_even_looked_at() {
    check(
        &recording(),
        "java/util/HashMap < java/util/AbstractMap, with initialiser",
        Origin::Boot,
        "left alone",
    );
}

#[test]
fn a_jdk_class_that_comes_later_initialises_quietly() {
    let class = "java/util/zip/Deflater < java/lang/Object, with initialiser";
    for origin in [Origin::BootLater, Origin::Application] {
        check(&recording(), class, origin, "<clinit>:quietEnter");
    }
    check(
        &recording(),
        "java/util/zip/Inflater < java/lang/Object",
        Origin::BootLater,
        "",
    );
}

#[test]
fn ordered_jdk_classes() {
    let monitors = "monitors:acquired calls marks";
    let check = |class, expected: &str| check(&recording(), class, Origin::Boot, expected);
    check("java/util/Timer < java/lang/Object", monitors);
    check("java/io/Reader < java/lang/Object", monitors);
    check(
        "java/util/Collections$SynchronizedRandomAccessList < java/util/Collections$SynchronizedList",
        monitors,
    );
    check(
        "java/util/Vector < java/util/AbstractList",
        &format!("$rw {monitors}"),
    );
    check(
        "java/lang/Throwable < java/lang/Object",
        "monitors:acquired only:printStackTrace",
    );
    check("java/util/TimerX < java/lang/Object", "left alone");
}

#[test]
fn ordered_jdk_classes_in_a_replay_wait_but_do_not_touch() {
    check(
        &replay(),
        "java/io/Reader < java/lang/Object",
        Origin::BootLater,
        "monitors:acquiring+acquired+released calls marks",
    );
}

#[test]
fn thread_and_class_get_their_fields() {
    let fields = |name: &str| {
        let session = recording();
        let plans = Plans::new(&session, None);
        let memory = Memory {
            fields: &FieldTable::new(Scope::default()),
            has_word: false,
            made: false,
            merged: false,
            named: false,
            helper: hooks::MEMORY_HELPER,
        };
        let plan = plans.plan(&class(name), Origin::Boot, hooks::OBJECT_CALLS, memory);
        plan.fields
            .iter()
            .map(|field| field.name.to_owned())
            .collect()
    };
    let names = |added: &[crate::classfile::plan::NewField<'static>]| -> Vec<&str> {
        added.iter().map(|field| field.name).collect()
    };
    let of_class: Vec<String> = fields("java/lang/Class < java/lang/Object");
    assert_eq!(of_class, names(hooks::CLASS_FIELDS));
    let of_thread: Vec<String> = fields("java/lang/Thread < java/lang/Object");
    assert_eq!(of_thread, names(hooks::THREAD_FIELDS));
}

#[test]
fn whose_class_it_is() {
    let program = |name| Plans::is_application(name, Origin::Application);
    assert!(program("com/example/Account"));
    // Libraries have classes in javax too.
    assert!(program("javax/inject/Inject"));
    assert!(!program("java/sql/Date"));
    assert!(!program("jdk/internal/misc/Unsafe"));
    assert!(!program("sun/net/Www"));
    assert!(!Plans::is_application("com/example/Account", Origin::Boot));
}

#[test]
fn memory_at_level_access() {
    let session = Session {
        level: Level::Access,
        ..recording()
    };
    check(
        &session,
        "Account < Base, with volatile fields",
        Origin::Application,
        &format!("$rwm monitors:acquired calls accesses+elements marks {LOADER}"),
    );
    check(
        &session,
        "java/util/ArrayList < java/util/AbstractList",
        Origin::Boot,
        "monitors:acquired calls accesses+elements",
    );
    // The collector empties it whenever it wants.
    check(
        &session,
        "java/util/WeakHashMap < java/util/AbstractMap",
        Origin::Boot,
        "left alone",
    );
    check(
        &recording(),
        "java/util/ArrayList < java/util/AbstractList",
        Origin::Boot,
        "left alone",
    );
}

#[test]
fn memory() {
    check(
        &recording(),
        "Account < Base, with volatile fields",
        Origin::Application,
        &format!("$rwm monitors:acquired calls accesses marks {LOADER}"),
    );
    // What all of java.util.concurrent does is ordered; the arrays of some of it.
    check(
        &recording(),
        "java/util/concurrent/FutureTask < java/lang/Object",
        Origin::Boot,
        "monitors:acquired calls accesses",
    );
    check(
        &recording(),
        "java/util/concurrent/ConcurrentHashMap < java/util/AbstractMap",
        Origin::Boot,
        "monitors:acquired calls accesses+elements",
    );
    check(
        &recording(),
        "java/util/concurrent/locks/LockSupport < java/lang/Object",
        Origin::Boot,
        "left alone",
    );
    check(
        &recording(),
        "java/lang/invoke/VarHandleInts$Array < java/lang/invoke/VarHandle",
        Origin::Boot,
        "calls accesses+elements",
    );
    check(
        &recording(),
        "java/lang/invoke/MethodType < java/lang/Object",
        Origin::Boot,
        "*:quietEnter",
    );
}
