//! Formats durations, counts, rates and shares for people.

use std::time::Duration;

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 finding`, `2,000 findings`: nouns whose plural ends in `s`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A size in bytes as `0.4 MiB` or `12 MiB`.
pub(crate) fn mebibytes(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    if mebibytes < 9.95 { format!("{mebibytes:.1} MiB") } else { format!("{mebibytes:.0} MiB") }
}

/// The two largest non-zero units: `4.2s`, `1m 20s`, `1h`, `2d 3h`.
pub(crate) fn duration(duration: Duration) -> String {
    // Rounded first, or 9.96 seconds would become `10.0s` and 59.96 seconds `60s`.
    let tenths = (duration.as_millis() + 50) / 100;
    if tenths < 100 {
        return if tenths.is_multiple_of(10) {
            format!("{}s", tenths / 10)
        } else {
            format!("{}.{}s", tenths / 10, tenths % 10)
        };
    }
    let seconds = (tenths / 10) as u64;
    let (large, small) = match seconds {
        0..60 => return format!("{seconds}s"),
        60..3_600 => ((60, "m"), (1, "s")),
        3_600..86_400 => ((3_600, "h"), (60, "m")),
        _ => ((86_400, "d"), (3_600, "h")),
    };
    let rest = seconds % large.0 / small.0;
    let first = format!("{}{}", seconds / large.0, large.1);
    if rest == 0 { first } else { format!("{first} {rest}{}", small.1) }
}

/// A rate with three digits.
pub(crate) fn rate(per_second: f64) -> String {
    match per_second {
        ..0.005 => "0".to_owned(),
        ..9.995 => format!("{per_second:.2}"),
        ..99.95 => format!("{per_second:.1}"),
        _ => thousands(per_second.round() as u64),
    }
}

/// A share between 0 and 1 as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(thousands(count), text);
        }
        assert_eq!(counted(1, "finding"), "1 finding");
        assert_eq!(counted(0, "finding"), "0 findings");
    }

    #[test]
    fn durations_have_at_most_two_units() {
        let expected = [
            (0, "0s"),
            (420, "0.4s"),
            (9_960, "10s"),
            (59_940, "59s"),
            (59_960, "1m"),
            (80_000, "1m 20s"),
            (3_600_000, "1h"),
            (3_900_000, "1h 5m"),
            (183_600_000, "2d 3h"),
        ];
        for (milliseconds, text) in expected {
            assert_eq!(duration(Duration::from_millis(milliseconds)), text);
        }
    }

    #[test]
    fn rates_have_three_digits() {
        for (per_second, text) in [(0.0, "0"), (0.5, "0.50"), (12.34, "12.3"), (1234.5, "1,235")] {
            assert_eq!(rate(per_second), text);
        }
    }
}
