//! The list, flat: every place where a rewritten class calls the helper.

use reweave_jvm::classfile::plan::{
    Around, CallHook, ClassUses, Marks, MethodAction, MethodHook, MonitorCalls,
};
use reweave_jvm::hooks;

/// A method of the helper that rewritten classes call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Callee {
    pub name: &'static str,
    pub descriptor: String,
}

fn callee(name: &'static str, descriptor: impl Into<String>) -> Callee {
    Callee {
        name,
        descriptor: descriptor.into(),
    }
}

pub const MONITORS: [MonitorCalls<'static>; 3] = [
    hooks::RECORD_MONITORS,
    hooks::REPLAY_MONITORS,
    hooks::OUTSIDE_MONITORS,
];

pub fn calls() -> Vec<CallHook<'static>> {
    let mut calls = hooks::OBJECT_CALLS.to_vec();
    calls.extend(hooks::thread_calls("java/lang/Thread"));
    calls
}

/// Hooks on methods: class, or `None` for classes of the program.
pub fn methods() -> Vec<(Option<&'static str>, MethodHook<'static>)> {
    let of_jdk = hooks::METHODS
        .iter()
        .flat_map(|(class, methods)| methods.iter().map(move |method| (Some(*class), *method)));
    let of_program = hooks::CLASS_LOADER_METHODS
        .iter()
        .map(|method| (None, *method));
    of_jdk.chain(of_program).collect()
}

/// What is called whatever the class: everything but the hooks on methods of the JDK.
pub fn callees() -> Vec<Callee> {
    let mut callees = vec![];
    for MonitorCalls {
        before,
        after,
        leaving,
        left,
    } in MONITORS
    {
        let with_lock = before.into_iter().chain(after);
        callees.extend(with_lock.map(|name| callee(name, "(Ljava/lang/Object;I)V")));
        callees.extend(leaving.map(|name| callee(name, "(Ljava/lang/Object;)V")));
        callees.extend(left.map(|name| callee(name, "()V")));
    }
    for call in calls() {
        // Calls have a site, method references have none.
        callees.push(of_call(&call, "I"));
        callees.push(of_call(&call, ""));
    }
    let Marks { before, after, .. } = hooks::MARKS;
    callees.extend([callee(before, "(I)V"), callee(after, "()V")]);
    let ClassUses { method, .. } = hooks::CLASS_USES;
    callees.push(callee(method, "(Ljava/lang/Class;)V"));
    let Around { enter, leave } = hooks::INITIALISER;
    callees.extend([callee(enter, "(I)V"), callee(leave, "()V")]);
    for hook in [hooks::JDK_INITIALISER]
        .iter()
        .chain(hooks::CLASS_LOADER_METHODS)
    {
        callees.extend(of_method(hook, "()V", Dispatch::Instance));
    }
    callees.sort();
    callees.dedup();
    callees
}

fn of_call(call: &CallHook<'static>, site: &str) -> Callee {
    let (parameters, result) = split(call.descriptor);
    let receiver = call.receiver.map(reference).unwrap_or_default();
    callee(
        call.method,
        format!("({receiver}{parameters}{site}){result}"),
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    Static,
    Instance,
}

/// What the helper must have for a hook on a method of this descriptor.
pub fn of_method(hook: &MethodHook<'static>, descriptor: &str, dispatch: Dispatch) -> Vec<Callee> {
    let (parameters, result) = split(descriptor);
    let this = |class| match dispatch {
        Dispatch::Static => String::new(),
        Dispatch::Instance => reference(class),
    };
    match hook.action {
        MethodAction::Entry {
            method,
            class,
            arguments,
        } => {
            let parameters = if arguments { parameters } else { "" };
            vec![callee(method, format!("({}{parameters}I)V", this(class)))]
        }
        MethodAction::Exit { method, class } => {
            vec![callee(method, format!("({}{parameters}I)V", this(class)))]
        }
        MethodAction::ReplaceArgument {
            method, descriptor, ..
        } => vec![callee(method, format!("({descriptor}){descriptor}"))],
        MethodAction::Around(Around { enter, leave }) => {
            vec![callee(enter, "()V"), callee(leave, "()V")]
        }
        MethodAction::Result { method } => {
            vec![callee(method, format!("({result}I){result}"))]
        }
        MethodAction::Redirect { method, class } => {
            vec![callee(
                method,
                format!("({}{parameters}I){result}", this(class)),
            )]
        }
        MethodAction::Shortcut { method, class, .. } => {
            vec![callee(method, format!("({}{parameters}I)I", this(class)))]
        }
    }
}

fn reference(class: &str) -> String {
    format!("L{class};")
}

/// Parameters and result of a descriptor.
pub fn split(descriptor: &str) -> (&str, &str) {
    descriptor
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .unwrap_or_else(|| panic!("{descriptor} is no descriptor"))
}
