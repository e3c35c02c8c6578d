//! What an event is: the list of kinds, with the number, name, forms and link of each.
//! The table in `docs/trace-format.md` is compared with this list by a test.

use std::fmt;

/// How many words an event takes, and what the upper bits of its first word mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// One word: the distance back to the previous event on the same object, in this stream.
    Short = 1,
    /// Two words: object tag, link.
    Linked = 2,
    /// Three words: object tag, link, value.
    Valued = 3,
}

impl Form {
    pub const fn from_number(number: u8) -> Option<Form> {
        match number {
            1 => Some(Form::Short),
            2 => Some(Form::Linked),
            3 => Some(Form::Valued),
            _ => None,
        }
    }

    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Number of words of an event of this form.
    pub const fn words(self) -> usize {
        self as usize
    }

    pub const fn name(self) -> &'static str {
        match self {
            Form::Short => "short",
            Form::Linked => "linked",
            Form::Valued => "valued",
        }
    }
}

/// What the link of an event refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkRole {
    /// Events of this kind have no link.
    None,
    /// The previous event on the same object; without one, this event is the object's first.
    Object,
    /// An event in another stream that came before, but no object the two share.
    Order,
    /// Not an event: a stream, and how many accesses to memory it had completed.
    Accesses,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $number:literal $name:ident $text:literal [$($form:ident)+] $role:ident,)*) => {
        /// What an event is. The numbers are those in the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $name = $number,)*
        }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];

            pub const fn from_number(number: u8) -> Option<Kind> {
                match number {
                    $($number => Some(Kind::$name),)*
                    _ => None,
                }
            }

            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$name => $text,)*
                }
            }

            /// The forms in which events of this kind are written.
            pub const fn forms(self) -> &'static [Form] {
                match self {
                    $(Kind::$name => &[$(Form::$form),+],)*
                }
            }

            pub const fn link_role(self) -> LinkRole {
                match self {
                    $(Kind::$name => LinkRole::$role,)*
                }
            }
        }
    };
}

kinds! {
    1 Acquire "acquire" [Short Linked] Object,
    /// Written when the monitor is held again.
    2 Wait "wait" [Valued] Object,
    3 Notify "notify" [Short Linked] Object,
    4 NotifyAll "notify-all" [Short Linked] Object,
    5 Start "start" [Valued] None,
    6 Exit "exit" [Short] None,
    7 Join "join" [Valued] Order,
    8 Interrupt "interrupt" [Valued] Object,
    /// A read of an interrupt flag, which may clear it.
    9 ReadInterrupt "interrupted?" [Valued] Object,
    10 Sleep "sleep" [Valued] Order,
    11 Park "park" [Valued] Object,
    12 Unpark "unpark" [Valued] Object,
    13 ClassInit "class-init" [Valued] Order,
    14 ClassInitEnd "class-init-end" [Short] None,
    15 Value "value" [Valued] Order,
    16 Output "output" [Valued] None,
    17 Uncaught "uncaught" [Valued] None,
    18 Halt "halt" [Valued] None,
    19 Hook "hook" [Valued] None,
    20 Foreign "foreign" [Short Linked] Object,
    /// The acquire just before it happened that many times more, with nothing else in between on its object or in its stream.
    21 Repeat "repeat" [Short] None,
    /// An access to memory came after accesses of another thread.
    22 Order "order" [Valued] Accesses,
    /// The processor went to another thread: native programs recorded one thread at a time.
    40 Switch "switch" [Valued] Order,
    /// What a call brought in from outside; its bytes are in the table.
    41 Input "input" [Valued] Order,
}

impl Kind {
    pub const fn number(self) -> u8 {
        self as u8
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    pub fn allows(self, form: Form) -> bool {
        self.forms().contains(&form)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the table whose header starts with `| kind | name |`.
    fn rows_of_the_documented_table() -> Vec<Vec<String>> {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trace-format.md");
        let text = std::fs::read_to_string(page).expect("the format page is in docs/");
        text.lines()
            .skip_while(|line| !line.starts_with("| kind | name |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .map(|line| {
                // An escaped bar is part of a cell.
                let line = line.replace("\\|", "or");
                line.trim_matches('|')
                    .split('|')
                    .map(|cell| cell.trim().to_owned())
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_documented_table_is_this_list() {
        let documented: Vec<(String, String, String, LinkRole)> = rows_of_the_documented_table()
            .into_iter()
            .map(|row| {
                let role = match row[3].as_str() {
                    "" => LinkRole::None,
                    object if object.starts_with("link:") => LinkRole::Order,
                    object if object.starts_with("tag:") => LinkRole::None,
                    object if object.starts_with("accesses:") => LinkRole::Accesses,
                    _ => LinkRole::Object,
                };
                (row[0].clone(), row[1].clone(), row[2].clone(), role)
            })
            .collect();
        let listed: Vec<(String, String, String, LinkRole)> = Kind::ALL
            .iter()
            .map(|kind| {
                let forms: Vec<&str> = kind.forms().iter().map(|form| form.name()).collect();
                (
                    kind.number().to_string(),
                    kind.name().to_owned(),
                    forms.join(", "),
                    kind.link_role(),
                )
            })
            .collect();
        assert_eq!(documented, listed);
    }

    #[test]
    fn numbers_and_names_lead_back() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::from_number(kind.number()), Some(kind));
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_number(0), None);
        assert_eq!(Form::from_number(0), None);
    }
}
