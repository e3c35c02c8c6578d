//! What the numbers in a log stand for.

use super::{first_user, is_shared};
use crate::races::observe::Frame;
use std::collections::HashMap;

/// A line that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the names is not understood: {text:?}")]
pub struct NamesError {
    pub line: usize,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// First letter of its type, as in descriptors.
    pub type_letter: char,
}

#[derive(Clone, Debug, Default)]
pub struct Names {
    sites: HashMap<u32, Frame>,
    classes: HashMap<u32, String>,
    /// By class and offset.
    fields: HashMap<(u32, u32), Field>,
    statics: HashMap<(u32, u32), Field>,
    stacks: HashMap<u32, Vec<Frame>>,
}

impl Names {
    pub fn read(text: &str) -> Result<Names, NamesError> {
        let mut names = Names::default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for (index, line) in whole.lines().enumerate() {
            names.line(line).ok_or_else(|| NamesError {
                line: index + 1,
                text: line.chars().take(80).collect(),
            })?;
        }
        Ok(names)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = line.split_once('\t')?;
        let (number, rest) = rest.split_once('\t')?;
        let number: u32 = number.parse().ok()?;
        match kind {
            "site" => {
                let mut parts = rest.split('\t');
                let (class, method) = (parts.next()?, parts.next()?);
                let (file, line) = (parts.next()?, parts.next()?.parse::<u32>().ok()?);
                let frame = Frame {
                    function: format!("{class}.{method}"),
                    file: Some(file.to_owned()).filter(|file| !file.is_empty()),
                    line: Some(line).filter(|line| *line > 0),
                };
                self.sites.insert(number, frame);
            }
            "class" => {
                self.classes.insert(number, class_name(rest));
            }
            "field" => {
                let (offset, name) = rest.split_once('\t')?;
                let offset = offset.parse().ok()?;
                let mut letters = name.chars();
                let (kind, type_letter) = (letters.next()?, letters.next()?);
                let field = Field {
                    name: letters.as_str().to_owned(),
                    type_letter,
                };
                // The class itself comes before its superclasses.
                match kind {
                    '*' => self.statics.entry((number, offset)).or_insert(field),
                    _ => self.fields.entry((number, offset)).or_insert(field),
                };
            }
            "stack" => {
                self.stacks
                    .insert(number, rest.split('\t').map(frame).collect());
            }
            _ => return None,
        }
        Some(())
    }

    pub fn site(&self, site: u32) -> Option<&Frame> {
        self.sites.get(&site)
    }

    pub fn stack(&self, stack: u32) -> Option<&[Frame]> {
        self.stacks.get(&stack).map(Vec::as_slice)
    }

    pub fn class(&self, class: u32) -> &str {
        self.classes.get(&class).map_or("?", String::as_str)
    }

    pub fn field(&self, class: u32, offset: u32) -> Option<&Field> {
        self.fields.get(&(class, offset))
    }

    pub fn static_field(&self, class: u32, offset: u32) -> Option<&Field> {
        self.statics.get(&(class, offset))
    }

    /// Type of the elements of arrays of this class.
    pub fn element_letter(&self, class: u32) -> char {
        let element = self.class(class).strip_suffix("[]").unwrap_or_default();
        match element {
            "boolean" => 'Z',
            "float" => 'F',
            "double" => 'D',
            "byte" | "short" | "char" | "int" | "long" => 'J',
            _ => 'L',
        }
    }

    /// `Account#2-17`: the 17th object that stream 2 was the first to use.
    pub fn object(&self, object: u64, class: u32) -> String {
        let class = self.class(class);
        match is_shared(object) {
            true => format!("{class}#?"),
            false => format!(
                "{class}#{}-{}",
                first_user(object),
                object & ((1 << 40) - 1)
            ),
        }
    }
}

/// `[I` becomes `int[]`.
fn class_name(text: &str) -> String {
    let depth = text.bytes().take_while(|byte| *byte == b'[').count();
    if depth == 0 {
        return text.to_owned();
    }
    let element = match &text[depth..] {
        "Z" => "boolean",
        "B" => "byte",
        "S" => "short",
        "C" => "char",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        other => other
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
            .unwrap_or(other),
    };
    element.to_owned() + &"[]".repeat(depth)
}

/// `com.example.Account.withdraw(Account.java:14)`.
pub fn frame(text: &str) -> Frame {
    let Some((function, source)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
    else {
        return Frame {
            function: text.to_owned(),
            ..Frame::default()
        };
    };
    let (file, line) = source.rsplit_once(':').unwrap_or((source, ""));
    Frame {
        function: function.to_owned(),
        file: Some(file.to_owned()).filter(|file| file != "null"),
        line: line.parse().ok().filter(|line| *line > 0),
    }
}
