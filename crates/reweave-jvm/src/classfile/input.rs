//! The code of a method that stands between the program and the outside world: asks the helper what to do, makes the call, and hands over what came of it.
//!
//! It is the same for every method, whatever its parameters: these go to the helper in an array, from which it takes what it needs.
//! ```text
//!            if (helper.on(rule)) goto ON
//! PLAIN:     return original(arguments)
//! ON:        packed = { this, arguments…, null }
//!            if (!helper.begin(packed, rule, site)) goto PLAIN
//! recording: try { result = original(arguments) } catch (Throwable e) { helper.threw(e, packed, rule, site); throw e }
//!            helper.gave(result, packed, rule, site); return result
//! replay:    if (helper.really(packed, rule)) try { helper.did(original(arguments), packed, rule) } catch (Throwable e) {}
//!            return helper.fed(packed, rule, site)
//! ```

use super::assemble::{call_static, constant, load, load_arguments, store_reference};
use super::bytes::{put_u2, put_u4};
use super::class::ClassRewriter;
use super::code::Lines;
use super::descriptor::Descriptor;
use super::error::ClassFileError;
use super::member::Member;
use super::opcode::{
    AASTORE, ALOAD, ANEWARRAY, ATHROW, CHECKCAST, DUP, DUP2, GOTO, I2L, IFEQ, IFNE, INVOKESPECIAL,
    INVOKESTATIC, L2I, LCONST_0, POP, POP2, RETURN, SIPUSH,
};
use super::plan::{InputCalls, InputSide};
use super::scan::Place;
use super::site::SiteKind;

const OBJECT: &[u8] = b"java/lang/Object";
const THROWABLE: &[u8] = b"java/lang/Throwable";
const FULL_FRAME: u8 = 255;

/// What is needed to write the code.
pub(super) struct Between<'s, 'a> {
    pub method: &'s Member<'a>,
    pub place: Place<'a>,
    /// The constant of the method under its new name.
    pub original: u16,
    pub rule: i32,
    pub calls: InputCalls<'a>,
    pub lines: &'s Lines,
}

/// A place that is branched to, with the local variables known there and what is on the stack.
struct Frame {
    at: usize,
    packed: bool,
    stack: Option<u16>,
}

