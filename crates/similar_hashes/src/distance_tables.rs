//! The distances of a hash from many frames, by look-up.
//!
//! For each byte of a hash and each value of that byte, a row tells in how many bits each frame differs there. The sum
//! of the 32 rows of a hash has its distances from all frames. A row has a byte for each frame, so the compiler adds
//! those of 16 frames with one instruction. That is why all lengths below are fixed and all arithmetic wraps. No sum
//! wraps in fact, because none exceeds 192.

use crate::sorted_bits::SortedWords;
use contract::PictureHash;
use std::array::from_fn;

/// The number of frames in a table. The more frames at once, the less each costs. The tables of 96 frames take 768 KiB,
/// which fit into the level-2 cache of most processors.
pub(crate) const FRAMES: usize = 96;
/// The values of a byte.
const VALUES: usize = 256;
const WORD_BITS: u8 = 64;
#[expect(clippy::cast_possible_truncation, reason = "it is far below 256")]
const INVERSION_BITS: u8 = PictureHash::INVERSION_BITS as u8;

/// A number for each frame.
type Counts = [u8; FRAMES];
/// The differences of each frame from each value of one byte.
type ByteTable = [Counts; VALUES];

/// The differences of up to `FRAMES` frames from any hash.
pub(crate) struct DistanceTables {
    /// A `ByteTable` for each byte of a hash.
    rows: Vec<Counts>,
    /// The largest distance of each frame that counts.
    reaches: Counts,
}

impl DistanceTables {
    /// Returns the tables of the first `FRAMES` frames, each with the largest distance that counts.
    pub(crate) fn new(frames: impl Iterator<Item = (SortedWords, u32)>) -> Self {
        let (mut hashes, mut reaches) = ([[0; PictureHash::BYTES]; FRAMES], [0; FRAMES]);
        for ((words, reach), (hash, limit)) in frames.zip(hashes.iter_mut().zip(&mut reaches)) {
            hash.copy_from_slice(words.map(u64::to_le_bytes).as_flattened());
            *limit = u8::try_from(reach).unwrap_or(u8::MAX);
        }
        let mut rows = Vec::with_capacity(PictureHash::BYTES * VALUES);
        for index in 0..PictureHash::BYTES {
            rows.extend(byte_table(&hashes, index));
        }
        Self { rows, reaches }
    }

    /// Returns the frames that are within their reach of a packed hash, or `None` if none is, as usual. The answer
    /// about frames that the tables do not have is arbitrary.
    #[expect(clippy::needless_bitwise_bool, reason = "a branch for each frame would take longer")]
    #[inline]
    pub(crate) fn near(&self, packed: &[u8; PictureHash::BYTES]) -> Option<[bool; FRAMES]> {
        let distances = self.distances(packed)?;
        let is_any =
            distances.iter().zip(&self.reaches).fold(false, |any, (distance, reach)| any | (distance <= reach));
        is_any.then(|| from_fn(|frame| distances[frame] <= self.reaches[frame]))
    }

    /// Returns the distances from the frames, each of which may be mirrored and have inverted colours.
    #[inline]
    fn distances(&self, packed: &[u8; PictureHash::BYTES]) -> Option<Counts> {
        let (words, _) = packed.as_chunks();
        let (tables, _) = self.rows.as_chunks::<VALUES>();
        let (tables, _) = tables.as_chunks();
        let ([fixed, columns, rows, either], [a, b, c, d]) = (words, tables) else {
            return None;
        };
        let (fixed, columns) = (differences(a, *fixed), differences(b, *columns));
        let (rows, either) = (differences(c, *rows), differences(d, *either));
        Some(from_fn(|frame| nearest_appearance(fixed[frame], columns[frame], rows[frame], either[frame])))
    }
}

/// Returns the differences of each frame from a byte with each value.
#[expect(clippy::cast_possible_truncation, reason = "a byte has at most eight bits")]
fn byte_table(hashes: &[[u8; PictureHash::BYTES]; FRAMES], index: usize) -> impl Iterator<Item = Counts> {
    let bytes: Counts = from_fn(|frame| hashes[frame][index]);
    (0..=u8::MAX).map(move |value| bytes.map(|byte| (byte ^ value).count_ones() as u8))
}

/// Returns the differences of each frame from a word. Written as one sum, so that it stays in registers.
#[expect(clippy::many_single_char_names, reason = "the rows of the bytes of a word, in their order")]
#[inline]
fn differences(tables: &[ByteTable; 8], word: [u8; 8]) -> Counts {
    let [a, b, c, d, e, f, g, h]: [&Counts; 8] = from_fn(|index| &tables[index][usize::from(word[index])]);
    from_fn(|frame| {
        let half = a[frame].wrapping_add(b[frame]).wrapping_add(c[frame]).wrapping_add(d[frame]);
        half.wrapping_add(e[frame]).wrapping_add(f[frame]).wrapping_add(g[frame]).wrapping_add(h[frame])
    })
}

/// Returns the distance that is left of the differences in the four words, if the frame is mirrored and inverted as it
/// fits best. If n of a word's 64 bits differ, 64 - n differ once it is inverted (`sorted_bits`).
#[inline]
fn nearest_appearance(fixed: u8, columns: u8, rows: u8, either: u8) -> u8 {
    let not_columns = WORD_BITS.wrapping_sub(columns);
    let alike = nearest(rows.wrapping_add(either));
    let unlike = nearest(rows.wrapping_add(WORD_BITS).wrapping_sub(either));
    let same = columns.wrapping_add(alike).min(not_columns.wrapping_add(unlike));
    let opposite = columns.wrapping_add(unlike).min(not_columns.wrapping_add(alike));
    let inverted = INVERSION_BITS.wrapping_add(WORD_BITS).wrapping_sub(fixed);
    fixed.wrapping_add(same).min(inverted.wrapping_add(opposite))
}

/// Returns the differences in two words, if both may be inverted together.
#[inline]
fn nearest(differences: u8) -> u8 {
    differences.min((2 * WORD_BITS).wrapping_sub(differences))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;
    use crate::sorted_bits::{distance, sort_bits};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_tables_have_the_distances_of_single_comparisons(
            frames in prop::collection::vec(any::<[u64; 4]>(), 1..=FRAMES), hash in any::<[u64; 4]>(),
        ) {
            let tables = DistanceTables::new(frames.iter().map(|frame| (*frame, 0)));
            let packed = pack([PictureHash::from_words(hash)]);
            let found = tables.distances(packed.as_chunks().0.first().unwrap()).unwrap();
            let hash = sort_bits(PictureHash::from_words(hash));
            let expected: Vec<_> = frames.iter().map(|frame| distance(frame, &hash)).collect();
            prop_assert_eq!(found.iter().map(|found| u32::from(*found)).take(frames.len()).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_frame_is_near_up_to_its_reach() {
        let frame = [u64::MAX, 0, 0, 0];
        let tables = DistanceTables::new([(frame, 64), (frame, 63)].into_iter());
        let near = tables.near(&[0; PictureHash::BYTES]).unwrap();
        assert_eq!((near[0], near[1]), (true, false));
    }
}
