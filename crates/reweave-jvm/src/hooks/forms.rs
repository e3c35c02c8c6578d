//! The ways to hook a method, in the few words that lists of hooks need.

use super::methods::REFERENCE;
use super::{QUIET, THREAD};
use crate::classfile::plan::{Around, MethodAction, MethodHook};

/// Any action on one method.
pub const fn hook(
    name: &'static str,
    descriptor: &'static str,
    action: MethodAction<'static>,
) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: Some(descriptor),
        action,
    }
}

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
    hook(name, descriptor, action)
}

/// Of the constructor of a reference.
pub const fn exit(descriptor: &'static str, method: &'static str) -> MethodHook<'static> {
    let class = REFERENCE;
    hook("<init>", descriptor, MethodAction::Exit { method, class })
}

/// In `Thread`.
pub const fn redirect(
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    redirect_in(THREAD, name, descriptor, method)
}

pub const fn redirect_in(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    hook(name, descriptor, MethodAction::Redirect { method, class })
}

pub const fn result(
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    hook(name, descriptor, MethodAction::Result { method })
}

pub const fn around(
    name: &'static str,
    descriptor: &'static str,
    around: Around<'static>,
) -> MethodHook<'static> {
    hook(name, descriptor, MethodAction::Around(around))
}

/// Whatever its descriptor is.
pub const fn quiet(name: &'static str) -> MethodHook<'static> {
    MethodHook {
        name,
        descriptor: None,
        action: MethodAction::Around(QUIET),
    }
}
