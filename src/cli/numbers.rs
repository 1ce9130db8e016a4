//! Numbers as people read them.

use num_bigint::BigUint;
use std::time::Duration;

/// Numbers of more digits are shortened.
const MOST_DIGITS: usize = 30;

/// All digits, if they are not too many: `4.02e2567`.
pub(crate) fn brief(number: &BigUint) -> String {
    let digits = number.to_string();
    if digits.len() <= MOST_DIGITS { digits } else { rounded(&digits) }
}

/// The same; a number that is shortened comes with its length: `4.02e2567 (2568 digits)`.
pub(crate) fn measured(number: &BigUint) -> String {
    let digits = number.to_string();
    if digits.len() <= MOST_DIGITS {
        return digits;
    }
    format!("{} ({} digits)", rounded(&digits), digits.len())
}

/// `1 state`, `2 states`
pub(crate) fn counted(number: &BigUint, one: &str) -> String {
    let is_one = *number == BigUint::from(1_u32);
    format!("{} {one}{}", brief(number), if is_one { "" } else { "s" })
}

/// How many per second.
pub(crate) fn per_second(count: u64, time: Duration) -> u64 {
    let rate = u128::from(count) * 1_000_000 / time.as_micros().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// `0.015 s`, rounded up.
pub(crate) fn seconds(time: Duration) -> String {
    let milliseconds = time.as_micros().div_ceil(1000);
    format!("{}.{:03} s", milliseconds / 1000, milliseconds % 1000)
}

/// Three digits and a power of ten, of a number of more than three digits.
fn rounded(digits: &str) -> String {
    let leading: u32 = digits[..4].parse().expect("digits are a number");
    let (mut mantissa, mut exponent) = ((leading + 5) / 10, digits.len() - 1);
    if mantissa == 1000 {
        (mantissa, exponent) = (100, exponent + 1);
    }
    format!("{}.{:02}e{exponent}", mantissa / 100, mantissa % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_shortened() {
        //  digits, then as many zeros   brief        measured
        for (digits, zeros, brief_form, measured_form) in [
            ("0", 0, "0", "0"),
            ("7", 2, "700", "700"),
            ("1", 29, "100000000000000000000000000000", "100000000000000000000000000000"),
            ("1", 30, "1.00e30", "1.00e30 (31 digits)"),
            ("1234", 30, "1.23e33", "1.23e33 (34 digits)"),
            ("1235", 30, "1.24e33", "1.24e33 (34 digits)"),
            ("9994", 30, "9.99e33", "9.99e33 (34 digits)"),
            ("9995", 30, "1.00e34", "1.00e34 (34 digits)"),
            ("10749", 2563, "1.07e2567", "1.07e2567 (2568 digits)"),
        ] {
            let number = format!("{digits}{}", "0".repeat(zeros)).parse().expect("a number");
            assert_eq!([brief(&number), measured(&number)], [brief_form, measured_form]);
        }
        for (number, expected) in [(0_u32, "0 states"), (1, "1 state"), (2, "2 states")] {
            assert_eq!(counted(&number.into(), "state"), expected);
        }
    }
}
