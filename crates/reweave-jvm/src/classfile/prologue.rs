//! What runs before a method's first instruction, and what has to be undone when it is left.
//!
//! From the outside in: the brackets of the plan (the initialiser's first), then reports and replaced arguments in the order of the plan,
//! then the monitor of a method that was synchronized.

use super::addition::{Bracket, BracketKind, Prologue};
use super::assemble::{call_static, constant, load, load_arguments, store_reference};
use super::class::ClassRewriter;
use super::code::{Code, Lines};
use super::descriptor::Descriptor;
use super::error::ClassFileError;
use super::helper;
use super::member::Member;
use super::opcode::{ALOAD, DUP, IFLT, IRETURN, POP};
use super::plan::{Around, MethodAction, MethodHook};
use super::scan::Place;
use super::site::{SiteId, SiteKind, class_hash};
use super::skip::SkipReason;

const IFLT_LENGTH: u8 = 3;

/// The method that is being changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'s, 'a> {
    pub method: &'s Member<'a>,
    pub place: Place<'a>,
    pub code: &'s Code<'s>,
}

impl Place<'_> {
    /// Whether the hook means this method.
    pub fn is_of(&self, hook: &MethodHook<'_>) -> bool {
        hook.name.as_bytes() == self.name
            && hook
                .descriptor
                .is_none_or(|descriptor| descriptor.as_bytes() == self.descriptor)
    }
}

impl<'a> ClassRewriter<'a> {
    /// Adds what the plan wants at the start of this method, monitors excepted.
    pub fn begin(
        &mut self,
        target: Target<'_, 'a>,
        prologue: &mut Prologue,
    ) -> Result<(), ClassFileError> {
        let place = target.place;
        if place.name == b"<clinit>"
            && let Some(around) = self.plan.initialiser
        {
            let hash = class_hash(&String::from_utf8_lossy(self.name));
            constant(&mut prologue.code, self.pool.append_integer(hash)?);
            prologue.needs_stack(1);
            self.bracket(around, b"(I)V", prologue)?;
        }
        if let Some(around) = self.plan.every_method
            && !place.name.starts_with(b"<")
        {
            self.bracket(around, b"()V", prologue)?;
        }
        let plan = self.plan;
        let hooks = || plan.methods.iter().filter(|hook| place.is_of(hook));
        for hook in hooks() {
            if let MethodAction::Around(around) = hook.action {
                if place.name == b"<init>" {
                    self.skip(place, SkipReason::Initialiser);
                } else {
                    self.bracket(around, b"()V", prologue)?;
                }
            }
        }
        for hook in hooks() {
            match hook.action {
                MethodAction::Entry { .. } if place.name == b"<init>" => {
                    self.skip(place, SkipReason::Initialiser)
                }
                MethodAction::Entry {
                    method,
                    class,
                    arguments,
                } => self.report_entry(method, class, arguments, target, prologue)?,
                MethodAction::ReplaceArgument {
                    method,
                    index,
                    descriptor,
                } => self.replace_argument(method, index, descriptor, target, prologue)?,
                MethodAction::Shortcut {
                    helper,
                    method,
                    class,
                } => self.shortcut(helper, method, class, target, prologue)?,
                // Brackets have been dealt with above; a redirected method's own code is not concerned.
                MethodAction::Around(_)
                | MethodAction::Exit { .. }
                | MethodAction::Redirect { .. }
                | MethodAction::Result { .. } => {}
            }
        }
        Ok(())
    }

    fn bracket(
        &mut self,
        around: Around<'a>,
        descriptor: &[u8],
        prologue: &mut Prologue,
    ) -> Result<(), ClassFileError> {
        call_static(
            &mut prologue.code,
            self.helper
                .method(&mut self.pool, around.enter, descriptor)?,
        );
        let mut exit = Vec::new();
        call_static(
            &mut exit,
            self.helper.method(&mut self.pool, around.leave, b"()V")?,
        );
        prologue.brackets.push(Bracket {
            held_from: prologue.code.len(),
            exit,
            retried: 0,
            kind: BracketKind::Calls,
        });
        Ok(())
    }

    /// The call before each return that the plan wants, if so, and how much stack it needs.
    pub fn exit_call(
        &mut self,
        code: &Code<'_>,
        place: Place<'a>,
    ) -> Result<Option<(Vec<u8>, usize)>, ClassFileError> {
        let plan = self.plan;
        let mut hooks = plan.methods.iter().filter(|hook| place.is_of(hook));
        let Some((method, class)) = hooks.find_map(|hook| match hook.action {
            MethodAction::Exit { method, class } => Some((method, class)),
            _ => None,
        }) else {
            return Ok(None);
        };
        let arguments = Descriptor::parse(place.descriptor)?;
        let text = helper::descriptor(Some(class.as_bytes()), arguments.parameter_text, b"I", b"V");
        let callee = self.helper.method(&mut self.pool, method, &text)?;
        let lines = Lines::read(code, &self.pool)?;
        let site = self.method_site(SiteKind::Method, place.hash().method(), place, &lines)?;
        let mut call = Vec::new();
        let words = load_arguments(&mut call, false, &arguments); // this, arguments
        constant(&mut call, site); //                                this, arguments, site
        call_static(&mut call, callee);
        Ok(Some((call, words + 1)))
    }

