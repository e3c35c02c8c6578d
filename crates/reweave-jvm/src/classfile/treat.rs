//! Carries out what the plan says about one method: adds to its code, or puts another method in its place.

use super::addition::Prologue;
use super::annotations;
use super::bytes::{Reader, put_u2, put_u4};
use super::class::{Author, ClassRewriter};
use super::code::{Code, Lines};
use super::descriptor::Descriptor;
use super::error::ClassFileError;
use super::helper;
use super::input::Between;
use super::member::{
    ACC_NATIVE, ACC_PRIVATE, ACC_PROTECTED, ACC_PUBLIC, ACC_STATIC, ACC_STRICT, ACC_SYNCHRONIZED,
    ACC_SYNTHETIC, Attribute, Member,
};
use super::plan::{InputCalls, InputKind, InputMethod, MethodAction};
use super::prologue::Target;
use super::scan::Place;
use super::site::SiteKind;
use super::skip::{Obstacle, SkipReason};
use super::synchronized::{Conversion, FIRST_WITH_CLASS_CONSTANTS};
use super::wrapper::{Callee, Wrapper};

impl<'a> ClassRewriter<'a> {
    /// Does to this method whatever the plan wants.
    pub fn treat(&mut self, method: &Member<'a>, place: Place<'a>) -> Result<(), Obstacle> {
        let Some(attribute) = method.code else {
            return self.without_body(method, place);
        };
        let code = Code::parse(attribute.contents)?;
        self.intrinsic = match method.annotations {
            Some(found) if self.plan.accesses.is_some() => {
                annotations::without_intrinsic_candidate(found.contents, &self.pool)?.is_some()
            }
            _ => false,
        };
        let mut prologue = Prologue::default();
        let target = Target {
            method,
            place,
            code: &code,
        };
        self.begin(target, &mut prologue)?;
        let conversion = self.convert_synchronized(target, &mut prologue)?;
        let flags = match conversion {
            Conversion::None => method.flags,
            Conversion::InPlace | Conversion::AroundBody => method.flags & !ACC_SYNCHRONIZED,
        };
        let new_code = match conversion {
            Conversion::None | Conversion::InPlace => {
                self.code(&code, &prologue, place, Author::Program)?
            }
            Conversion::AroundBody => Some(self.split(target, attribute, &prologue)?),
        };
        match self.redirect(target)? {
            Some(wrapper) => {
                // Conversion or not, the wrapper must not hold the monitor while the helper decides what happens.
                let renamed = flags & !(ACC_PRIVATE | ACC_PROTECTED) | ACC_PUBLIC | ACC_SYNTHETIC;
                let contents = new_code.as_deref().unwrap_or(code.whole);
                self.append_method(renamed, b"$rw$", method, Some((attribute, contents)))?;
                self.replace_contents(attribute, &wrapper);
                self.change_flags(method, method.flags & !ACC_SYNCHRONIZED)?;
            }
            None => {
                if let Some(new_code) = new_code {
                    self.replace_contents(attribute, &new_code);
                    self.change_flags(method, flags)?;
                }
            }
        }
        Ok(())
    }

    /// Moves the method's code into a private method of its own, and returns code that calls it from within the brackets.
    ///
    /// Needed where `this` does not stay in local variable 0, so that the method itself could not release its monitor.
    fn split(
        &mut self,
        target: Target<'_, 'a>,
        attribute: Attribute<'a>,
        prologue: &Prologue,
    ) -> Result<Vec<u8>, Obstacle> {
        const PREFIX: &[u8] = b"$rw$body$";
        let Target {
            method,
            place,
            code,
        } = target;
        let body = self.code(code, &Prologue::default(), place, Author::Program)?;
        let contents = body.as_deref().unwrap_or(code.whole);
        let flags = method.flags & ACC_STRICT | ACC_PRIVATE | ACC_SYNTHETIC;
        self.append_method(flags, PREFIX, method, Some((attribute, contents)))?;
        let callee = self.pool.append_method(
            self.facts.this_class,
            &[PREFIX, method.name].concat(),
            method.descriptor,
        )?;
        let wrapper = Wrapper {
            is_static: method.is_static(),
            descriptor: &Descriptor::parse(method.descriptor)?,
            callee: Callee::OwnPrivate(callee),
            lines: &Lines::read(code, &self.pool)?,
        };
        let wrapper = wrapper.code();
        let outer = Code::parse(Reader::new(&wrapper, code.bytecode.offset))?;
        Ok(self
            .code(&outer, prologue, place, Author::Rewriter)?
            .unwrap_or_else(|| wrapper.clone()))
    }

