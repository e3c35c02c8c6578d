//! Numbers that look random and are the same in every run, and traces made from them.

use std::fmt::Write as _;

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Less than `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }
}

/// A trace in the text form: its lines are an order in which everything could have happened.
pub fn trace(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(5);
    let objects = 1 + random.below(5);
    let events = 20 + random.below(100);
    let mut writer = Writer {
        text: String::new(),
        lines: 0,
        alive: (1..=threads).collect(),
        ended: vec![],
        streams: threads,
        notifies: vec![],
    };
    for _ in 0..events {
        writer.event(&mut random, objects);
    }
    writer.text
}

struct Writer {
    text: String,
    lines: usize,
    alive: Vec<u64>,
    ended: Vec<u64>,
    /// How many there are, initialisers included.
    streams: u64,
    /// Object and line of each.
    notifies: Vec<(u64, usize)>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
        self.lines += 1;
    }

    fn event(&mut self, random: &mut Random, objects: u64) {
        let me = *random.one_of(&self.alive);
        let other = *random.one_of(&self.alive);
        let object = random.below(objects);
        let place = format!("@Bank.java:{}", 1 + random.below(3));
        match random.below(20) {
            0..6 => self.line(&format!("t{me} acquire m{object} {place}")),
            6 | 7 => {
                self.line(&format!("t{me} acquire m{object} {place}"));
                let more = 1 + random.below(4);
                self.line(&format!("t{me} repeat {more} {place}"));
            }
            8 => self.line(&format!("t{me} acquire cell%{object} {place}")),
            9 | 10 => {
                let kind = *random.one_of(&["notify", "notify-all"]);
                self.line(&format!("t{me} {kind} m{object} {place}"));
                self.notifies.push((object, self.lines));
            }
            11 | 12 => {
                let end = match self.notifies.iter().rfind(|notify| notify.0 == object) {
                    Some((_, line)) => format!("by {line}"),
                    None => "timed-out".to_owned(),
                };
                self.line(&format!("t{me} wait m{object} {end} {place}"));
            }
            13 => self.line(&format!("t{me} park")),
            14 => self.line(&format!("t{me} unpark t{other}")),
            15 => self.line(&format!("t{me} interrupt t{other}")),
            16 => self.line(&format!("t{me} interrupted? t{other} set")),
            17 => {
                self.line(&format!("t{me} foreign m{object}"));
                self.line(&format!("t{me} acquire m{object} {place}"));
            }
            18 => {
                self.streams += 1;
                let initialiser = self.streams;
                self.line(&format!("c{initialiser} class-init t{me}"));
                self.line(&format!("c{initialiser} acquire m{object} {place}"));
                self.line(&format!("c{initialiser} class-init-end"));
            }
            _ => match self.ended.pop() {
                Some(target) => self.line(&format!("t{me} join t{target}")),
                None if self.alive.len() > 1 => {
                    self.line(&format!("t{me} exit"));
                    self.alive.retain(|thread| *thread != me);
                    self.ended.push(me);
                }
                None => self.line(&format!("t{me} value {me}")),
            },
        }
    }
}
