//! Makes class files for tests out of text.
//!
//! One instruction a line; `name:` marks a place, `.catch from to handler` protects a range against everything, `.line 7` starts a line.
//! A switch lists its targets, the default first: `tableswitch default a b` has the cases 0 and 1.

use super::mnemonics::{Kind, MNEMONICS};
use std::collections::HashMap;

pub(super) struct TestClass {
    major: u16,
    constants: Vec<u8>,
    /// By their bytes, so that each is there once.
    known: HashMap<Vec<u8>, u16>,
    methods: Vec<Vec<u8>>,
}

pub(super) const NAME: &str = "Subject";
pub(super) const PUBLIC: u16 = 1;
pub(super) const STATIC: u16 = 9;
pub(super) const SYNCHRONIZED: u16 = 0x21;

/// An attribute of code: its name and contents.
pub(super) type RawAttribute<'a> = (&'a str, Vec<u8>);

impl TestClass {
    pub fn new(major: u16) -> Self {
        TestClass {
            major,
            constants: Vec::new(),
            known: HashMap::new(),
            methods: Vec::new(),
        }
    }

    pub fn method(self, flags: u16, name: &str, descriptor: &str, text: &str) -> Self {
        self.method_with(flags, name, descriptor, text, &[])
    }

    pub fn method_with(
        mut self,
        flags: u16,
        name: &str,
        descriptor: &str,
        text: &str,
        attributes: &[RawAttribute<'_>],
    ) -> Self {
        let mut out = Vec::new();
        for value in [
            flags,
            self.utf8(name),
            self.utf8(descriptor),
            1,
            self.utf8("Code"),
        ] {
            out.extend(value.to_be_bytes());
        }
        let code = self.code(text, attributes);
        out.extend((code.len() as u32).to_be_bytes());
        out.extend(code);
        self.methods.push(out);
        self
    }

    /// A method without code.
    pub fn bare_method(mut self, flags: u16, name: &str, descriptor: &str) -> Self {
        let header = [flags, self.utf8(name), self.utf8(descriptor), 0];
        self.methods.push(
            header
                .iter()
                .flat_map(|value| value.to_be_bytes())
                .collect(),
        );
        self
    }

    pub fn build(mut self) -> Vec<u8> {
        let this = self.class(NAME);
        let superclass = self.class("java/lang/Object");
        let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
        let count = self.known.len() as u16 + 1;
        for value in [self.major, count] {
            out.extend(value.to_be_bytes());
        }
        out.extend(&self.constants);
        for value in [PUBLIC, this, superclass, 0, 0, self.methods.len() as u16] {
            out.extend(value.to_be_bytes());
        }
        out.extend(self.methods.concat());
        out.extend([0, 0]);
        out
    }

    fn code(&mut self, text: &str, attributes: &[RawAttribute<'_>]) -> Vec<u8> {
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .filter(|words: &Vec<_>| !words.is_empty())
            .collect();
        // Twice: the first time to learn where the labels are.
        let mut labels = HashMap::new();
        self.instructions(&lines, &mut labels);
        let (bytecode, line_numbers) = self.instructions(&lines, &mut labels);
        let mut out = vec![0, 4, 0, 8];
        out.extend((bytecode.len() as u32).to_be_bytes());
        out.extend(&bytecode);
        let catches: Vec<_> = lines.iter().filter(|words| words[0] == ".catch").collect();
        out.extend((catches.len() as u16).to_be_bytes());
        for words in catches {
            for label in &words[1..] {
                out.extend((labels[*label] as u16).to_be_bytes());
            }
            out.extend([0, 0]);
        }
        let mut attributes = attributes.to_vec();
        if !line_numbers.is_empty() {
            let mut table = (line_numbers.len() as u16).to_be_bytes().to_vec();
            table.extend(
                line_numbers
                    .iter()
                    .flat_map(|&(at, line)| [at.to_be_bytes(), line.to_be_bytes()].concat()),
            );
            attributes.push(("LineNumberTable", table));
        }
        out.extend((attributes.len() as u16).to_be_bytes());
        for (name, contents) in attributes {
            out.extend(self.utf8(name).to_be_bytes());
            out.extend((contents.len() as u32).to_be_bytes());
            out.extend(contents);
        }
        out
    }

    fn instructions(
        &mut self,
        lines: &[Vec<&str>],
        labels: &mut HashMap<String, usize>,
    ) -> (Vec<u8>, Vec<(u16, u16)>) {
        let mut out: Vec<u8> = Vec::new();
        let mut line_numbers = Vec::new();
        for words in lines {
            let at = out.len();
            match words[0] {
                ".catch" => continue,
                ".line" => {
                    line_numbers.push((at as u16, words[1].parse().expect("a line number")));
                    continue;
                }
                label if label.ends_with(':') => {
                    labels.insert(label.trim_end_matches(':').to_owned(), at);
                    continue;
                }
                _ => {}
            }
            let &(_, opcode, kind) = MNEMONICS
                .iter()
                .find(|known| known.0 == words[0])
                .unwrap_or_else(|| panic!("no instruction {}", words[0]));
            let distance = |label: &str| {
                labels
                    .get(label)
                    .map_or(0, |&target| target as i32 - at as i32)
            };
            out.push(opcode);
            match kind {
                Kind::Plain => {}
                Kind::Local => out.push(words[1].parse().expect("a local variable")),
                Kind::Branch => out.extend((distance(words[1]) as i16).to_be_bytes()),
                Kind::WideBranch => out.extend(distance(words[1]).to_be_bytes()),
                Kind::Short => {
                    let value: i16 = words[1].parse().expect("a number");
                    out.extend(value.to_be_bytes());
                }
                Kind::Field => out.extend(self.member(9, words[1], words[2]).to_be_bytes()),
                Kind::Method => out.extend(self.member(10, words[1], words[2]).to_be_bytes()),
                Kind::InterfaceMethod => {
                    out.extend(self.member(11, words[1], words[2]).to_be_bytes());
                    out.extend([1, 0]);
                }
                Kind::Class | Kind::Constant => out.extend(self.class(words[1]).to_be_bytes()),
                Kind::TableSwitch | Kind::LookupSwitch => {
                    out.resize(out.len().next_multiple_of(4), 0);
                    out.extend(distance(words[1]).to_be_bytes());
                    let cases = words.len() as i32 - 2;
                    let header = if kind == Kind::TableSwitch {
                        vec![0, cases - 1]
                    } else {
                        vec![cases]
                    };
                    out.extend(header.iter().flat_map(|value| value.to_be_bytes()));
                    for (key, label) in words[2..].iter().enumerate() {
                        if kind == Kind::LookupSwitch {
                            out.extend((key as i32).to_be_bytes());
                        }
                        out.extend(distance(label).to_be_bytes());
                    }
                }
            }
        }
        (out, line_numbers)
    }

    pub fn utf8(&mut self, text: &str) -> u16 {
        let mut constant = vec![1];
        constant.extend((text.len() as u16).to_be_bytes());
        constant.extend(text.as_bytes());
        self.constant(constant)
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.pair(7, name, None)
    }

    /// `owner.name` and a descriptor; tag 10 for methods of classes, 11 for methods of interfaces.
    pub fn member(&mut self, tag: u8, member: &str, descriptor: &str) -> u16 {
        let (owner, name) = member.rsplit_once('.').expect("owner.name");
        let (owner, name, descriptor) = (self.class(owner), self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.pair(12, name, Some(descriptor));
        self.pair(tag, owner, Some(name_and_type))
    }

    pub fn method_handle(&mut self, kind: u8, member: &str, descriptor: &str) -> u16 {
        let member = self.member(10, member, descriptor);
        self.constant([&[15, kind][..], &member.to_be_bytes()].concat())
    }

    fn pair(&mut self, tag: u8, first: u16, second: Option<u16>) -> u16 {
        let mut constant = vec![tag];
        constant.extend(first.to_be_bytes());
        constant.extend(second.map(u16::to_be_bytes).into_iter().flatten());
        self.constant(constant)
    }

    fn constant(&mut self, constant: Vec<u8>) -> u16 {
        let next = self.known.len() as u16 + 1;
        *self.known.entry(constant).or_insert_with_key(|constant| {
            self.constants.extend(constant);
            next
        })
    }
}
