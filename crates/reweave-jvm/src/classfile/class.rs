//! Walks over a class file and carries a plan out.

use super::addition::{Edits, Prologue};
use super::bytes::{Reader, put_u2};
use super::calls::Calls;
use super::code::Code;
use super::error::ClassFileError;
use super::helper::Helper;
use super::layout::Positions;
use super::member::{Attribute, Member};
use super::patches::Patches;
use super::plan::{MethodAction, Plan};
use super::pool::Pool;
use super::scan::{Place, Scan, Stress};
use super::site::Site;
use super::skip::{Obstacle, SkipReason, Skipped};
use super::splice::{ClassFacts, FrameConstants, splice};
use super::synchronized::FIRST_WITH_CLASS_CONSTANTS;
use super::{Rewritten, pool};

pub(super) struct ClassRewriter<'a> {
    pub plan: &'a Plan<'a>,
    pub stress: Stress,
    pub name: &'a [u8],
    pub facts: ClassFacts,
    pub pool: Pool<'a>,
    pub helper: Helper<'a>,
    /// The helper of the plan's accesses.
    pub memory: Helper<'a>,
    superclass: Option<&'a [u8]>,
    /// Whether the VM may have code of its own for the current method.
    pub intrinsic: bool,
    pub calls: Calls<'a>,
    pub patches: Patches,
    pub sites: Vec<Site>,
    pub skipped: Vec<Skipped>,
    /// Sites of methods that could not be changed after all.
    pub dropped: Vec<Site>,
    /// Methods to be appended, complete.
    pub new_methods: NewMethods,
    frame_constants: FrameConstants,
    edits: Edits,
    positions: Positions,
}

/// Who wrote a piece of code. What the rewriter wrote calls methods of the class itself, by constants that were just appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Program,
    Rewriter,
}

#[derive(Debug, Default)]
pub(super) struct NewMethods {
    pub bytes: Vec<u8>,
    pub count: usize,
}

pub(super) fn rewrite<'a>(
    class_file: &'a [u8],
    plan: &'a Plan<'a>,
    stress: Stress,
) -> Result<Rewritten, ClassFileError> {
    let pool = Pool::parse(class_file)?;
    let major = Reader::new(class_file, 0)
        .after(6, "version")?
        .u2("version")?;
    let mut reader = Reader::new(class_file, 0).after(pool.end(), "class")?;
    reader.u2("access flags")?;
    let this_class = reader.u2("class name")?;
    let mut rewriter = ClassRewriter {
        plan,
        stress,
        name: pool.class(this_class)?,
        facts: ClassFacts { this_class, major },
        helper: Helper::new(plan.helper),
        memory: Helper::new(plan.accesses.map_or("", |calls| calls.helper)),
        superclass: None,
        intrinsic: false,
        calls: Calls::find(&pool, plan.calls)?,
        pool,
        patches: Patches::default(),
        sites: Vec::new(),
        skipped: Vec::new(),
        dropped: Vec::new(),
        new_methods: NewMethods::default(),
        frame_constants: FrameConstants::default(),
        edits: Edits::default(),
        positions: Positions::default(),
    };
    let handles = rewriter.calls.replace_handles(
        &mut rewriter.pool,
        &mut rewriter.helper,
        &mut rewriter.patches,
    )?;
    rewriter.superclass = match reader.u2("superclass")? {
        0 => None,
        index => Some(rewriter.pool.class(index)?),
    };
    let interfaces = reader.u2("interface count")?;
    reader.take(usize::from(interfaces) * 2, "interfaces")?;
    rewriter.fields(&mut reader)?;
    rewriter.methods(&mut reader)?;
    Ok(rewriter.finish(class_file, handles))
}

impl<'a> ClassRewriter<'a> {
    fn fields(&mut self, reader: &mut Reader<'a>) -> Result<(), ClassFileError> {
        let count_at = reader.offset();
        let count = reader.u2("field count")?;
        for _ in 0..count {
            reader.take(6, "field")?;
            skip_attributes(reader)?;
        }
        let mut added = Vec::new();
        for field in &self.plan.fields {
            put_u2(&mut added, field.flags);
            put_u2(&mut added, self.pool.append_utf8(field.name.as_bytes())?);
            put_u2(
                &mut added,
                self.pool.append_utf8(field.descriptor.as_bytes())?,
            );
            put_u2(&mut added, 0);
        }
        self.append_members(
            count_at,
            count,
            self.plan.fields.len(),
            reader.offset(),
            &added,
            "fields",
        )
    }

    fn methods(&mut self, reader: &mut Reader<'a>) -> Result<(), ClassFileError> {
        let count_at = reader.offset();
        let count = reader.u2("method count")?;
        for _ in 0..count {
            if self.concerned() {
                let method = Member::parse(reader, &self.pool)?;
                self.method(&method)?;
            } else {
                // Only the hooks on whole methods can concern this class.
                reader.take(6, "method")?;
                skip_attributes(reader)?;
            }
        }
        for method in self.plan.overrides {
            self.override_method(method)?;
        }
        let added = std::mem::take(&mut self.new_methods);
        self.append_members(
            count_at,
            count,
            added.count,
            reader.offset(),
            &added.bytes,
            "methods",
        )
    }

