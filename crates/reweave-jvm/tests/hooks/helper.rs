//! Both helper classes have every method that rewritten classes call, and the agent every native one that they declare.

use crate::list::{Callee, Dispatch, callees, methods, of_method, split};
use crate::{java, read};
use reweave_jvm::classfile::{self, Method, peek};
use reweave_jvm::{helper_classes, hooks};
use std::collections::BTreeSet;

const PUBLIC: u16 = 0x0001;
const STATIC: u16 = 0x0008;
const NATIVE: u16 = 0x0100;

/// The methods of the helper itself, without its inner classes.
fn helper(classes: &'static [&'static [u8]]) -> Vec<Method<'static>> {
    let helper = classes
        .iter()
        .find(|class| peek(class).is_ok_and(|summary| summary.name == hooks::HELPER))
        .expect("the helper");
    classfile::methods(helper).expect("a class file")
}

fn both() -> [(&'static str, Vec<Method<'static>>); 2] {
    [
        ("record", helper(helper_classes::RECORD)),
        ("replay", helper(helper_classes::REPLAY)),
    ]
}

#[track_caller]
fn check_there(callees: &[Callee]) {
    for (mode, methods) in both() {
        let missing: Vec<&Callee> = callees
            .iter()
            .filter(|callee| {
                !methods.iter().any(|method| {
                    method.name == callee.name
                        && method.descriptor == callee.descriptor
                        && method.access_flags & (PUBLIC | STATIC) == PUBLIC | STATIC
                })
            })
            .collect();
        assert!(missing.is_empty(), "missing in {mode}/: {missing:#?}");
    }
}

#[test]
fn both_have_what_rewritten_code_calls() {
    check_there(&callees());
}

const NOT_IN_EVERY_JDK: &[(&str, Option<&str>)] = &[
    // Since 19.
    ("join", Some("(Ljava/time/Duration;)Z")),
    ("start", Some("(Ljdk/internal/vm/ThreadContainer;)V")),
    ("next", Some("()I")),
    ("next", Some("()J")),
    ("getOverrideFieldAccessor", None),
    ("acquireOverrideFieldAccessor", None),
    // Until 18.
    ("nextThreadNum", Some("()I")),
    ("nextThreadID", Some("()J")),
    ("hasKnownQueuedWork", Some("()Z")),
    ("add", None),
    ("remove", None),
    ("isListEmpty", Some("()Z")),
    // Until 23.
    ("checkPackageAccess", None),
];

/// From 21 on.
const NOT_IN_EVERY_JDK_CLASSES: &[&str] = &[
    "java/lang/VirtualThread",
    "jdk/internal/ref/CleanerImpl$CleanableList",
    "jdk/internal/foreign/layout/AbstractLayout",
];

/// Hooks on methods of the JDK depend on what the JDK declares.
#[test]
fn both_have_what_hooked_methods_call() {
    let classes: Vec<&str> = hooks::METHODS.iter().map(|(class, _)| *class).collect();
    let classes = java::jdk_classes(&classes);
    for (class, hook) in methods() {
        let bytes = class.and_then(|class| classes.iter().find(|(name, _)| name == class));
        let declared = match bytes {
            Some((_, bytes)) => classfile::methods(bytes).expect("a class file"),
            None => vec![],
        };
        let meant: Vec<&Method<'_>> = declared
            .iter()
            .filter(|method| {
                method.name == hook.name
                    && hook.descriptor.is_none_or(|text| method.descriptor == text)
            })
            .collect();
        for method in &meant {
            let dispatch = match method.access_flags & STATIC {
                0 => Dispatch::Instance,
                _ => Dispatch::Static,
            };
            check_there(&of_method(&hook, &method.descriptor, dispatch));
        }
        if meant.is_empty() {
            assert!(
                class.is_none_or(|class| NOT_IN_EVERY_JDK_CLASSES.contains(&class))
                    || NOT_IN_EVERY_JDK.contains(&(hook.name, hook.descriptor)),
                "{class:?} has no method {hook:?}"
            );
            let descriptor = hook.descriptor.unwrap_or("()V");
            check_there(&of_method(&hook, descriptor, Dispatch::Instance));
        }
    }
}

