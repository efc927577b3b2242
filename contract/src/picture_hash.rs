//! A perceptual hash of a picture in 256 bits: similar pictures differ in few bits.
//!
//! Only the origin computes hashes. Both programs write, parse and compare them, so that part is here.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

const WORDS: usize = 4;
const DIGITS_A_WORD: usize = 16;
/// The length of the text form, in lower-case hexadecimal digits.
const DIGITS: usize = WORDS * DIGITS_A_WORD;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PictureHash([u64; WORDS]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseHashError;

impl PictureHash {
    pub const BYTES: usize = WORDS * 8;

    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let mut hash = [0; WORDS];
        for (word, bytes) in hash.iter_mut().zip(words) {
            *word = u64::from_be_bytes(*bytes);
        }
        Self(hash)
    }

    /// Returns the hash as four numbers. The first holds the first digits of the text form.
    pub const fn words(self) -> [u64; WORDS] {
        self.0
    }

    pub const fn from_words(words: [u64; WORDS]) -> Self {
        Self(words)
    }

    /// Returns the number of bits that differ.
    pub fn distance(&self, other: &Self) -> u32 {
        let words = self.0.iter().zip(&other.0);
        words.map(|(one, two)| (one ^ two).count_ones()).sum()
    }

    /// Whether at most `max_bits` bits differ. Compares only the first half if that already differs in more, as it
    /// usually does for different pictures.
    #[inline]
    pub fn is_within(&self, max_bits: u32, other: &Self) -> bool {
        let differ = |word: usize| (self.0[word] ^ other.0[word]).count_ones();
        let half = differ(0) + differ(1);
        half <= max_bits && half + differ(2) + differ(3) <= max_bits
    }
}

impl fmt::Display for PictureHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(formatter, "{word:016x}"))
    }
}

impl FromStr for PictureHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.as_bytes().iter().all(is_digit) {
            return Err(ParseHashError);
        }
        let mut hash = [0; WORDS];
        for (index, word) in hash.iter_mut().enumerate() {
            let digits = &text[index * DIGITS_A_WORD..][..DIGITS_A_WORD];
            *word = u64::from_str_radix(digits, 16).map_err(|_| ParseHashError)?;
        }
        Ok(Self(hash))
    }
}

impl fmt::Display for ParseHashError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a picture hash must have exactly {DIGITS} lower-case hexadecimal digits")
    }
}

impl std::error::Error for ParseHashError {}

impl Serialize for PictureHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PictureHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_hash() -> impl Strategy<Value = PictureHash> {
        any::<[u8; 32]>().prop_map(PictureHash::from_bytes)
    }

    #[test]
    fn a_hash_is_exactly_64_lower_case_hexadecimal_digits() {
        for text in ["", "0", &"A".repeat(64), &"0".repeat(63), &"0".repeat(65), &"+".repeat(64), &"é".repeat(32)] {
            assert_eq!(text.parse::<PictureHash>(), Err(ParseHashError), "{text}");
        }
    }

    #[test]
    fn bytes_are_written_in_order() {
        let bytes = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let hash = PictureHash::from_bytes(bytes);
        assert_eq!(hash.to_string(), crate::hexadecimal(&bytes));
    }

    proptest! {
        #[test]
        fn a_hash_survives_a_round_trip_through_json(hash in any_hash()) {
            let json = serde_json::to_string(&hash).unwrap();
            prop_assert_eq!(json.len(), 64 + 2);
            prop_assert_eq!(serde_json::from_str::<PictureHash>(&json).unwrap(), hash);
        }

        #[test]
        fn the_distance_is_a_metric(one in any_hash(), two in any_hash(), three in any_hash()) {
            prop_assert_eq!(one.distance(&one), 0);
            prop_assert_eq!(one.distance(&two), two.distance(&one));
            prop_assert!(one.distance(&three) <= one.distance(&two) + two.distance(&three));
        }

        #[test]
        fn is_within_agrees_with_the_distance(one in any_hash(), two in any_hash(), most in 0_u32..=256) {
            prop_assert_eq!(one.is_within(most, &two), one.distance(&two) <= most);
        }
    }
}
