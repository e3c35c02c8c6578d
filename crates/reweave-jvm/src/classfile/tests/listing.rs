//! Prints a class's methods the way tests expect them.

use super::super::bytes::Reader;
use super::super::class::skip_attributes;
use super::super::code::Code;
use super::super::member::Member;
use super::super::opcode::{Bytecode, switch_payload};
use super::super::pool::Pool;
use super::mnemonics::{Kind, MNEMONICS};
use std::fmt::Write;

/// Every method: flags, name, descriptor, then instructions, protected ranges and line numbers.
pub(super) fn listing(class_file: &[u8]) -> String {
    let pool = Pool::parse(class_file).expect("constants");
    let mut text = String::new();
    for method in methods(class_file, &pool) {
        let name = String::from_utf8_lossy(method.name);
        writeln!(
            text,
            "{:#06x} {name}{}",
            method.flags,
            String::from_utf8_lossy(method.descriptor)
        )
        .expect("memory");
        if let Some(code) = method.code {
            let code = Code::parse(code.contents).expect("code");
            instructions(&code.bytecode, &pool, &mut text);
            exceptions(&code, &mut text);
            line_numbers(&code, &pool, &mut text);
        }
    }
    text
}

pub(super) fn methods<'a>(class_file: &'a [u8], pool: &Pool<'a>) -> Vec<Member<'a>> {
    let mut reader = Reader::new(class_file, 0)
        .after(pool.end() + 6, "class")
        .expect("class");
    let interfaces = reader.u2("interfaces").expect("interfaces");
    reader
        .take(usize::from(interfaces) * 2, "interfaces")
        .expect("interfaces");
    for _ in 0..reader.u2("fields").expect("fields") {
        reader.take(6, "field").expect("field");
        skip_attributes(&mut reader).expect("attributes");
    }
    let count = reader.u2("methods").expect("methods");
    (0..count)
        .map(|_| Member::parse(&mut reader, pool).expect("method"))
        .collect()
}

fn instructions(code: &Bytecode<'_>, pool: &Pool<'_>, text: &mut String) {
    let mut at = 0;
    while at < code.len() {
        let opcode = code.bytes[at];
        let next = code.next(at).expect("instruction");
        let &(name, _, kind) = MNEMONICS
            .iter()
            .find(|known| known.1 == opcode)
            .unwrap_or_else(|| panic!("no instruction {opcode}"));
        let target = |distance: i32| at as i32 + distance;
        let operand = match kind {
            Kind::Plain => String::new(),
            Kind::Local => format!(" {}", code.bytes[at + 1]),
            Kind::Branch => format!(
                " {}",
                target(i32::from(code.u2(at + 1).expect("branch") as i16))
            ),
            Kind::WideBranch => format!(" {}", target(code.i4(at + 1).expect("branch"))),
            Kind::Method | Kind::InterfaceMethod => {
                let method = pool_method(pool, code.u2(at + 1).expect("constant"));
                format!(" {method}")
            }
            Kind::Short => format!(" {}", code.u2(at + 1).expect("a number") as i16),
            Kind::Field => {
                let field = pool.field(code.u2(at + 1).expect("constant"));
                let name = field.expect("a field").name;
                format!(" {}", String::from_utf8_lossy(name))
            }
            Kind::Class => " class".to_owned(),
            Kind::Constant => match pool.class(code.u2(at + 1).expect("constant")) {
                Ok(name) => format!(" {}", String::from_utf8_lossy(name)),
                Err(_) => " site".to_owned(),
            },
            Kind::TableSwitch | Kind::LookupSwitch => {
                let (first, stride) = if kind == Kind::TableSwitch {
                    (12, 4)
                } else {
                    (12, 8)
                };
                let payload = switch_payload(at);
                let cases = (payload + first..next).step_by(stride);
                let places = std::iter::once(payload).chain(cases);
                places
                    .map(|place| format!(" {}", target(code.i4(place).expect("case"))))
                    .collect()
            }
        };
        writeln!(text, "{at}: {name}{operand}").expect("memory");
        at = next;
    }
}

fn pool_method(pool: &Pool<'_>, index: u16) -> String {
    let method = pool.method(index).expect("method");
    let part = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}.{} {}",
        part(method.owner),
        part(method.name),
        part(method.descriptor)
    )
}

fn exceptions(code: &Code<'_>, text: &mut String) {
    let mut reader = code.exceptions;
    for _ in 0..code.exception_count {
        let mut value = || reader.u2("exception").expect("exception");
        let (start, end, handler, _) = (value(), value(), value(), value());
        writeln!(text, "catch {start}..{end} at {handler}").expect("memory");
    }
}

fn line_numbers(code: &Code<'_>, pool: &Pool<'_>, text: &mut String) {
    let visit = |name: &[u8], _, mut contents: Reader<'_>| {
        if name == b"LineNumberTable" {
            for _ in 0..contents.u2("lines")? {
                let (at, line) = (contents.u2("line")?, contents.u2("line")?);
                writeln!(text, "line {line} at {at}").expect("memory");
            }
        }
        Ok::<(), super::super::ClassFileError>(())
    };
    code.for_each_attribute(pool, visit).expect("attributes");
}