/// Redirected methods live on under another name, by which the helper calls them.
#[test]
fn what_was_redirected_is_called_by_its_new_name() {
    let stub = [
        "lang/Thread",
        "lang/VirtualThread",
        "lang/ClassValue",
        "lang/ref/Reference",
        "lang/ref/SoftReference",
        "lang/ref/ReferenceQueue",
        "util/concurrent/ThreadLocalRandom",
        "security/SecureRandom",
    ]
    .map(|class| read(&format!("java/stubs/java/{class}.java")))
    .concat();
    // The helper does their work itself.
    let replaced = ["getProbe", "advanceProbe"];
    let in_stub: BTreeSet<&str> = stub
        .split(|c: char| !c.is_alphanumeric() && c != '$')
        .filter_map(|word| word.strip_prefix("$rw$"))
        .collect();
    let redirected: BTreeSet<&str> = methods()
        .iter()
        .filter(|(_, hook)| matches!(hook.action, classfile::plan::MethodAction::Redirect { .. }))
        .map(|(_, hook)| hook.name)
        .filter(|name| !replaced.contains(name))
        .collect();
    assert_eq!(in_stub, redirected);
}

/// A native method as the helper declares it, or a function of the agent that is exported for one: name, then the types of Rust.
type Signature = (String, Vec<String>, String);

fn declared() -> BTreeSet<Signature> {
    both()
        .iter()
        .flat_map(|(_, methods)| methods)
        .filter(|method| method.access_flags & NATIVE != 0)
        .map(|method| {
            assert_ne!(method.access_flags & STATIC, 0, "{method:?}");
            let (mut rest, result) = split(&method.descriptor);
            let mut parameters = vec![];
            while !rest.is_empty() {
                let length = if rest.starts_with('L') {
                    rest.find(';').expect("a class") + 1
                } else {
                    1
                };
                parameters.push(rust_type(&rest[..length]).to_owned());
                rest = &rest[length..];
            }
            (
                method.name.to_string(),
                parameters,
                rust_type(result).to_owned(),
            )
        })
        .collect()
}

fn rust_type(descriptor: &str) -> &'static str {
    match descriptor {
        "V" => "",
        "I" => "jint",
        "J" => "jlong",
        "Z" => "jboolean",
        "Ljava/lang/String;" => "jstring",
        "Ljava/lang/Class;" => "jclass",
        "Ljava/lang/Object;" => "jobject",
        other => panic!("{other}: which type is that in Rust?"),
    }
}

/// Reads what `extern "system" fn Java_java_lang_Reweave_…` says in the agent's sources.
fn exported() -> BTreeSet<Signature> {
    let mut found = BTreeSet::new();
    for source in ["src/record.rs", "src/replay/natives.rs"] {
        let text = read(source);
        for function in text
            .split("extern \"system\" fn Java_java_lang_Reweave_")
            .skip(1)
        {
            let (name, rest) = function.split_once('(').expect("parameters");
            let (parameters, rest) = rest.split_once(')').expect("the end of them");
            let parameters: Vec<String> = parameters
                .split(',')
                .filter_map(|parameter| parameter.split_once(": "))
                .map(|(_, kind)| kind.trim().to_owned())
                .collect();
            let [environment, class, parameters @ ..] = &parameters[..] else {
                panic!("{name} has no environment and class")
            };
            assert_eq!([environment, class], ["*mut JNIEnv", "jclass"], "{name}");
            let result = rest.split('{').next().unwrap_or_default();
            let result = result.trim().trim_start_matches("->").trim();
            found.insert((name.to_owned(), parameters.to_vec(), result.to_owned()));
        }
    }
    found
}

#[test]
fn natives_are_exported_as_they_are_declared() {
    let (declared, exported) = (declared(), exported());
    let missing: Vec<_> = declared.difference(&exported).collect();
    assert!(missing.is_empty(), "not exported: {missing:#?}");
    let unused: Vec<_> = exported.difference(&declared).collect();
    assert!(unused.is_empty(), "exported for nobody: {unused:#?}");
}

/// The agent calls some methods by name.
#[test]
fn both_have_what_the_agent_calls() {
    let by_agent = |mode: &str| match mode {
        "record" => vec![("init", "(JJIJJJ[Ljava/lang/String;)V"), ("close", "()V")],
        _ => vec![
            ("init", "(ZZZZJJ[Ljava/lang/String;)V"),
            ("stop", "()V"),
            ("quietEnter", "()V"),
            ("quietLeave", "()V"),
        ],
    };
    for (mode, methods) in both() {
        for (name, descriptor) in by_agent(mode) {
            assert!(
                methods
                    .iter()
                    .any(|method| method.name == name && method.descriptor == descriptor),
                "{mode}: {name}{descriptor}"
            );
        }
    }
    let agent = [
        "src/record.rs",
        "src/replay.rs",
        "src/replay/natives.rs",
        "src/debugger.rs",
    ]
    .map(read);
    for (name, descriptor) in by_agent("record").into_iter().chain(by_agent("replay")) {
        let call = format!("c\"{name}\", c\"{descriptor}\"");
        assert!(agent.iter().any(|text| text.contains(&call)), "{call}");
    }
}
