//! `docs/hooks.md` is made from the list. With `REWEAVE_BLESS=1` this test writes it.

use crate::file;
use crate::list::{MONITORS, calls, methods, split};
use reweave_jvm::classfile::plan::{Around, MethodAction, MethodHook, NewField};
use reweave_jvm::hooks;
use std::fmt::Write as _;

/// What a method of the helper is for. Whoever adds one has to say it here.
fn effect(method: &str) -> &'static str {
    match method {
        "acquiring" => "replay: waits for the turn of the `acquire`",
        "acquired" => "event `acquire`; replay: it is done",
        "releasing" => "replay that is observed: writes it down",
        "released" => "replay: wakes whoever sleeps until its turn to take the lock",
        "acquiredOutside" => "marks the lock: the next recorded thread writes `foreign`",
        "await" | "awaitFine" => "event `wait`",
        "signal" => "event `notify`",
        "signalAll" => "event `notify-all`",
        "start" => "event `start`; the new thread gets its stream",
        "exit" => "event `exit`; the stream ends",
        "uncaught" => "event `uncaught`",
        "hook" => "event `hook`; the shutdown hook gets its stream",
        "halt" => "event `halt`",
        "join" | "joinFine" | "joinFor" => "event `join`",
        "interrupt" => "event `interrupt`",
        "interrupted" | "isInterrupted" => "event `interrupted?`",
        "sleep" | "sleepFine" | "sleepFor" => "event `sleep`",
        "park" | "parkNanos" | "parkUntil" => "event `park`",
        "unpark" => "event `unpark`",
        "nanoTime" | "currentTimeMillis" => "event `value`; replay: the recorded time",
        "alive" => "event `value`; replay: the recorded answer",
        "markedJoin"
        | "markedJoinFor"
        | "markedAlive"
        | "markedInterrupt"
        | "markedIsInterrupted"
        | "markedInterrupted" => "if the caller left a mark: as if the call itself were hooked",
        "mark" => "leaves the site for the method, should it be Thread's",
        "unmark" => "takes the mark away",
        "touch" | "touchEnum" => {
            "waits until the class's initialiser has begun, unless it is this thread's to run"
        }
        "probe" | "advanceProbe" => {
            "the program's own number in place of the one that the VM's doings use too"
        }
        "initProbe" | "random" | "secondarySeed" => {
            "event `value`, the first time; replay: the recorded seed"
        }
        "number" | "fraction" | "answer" => "event `value`; replay: the recorded one",
        "salt" => "a number that is the same in a replay",
        "randomBytes" => "events `value`; replay: the recorded bytes",
        "timeAdjustment" => "event `value`; replay: what gives the recorded time",
        "defined" => "the class gets an identity hash that follows from its name",
        "output" => "event `output`, if it is standard output or error; replay: compares the bytes",
        "virtualDone" => "done in the stream of the virtual thread; replay: by a thread of its own",
        "countDown" => "nothing in it is the program's doing",
        "childCommand" => "a child JVM gets the agent",
        "madeReference" | "madeFinalizer" => {
            "event `value`, if it has a queue that the program made; replay: it holds on to its referent"
        }
        "madeQueue" => "what comes out of it is recorded, if the program made it",
        "weakReferent" | "softReferent" | "refersTo" => {
            "event `value`, if the referent is gone; replay: gone or not as recorded"
        }
        "poll" => "event `value`, if something comes out; replay: the same reference",
        "remove" => "event `value`; replay: the same reference, nothing, or an interrupt",
        "starting" => {
            "classes get identity hashes that follow from their names, before the VM makes others"
        }
        "madeClassValue" => "the program's gets a map of its own",
        "classValue" => "what the map has, or what is made now",
        "removeClassValue" => "removes it from the map, too",
        "finalizing" => "event `value`, in a stream of the thread that runs finalizers",
        "readVariable" | "readEnvironment" => "recording: keeps what looks secret in there",
        "displayWait" => "replay: nobody waits for the display",
        "take" | "takeFree" | "takeWorker" => {
            "one access, which takes the lock or finds it taken; none if the thread holds it already"
        }
        "release" | "releaseWorker" => "one access, if the lock is free then",
        "spliterator" => "one that takes what the queue's iterator gives, under its lock",
        "isHeld" => "no access: nobody else can make it so",
        "countOne" => "one access",
        other => panic!("what does {other} do?"),
    }
}

