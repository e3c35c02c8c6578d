//! A log with other numbers for its threads, messages, objects and everything else that has one.

use crate::generate::Random;
use std::collections::HashMap;

/// Fields whose values are identities. 0 and negative numbers have meanings of their own.
const KEYS: &[(&str, &str)] = &[
    ("tid", "thread"),
    ("src", "thread"),
    ("par-tid", "thread"),
    ("child-tid", "thread"),
    ("notifiedTid", "thread"),
    ("msg", "message"),
    ("obj", "object"),
    ("lock-obj", "object"),
    ("queue", "queue"),
    ("view", "view"),
    ("windowHash", "window"),
    ("instance", "instance"),
    ("intentId", "instance"),
    ("id", "instance"),
    ("idler", "idler"),
];

pub fn renumbered(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xabcd);
    let mut names: HashMap<(&str, String), String> = HashMap::new();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut rest = line;
        while !rest.is_empty() {
            let blank = rest.find([' ', '\t']).map_or(rest.len(), |end| end + 1);
            let (word, after) = rest.split_at(blank);
            out.push_str(&renamed(word, &mut names, &mut random));
            rest = after;
        }
        out.push('\n');
    }
    out
}

fn renamed(
    word: &str,
    names: &mut HashMap<(&'static str, String), String>,
    random: &mut Random,
) -> String {
    let Some((key, value)) = word.split_once(':') else {
        return word.to_owned();
    };
    let Some((_, kind)) = KEYS.iter().find(|(name, _)| *name == key) else {
        return word.to_owned();
    };
    let end = match value.strip_prefix("0x") {
        Some(digits) => {
            2 + digits
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(digits.len())
        }
        None => value
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(value.len()),
    };
    let (old, tail) = value.split_at(end);
    if old.is_empty() || old == "0" {
        return word.to_owned();
    }
    let taken = names.len();
    let new = names.entry((kind, old.to_owned())).or_insert_with(|| {
        let number = 1 + taken * 1000 + random.below(1000);
        if old.starts_with("0x") {
            format!("0x{number:x}")
        } else {
            number.to_string()
        }
    });
    format!("{key}:{new}{tail}")
}
