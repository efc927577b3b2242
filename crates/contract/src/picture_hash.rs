//! A perceptual hash of a picture in 256 bits: similar pictures differ in few bits.
//!
//! Only the origin computes hashes. Both programs write, parse and compare them, so that part is here.
//!
//! The hash is a PDQ hash. It has 16 rows of 16 bits: a row for each vertical and a column for each horizontal
//! frequency of the picture. The lowest frequency is the last. Mirroring a picture flips the sign of every second
//! frequency, turning it exchanges rows and columns, and inverting its colours flips all signs. So the hash of a
//! picture determines the hashes of its other seven orientations, and of all eight with inverted colours, except for a
//! few bits near the median.

use crate::hexadecimal::parse_hexadecimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

const WORDS: usize = 4;
/// The rows of a hash, and the bits of a row.
const SIDE: usize = 16;
const ROWS_A_WORD: usize = SIDE / WORDS;
/// The bits that flip when the picture is mirrored left to right.
const MIRRORED_COLUMNS: u64 = 0x5555_5555_5555_5555;
/// The bits that flip when the picture is mirrored top to bottom.
const MIRRORED_ROWS: u64 = 0x0000_FFFF_0000_FFFF;
/// The length of the text form, in lower-case hexadecimal digits.
const DIGITS: usize = PictureHash::BYTES * 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PictureHash([u64; WORDS]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseHashError;

/// A change of a picture: first it is mirrored left to right, then turned clockwise, then its colours are inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    pub is_mirrored: bool,
    pub turned_degrees: u32,
    pub is_inverted: bool,
}

/// The eight orientations, in the order of `PictureHash::appearances`: whether the picture is mirrored, and the angle
/// by which it is turned clockwise.
const ORIENTATIONS: [(bool, u32); 8] =
    [(false, 0), (true, 0), (true, 180), (false, 180), (true, 270), (false, 90), (false, 270), (true, 90)];

impl PictureHash {
    pub const BYTES: usize = WORDS * 8;
    /// Pictures of lower PDQ quality, such as black, a plain colour or a soft gradient, cannot be told apart. PDQ
    /// recommends this limit.
    pub const MIN_QUALITY: u32 = 50;
    /// Inverted colours count as this many different bits. An inverted copy differs in few other bits. Without this
    /// penalty, twice as many different pictures would be similar (`docs/moderation.md`).
    pub const INVERSION_BITS: u32 = 16;

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

    /// Returns the hashes of the picture in its eight orientations, this one first, and then of the same with inverted
    /// colours. Each comes with the number of bits that its appearance counts as.
    pub fn appearances(self) -> [(Self, u32); 16] {
        let signs = [0, MIRRORED_COLUMNS, MIRRORED_ROWS, MIRRORED_COLUMNS ^ MIRRORED_ROWS];
        let pictures = [self, self.transposed()];
        let (count, orientations) = (signs.len(), signs.len() * pictures.len());
        std::array::from_fn(|index| {
            let (inversion, bits) = if index < orientations { (0, 0) } else { (u64::MAX, Self::INVERSION_BITS) };
            let sign = signs[index % count] ^ inversion;
            (Self(pictures[index % orientations / count].0.map(|word| word ^ sign)), bits)
        })
    }

    /// Returns the change that makes this picture most similar to another, and the distance of the two after it.
    pub fn nearest_appearance(self, other: &Self) -> (Appearance, u32) {
        let changes = [false, true].into_iter().flat_map(|is_inverted| {
            ORIENTATIONS.map(|(is_mirrored, turned_degrees)| Appearance { is_mirrored, turned_degrees, is_inverted })
        });
        let distances = self.appearances().map(|(hash, bits)| hash.distance(other) + bits);
        let upright = Appearance { is_mirrored: false, turned_degrees: 0, is_inverted: false };
        let nearest = changes.zip(distances).min_by_key(|(_, distance)| *distance);
        nearest.unwrap_or_else(|| (upright, self.distance(other)))
    }

