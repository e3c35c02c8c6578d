//! What is said to people: texts, tables and numbers.

pub mod event;
mod input;
pub mod table;
pub mod terminal;

/// `1 event`, `2 events`, with thousands separated as `12,345`.
pub fn count(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", thousands(number))
}

pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `17 B`, `4.2 kB`, `1.3 GB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(count(1, "event"), "1 event");
        assert_eq!(count(1_234_567, "event"), "1,234,567 events");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(4_200), "4.2 kB");
        assert_eq!(size(999_999), "1.0 MB");
    }
}
