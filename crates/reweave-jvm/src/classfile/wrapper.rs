//! The code of a method that does nothing but pass its arguments on and return what comes back.

use super::assemble::{constant, load_arguments};
use super::bytes::{put_u2, put_u4};
use super::code::Lines;
use super::descriptor::{Descriptor, words};
use super::opcode::{INVOKESPECIAL, INVOKESTATIC};

pub(super) struct Wrapper<'s, 'a> {
    pub is_static: bool,
    pub descriptor: &'s Descriptor<'a>,
    pub callee: Callee,
    /// Of the method that is wrapped: the wrapper stands on its first line.
    pub lines: &'s Lines,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Callee {
    /// A static method of the helper that takes `this`, if any, the arguments and a site.
    Helper { method: u16, site: u16 },
    /// A private method of the same class with the same descriptor, static or not like the wrapper.
    OwnPrivate(u16),
}

impl Wrapper<'_, '_> {
    /// Contents of its Code attribute. It has no branches, so it needs no frames.
    pub fn code(&self) -> Vec<u8> {
        let mut bytecode = Vec::new();
        let locals = load_arguments(&mut bytecode, self.is_static, self.descriptor); // [this,] arguments
        let mut stack = locals.max(words(self.descriptor.result));
        match self.callee {
            Callee::Helper { method, site } => {
                constant(&mut bytecode, site); //                                      [this,] arguments, site
                stack = stack.max(locals + 1);
                bytecode.push(INVOKESTATIC);
                put_u2(&mut bytecode, method);
            }
            Callee::OwnPrivate(method) => {
                bytecode.push(if self.is_static {
                    INVOKESTATIC
                } else {
                    INVOKESPECIAL
                });
                put_u2(&mut bytecode, method);
            }
        }
        bytecode.push(self.descriptor.return_opcode());
        let mut out = Vec::with_capacity(bytecode.len() + 32);
        // A method has at most 255 words of parameters; were there more, the VM would refuse the class whatever is written here.
        put_u2(&mut out, stack as u16);
        put_u2(&mut out, locals as u16);
        put_u4(&mut out, bytecode.len() as u32);
        out.extend_from_slice(&bytecode);
        put_u2(&mut out, 0);
        self.line_number(&mut out);
        out
    }

    fn line_number(&self, out: &mut Vec<u8>) {
        match self.lines.name_index {
            None => put_u2(out, 0),
            Some(name) => {
                put_u2(out, 1);
                put_u2(out, name);
                put_u4(out, 6);
                put_u2(out, 1);
                put_u2(out, 0);
                put_u2(out, self.lines.first());
            }
        }
    }
}
