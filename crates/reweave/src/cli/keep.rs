//! `--keep-last TIME|SIZE`.

/// How much of a bounded recording is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepLast {
    Seconds(u64),
    Bytes(u64),
}

/// The smallest that is worth it: a few windows.
const LEAST_BYTES: u64 = 1 << 20;

pub fn keep_last(text: &str) -> Result<KeepLast, String> {
    let (digits, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let factor: Option<u64> = match unit {
        "k" | "K" => Some(1 << 10),
        "M" | "MB" => Some(1 << 20),
        "G" | "GB" => Some(1 << 30),
        _ => None,
    };
    if let Some(factor) = factor {
        return match digits
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(factor))
        {
            Some(bytes @ LEAST_BYTES..) => Ok(KeepLast::Bytes(bytes)),
            _ => Err("at least 1M is needed".to_owned()),
        };
    }
    match humantime::parse_duration(text) {
        Ok(time) if time.as_secs() > 0 => Ok(KeepLast::Seconds(time.as_secs())),
        _ => Err("a time as in 60s or a size as in 256M is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(keep_last("60s"), Ok(KeepLast::Seconds(60)));
        assert_eq!(keep_last("2m"), Ok(KeepLast::Seconds(120)));
        assert_eq!(keep_last("256M"), Ok(KeepLast::Bytes(256 << 20)));
        assert_eq!(keep_last("1G"), Ok(KeepLast::Bytes(1 << 30)));
        for wrong in ["", "60", "M", "1k", "0s", "99999999999999999999G", "ä"] {
            assert!(keep_last(wrong).is_err(), "{wrong}");
        }
    }
}
