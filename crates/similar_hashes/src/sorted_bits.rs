//! Hashes with their bits sorted by what mirroring inverts, packed as bytes.
//!
//! Mirroring a picture inverts bits of its hash: those of every second column, or of every second row, or both. So the
//! bits are sorted into four words by what inverts them. The distances of all four mirrored hashes follow from the
//! number of differing bits in each word. Inverting the colours of a picture inverts every bit, so four more distances
//! follow from the same numbers. A turned picture has rows and columns exchanged; the search compares it separately.

use contract::PictureHash;

const WORD_BITS: u32 = u64::BITS;

/// A hash with its bits grouped by symmetry: unchanged by mirroring, inverted by horizontal mirroring, inverted by
/// vertical mirroring, and inverted by either.
pub(crate) type SortedWords = [u64; 4];

/// Returns the smallest number of bits that differ if one of the pictures may be mirrored and have inverted colours.
/// Written out, because it is called millions of times.
#[inline]
pub(crate) fn distance(one: &SortedWords, two: &SortedWords) -> u32 {
    let fixed = (one[0] ^ two[0]).count_ones();
    let columns = (one[1] ^ two[1]).count_ones();
    let rows = (one[2] ^ two[2]).count_ones();
    let either = (one[3] ^ two[3]).count_ones();
    // If n of a word's 64 bits differ, 64 - n differ once it is inverted. Mirroring inverts two of the three words or
    // none; with inverted colours, the fourth word is inverted too, and one of the three or all.
    let not_either = WORD_BITS - either;
    let same = nearest(columns, rows + either).min(nearest(WORD_BITS - columns, rows + not_either));
    let opposite = nearest(columns, rows + not_either).min(nearest(WORD_BITS - columns, rows + either));
    (fixed + same).min(PictureHash::INVERSION_BITS + WORD_BITS - fixed + opposite)
}

/// Returns the differences of the columns and the smaller one of the two that the rows can have.
#[inline]
fn nearest(columns: u32, rows: u32) -> u32 {
    columns + rows.min(2 * WORD_BITS - rows)
}

/// Returns the hashes as bytes. Their order of bytes is that of the processor, because it decides how fast they are
/// read.
pub fn pack(hashes: impl IntoIterator<Item = PictureHash>) -> Vec<u8> {
    let words = hashes.into_iter().flat_map(sort_bits);
    words.flat_map(u64::to_le_bytes).collect()
}

pub(crate) fn unpack(bytes: &[u8; PictureHash::BYTES]) -> SortedWords {
    let (words, _) = bytes.as_chunks::<8>();
    match words {
        [a, b, c, d] => [*a, *b, *c, *d].map(u64::from_le_bytes),
        _ => [0; 4],
    }
}

/// Sorts the bits of a hash by what inverts them. A word of a hash has four rows of 16 bits, and every second row and
/// every second column belongs together.
pub(crate) fn sort_bits(hash: PictureHash) -> SortedWords {
    let mut sorted = [0; 4];
    for word in hash.words() {
        let word = unzip(word);
        for (index, sorted) in sorted.iter_mut().enumerate() {
            *sorted = *sorted << 16 | word >> (16 * index) & 0xFFFF;
        }
    }
    sorted
}

/// Returns the hash with these sorted bits.
pub(crate) fn unsort_bits(sorted: SortedWords) -> PictureHash {
    PictureHash::from_words(std::array::from_fn(|index| {
        let part = |(class, sorted): (usize, &u64)| (sorted >> (16 * (3 - index)) & 0xFFFF) << (16 * class);
        zip(sorted.iter().enumerate().map(part).fold(0, |word, part| word | part))
    }))
}

/// The steps that bring the even bits of a word into its lower half: masks of bits that change places with those a few
/// positions higher.
const EVEN_TO_LOWER_HALF: [(u64, u32); 5] = [
    (0x2222_2222_2222_2222, 1),
    (0x0C0C_0C0C_0C0C_0C0C, 2),
    (0x00F0_00F0_00F0_00F0, 4),
    (0x0000_FF00_0000_FF00, 8),
    (0x0000_0000_FFFF_0000, 16),
];

/// Brings together the 16 bits of each kind, those that nothing inverts lowest: first sorts the columns, then the
/// halves of the rows, which are bytes by now. Rows 0 and 2 of a word are inverted by mirroring top and bottom, even
/// columns by mirroring left and right.
#[expect(clippy::many_single_char_names, reason = "the bytes of a word, in two orders")]
fn unzip(word: u64) -> u64 {
    let [a, b, c, d, e, f, g, h] = EVEN_TO_LOWER_HALF.into_iter().fold(word, exchange).to_le_bytes();
    u64::from_le_bytes([f, h, b, d, e, g, a, c])
}

/// Undoes `unzip`.
#[expect(clippy::many_single_char_names, reason = "the bytes of a word, in two orders")]
fn zip(word: u64) -> u64 {
    let [f, h, b, d, e, g, a, c] = word.to_le_bytes();
    let bytes = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    EVEN_TO_LOWER_HALF.into_iter().rev().fold(bytes, exchange)
}

fn exchange(word: u64, (mask, shift): (u64, u32)) -> u64 {
    let differing = (word >> shift ^ word) & mask;
    word ^ differing ^ differing << shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorting_the_bits_loses_none(words in any::<[u64; 4]>()) {
            let hash = PictureHash::from_words(words);
            prop_assert_eq!(unsort_bits(sort_bits(hash)), hash);
        }

        #[test]
        fn the_distance_is_that_of_the_nearest_mirrored_or_inverted_hash(one in any::<[u64; 4]>(), two in any::<[u64; 4]>()) {
            let (one, two) = (PictureHash::from_words(one), PictureHash::from_words(two));
            let upright = one.appearances().into_iter().enumerate().filter(|(index, _)| index % 8 < 4);
            let nearest = upright.map(|(_, (hash, bits))| hash.distance(&two) + bits).min();
            prop_assert_eq!(Some(distance(&sort_bits(one), &sort_bits(two))), nearest);
        }
    }
}