fn effect_around(around: Around<'_>) -> &'static str {
    match (around.enter, around.leave) {
        ("quietEnter", "quietLeave") => "nothing in it is the program's doing",
        ("virtualBegin", "virtualEnd") => "event `exit` at its end",
        ("finalizerEnter", "finalizerLeave") => "the thread leaves that stream",
        ("outputBegin", "outputEnd") => "the VM does not end in the middle of a write",
        ("initialiserEnter", "initialiserLeave") => {
            "events `class-init` and `class-init-end`, in a stream of its own"
        }
        other => panic!("what do {other:?} do?"),
    }
}

fn page() -> String {
    let mut page = Page(String::new());
    page.text(
        "# What is hooked\n\n\
         Made from `crates/reweave-jvm/src/hooks.rs` by a test of that crate; `REWEAVE_BLESS=1 cargo test -p reweave-jvm --test hooks` writes it anew.\n\
         *Ordered code* is the program's classes, but for those that the user excluded, and the JDK classes at the end of this page. The helper is \
         `java.lang.Reweave`: one class for recording, one for replay, with the same methods.",
    );
    page.monitors();
    page.natives();
    page.calls();
    page.memory();
    page.methods();
    page.locks();
    page.classes();
    page.fields();
    page.0
}

struct Page(String);

impl Page {
    fn text(&mut self, text: &str) {
        let _ = writeln!(self.0, "{text}");
    }

    fn heading(&mut self, heading: &str, columns: &[&str]) {
        self.text(&format!("\n## {heading}\n"));
        self.text(&format!("| {} |", columns.join(" | ")));
        self.text(&"|---".repeat(columns.len()));
        // The last bar of the line of dashes.
        self.0.pop();
        self.text("|");
    }

    fn row(&mut self, cells: &[&str]) {
        self.text(&format!("| {} |", cells.join(" | ")));
    }

    fn monitors(&mut self) {
        self.heading("Monitors", &["who", "what", "helper", "effect"]);
        let who = [
            "ordered code, while recording",
            "ordered code, in a replay",
            "excluded classes, while recording",
        ];
        for (who, calls) in who.iter().zip(MONITORS) {
            let rows = [
                (calls.before, "before a monitor is entered"),
                (calls.after, "when it is held"),
                (calls.leaving, "before it is left"),
                (calls.left, "when it was left"),
            ];
            for (method, what) in rows {
                if let Some(method) = method {
                    self.row(&[who, what, &code(method), effect(method)]);
                }
            }
        }
    }

    fn natives(&mut self) {
        let prefix = hooks::NATIVE_PREFIX.to_str().expect("ASCII");
        self.text(&format!(
            "\nA synchronized method takes its monitor by instructions of its own. A native one goes on under the name {}; the method that takes its place takes the \
             monitor and calls it. The VM finds the native code by the old name (JVMTI `SetNativeMethodPrefix`).",
            code(&format!("{prefix}…"))
        ));
    }

    fn calls(&mut self) {
        self.heading("Calls, made by ordered code", &["what", "helper", "effect"]);
        for call in calls() {
            let owner = call.owner.unwrap_or("java/lang/Object");
            let what = signature(owner, call.name, Some(call.descriptor));
            self.row(&[&what, &code(call.method), effect(call.method)]);
        }
        self.text(
            "\nCalls on `Thread` are the same through the name of a subclass that is known when its caller is loaded. Through any other name that is not the JDK's, a call of one of \
             these methods is made as before, between two calls of the helper:\n",
        );
        let marks = hooks::MARKS;
        let names: Vec<String> = marks
            .methods
            .iter()
            .map(|(name, descriptor)| code(&format!("{name}({})", parameters(descriptor))))
            .collect();
        self.text(&format!("- {}", names.join(", ")));
        for method in [marks.before, marks.after] {
            self.text(&format!("- {}: {}", code(method), effect(method)));
        }
        let touch = hooks::CLASS_USES.method;
        self.text(&format!(
            "\nBefore `new`, `getstatic`, `putstatic` and `invokestatic` on a class of the program, in a replay: {}: {}.",
            code(touch),
            effect(touch)
        ));
    }

    fn memory(&mut self) {
        let guarded: Vec<String> = hooks::GUARDED.iter().map(|class| code(class)).collect();
        let others: Vec<String> = hooks::NOT_GUARDED
            .iter()
            .map(|(class, field)| code(&format!("{class}.{field}")))
            .collect();
        self.text(&format!(
            "\n## Accesses to memory\n\n\
             Around each, in ordered code: `reading…` or `writing…`, and `accessed`, of `java.lang.ReweaveMemory`. Ordered are volatile fields of the program's classes and of the JDK's network and channel classes, and all fields \
             that are not final of `java.util.concurrent`, with the array elements that its striped tables and pools share; of {}, which use all others under their own locks, only the volatile ones and {}. A class with such fields gets the field `$rwm`: who used the \
             object last. Calls of the JDK's `Unsafe` that access memory, made by `java.util.concurrent`, `VarHandle` and `sun.misc.Unsafe`, go to `java.lang.ReweaveUnsafe`, which has a method \
             for each of them; those of `jdk.internal.misc.ScopedMemoryAccess` at level `sync` only if they are more than plain reads and writes.\n\n\
             At level `access` all fields of the program's classes are ordered that are not final, all array elements, and those of `java.util`, except `java.util.jar`, `java.util.zip` and the \
             classes `WeakHashMap`, `ResourceBundle` and `ServiceLoader`. While recording, the calls then go to `java.lang.ReweaveAccess`, with `made` in constructors. `System.arraycopy` and the \
             `clone` of arrays go to `java.lang.ReweaveArrays`.\n\n\
             Quiet as a whole, because the VM uses them too and whoever comes first fills their tables:\n",
            guarded.join(", "),
            others.join(", ")
        ));
        for class in hooks::QUIET_CLASSES {
            self.text(&format!("- {}", code(&class.replace('/', "."))));
        }
        self.text("- everything in `jdk.jfr`");
        let display = hooks::DISPLAY_LOCK_IN.replace('/', ".");
        self.text(&format!(
            "\nThe lock before the display, which {} has, is ordered as a whole, like a monitor: its methods go to `java.lang.ReweaveDisplay`.",
            code(&display)
        ));
    }

    fn methods(&mut self) {
        self.heading("Methods", &["who", "how", "helper", "effect"]);
        for (class, hook) in methods() {
            match class {
                Some(class) => self.method(&signature(class, hook.name, hook.descriptor), &hook),
                None => self.method(
                    &signature("the program's", hook.name, hook.descriptor),
                    &hook,
                ),
            }
        }
        self.around(
            "static initialisers of ordered classes of the program",
            hooks::INITIALISER,
        );
        self.method(
            "static initialisers of JDK classes loaded later",
            &hooks::JDK_INITIALISER,
        );
    }

    fn method(&mut self, who: &str, hook: &MethodHook<'_>) {
        match hook.action {
            MethodAction::Entry { method, .. } => {
                self.row(&[who, "first", &code(method), effect(method)])
            }
            MethodAction::Exit { method, .. } => {
                self.row(&[who, "last", &code(method), effect(method)])
            }
            MethodAction::ReplaceArgument { method, .. } => {
                self.row(&[who, "changes an argument", &code(method), effect(method)])
            }
            MethodAction::Around(around) => self.around(who, around),
            MethodAction::Result { method } => {
                self.row(&[who, "its result", &code(method), effect(method)])
            }
            MethodAction::Redirect { method, .. } => {
                self.row(&[who, "instead", &code(method), effect(method)])
            }
            MethodAction::Shortcut { method, .. } => {
                self.row(&[who, "first, and often all", &code(method), effect(method)])
            }
        }
    }

    fn locks(&mut self) {
        self.heading(
            "Locks, whose accesses are few",
            &["who", "how", "helper", "effect"],
        );
        for (class, hooks) in hooks::LOCK_METHODS {
            for hook in *hooks {
                self.method(&signature(class, hook.name, hook.descriptor), hook);
            }
        }
        let helper = hooks::LOCK_HELPER.replace('/', ".");
        self.text(&format!("\nThese methods are of {}.", code(&helper)));
    }

    fn around(&mut self, who: &str, around: Around<'_>) {
        let helper = format!("{}, {}", code(around.enter), code(around.leave));
        self.row(&[who, "around", &helper, effect_around(around)]);
    }

    fn classes(&mut self) {
        self.text("\n## JDK classes whose code is ordered\n");
        for class in hooks::ORDERED {
            self.text(&format!("- {}", code(&class.replace('/', "."))));
        }
        for prefix in hooks::ORDERED_PREFIXES.iter().chain(hooks::WAIT_OUTSIDE) {
            self.text(&format!(
                "- {}",
                code(&format!("{}*", prefix.replace('/', ".")))
            ));
        }
        for method in hooks::ordered_jdk_class("java/lang/Throwable").unwrap_or_default() {
            self.text(&format!(
                "- of {} only {}",
                code("java.lang.Throwable"),
                code(method)
            ));
        }
    }

    fn fields(&mut self) {
        self.heading("Fields that are added", &["to", "field"]);
        let mut row = |to: &str, field: &NewField<'_>| {
            let kind = match field.descriptor {
                "J" => "long",
                "I" => "int",
                "Z" => "boolean",
                _ => "Object",
            };
            self.row(&[to, &code(&format!("{kind} {}", field.name))]);
        };
        row(
            "classes of the program directly below a JDK class",
            &hooks::ORDER_FIELD,
        );
        for class in hooks::ORDER_WORD_IN {
            row(&code(&class.replace('/', ".")), &hooks::ORDER_FIELD);
        }
        for field in hooks::THREAD_FIELDS {
            row("`java.lang.Thread`", field);
        }
        for field in hooks::CLASS_FIELDS {
            row("`java.lang.Class`", field);
        }
        for class in hooks::REFERENCES {
            for field in hooks::REFERENCE_FIELDS {
                row(&code(&class.replace('/', ".")), field);
            }
        }
        for field in hooks::QUEUE_FIELDS {
            row("`java.lang.ref.ReferenceQueue`", field);
        }
        for field in hooks::CLASS_VALUE_FIELDS {
            row("`java.lang.ClassValue`", field);
        }
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// `Thread.join(long)`; without parameters if every method of that name is meant.
fn signature(class: &str, name: &str, descriptor: Option<&str>) -> String {
    let class = class.rsplit('/').next().unwrap_or(class);
    match descriptor {
        Some(descriptor) => code(&format!("{class}.{name}({})", parameters(descriptor))),
        None => code(&format!("{class}.{name}")),
    }
    .replacen("`the program's.", "the program's `", 1)
}

fn parameters(descriptor: &str) -> String {
    let (mut rest, _) = split(descriptor);
    let mut names = vec![];
    let mut dimensions = 0;
    while let Some(first) = rest.chars().next() {
        let (name, length) = match first {
            '[' => {
                dimensions += 1;
                rest = &rest[1..];
                continue;
            }
            'L' => {
                let end = rest.find(';').expect("a class");
                (rest[1..end].rsplit('/').next().unwrap_or_default(), end + 1)
            }
            'B' => ("byte", 1),
            'I' => ("int", 1),
            'J' => ("long", 1),
            'Z' => ("boolean", 1),
            other => panic!("{other}: which type is that?"),
        };
        names.push(format!("{name}{}", "[]".repeat(dimensions)));
        dimensions = 0;
        rest = &rest[length..];
    }
    names.join(", ")
}

#[test]
fn the_page_is_the_list() {
    let path = file("../../docs/hooks.md");
    let page = page();
    if std::env::var_os("REWEAVE_BLESS").is_some() {
        std::fs::write(&path, &page).expect("writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/hooks.md is not what the list says; REWEAVE_BLESS=1 writes it anew"
    );
}
