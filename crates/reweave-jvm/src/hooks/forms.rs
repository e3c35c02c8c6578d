//! The ways to hook a method, in the few words that lists of hooks need.

use super::methods::REFERENCE;
use super::{QUIET, THREAD};
use crate::classfile::plan::{Around, MethodAction, MethodHook};

pub const fn entry(
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
    class: &'static str,
    arguments: bool,
) -> MethodHook<'static> {
    let action = MethodAction::Entry {
        method,
        class,
        arguments,
    };
    MethodHook {
        name,
        descriptor: Some(descriptor),
        action,
    }
}

/// Of the constructor of a reference.
pub const fn exit(descriptor: &'static str, method: &'static str) -> MethodHook<'static> {
    MethodHook {
        name: "<init>",
        descriptor: Some(descriptor),
        action: MethodAction::Exit {
            method,
            class: REFERENCE,
        },
    }
}

pub const fn redirect(
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    let action = MethodAction::Redirect {
        method,
        class: THREAD,
    };
    MethodHook {
        name,
        descriptor: Some(descriptor),
        action,
    }
}

pub const fn redirect_in(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: Some(descriptor),
        action: MethodAction::Redirect { method, class },
    }
}

pub const fn result(
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: Some(descriptor),
        action: MethodAction::Result { method },
    }
}

pub const fn around(
    name: &'static str,
    descriptor: &'static str,
    around: Around<'static>,
) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: Some(descriptor),
        action: MethodAction::Around(around),
    }
}

pub const fn quiet(name: &'static str) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: None,
        action: MethodAction::Around(QUIET),
    }
}
