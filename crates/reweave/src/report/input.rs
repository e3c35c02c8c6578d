//! What came in from outside, in a few words: the call, what it gave, and the beginning of what it brought.

use reweave_trace::model::{Process, Site};
use reweave_trace::{Link, SiteId};

/// As many characters of a text are shown.
const SHOWN: usize = 32;
/// Bit in the tag: the call threw.
const THREW: u32 = 1;

/// Kinds of objects as the recorder writes them.
const STRING: u8 = 2;
const THROWABLE: u8 = 9;

/// ` FileInputStream.readBytes: 27, "a file has li…"`, of an input of a JVM; the caller says that it is one.
pub fn describe(
    process: &Process,
    event: Link,
    site: Option<&Site>,
    tag: u32,
    value: i64,
) -> String {
    let bytes = process.inputs.get(&event).map(Vec::as_slice);
    let call = site.map_or_else(String::new, |site| {
        let class = site.class.rsplit(['/', '.']).next().unwrap_or_default();
        format!(" {class}.{}", site.method_name())
    });
    if tag & THREW != 0 {
        return format!("{call}: threw {}", bytes.map_or_else(String::new, thrown));
    }
    let result = site.and_then(|site| site.method.rsplit(')').next());
    match (result.and_then(|result| result.chars().next()), bytes) {
        (Some('V'), None) => call,
        (Some('V'), Some(bytes)) => format!("{call}: {}", quoted(bytes)),
        (Some('L' | '['), Some(bytes)) => format!("{call}: {}", object(bytes)),
        (Some('Z'), None) => format!("{call}: {}", value != 0),
        (_, None) => format!("{call}: {value}"),
        (_, Some(bytes)) => format!("{call}: {value}, {}", quoted(bytes)),
    }
}

/// What a value is whose site is not a place in the program.
pub fn special(link: Link, site: SiteId, value: u64) -> Option<String> {
    Some(match site {
        SiteId::IDENTITY_HASH => {
            format!(
                "identity hash {:#x}",
                value ^ u64::from(link.identity_hash())
            )
        }
        SiteId::SALT => "salt of immutable collections".to_owned(),
        SiteId(4) => format!("processors {value}"),
        SiteId(5..=7) => format!("memory {value}"),
        SiteId::MADE => "made a reference".to_owned(),
        SiteId::GONE => "found a reference empty".to_owned(),
        SiteId::POLLED => "took a reference from a queue".to_owned(),
        SiteId::REMOVED => "waited for a queue of references".to_owned(),
        SiteId::FINALIZED => "finalized an object".to_owned(),
        _ => return None,
    })
}

fn object(bytes: &[u8]) -> String {
    match bytes.first() {
        Some(&0) => "null".to_owned(),
        Some(&STRING) => text(&bytes[1..]).map_or_else(String::new, |(text, _)| shown(&text)),
        _ => format!("{} bytes", bytes.len()),
    }
}

/// Name and message of an exception.
fn thrown(bytes: &[u8]) -> String {
    let Some((&THROWABLE, rest)) = bytes.split_first() else {
        return "something".to_owned();
    };
    let Some((name, rest)) = text(rest) else {
        return "something".to_owned();
    };
    match rest.split_first() {
        Some((&STRING, message)) => match text(message) {
            Some((message, _)) => format!("{name}: {message}"),
            None => name,
        },
        _ => name,
    }
}

/// A text: how many characters, then two bytes for each; and what is behind it.
fn text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let size = usize::try_from(u32::from_le_bytes(*length))
        .ok()?
        .checked_mul(2)?;
    let (chars, rest) = rest.split_at_checked(size)?;
    let units: Vec<u16> = chars
        .chunks_exact(2)
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
        .collect();
    Some((String::from_utf16_lossy(&units), rest))
}

/// Bytes that are a text are shown as one.
fn quoted(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(SHOWN * 4)];
    let is_text = start.iter().all(|byte| {
        (b' '..0x7f).contains(byte) || matches!(byte, b'\n' | b'\r' | b'\t') || *byte >= 0x80
    });
    match is_text {
        true => shown(&String::from_utf8_lossy(start)),
        false => format!("{} bytes", bytes.len()),
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reweave_trace::file::table::SiteKind;
    use reweave_trace::{Position, ProcessNumber, StreamId};

    fn encoded(text: &str) -> Vec<u8> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut bytes = (units.len() as u32).to_le_bytes().to_vec();
        bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        bytes
    }

    #[track_caller]
    fn check(method: &str, tag: u32, value: i64, bytes: Option<Vec<u8>>, expected: &str) {
        let link = Link::new(StreamId(1), Position(7));
        let mut process = Process::new(ProcessNumber(0));
        process.inputs.extend(bytes.map(|bytes| (link, bytes)));
        let site = Site {
            class: "java/io/FileInputStream".into(),
            source: "".into(),
            method: method.to_owned(),
            line: 0,
            kind: SiteKind::Method,
        };
        assert_eq!(describe(&process, link, Some(&site), tag, value), expected);
    }

    #[test]
    fn a_call_is_named_with_what_it_gave() {
        check(
            "available0()I",
            0,
            12,
            None,
            " FileInputStream.available0: 12",
        );
        check("isIPv6()Z", 0, 1, None, " FileInputStream.isIPv6: true");
        check("close0()V", 0, 0, None, " FileInputStream.close0");
        let bytes = b"a file\nhas lines".to_vec();
        check(
            "readBytes([BII)I",
            0,
            16,
            Some(bytes),
            " FileInputStream.readBytes: 16, \"a file\\nhas lines\"",
        );
        let name = [&[STRING][..], &encoded("localhost")].concat();
        check(
            "name()Ljava/lang/String;",
            0,
            0,
            Some(name),
            " FileInputStream.name: \"localhost\"",
        );
        check(
            "readBytes([BII)I",
            0,
            3,
            Some(vec![0, 1, 2]),
            " FileInputStream.readBytes: 3, 3 bytes",
        );
    }

    #[test]
    fn an_exception_is_named() {
        let bytes = [
            &[THROWABLE][..],
            &encoded("java.io.IOException"),
            &[STRING],
            &encoded("no such file"),
        ];
        check(
            "open0(Ljava/lang/String;)V",
            THREW,
            0,
            Some(bytes.concat()),
            " FileInputStream.open0: threw java.io.IOException: no such file",
        );
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(
            quoted(&b"x".repeat(100)),
            format!("\"{}\"…", "x".repeat(SHOWN))
        );
    }
}