    fn report_entry(
        &mut self,
        helper_method: &'a str,
        class: &'a str,
        all_arguments: bool,
        target: Target<'_, 'a>,
        prologue: &mut Prologue,
    ) -> Result<(), ClassFileError> {
        let Target {
            method,
            place,
            code,
        } = target;
        let arguments = Descriptor::parse(if all_arguments {
            method.descriptor
        } else {
            b"()V"
        })?;
        let receiver = (!method.is_static()).then_some(class.as_bytes());
        let text = helper::descriptor(receiver, arguments.parameter_text, b"I", b"V");
        let callee = self.helper.method(&mut self.pool, helper_method, &text)?;
        let lines = Lines::read(code, &self.pool)?;
        let site = self.method_site(SiteKind::Method, place.hash().method(), place, &lines)?;
        let words = load_arguments(&mut prologue.code, method.is_static(), &arguments); // [this,] arguments
        constant(&mut prologue.code, site); //                                             [this,] arguments, site
        call_static(&mut prologue.code, callee);
        prologue.needs_stack(words + 1);
        Ok(())
    }

    /// A call whose answer may be all that there is to do. It has to be the first thing in the method: nothing has begun that would have to end.
    fn shortcut(
        &mut self,
        helper: &'a str,
        helper_method: &'a str,
        class: &'a str,
        target: Target<'_, 'a>,
        prologue: &mut Prologue,
    ) -> Result<(), ClassFileError> {
        let Target {
            method,
            place,
            code,
        } = target;
        let descriptor = Descriptor::parse(method.descriptor)?;
        let returns_int = matches!(descriptor.result, b"Z" | b"I");
        if !returns_int
            || !prologue.is_empty()
            || method.is_static()
            || place.name.starts_with(b"<")
        {
            self.skip(place, SkipReason::NoShortcut);
            return Ok(());
        }
        let text = helper::descriptor(
            Some(class.as_bytes()),
            descriptor.parameter_text,
            b"I",
            b"I",
        );
        let callee = self
            .helper
            .method_of(&mut self.pool, Some(helper), helper_method, &text)?;
        let lines = Lines::read(code, &self.pool)?;
        let site = self.method_site(SiteKind::Method, place.hash().method(), place, &lines)?;
        let words = load_arguments(&mut prologue.code, false, &descriptor); // this, arguments
        constant(&mut prologue.code, site); //                                 this, arguments, site
        call_static(&mut prologue.code, callee); //                            answer
        let past_return = IFLT_LENGTH + 1;
        prologue
            .code
            .extend_from_slice(&[DUP, IFLT, 0, past_return, IRETURN]);
        prologue.goes_on_at = Some(prologue.code.len());
        prologue.code.push(POP);
        prologue.needs_stack(words + 1);
        Ok(())
    }

    fn replace_argument(
        &mut self,
        helper_method: &'a str,
        index: usize,
        kind: &'a str,
        target: Target<'_, 'a>,
        prologue: &mut Prologue,
    ) -> Result<(), ClassFileError> {
        let Target { method, place, .. } = target;
        let parameters = Descriptor::parse(method.descriptor)?.parameters;
        let Some(parameter) = parameters
            .get(index)
            .filter(|found| found.descriptor == kind.as_bytes() && found.load_opcode() == ALOAD)
        else {
            self.skip(place, SkipReason::OtherParameter);
            return Ok(());
        };
        let local = usize::from(!method.is_static()) + parameter.local;
        let text = helper::descriptor(None, kind.as_bytes(), b"", kind.as_bytes());
        let callee = self.helper.method(&mut self.pool, helper_method, &text)?;
        load(&mut prologue.code, ALOAD, local); // argument
        call_static(&mut prologue.code, callee); // replacement
        store_reference(&mut prologue.code, local);
        prologue.needs_stack(1);
        Ok(())
    }

    /// Registers a site that stands for the whole method, once, and returns the constant of its id.
    pub fn method_site(
        &mut self,
        kind: SiteKind,
        id: SiteId,
        place: Place<'a>,
        lines: &Lines,
    ) -> Result<u16, ClassFileError> {
        let site = place.site(id, kind, lines.first());
        // The sites of one method are together, at the end.
        let mut of_method = self
            .sites
            .iter()
            .rev()
            .take_while(|known| known.method == site.method);
        if !of_method.any(|known| known.id == id) {
            self.sites.push(site);
        }
        self.pool.append_integer(id.0)
    }
}
