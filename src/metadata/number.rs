//! Numbers from the raw text of JSON, without the detour over `f64` that would round 2^53 + 1.
//!
//! An integer is read in two ways: strictly, as Zarr writes it, and as any spelling of a whole number (`3.0`, `3e0`), as N5 allows.

use crate::error::{ErrorKind, Result};
use crate::model::try_vec;

use crate::json::Value;

/// How an integer may be spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Digits only.
    Digits,
    /// Any JSON number whose value is whole.
    Whole,
}

impl Spelling {
    /// The integer, where the text spells one that fits.
    pub(super) fn integer(self, raw: &str) -> Option<i128> {
        match self {
            Self::Digits => digits(raw),
            Self::Whole => whole(raw),
        }
    }
}

/// An integer of `value` within `least..=most`.
pub(super) fn integer_in<T: TryFrom<i128>>(value: Value, path: &str, least: i128, most: i128) -> Result<T> {
    let integer = Spelling::Digits.integer(value.raw()).filter(|integer| (least..=most).contains(integer));
    integer.and_then(|integer| T::try_from(integer).ok()).ok_or_else(|| value.invalid(path, &format!("an integer from {least} to {most}")))
}

/// The extents in an array of integers, each at least `least`.
pub(super) fn extents(value: Value, path: &str, spelling: Spelling, least: u64) -> Result<Vec<u64>> {
    let items = value.array(path)?;
    if items.len() > usize::from(u16::MAX) {
        let message = format!("`{path}` has {} entries; an array has at most 65535 dimensions", items.len());
        return Err(value.error(ErrorKind::InvalidMetadata, message));
    }
    let mut extents = try_vec(items.len())?;
    for (axis, item) in items.into_iter().enumerate() {
        extents.push(extent(item, &format!("{path}[{axis}]"), spelling, least)?);
    }
    Ok(extents)
}

/// The extents as an array of integers.
pub(super) fn extents_to_json(extents: &[u64]) -> String {
    let numbers: Vec<_> = extents.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// One extent of at least `least`.
pub(super) fn extent(value: Value, path: &str, spelling: Spelling, least: u64) -> Result<u64> {
    let integer = spelling.integer(value.raw()).and_then(|integer| u64::try_from(integer).ok());
    integer.filter(|&extent| extent >= least).ok_or_else(|| value.invalid(path, &format!("an integer from {least} to 2^64 - 1")))
}

fn digits(raw: &str) -> Option<i128> {
    let unsigned = raw.strip_prefix('-').unwrap_or(raw);
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) { raw.parse().ok() } else { None }
}

fn whole(raw: &str) -> Option<i128> {
    let (negative, unsigned) = raw.strip_prefix('-').map_or((false, raw), |unsigned| (true, unsigned));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (integral, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = || integral.bytes().chain(fraction.bytes());
    if !all_digits().all(|byte| byte.is_ascii_digit()) || integral.is_empty() {
        return None;
    }
    if all_digits().all(|byte| byte == b'0') {
        return Some(0);
    }
    // The digits before position `point` make the whole number, those behind it must be zeros.
    let point = i64::try_from(integral.len()).ok()?.checked_add(exponent.parse::<i64>().ok()?)?;
    let mut value: i128 = 0;
    let mut position: i64 = 0;
    for byte in all_digits() {
        let digit = byte.checked_sub(b'0')?;
        if position < point {
            value = value.checked_mul(10)?.checked_add(i128::from(digit))?;
        } else if digit != 0 {
            return None;
        }
        position = position.checked_add(1)?;
    }
    if value != 0 && point > position {
        let missing_zeros = u32::try_from(point.checked_sub(position)?).ok()?;
        value = value.checked_mul(10_i128.checked_pow(missing_zeros)?)?;
    }
    if negative { value.checked_neg() } else { Some(value) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn policy_23_whole_numbers_are_exact_in_every_spelling() {
        let cases = [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("3e0", Some(3)),
            ("30E-1", Some(3)),
            ("0.3e+1", Some(3)),
            ("3.000", Some(3)),
            ("-0", Some(0)),
            ("0e999999999999999999999", Some(0)),
            ("0.00", Some(0)),
            ("1e3", Some(1000)),
            ("1.25e2", Some(125)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("9007199254740993.0", Some(9_007_199_254_740_993)),
            ("18446744073709551615", Some(u64::MAX.into())),
            ("1.8446744073709551615e19", Some(u64::MAX.into())),
            ("-6", Some(-6)),
            ("3.5", None),
            ("1e-1", None),
            ("35e-1", None),
            ("1e-99999999999999999999", None),
            ("1e99999999999999999999", None),
            ("1e40", None),
            ("true", None),
            ("\"3\"", None),
            ("", None),
            ("[3]", None),
        ];
        for (raw, expected) in cases {
            assert_eq!(Spelling::Whole.integer(raw), expected, "{raw}");
        }
    }

    #[test]
    fn digits_are_digits_only() {
        let cases = [
            ("0", Some(0)),
            ("-12", Some(-12)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("3.0", None),
            ("3e0", None),
            ("-", None),
            ("", None),
            ("999999999999999999999999999999999999999999", None),
        ];
        for (raw, expected) in cases {
            assert_eq!(Spelling::Digits.integer(raw), expected, "{raw}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_spelling_of_a_whole_number_has_its_value(number: i64, zeros in 0_usize..12, exponent in 0_usize..12) {
            let spellings = [
                format!("{number}.{}", "0".repeat(zeros.saturating_add(1))),
                format!("{number}{}e-{exponent}", "0".repeat(exponent)),
                format!("{number}.{}E+0", "0".repeat(zeros.saturating_add(1))),
            ];
            for spelling in spellings {
                proptest::prop_assert_eq!(whole(&spelling), Some(i128::from(number)), "{}", spelling);
            }
            let scaled = i128::from(number).saturating_mul(10_i128.saturating_pow(u32::try_from(exponent).unwrap()));
            proptest::prop_assert_eq!(whole(&format!("{number}e{exponent}")), Some(scaled));
        }

        #[test]
        fn no_text_is_too_odd(text: String, number in "-?[0-9]{0,40}(\\.[0-9]{0,40})?([eE][+-]?[0-9]{0,20})?") {
            for raw in [text, number] {
                let _ = digits(&raw);
                let _ = whole(&raw);
            }
        }
    }
}