impl<'a> ClassRewriter<'a> {
    /// Contents of the Code attribute.
    pub fn between(&mut self, between: &Between<'_, 'a>) -> Result<Vec<u8>, ClassFileError> {
        let descriptor = Descriptor::parse(between.method.descriptor)?;
        let is_static = between.method.is_static();
        let (class, site) = (Some(between.calls.helper), self.site_of(between)?);
        let rule = self.pool.append_integer(between.rule as u32)?;
        let object = self.pool.append_class(OBJECT)?;
        let throwable = self.pool.append_class(THROWABLE)?;
        let helper = |rewriter: &mut Self, name, text: &[u8]| {
            rewriter
                .helper
                .method_of(&mut rewriter.pool, class, name, text)
        };
        let arguments = usize::from(!is_static) + descriptor.words();
        let packed = arguments;
        let mut frames = Vec::new();
        let mut handlers = Vec::new();

        let mut code = Vec::new();
        constant(&mut code, rule);
        call_static(&mut code, helper(self, "on", b"(I)Z")?);
        let on = branch(&mut code, IFNE);
        let plain = code.len();
        frames.push(frame(plain, false, None));
        self.call(&mut code, between, &descriptor);
        code.push(descriptor.return_opcode());

        land(&mut code, on);
        frames.push(frame(code.len(), false, None));
        self.pack(&mut code, is_static, &descriptor, object)?;
        store_reference(&mut code, packed);
        load(&mut code, ALOAD, packed);
        constant(&mut code, rule);
        constant(&mut code, site);
        call_static(
            &mut code,
            helper(self, "begin", b"([Ljava/lang/Object;II)Z")?,
        );
        let back = branch(&mut code, IFEQ);
        aim(&mut code, back, plain);

        match between.calls.side {
            InputSide::Record => {
                let start = code.len();
                self.call(&mut code, between, &descriptor);
                let end = code.len();
                let text: &[u8] = match self.widen(&mut code, descriptor.result, Keep::Also)? {
                    Wide::Number => b"(J[Ljava/lang/Object;II)V",
                    Wide::Object => b"(Ljava/lang/Object;[Ljava/lang/Object;II)V",
                };
                load(&mut code, ALOAD, packed);
                constant(&mut code, rule);
                constant(&mut code, site);
                call_static(&mut code, helper(self, "gave", text)?);
                code.push(descriptor.return_opcode());
                handlers.push((start, end, code.len()));
                frames.push(frame(code.len(), true, Some(throwable)));
                code.push(DUP);
                load(&mut code, ALOAD, packed);
                constant(&mut code, rule);
                constant(&mut code, site);
                call_static(
                    &mut code,
                    helper(
                        self,
                        "threw",
                        b"(Ljava/lang/Throwable;[Ljava/lang/Object;II)V",
                    )?,
                );
                code.push(ATHROW);
            }
            InputSide::Replay => {
                load(&mut code, ALOAD, packed);
                constant(&mut code, rule);
                call_static(
                    &mut code,
                    helper(self, "really", b"([Ljava/lang/Object;I)Z")?,
                );
                let feed = branch(&mut code, IFEQ);
                let start = code.len();
                self.call(&mut code, between, &descriptor);
                let text: &[u8] = match self.widen(&mut code, descriptor.result, Keep::Only)? {
                    Wide::Number => b"(J[Ljava/lang/Object;I)V",
                    Wide::Object => b"(Ljava/lang/Object;[Ljava/lang/Object;I)V",
                };
                load(&mut code, ALOAD, packed);
                constant(&mut code, rule);
                call_static(&mut code, helper(self, "did", text)?);
                let done = branch(&mut code, GOTO);
                handlers.push((start, code.len(), code.len()));
                frames.push(frame(code.len(), true, Some(throwable)));
                code.push(POP);
                land(&mut code, feed);
                land(&mut code, done);
                frames.push(frame(code.len(), true, None));
                load(&mut code, ALOAD, packed);
                constant(&mut code, rule);
                constant(&mut code, site);
                self.give(&mut code, between, &descriptor)?;
                code.push(descriptor.return_opcode());
            }
        }
        let mut out = Vec::with_capacity(code.len() + 128);
        // Filling the array needs it twice, an index and a value of up to two words.
        put_u2(&mut out, (arguments + 2).max(8) as u16);
        put_u2(&mut out, packed as u16 + 1);
        put_u4(&mut out, code.len() as u32);
        out.extend_from_slice(&code);
        put_u2(&mut out, handlers.len() as u16);
        for (start, end, handler) in handlers {
            for value in [start, end, handler] {
                put_u2(&mut out, value as u16);
            }
            put_u2(&mut out, 0);
        }
        put_u2(&mut out, 1);
        put_u2(&mut out, self.pool.append_utf8(b"StackMapTable")?);
        let table = self.frame_table(&frames, is_static, &descriptor)?;
        put_u4(&mut out, table.len() as u32);
        out.extend_from_slice(&table);
        Ok(out)
    }

    fn site_of(&mut self, between: &Between<'_, 'a>) -> Result<u16, ClassFileError> {
        let id = between.place.hash().method();
        self.method_site(SiteKind::Method, id, between.place, between.lines)
    }

    fn call(&self, code: &mut Vec<u8>, between: &Between<'_, 'a>, descriptor: &Descriptor<'_>) {
        let is_static = between.method.is_static();
        load_arguments(code, is_static, descriptor);
        code.push(if is_static {
            INVOKESTATIC
        } else {
            INVOKESPECIAL
        });
        put_u2(code, between.original);
    }