    /// Whether any method of this class can be concerned by the plan.
    fn concerned(&self) -> bool {
        self.plan.monitors.is_some()
            || !self.calls.is_empty()
            || self.plan.marks.is_some()
            || self.plan.class_uses.is_some()
            || self.plan.accesses.is_some()
            || self.plan.every_method.is_some()
            || !self.plan.methods.is_empty()
            || self.plan.inputs.is_some()
            || self.plan.natives.is_some()
            || self.plan.initialiser.is_some()
            || self.stress != Stress::None
    }

    fn append_members(
        &mut self,
        count_at: usize,
        count: u16,
        added: usize,
        end: usize,
        bytes: &[u8],
        what: &'static str,
    ) -> Result<(), ClassFileError> {
        if added == 0 {
            return Ok(());
        }
        let count = u16::try_from(usize::from(count) + added)
            .map_err(|_| ClassFileError::TooMany { what })?;
        self.patches
            .replace(count_at..count_at + 2, &count.to_be_bytes());
        self.patches.replace(end..end, bytes);
        Ok(())
    }

    /// Rewrites one method, or leaves it as it is and says why.
    fn method(&mut self, method: &Member<'a>) -> Result<(), ClassFileError> {
        let place = Place {
            class: self.name,
            name: method.name,
            descriptor: method.descriptor,
        };
        let (patches, sites) = (self.patches.mark(), self.sites.len());
        let (new_bytes, new_count) = (self.new_methods.bytes.len(), self.new_methods.count);
        match self.treat(method, place) {
            Ok(()) => Ok(()),
            Err(Obstacle::Error(error)) => Err(error),
            Err(Obstacle::Skip(reason)) => {
                self.patches.undo_to(patches);
                self.dropped.extend(self.sites.drain(sites..));
                self.new_methods.bytes.truncate(new_bytes);
                self.new_methods.count = new_count;
                self.skip(place, reason);
                Ok(())
            }
        }
    }

    pub fn skip(&mut self, place: Place<'a>, reason: SkipReason) {
        self.skipped.push(Skipped {
            method: place.method(),
            reason,
        });
    }

    /// New contents for a Code attribute, or nothing if it can stay.
    pub fn code(
        &mut self,
        code: &Code<'_>,
        prologue: &Prologue,
        place: Place<'a>,
        author: Author,
    ) -> Result<Option<Vec<u8>>, Obstacle> {
        let (marks, class_uses, accesses) = match author {
            Author::Program => {
                // Compiled code may not run what stands there: the number of accesses must not depend on that.
                let accesses = self.plan.accesses.filter(|_| !self.intrinsic);
                (self.plan.marks, self.plan.class_uses, accesses)
            }
            Author::Rewriter => (None, None, None),
        };
        let result = self
            .plan
            .methods
            .iter()
            .filter(|hook| author == Author::Program && place.is_of(hook))
            .find_map(|hook| match hook.action {
                MethodAction::Result { method } => Some(method),
                _ => None,
            });
        let exit = match author {
            Author::Program => self.exit_call(code, place)?,
            Author::Rewriter => None,
        };
        let has_class_constants = self.facts.major >= FIRST_WITH_CLASS_CONSTANTS;
        self.edits.clear();
        let monitors = self
            .plan
            .monitors
            .filter(|_| self.monitors_apply(place.name));
        if monitors.is_some()
            || !self.calls.is_empty()
            || marks.is_some()
            || class_uses.is_some()
            || accesses.is_some()
            || result.is_some()
            || exit.is_some()
            || !prologue.is_empty()
            || self.stress != Stress::None
        {
            let mut scan = Scan {
                place,
                monitors,
                marks,
                class_uses: class_uses.filter(|_| has_class_constants),
                accesses,
                has_class_constants,
                superclass: self.superclass,
                result,
                exit,
                stress: self.stress,
                calls: &mut self.calls,
                pool: &mut self.pool,
                helper: &mut self.helper,
                memory: &mut self.memory,
                sites: &mut self.sites,
            };
            scan.run(code, prologue, &mut self.edits)?;
        }
        if self.edits.list.is_empty() && prologue.is_empty() {
            return Ok(None);
        }
        let constants = &mut self.frame_constants;
        splice(
            code,
            prologue,
            &self.edits,
            self.facts,
            constants,
            &mut self.pool,
            &mut self.positions,
        )
        .map(Some)
    }

    /// Whether the plan's calls around monitors are meant for methods of this name.
    pub fn monitors_apply(&self, method: &[u8]) -> bool {
        let only = self.plan.monitor_methods;
        only.is_empty() || only.iter().any(|name| name.as_bytes() == method)
    }

    fn finish(mut self, class_file: &[u8], handles: usize) -> Rewritten {
        let bytes = if self.patches.is_empty() {
            None
        } else {
            let (added, count) = self.pool.additions();
            let count_at = pool::FIRST_CONSTANT - 2;
            self.patches
                .replace(count_at..pool::FIRST_CONSTANT, &count.to_be_bytes());
            self.patches
                .replace(self.pool.end()..self.pool.end(), added);
            Some(self.patches.apply(class_file))
        };
        Rewritten {
            bytes,
            sites: self.sites,
            skipped: self.skipped,
            dropped: self.dropped,
            handles,
        }
    }
}

pub(super) fn skip_attributes(reader: &mut Reader<'_>) -> Result<(), ClassFileError> {
    for _ in 0..reader.u2("attribute count")? {
        Attribute::parse(reader)?;
    }
    Ok(())
}