    /// Returns the hash of the picture mirrored along a diagonal: rows and columns are exchanged.
    #[must_use]
    pub fn transposed(self) -> Self {
        let mut words = [0; WORDS];
        for row in 0..SIDE {
            for column in (0..SIDE).filter(|column| self.has_bit(row, *column)) {
                words[WORDS - 1 - column / ROWS_A_WORD] |= 1 << (column % ROWS_A_WORD * SIDE + row);
            }
        }
        Self(words)
    }

    fn has_bit(self, row: usize, column: usize) -> bool {
        self.0[WORDS - 1 - row / ROWS_A_WORD] >> (row % ROWS_A_WORD * SIDE + column) & 1 == 1
    }

    /// Returns the smallest number of bits that differ in any orientation of the picture, with inverted colours or
    /// without.
    pub fn distance_in_any_appearance(self, other: &Self) -> u32 {
        let distances = self.appearances().map(|(hash, bits)| hash.distance(other) + bits);
        distances.into_iter().min().unwrap_or_default()
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
        parse_hexadecimal(text).map(Self::from_bytes).ok_or(ParseHashError)
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
        assert!(ParseHashError.to_string().contains("exactly 64 lower-case hexadecimal digits"));
    }

    /// Builds a hash from its rows, lowest frequency first. In each row, the lowest bit is the column of the lowest
    /// frequency.
    fn from_rows(mut rows: [u16; SIDE]) -> PictureHash {
        rows.reverse();
        let bytes: Vec<u8> = rows.into_iter().flat_map(u16::to_be_bytes).collect();
        PictureHash::from_bytes(bytes.try_into().unwrap())
    }

    #[test]
    fn the_appearances_flip_every_second_column_or_row_exchange_the_two_and_invert_all() {
        let mut rows = [0; SIDE];
        rows[3] = 1 << 14;
        let columns = [0x5555; SIDE];
        let every_second: [u16; SIDE] = std::array::from_fn(|row| if row % 2 == 0 { 0xffff } else { 0 });
        let mut turned = [0; SIDE];
        turned[14] = 1 << 3;
        let flip = |rows: [u16; SIDE], signs: [u16; SIDE]| from_rows(std::array::from_fn(|row| rows[row] ^ signs[row]));
        let both = std::array::from_fn(|row| columns[row] ^ every_second[row]);
        let expected =
            [rows, turned].map(|rows| [[0; SIDE], columns, every_second, both].map(|signs| flip(rows, signs)));
        let orientations = expected.as_flattened();
        let inverted = orientations.iter().map(|hash| (PictureHash(hash.words().map(|word| !word)), 16));
        let expected: Vec<_> = orientations.iter().map(|hash| (*hash, 0)).chain(inverted).collect();
        assert_eq!(from_rows(rows).appearances().as_slice(), expected);
        assert_eq!(from_rows(rows).transposed(), from_rows(turned));
    }

    #[test]
    fn the_distance_in_any_appearance_is_the_smallest_of_all() {
        let (none, one_bit) = (PictureHash([0; WORDS]), PictureHash([0, 0, 0, 1]));
        assert_eq!(none.distance_in_any_appearance(&one_bit), 1);
        assert_eq!(none.distance_in_any_appearance(&PictureHash([u64::MAX; WORDS])), PictureHash::INVERSION_BITS);
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
        fn the_distance_in_any_appearance_is_a_metric_between_pictures(
            one in any_hash(), two in any_hash(), three in any_hash(),
        ) {
            let distance = PictureHash::distance_in_any_appearance;
            prop_assert!(one.appearances().iter().all(|(hash, bits)| distance(*hash, &one) <= *bits));
            prop_assert_eq!(distance(one, &two), distance(two, &one));
            prop_assert!(distance(one, &three) <= distance(one, &two) + distance(two, &three));
        }

        #[test]
        fn a_hash_that_is_transposed_twice_is_the_same(hash in any_hash()) {
            prop_assert_eq!(hash.transposed().transposed(), hash);
        }

        #[test]
        fn is_within_agrees_with_the_distance(one in any_hash(), two in any_hash(), most in 0_u32..=256) {
            prop_assert_eq!(one.is_within(most, &two), one.distance(&two) <= most);
        }
    }
}
