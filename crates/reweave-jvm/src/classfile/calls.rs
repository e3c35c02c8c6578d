//! Which call sites and method handles of a class are to go to the helper instead.
//!
//! A method reference such as `lock::notifyAll` or `Thread::sleep` is a method-handle constant, not a call. It becomes a handle of the
//! helper's method of the same name without the site. A *serializable* method reference to a hooked method changes its serialized form.

use super::descriptor::Descriptor;
use super::error::ClassFileError;
use super::helper::{self, Helper};
use super::opcode::{INVOKEINTERFACE, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL};
use super::patches::Patches;
use super::plan::{ANY_ARRAY, CallHook};
use super::pool::{INTERFACE_METHOD, METHOD, METHOD_HANDLE, Member, Pool};

pub(super) struct Calls<'a> {
    hooks: &'a [CallHook<'a>],
    /// By constant, one more than the number of the hook; 0 for none. Empty if the class names no hooked method.
    by_constant: Vec<u16>,
    /// By hook, the helper's method; 0 until it is needed.
    replacements: Vec<u16>,
}

/// How a method is called; the numbers of method handles and the opcodes mean the same four things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dispatch {
    Static,
    Virtual,
    Special,
}

impl<'a> Calls<'a> {
    pub fn find(pool: &Pool<'a>, hooks: &'a [CallHook<'a>]) -> Result<Self, ClassFileError> {
        let mut calls = Calls {
            hooks,
            by_constant: Vec::new(),
            replacements: Vec::new(),
        };
        if hooks.is_empty() {
            return Ok(calls);
        }
        // Most methods are told apart by the length of their name alone.
        let lengths = hooks
            .iter()
            .fold(0u64, |set, hook| set | length_bit(hook.name.as_bytes()));
        for index in 1..pool.original_count() {
            let Some((_, METHOD | INTERFACE_METHOD)) = pool.tag(index) else {
                continue;
            };
            let method = pool.method(index as u16)?;
            if lengths & length_bit(method.name) == 0 {
                continue;
            }
            if let Some(hook) = hooks.iter().position(|hook| names(hook, &method)) {
                if calls.by_constant.is_empty() {
                    calls.by_constant.resize(pool.original_count(), 0);
                    calls.replacements.resize(hooks.len(), 0);
                }
                // A plan has a few hundred hooks.
                calls.by_constant[index] = hook as u16 + 1;
            }
        }
        Ok(calls)
    }

    /// Whether the class names no hooked method, so that no code has to be searched for calls.
    pub fn is_empty(&self) -> bool {
        self.by_constant.is_empty()
    }

    /// The helper's method that takes the place of a call with this opcode and constant.
    pub fn replacement(
        &mut self,
        opcode: u8,
        constant: u16,
        pool: &mut Pool<'a>,
        helper: &mut Helper<'a>,
    ) -> Result<Option<u16>, ClassFileError> {
        let dispatch = match opcode {
            INVOKESTATIC => Dispatch::Static,
            INVOKEVIRTUAL | INVOKEINTERFACE => Dispatch::Virtual,
            INVOKESPECIAL => Dispatch::Special,
            _ => return Ok(None),
        };
        let Some((number, hook)) = self.hook(constant, dispatch) else {
            return Ok(None);
        };
        if let Some(&known @ 1..) = self.replacements.get(number) {
            return Ok(Some(known));
        }
        let method = helper_method(hook, b"I", pool, helper)?;
        self.replacements[number] = method;
        Ok(Some(method))
    }

    /// Turns handles of hooked methods into handles of the helper's. Returns how many.
    pub fn replace_handles(
        &self,
        pool: &mut Pool<'a>,
        helper: &mut Helper<'a>,
        patches: &mut Patches,
    ) -> Result<usize, ClassFileError> {
        let mut replaced = 0;
        if self.is_empty() {
            return Ok(replaced);
        }
        for index in 1..pool.original_count() {
            let Some((kind, constant, offset)) = pool.method_handle(index) else {
                continue;
            };
            let dispatch = match kind {
                5 | 9 => Dispatch::Virtual,
                REFERENCE_STATIC => Dispatch::Static,
                7 => Dispatch::Special,
                _ => continue,
            };
            let Some((_, hook)) = self.hook(constant, dispatch) else {
                continue;
            };
            let method = helper_method(hook, b"", pool, helper)?;
            let [high, low] = method.to_be_bytes();
            patches.replace(
                offset..offset + 4,
                &[METHOD_HANDLE, REFERENCE_STATIC, high, low],
            );
            replaced += 1;
        }
        Ok(replaced)
    }

    fn hook(&self, constant: u16, dispatch: Dispatch) -> Option<(usize, &'a CallHook<'a>)> {
        let number = usize::from(*self.by_constant.get(usize::from(constant))?).checked_sub(1)?;
        let hook = self.hooks.get(number)?;
        let fits = match dispatch {
            Dispatch::Static => hook.receiver.is_none(),
            Dispatch::Virtual => hook.receiver.is_some(),
            // The helper calls the method virtually. For `super.method()` that is the same only if no class can override it.
            Dispatch::Special => hook.receiver.is_some() && hook.owner.is_none(),
        };
        fits.then_some((number, hook))
    }
}

/// The number of a handle that calls a static method.
const REFERENCE_STATIC: u8 = 6;

fn names(hook: &CallHook<'_>, method: &Member<'_>) -> bool {
    hook.name.as_bytes() == method.name
        && hook.descriptor.as_bytes() == method.descriptor
        && hook
            .owner
            .is_none_or(|owner| owner.as_bytes() == method.owner || is_array(owner, method))
}

fn is_array(owner: &str, method: &Member<'_>) -> bool {
    owner == ANY_ARRAY && method.owner.starts_with(b"[")
}

fn length_bit(name: &[u8]) -> u64 {
    1 << (name.len() % 64)
}

fn helper_method<'a>(
    hook: &'a CallHook<'a>,
    extra: &[u8],
    pool: &mut Pool<'a>,
    helper: &mut Helper<'a>,
) -> Result<u16, ClassFileError> {
    let parsed = Descriptor::parse(hook.descriptor.as_bytes())?;
    let text = helper::descriptor(
        hook.receiver.map(str::as_bytes),
        parsed.parameter_text,
        extra,
        parsed.result,
    );
    helper.method_of(pool, hook.class, hook.method, &text)
}
