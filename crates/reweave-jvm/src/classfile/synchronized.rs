//! Turns synchronized methods into methods with an explicit monitor, so that the helper can be called around it.
//!
//! As javac does it for a `synchronized` block: the monitor is released before each return and by a handler for everything thrown.

use super::addition::{Bracket, BracketKind, Lock, Prologue};
use super::assemble::{call_static, constant};
use super::class::ClassRewriter;
use super::code::{Code, Lines};
use super::descriptor::Descriptor;
use super::error::ClassFileError;
use super::frames;
use super::member::{ACC_SYNCHRONIZED, Member};
use super::opcode::{ALOAD_0, DUP, MONITORENTER, MONITOREXIT};
use super::prologue::Target;
use super::scan::{LOCK_AND_SITE, LOCK_ONLY, NOTHING, Place};
use super::site::SiteKind;
use super::skip::SkipReason;

/// Class files older than Java 5 cannot push a class object.
pub(super) const FIRST_WITH_CLASS_CONSTANTS: u16 = 49;

/// What becomes of a synchronized method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// It is not synchronized, or it stays so.
    None,
    /// Its own code takes and releases the monitor.
    InPlace,
    /// A wrapper does, since the code overwrites `this`.
    AroundBody,
}

impl<'a> ClassRewriter<'a> {
    /// Whether the plan wants this method's monitor in its code.
    pub fn converts(&self, method: &Member<'a>, place: Place<'a>) -> bool {
        // The VM ignores the flag on initialisers.
        method.has(ACC_SYNCHRONIZED)
            && self.plan.monitors.is_some()
            && self.monitors_apply(place.name)
            && !place.name.starts_with(b"<")
    }

    /// If the method is synchronized and should not be, adds the monitor as the innermost bracket.
    pub fn convert_synchronized(
        &mut self,
        target: Target<'_, 'a>,
        prologue: &mut Prologue,
    ) -> Result<Conversion, ClassFileError> {
        let Target {
            method,
            place,
            code,
        } = target;
        let Some(calls) = self.plan.monitors.filter(|_| self.converts(method, place)) else {
            return Ok(Conversion::None);
        };
        let lock = if method.is_static() {
            Lock::Class
        } else {
            Lock::This
        };
        if lock == Lock::Class && self.facts.major < FIRST_WITH_CLASS_CONSTANTS {
            self.skip(place, SkipReason::NoClassConstant);
            return Ok(Conversion::None);
        }
        let lines = Lines::read(code, &self.pool)?;
        let site = self.method_site(
            SiteKind::SynchronizedMethod,
            place.hash().synchronized_method(),
            place,
            &lines,
        )?;
        let this_class = self.facts.this_class;
        let load_lock = |out: &mut Vec<u8>| match lock {
            Lock::This => out.push(ALOAD_0),
            Lock::Class => constant(out, this_class),
        };
        let out = &mut prologue.code;
        load_lock(out); //                                        lock
        if let Some(before) = calls.before {
            out.push(DUP); //                                     lock, lock
            constant(out, site); //                               lock, lock, site
            call_static(
                out,
                self.helper.method(&mut self.pool, before, LOCK_AND_SITE)?,
            );
        }
        out.push(MONITORENTER);
        let held_from = out.len();
        if let Some(after) = calls.after {
            load_lock(out); //                                    lock
            constant(out, site); //                               lock, site
            call_static(
                out,
                self.helper.method(&mut self.pool, after, LOCK_AND_SITE)?,
            );
        }
        prologue.needs_stack(3);
        let mut exit = Vec::new();
        if let Some(leaving) = calls.leaving {
            load_lock(&mut exit); //                              lock
            call_static(
                &mut exit,
                self.helper.method(&mut self.pool, leaving, LOCK_ONLY)?,
            );
        }
        load_lock(&mut exit); //                                  lock
        exit.push(MONITOREXIT);
        let retried = exit.len();
        if let Some(left) = calls.left {
            call_static(
                &mut exit,
                self.helper.method(&mut self.pool, left, NOTHING)?,
            );
        }
        prologue.brackets.push(Bracket {
            held_from,
            exit,
            retried,
            kind: BracketKind::Monitor(lock),
        });
        match lock {
            Lock::This if !self.keeps_this(method, code)? => Ok(Conversion::AroundBody),
            Lock::This | Lock::Class => Ok(Conversion::InPlace),
        }
    }

    /// Whether `this` is in local variable 0 all the way.
    fn keeps_this(&self, method: &Member<'a>, code: &Code<'_>) -> Result<bool, ClassFileError> {
        if code.bytecode.stores_to_local_zero()? {
            return Ok(false);
        }
        let locals = 1 + Descriptor::parse(method.descriptor)?.parameters.len();
        let mut keeps = true;
        code.for_each_attribute(&self.pool, |name, _, contents| {
            if name == b"StackMapTable" {
                keeps &= frames::keep_this(contents, locals, self.name, &self.pool)?;
            }
            Ok::<(), ClassFileError>(())
        })?;
        Ok(keeps)
    }
}