    /// Leaves an array on the stack with `this`, the parameters, and a place that the helper may use.
    fn pack(
        &mut self,
        code: &mut Vec<u8>,
        is_static: bool,
        descriptor: &Descriptor<'_>,
        object: u16,
    ) -> Result<(), ClassFileError> {
        let first = usize::from(!is_static);
        push(code, first + descriptor.parameters.len() + 1);
        code.push(ANEWARRAY);
        put_u2(code, object);
        if !is_static {
            code.push(DUP);
            push(code, 0);
            load(code, ALOAD, 0);
            code.push(AASTORE);
        }
        for (index, parameter) in descriptor.parameters.iter().enumerate() {
            code.push(DUP);
            push(code, first + index);
            load(code, parameter.load_opcode(), first + parameter.local);
            if let Some((class, text)) = boxed(parameter.descriptor) {
                let value_of =
                    self.helper
                        .method_of(&mut self.pool, Some(class), "valueOf", text)?;
                call_static(code, value_of);
            }
            code.push(AASTORE);
        }
        Ok(())
    }

    /// Calls the helper for the recorded result, and turns that into what the method returns.
    fn give(
        &mut self,
        code: &mut Vec<u8>,
        between: &Between<'_, 'a>,
        descriptor: &Descriptor<'_>,
    ) -> Result<(), ClassFileError> {
        let class = Some(between.calls.helper);
        match descriptor.result {
            [b'L', name @ .., b';'] => {
                let text = b"([Ljava/lang/Object;II)Ljava/lang/Object;";
                let fed = self
                    .helper
                    .method_of(&mut self.pool, class, "fedObject", text)?;
                call_static(code, fed);
                code.push(CHECKCAST);
                put_u2(code, self.pool.append_class(name)?);
            }
            array @ [b'[', ..] => {
                let text = b"([Ljava/lang/Object;II)Ljava/lang/Object;";
                let fed = self
                    .helper
                    .method_of(&mut self.pool, class, "fedObject", text)?;
                call_static(code, fed);
                code.push(CHECKCAST);
                put_u2(code, self.pool.append_class(array)?);
            }
            result => {
                let text = b"([Ljava/lang/Object;II)J";
                let fed = self.helper.method_of(&mut self.pool, class, "fed", text)?;
                call_static(code, fed);
                match result {
                    b"V" => code.push(POP2),
                    b"J" => {}
                    b"D" => call_static(
                        code,
                        self.bits("java/lang/Double", "longBitsToDouble", b"(J)D")?,
                    ),
                    b"F" => {
                        code.push(L2I);
                        call_static(
                            code,
                            self.bits("java/lang/Float", "intBitsToFloat", b"(I)F")?,
                        );
                    }
                    _ => code.push(L2I),
                }
            }
        }
        Ok(())
    }

    /// Puts the result on the stack as a long, or as the object it is.
    fn widen(
        &mut self,
        code: &mut Vec<u8>,
        result: &[u8],
        keep: Keep,
    ) -> Result<Wide, ClassFileError> {
        match (result, keep) {
            (b"V", _) => code.push(LCONST_0),
            (_, Keep::Only) => {}
            (b"J" | b"D", Keep::Also) => code.push(DUP2),
            (_, Keep::Also) => code.push(DUP),
        }
        match result {
            [b'L' | b'[', ..] => return Ok(Wide::Object),
            b"V" | b"J" => {}
            b"D" => call_static(
                code,
                self.bits("java/lang/Double", "doubleToRawLongBits", b"(D)J")?,
            ),
            b"F" => {
                call_static(
                    code,
                    self.bits("java/lang/Float", "floatToRawIntBits", b"(F)I")?,
                );
                code.push(I2L);
            }
            _ => code.push(I2L),
        }
        Ok(Wide::Number)
    }

    fn bits(&mut self, class: &'a str, name: &'a str, text: &[u8]) -> Result<u16, ClassFileError> {
        self.helper
            .method_of(&mut self.pool, Some(class), name, text)
    }

