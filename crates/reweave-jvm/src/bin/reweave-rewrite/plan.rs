//! Every kind of event there is, on names that occur often, so that hooks meet on one method.

use reweave_jvm::classfile::plan::{
    ANY_ARRAY, AccessCalls, Around, CallHook, ClassUses, Concern, FieldName, Fields, Marks,
    MethodAction, MethodHook, MonitorCalls, Plan,
};

pub fn everything() -> Plan<'static> {
    Plan {
        helper: HELPER,
        monitors: Some(MONITORS),
        // The VM that links everything is not told of the prefix, so it must not call these methods; linking does not need their native code.
        native_prefix: Some("$rw$native$"),
        calls: CALLS,
        marks: Some(MARKS),
        class_uses: Some(CLASS_USES),
        methods: METHODS.to_vec(),
        initialiser: Some(INITIALISER),
        accesses: Some(AccessCalls {
            helper: HELPER,
            fields: &EveryField,
            elements: true,
            made: true,
            merged: true,
            named: false,
        }),
        ..Plan::default()
    }
}

/// Orders all fields, some of them as if their class were not known yet.
struct EveryField;

impl Fields for EveryField {
    fn concern(&self, field: &FieldName<'_>) -> Concern {
        match field.name.len() % 3 {
            0 => Concern::AskLater(field.name.len() as u32),
            _ => Concern::Ordered { levels: 0 },
        }
    }

    fn is_settled(&self, _: &[u8], _: &[u8]) -> bool {
        true
    }
}

/// One line a hook that has sites: `call OWNER NAME DESCRIPTOR static|virtual`, `mark NAME DESCRIPTOR` or `method NAME DESCRIPTOR`,
/// where `*` stands for any owner or descriptor.
pub fn print() {
    for hook in CALLS {
        let dispatch = if hook.receiver.is_some() {
            "virtual"
        } else {
            "static"
        };
        println!(
            "call {} {} {} {dispatch}",
            hook.owner.unwrap_or("*"),
            hook.name,
            hook.descriptor
        );
    }
    for (name, descriptor) in MARKS.methods {
        println!("mark {name} {descriptor}");
    }
    for hook in METHODS {
        match hook.action {
            MethodAction::Entry { .. }
            | MethodAction::Redirect { .. }
            | MethodAction::Shortcut { .. } => {
                println!("method {} {}", hook.name, hook.descriptor.unwrap_or("*"));
            }
            // These have no site.
            MethodAction::ReplaceArgument { .. }
            | MethodAction::Exit { .. }
            | MethodAction::Around(_)
            | MethodAction::Result { .. } => {}
        }
    }
}

/// The stub that stands for the helper; its source is `tests/java/stub`.
const HELPER: &str = "java/lang/ReweaveStub";

const CALLS: &[CallHook<'static>] = &[
    call(None, "wait", "()V", Some("java/lang/Object"), "await"),
    call(None, "wait", "(J)V", Some("java/lang/Object"), "await"),
    call(None, "wait", "(JI)V", Some("java/lang/Object"), "await"),
    call(None, "notify", "()V", Some("java/lang/Object"), "signal"),
    call(
        None,
        "notifyAll",
        "()V",
        Some("java/lang/Object"),
        "signalAll",
    ),
    call(
        Some("java/lang/Object"),
        "hashCode",
        "()I",
        Some("java/lang/Object"),
        "hash",
    ),
    call(
        Some("java/lang/System"),
        "nanoTime",
        "()J",
        None,
        "nanoTime",
    ),
    call(
        Some("java/lang/System"),
        "currentTimeMillis",
        "()J",
        None,
        "currentTimeMillis",
    ),
    call(
        Some("java/lang/Thread"),
        "interrupt",
        "()V",
        Some("java/lang/Thread"),
        "interrupt",
    ),
    call(
        Some("java/lang/Thread"),
        "interrupted",
        "()Z",
        None,
        "interrupted",
    ),
    call(
        Some("java/util/List"),
        "size",
        "()I",
        Some("java/util/List"),
        "size",
    ),
    call(
        Some("java/util/Map"),
        "get",
        "(Ljava/lang/Object;)Ljava/lang/Object;",
        Some("java/util/Map"),
        "get",
    ),
    call(
        Some("java/lang/StringBuilder"),
        "toString",
        "()Ljava/lang/String;",
        Some("java/lang/StringBuilder"),
        "text",
    ),
    call(
        Some("java/lang/System"),
        "arraycopy",
        "(Ljava/lang/Object;ILjava/lang/Object;II)V",
        None,
        "copy",
    ),
    call(
        Some(ANY_ARRAY),
        "clone",
        "()Ljava/lang/Object;",
        Some("java/lang/Object"),
        "copy",
    ),
    call(Some("java/lang/Math"), "max", "(JJ)J", None, "max"),
];

const fn call(
    owner: Option<&'static str>,
    name: &'static str,
    descriptor: &'static str,
    receiver: Option<&'static str>,
    method: &'static str,
) -> CallHook<'static> {
    CallHook {
        owner,
        name,
        descriptor,
        receiver,
        method,
        class: None,
    }
}

/// Everything is announced: owners that the real plan would leave alone are the more to test.
const MARKS: Marks<'static> = Marks {
    methods: &[
        ("join", "()V"),
        ("isAlive", "()Z"),
        ("run", "()V"),
        ("close", "()V"),
    ],
    concerns: |_| true,
    before: "marked",
    after: "unmarked",
};
const CLASS_USES: ClassUses<'static> = ClassUses {
    method: "used",
    concerns: |_| true,
};
const BRACKET: Around<'static> = Around {
    enter: "enter",
    leave: "leave",
};
const INITIALISER: Around<'static> = Around {
    enter: "initialiserEnter",
    leave: "initialiserLeave",
};
const MONITORS: MonitorCalls<'static> = MonitorCalls {
    before: Some("acquiring"),
    after: Some("acquired"),
    leaving: None,
    left: Some("released"),
};
const ENTRY: MethodAction<'static> = MethodAction::Entry {
    method: "entered",
    class: "java/lang/Object",
    arguments: false,
};

/// Names that occur often, also on synchronized methods, so that hooks meet on one method.
const METHODS: &[MethodHook<'static>] = &[
    every("get", ENTRY),
    every("put", ENTRY),
    every("add", ENTRY),
    every("run", ENTRY),
    every("append", ENTRY),
    every("put", MethodAction::Around(BRACKET)),
    every("close", MethodAction::Around(BRACKET)),
    every("write", MethodAction::Around(BRACKET)),
    every("append", MethodAction::Around(BRACKET)),
    every("getInstance", MethodAction::Around(BRACKET)),
    MethodHook {
        name: "equals",
        descriptor: Some("(Ljava/lang/Object;)Z"),
        action: MethodAction::Entry {
            method: "entered",
            class: "java/lang/Object",
            arguments: true,
        },
    },
    MethodHook {
        name: "getProperty",
        descriptor: Some("(Ljava/lang/String;)Ljava/lang/String;"),
        action: MethodAction::ReplaceArgument {
            method: "argument",
            index: 0,
            descriptor: "Ljava/lang/String;",
        },
    },
];

const fn every(name: &'static str, action: MethodAction<'static>) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: None,
        action,
    }
}