    /// The code that passes the call to the helper, if the plan wants that.
    fn redirect(&mut self, target: Target<'_, 'a>) -> Result<Option<Vec<u8>>, Obstacle> {
        let Target {
            method,
            place,
            code,
        } = target;
        if self.input(place, InputKind::NotDone).is_some() {
            return Ok(Some(super::input::nothing(
                Descriptor::parse(method.descriptor)?.words(),
            )));
        }
        if let Some((calls, rule)) = self.input(place, InputKind::WithBody) {
            let name = [b"$rw$", method.name].concat();
            let original =
                self.pool
                    .append_method(self.facts.this_class, &name, method.descriptor)?;
            let lines = Lines::read(code, &self.pool)?;
            let between = Between {
                method,
                place,
                original,
                rule,
                calls,
                lines: &lines,
            };
            return Ok(Some(self.between(&between)?));
        }
        let found = self
            .plan
            .methods
            .iter()
            .filter(|hook| place.is_of(hook))
            .find_map(|hook| match hook.action {
                MethodAction::Redirect { method, class } => Some((method, class)),
                MethodAction::Entry { .. }
                | MethodAction::Exit { .. }
                | MethodAction::ReplaceArgument { .. }
                | MethodAction::Result { .. }
                | MethodAction::Shortcut { .. }
                | MethodAction::Around(_) => None,
            });
        let Some((helper_method, class)) = found else {
            return Ok(None);
        };
        if place.name.starts_with(b"<") {
            self.skip(place, SkipReason::Initialiser);
            return Ok(None);
        }
        let descriptor = Descriptor::parse(method.descriptor)?;
        let receiver = (!method.is_static()).then_some(class.as_bytes());
        let text = helper::descriptor(receiver, descriptor.parameter_text, b"I", descriptor.result);
        let callee = self.helper.method(&mut self.pool, helper_method, &text)?;
        let lines = Lines::read(code, &self.pool)?;
        let site = self.method_site(SiteKind::Method, place.hash().method(), place, &lines)?;
        let wrapper = Wrapper {
            is_static: method.is_static(),
            descriptor: &descriptor,
            callee: Callee::Helper {
                method: callee,
                site,
            },
            lines: &lines,
        };
        Ok(Some(wrapper.code()))
    }

    /// A native method is changed only if it is synchronized; says so if the plan wants more. Abstract methods do nothing that could be hooked.
    fn without_body(&mut self, method: &Member<'a>, place: Place<'a>) -> Result<(), Obstacle> {
        if !method.has(ACC_NATIVE) {
            return Ok(());
        }
        if let Some((calls, rule)) = self.input(place, InputKind::Native) {
            return match self.plan.native_prefix {
                Some(prefix) => self.between_native(method, place, prefix, calls, rule),
                None => Err(SkipReason::Native.into()),
            };
        }
        if let (Some(natives), Some(prefix)) = (self.plan.natives, self.plan.native_prefix)
            && !self.converts(method, place)
        {
            let calls = InputCalls {
                helper: natives.helper,
                side: natives.side,
                methods: &[],
            };
            return self.between_native(method, place, prefix, calls, 0);
        }
        let mut hooks = self.plan.methods.iter().filter(|hook| place.is_of(hook));
        let prefix = match (self.converts(method, place), self.plan.native_prefix) {
            (true, Some(prefix)) => Some(prefix),
            (true, None) => {
                self.skip(place, SkipReason::NativeSynchronized);
                None
            }
            (false, _) => None,
        };
        match prefix {
            Some(prefix) => {
                if hooks.any(|hook| matches!(hook.action, MethodAction::Redirect { .. })) {
                    self.skip(place, SkipReason::Native);
                }
                self.wrap_native(method, place, prefix)
            }
            None => {
                if hooks.next().is_some() {
                    self.skip(place, SkipReason::Native);
                }
                Ok(())
            }
        }
    }

    /// Renames a native synchronized method; in its place comes one that takes the monitor and calls it.
    fn wrap_native(
        &mut self,
        method: &Member<'a>,
        place: Place<'a>,
        prefix: &str,
    ) -> Result<(), Obstacle> {
        if method.is_static() && self.facts.major < FIRST_WITH_CLASS_CONSTANTS {
            return Err(SkipReason::NoClassConstant.into());
        }
        let name = [prefix.as_bytes(), method.name].concat();
        let callee = self
            .pool
            .append_method(self.facts.this_class, &name, method.descriptor)?;
        let wrapper = Wrapper {
            is_static: method.is_static(),
            descriptor: &Descriptor::parse(method.descriptor)?,
            callee: Callee::OwnPrivate(callee),
            lines: &Lines::default(),
        };
        let wrapper = wrapper.code();
        let code = Code::parse(Reader::new(&wrapper, method.end))?;
        let target = Target {
            method,
            place,
            code: &code,
        };
        let mut prologue = Prologue::default();
        self.begin(target, &mut prologue)?;
        let conversion = self.convert_synchronized(target, &mut prologue)?;
        debug_assert_eq!(conversion, Conversion::InPlace);
        let contents = self
            .code(&code, &prologue, place, Author::Rewriter)?
            .unwrap_or_else(|| wrapper.clone());
        let native = method.flags & ACC_STATIC | ACC_NATIVE | ACC_PRIVATE | ACC_SYNTHETIC;
        self.append_method(native, prefix.as_bytes(), method, None)?;
        self.add_code(method, &contents)?;
        self.change_flags(method, method.flags & !(ACC_NATIVE | ACC_SYNCHRONIZED))?;
        Ok(())
    }

