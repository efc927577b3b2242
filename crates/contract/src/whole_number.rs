//! Whole numbers in the JSON of requests.
//!
//! JSON has one kind of number, so `60.0` is the integer 60, as in JSON Schema. Some programs write it that way.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt::{Formatter, Result as FmtResult};

/// The largest number that may be written with a fraction. serde_json can misread the last bit of a double. Up to here,
/// that bit is less than 1, so the error gives a refusal and never a different integer.
const MAX_WITH_FRACTION: f64 = 1_125_899_906_842_624.0;

struct WholeNumber(u64);

pub(crate) fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    WholeNumber::deserialize(deserializer).map(|number| number.0)
}

/// Reads a number or null. A member that may be missing needs `#[serde(default)]` too.
pub(crate) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<WholeNumber>::deserialize(deserializer)?.map(|number| number.0))
}

/// Reads a number of 32 bits or null.
pub(crate) fn optional_u32<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = optional(deserializer)?.map(u32::try_from).transpose();
    number.map_err(|_| Error::custom("the number is too large"))
}

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(WholeNumberVisitor)
    }
}

struct WholeNumberVisitor;

impl Visitor<'_> for WholeNumberVisitor {
    type Value = WholeNumber;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str("a whole number from 0")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(number))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    fn visit_f64<E: Error>(self, number: f64) -> Result<WholeNumber, E> {
        let is_whole = number.fract() == 0.0 && (0.0..=MAX_WITH_FRACTION).contains(&number);
        let fault = || E::custom("expected a whole number, without a fraction");
        is_whole.then_some(WholeNumber(number as u64)).ok_or_else(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Request {
        #[serde(deserialize_with = "required")]
        id: u64,
        #[serde(default, deserialize_with = "optional_u32")]
        seconds: Option<u32>,
    }

    fn read(id: &str, seconds: &str) -> Option<(u64, Option<u32>)> {
        let request: Request = serde_json::from_str(&format!(r#"{{"id":{id},"seconds":{seconds}}}"#)).ok()?;
        Some((request.id, request.seconds))
    }

    #[test]
    fn an_integer_may_be_written_with_a_fraction_of_zero() {
        assert_eq!(read("60", "7"), Some((60, Some(7))));
        assert_eq!(read("60.0", "7.0"), Some((60, Some(7))));
        assert_eq!(read("1125899906842624.0", "null"), Some((1 << 50, None)));
        assert_eq!(read("6e1", "0.0"), Some((60, Some(0))));
    }

    #[test]
    fn no_other_value_is_a_whole_number() {
        for other in ["60.5", "-1", "-1.0", "1e300", "9007199254740991.0", "\"60\"", "true", "null", "[]"] {
            assert_eq!(read(other, "1"), None, "{other}");
        }
        for other in ["4294967296", "4294967296.0", "0.5", "-1", "\"1\""] {
            assert_eq!(read("1", other), None, "{other}");
        }
    }
}