    /// Full frames: all local variables are what the method was called with.
    fn frame_table(
        &mut self,
        frames: &[Frame],
        is_static: bool,
        descriptor: &Descriptor<'_>,
    ) -> Result<Vec<u8>, ClassFileError> {
        let mut locals = Vec::new();
        if !is_static {
            put_object(&mut locals, self.facts.this_class);
        }
        for parameter in &descriptor.parameters {
            match parameter.descriptor {
                b"J" => locals.push(4),
                b"D" => locals.push(3),
                b"F" => locals.push(2),
                [b'L', name @ .., b';'] => {
                    put_object(&mut locals, self.pool.append_class(name)?);
                }
                array @ [b'[', ..] => put_object(&mut locals, self.pool.append_class(array)?),
                _ => locals.push(1),
            }
        }
        let count = usize::from(!is_static) + descriptor.parameters.len();
        let packed = self.pool.append_class(b"[Ljava/lang/Object;")?;
        let mut out = Vec::new();
        put_u2(&mut out, frames.len() as u16);
        let mut next = 0;
        for frame in frames {
            out.push(FULL_FRAME);
            put_u2(&mut out, (frame.at - next) as u16);
            next = frame.at + 1;
            put_u2(&mut out, (count + usize::from(frame.packed)) as u16);
            out.extend_from_slice(&locals);
            if frame.packed {
                put_object(&mut out, packed);
            }
            put_u2(&mut out, u16::from(frame.stack.is_some()));
            if let Some(class) = frame.stack {
                put_object(&mut out, class);
            }
        }
        Ok(out)
    }
}

/// Contents of the Code attribute of a method that returns at once.
pub(super) fn nothing(arguments: usize) -> Vec<u8> {
    let mut out = Vec::new();
    put_u2(&mut out, 0);
    put_u2(&mut out, arguments as u16 + 1);
    put_u4(&mut out, 1);
    out.push(RETURN);
    put_u2(&mut out, 0);
    put_u2(&mut out, 0);
    out
}

enum Wide {
    Number,
    Object,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// The result stays below what is added.
    Also,
    /// It is turned into what is added.
    Only,
}

fn boxed(descriptor: &[u8]) -> Option<(&'static str, &'static [u8])> {
    Some(match descriptor {
        b"I" => ("java/lang/Integer", b"(I)Ljava/lang/Integer;"),
        b"J" => ("java/lang/Long", b"(J)Ljava/lang/Long;"),
        b"Z" => ("java/lang/Boolean", b"(Z)Ljava/lang/Boolean;"),
        b"B" => ("java/lang/Byte", b"(B)Ljava/lang/Byte;"),
        b"S" => ("java/lang/Short", b"(S)Ljava/lang/Short;"),
        b"C" => ("java/lang/Character", b"(C)Ljava/lang/Character;"),
        b"F" => ("java/lang/Float", b"(F)Ljava/lang/Float;"),
        b"D" => ("java/lang/Double", b"(D)Ljava/lang/Double;"),
        _ => return None,
    })
}

fn frame(at: usize, packed: bool, stack: Option<u16>) -> Frame {
    Frame { at, packed, stack }
}

fn push(code: &mut Vec<u8>, number: usize) {
    code.push(SIPUSH);
    put_u2(code, number as u16);
}

fn put_object(out: &mut Vec<u8>, class: u16) {
    out.push(7);
    put_u2(out, class);
}

/// A branch whose target is not known yet; returns where it is.
fn branch(code: &mut Vec<u8>, opcode: u8) -> usize {
    let at = code.len();
    code.extend([opcode, 0, 0]);
    at
}

fn aim(code: &mut [u8], at: usize, target: usize) {
    let distance = target as i64 - at as i64;
    code[at + 1..at + 3].copy_from_slice(&(distance as i16).to_be_bytes());
}

/// The branch leads to what is written next.
fn land(code: &mut [u8], at: usize) {
    let target = code.len();
    aim(code, at, target);
}