    /// What the plan says about this method as one through which the outside world is reached.
    fn input(&self, place: Place<'a>, kind: InputKind) -> Option<(InputCalls<'a>, i32)> {
        let calls = self.plan.inputs?;
        let same = |input: &&InputMethod<'_>| {
            input.kind == kind
                && input.name.as_bytes() == place.name
                && input.descriptor.as_bytes() == place.descriptor
        };
        Some((calls, calls.methods.iter().find(same)?.rule))
    }

    /// Renames a native method; in its place comes one that asks the helper.
    fn between_native(
        &mut self,
        method: &Member<'a>,
        place: Place<'a>,
        prefix: &str,
        calls: InputCalls<'a>,
        rule: i32,
    ) -> Result<(), Obstacle> {
        let name = [prefix.as_bytes(), method.name].concat();
        let original = self
            .pool
            .append_method(self.facts.this_class, &name, method.descriptor)?;
        let between = Between {
            method,
            place,
            original,
            rule,
            calls,
            lines: &Lines::default(),
        };
        let contents = self.between(&between)?;
        let native = method.flags & ACC_STATIC | ACC_NATIVE | ACC_PRIVATE | ACC_SYNTHETIC;
        self.append_method(native, prefix.as_bytes(), method, None)?;
        self.add_code(method, &contents)?;
        self.change_flags(method, method.flags & !(ACC_NATIVE | ACC_SYNCHRONIZED))?;
        Ok(())
    }

    /// Gives a method that has none a Code attribute, behind its other attributes.
    fn add_code(&mut self, method: &Member<'a>, contents: &[u8]) -> Result<(), ClassFileError> {
        let count = method
            .attribute_count
            .checked_add(1)
            .ok_or(ClassFileError::TooMany { what: "attributes" })?;
        self.patches
            .replace(method.attribute_count_place(), &count.to_be_bytes());
        let mut attribute = Vec::with_capacity(contents.len() + 6);
        put_u2(&mut attribute, self.pool.append_utf8(b"Code")?);
        put_u4(&mut attribute, contents.len() as u32);
        attribute.extend_from_slice(contents);
        self.patches.replace(method.end..method.end, &attribute);
        Ok(())
    }

    fn replace_contents(&mut self, attribute: Attribute<'a>, contents: &[u8]) {
        let place = attribute.place();
        // The contents are bounded by what fits into one method; see `put_with_length`.
        self.patches.replace(
            place.start..place.start + 4,
            &(contents.len() as u32).to_be_bytes(),
        );
        self.patches.replace(place.start + 4..place.end, contents);
    }

    fn change_flags(&mut self, method: &Member<'a>, flags: u16) -> Result<(), ClassFileError> {
        if flags == method.flags {
            return Ok(());
        }
        self.patches
            .replace(method.flags_place(), &flags.to_be_bytes());
        // The VM complains about intrinsic candidates whose flags are not as it knows them.
        if let Some(attribute) = method.annotations
            && let Some(contents) =
                annotations::without_intrinsic_candidate(attribute.contents, &self.pool)?
        {
            self.replace_contents(attribute, &contents);
        }
        Ok(())
    }

    /// Appends a method called `prefix` + the name of `method`, with nothing but code, if it has any. Annotations and the like stay with the original.
    fn append_method(
        &mut self,
        flags: u16,
        prefix: &[u8],
        method: &Member<'a>,
        code: Option<(Attribute<'a>, &[u8])>,
    ) -> Result<(), ClassFileError> {
        let name = self.pool.append_utf8(&[prefix, method.name].concat())?;
        let out = &mut self.new_methods.bytes;
        for value in [flags, name, method.descriptor_index] {
            put_u2(out, value);
        }
        put_u2(out, u16::from(code.is_some()));
        if let Some((attribute, contents)) = code {
            put_u2(out, attribute.name_index);
            put_u4(out, contents.len() as u32);
            out.extend_from_slice(contents);
        }
        self.new_methods.count += 1;
        Ok(())
    }
}
