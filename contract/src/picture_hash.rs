//! What a picture looks like, in 256 bits: alike pictures differ in few of them.
//!
//! How the bits come about only the origin knows; here they are written, read and compared, because both programs do.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

const WORDS: usize = 4;
const DIGITS_A_WORD: usize = 16;
/// As text: lower-case hexadecimal digits.
const DIGITS: usize = WORDS * DIGITS_A_WORD;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PictureHash([u64; WORDS]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPictureHash;

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

    /// How many bits differ.
    pub fn distance(&self, other: &Self) -> u32 {
        let words = self.0.iter().zip(&other.0);
        words.map(|(one, two)| (one ^ two).count_ones()).sum()
    }

    /// Whether no more than that many bits differ. Strangers are told apart by the first half already.
    #[inline]
    pub fn is_within(&self, most: u32, other: &Self) -> bool {
        let differ = |word: usize| (self.0[word] ^ other.0[word]).count_ones();
        let half = differ(0) + differ(1);
        half <= most && half + differ(2) + differ(3) <= most
    }
}

impl fmt::Display for PictureHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|word| write!(formatter, "{word:016x}"))
    }
}

impl FromStr for PictureHash {
    type Err = NotAPictureHash;

    fn from_str(text: &str) -> Result<Self, NotAPictureHash> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.as_bytes().iter().all(is_digit) {
            return Err(NotAPictureHash);
        }
        let mut hash = [0; WORDS];
        for (index, word) in hash.iter_mut().enumerate() {
            let digits = &text[index * DIGITS_A_WORD..][..DIGITS_A_WORD];
            *word = u64::from_str_radix(digits, 16).map_err(|_| NotAPictureHash)?;
        }
        Ok(Self(hash))
    }
}

impl fmt::Display for NotAPictureHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "a picture hash has {DIGITS} lower-case hexadecimal digits"
        )
    }
}

impl std::error::Error for NotAPictureHash {}

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
    fn only_64_lower_case_digits_are_a_hash() {
        for text in [
            "",
            "0",
            &"A".repeat(64),
            &"0".repeat(63),
            &"0".repeat(65),
            &"+".repeat(64),
            &"é".repeat(32),
        ] {
            assert_eq!(text.parse::<PictureHash>(), Err(NotAPictureHash), "{text}");
        }
    }

    #[test]
    fn the_bytes_are_written_in_their_order() {
        let bytes = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let hash = PictureHash::from_bytes(bytes);
        assert_eq!(hash.to_string(), crate::hexadecimal(&bytes));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(hash in any_hash()) {
            let json = serde_json::to_string(&hash).unwrap();
            prop_assert_eq!(json.len(), 64 + 2);
            prop_assert_eq!(serde_json::from_str::<PictureHash>(&json).unwrap(), hash);
        }

        #[test]
        fn the_distance_is_one(one in any_hash(), two in any_hash(), three in any_hash()) {
            prop_assert_eq!(one.distance(&one), 0);
            prop_assert_eq!(one.distance(&two), two.distance(&one));
            prop_assert!(one.distance(&three) <= one.distance(&two) + two.distance(&three));
        }

        #[test]
        fn within_means_a_distance_of_no_more(one in any_hash(), two in any_hash(), most in 0_u32..=256) {
            prop_assert_eq!(one.is_within(most, &two), one.distance(&two) <= most);
        }
    }
}
