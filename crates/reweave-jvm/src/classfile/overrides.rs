//! Gives a class a method of its own that it inherited, with a call of the helper in it.

use super::assemble::{call_static, constant, load};
use super::bytes::{put_u2, put_u4};
use super::class::ClassRewriter;
use super::code::Lines;
use super::error::ClassFileError;
use super::helper;
use super::member::{ACC_PUBLIC, ACC_SYNTHETIC};
use super::opcode::{ALOAD, ARETURN, INVOKESPECIAL};
use super::plan::Override;
use super::scan::Place;
use super::site::SiteKind;

impl<'a> ClassRewriter<'a> {
    /// Appends the method.
    pub fn override_method(&mut self, method: &'a Override<'a>) -> Result<(), ClassFileError> {
        let result = [b"L", method.result.as_bytes(), b";"].concat();
        let descriptor = [b"()", &result[..]].concat();
        let owner = self.pool.append_class(method.owner.as_bytes())?;
        let name = method.name.as_bytes();
        let overridden = self.pool.append_method(owner, name, &descriptor)?;
        let text = helper::descriptor(Some(method.class.as_bytes()), &result, b"I", &result);
        let callee = self.helper.method(&mut self.pool, method.method, &text)?;
        let place = Place {
            class: self.name,
            name,
            descriptor: b"",
        };
        let id = place.hash().method();
        let site = self.method_site(SiteKind::Method, id, place, &Lines::default())?;

        let mut code = Vec::new();
        load(&mut code, ALOAD, 0);
        load(&mut code, ALOAD, 0);
        code.push(INVOKESPECIAL);
        put_u2(&mut code, overridden); // this, result
        constant(&mut code, site); //     this, result, site
        call_static(&mut code, callee);
        code.push(ARETURN);
        let (name, descriptor) = (
            self.pool.append_utf8(name)?,
            self.pool.append_utf8(&descriptor)?,
        );
        let attribute = self.pool.append_utf8(b"Code")?;
        let out = &mut self.new_methods.bytes;
        for value in [ACC_PUBLIC | ACC_SYNTHETIC, name, descriptor, 1, attribute] {
            put_u2(out, value);
        }
        put_u4(out, code.len() as u32 + 12);
        put_u2(out, 3);
        put_u2(out, 1);
        put_u4(out, code.len() as u32);
        out.extend_from_slice(&code);
        // Neither handlers nor attributes.
        put_u2(out, 0);
        put_u2(out, 0);
        self.new_methods.count += 1;
        Ok(())
    }
}
