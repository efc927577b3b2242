//! Hashes packed as bytes, and the search for those that are similar to a frame of a video in any orientation.
//!
//! The search looks at every hash. An index cannot avoid that: two hashes match if up to 72 of their 256 bits differ.
//! If they are cut into 13 parts of 20 bits, one part may still differ in 5 bits, so an index would have to be asked
//! for 21,700 values of each part, which costs more than comparing a million hashes. Instead, the frames are grouped:
//! the pictures of one scene have similar hashes, and a hash that is far from one of them is far enough from all.
//!
//! Mirrored pictures cost nothing more. Mirroring inverts bits of the hash: those of every second column, or of every
//! second row, or both. So the bits are sorted into four words by what inverts them. The differences in each word then
//! tell the distances of all four mirrored hashes. Turned pictures have rows and columns exchanged, so each frame is
//! also compared with its rows and columns exchanged.

use super::blocklist_search::MAX_DISTANCE_BITS;
use contract::PictureHash;
use contract::moderation::FrameHash;
use std::collections::BTreeSet;

/// The frames of a group differ from its first frame in at most this many bits. Unrelated hashes differ in about 128
/// bits, rarely in less than 104, so nearly all of them are ruled out by the first frame.
const GROUP_BITS: u32 = 32;

const WORD_BITS: u32 = u64::BITS;

/// A hash with its bits sorted: those that no mirroring inverts, those that mirroring left and right inverts, those
/// that mirroring top and bottom inverts, and those that either inverts.
type SortedWords = [u64; 4];

/// The frames of a video, ready to be compared with many hashes.
#[derive(Debug)]
pub struct FrameGroups(Vec<Group>);

#[derive(Debug)]
struct Group {
    first: SortedWords,
    /// A hash that differs from the first frame in more bits matches no frame of the group.
    reach: u32,
    others: Vec<SortedWords>,
}

impl FrameGroups {
    pub fn new(frames: &[FrameHash]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let turned = frames.iter().map(|frame| frame.hash.transposed());
        for words in frames.iter().map(|frame| frame.hash).chain(turned).map(sort_bits) {
            let near = groups.iter_mut().find(|group| distance(&group.first, &words) <= GROUP_BITS);
            match near {
                Some(group) => group.add(words),
                None => groups.push(Group { first: words, reach: MAX_DISTANCE_BITS, others: Vec::new() }),
            }
        }
        Self(groups)
    }

    /// Adds the packed hashes that match a frame to `found`.
    pub fn find_matches(&self, packed: &[u8], found: &mut BTreeSet<PictureHash>) {
        let (hashes, _) = packed.as_chunks::<{ PictureHash::BYTES }>();
        for bytes in hashes {
            let words = unpack(bytes);
            if self.match_any(&words) {
                found.insert(unsort_bits(words));
            }
        }
    }

    /// Whether the hash matches a frame.
    pub fn is_match(&self, hash: PictureHash) -> bool {
        self.match_any(&sort_bits(hash))
    }

    #[expect(clippy::inline_always, reason = "the release build is optimised for size and would call each step")]
    #[inline(always)]
    fn match_any(&self, words: &SortedWords) -> bool {
        for group in &self.0 {
            if distance(&group.first, words) <= group.reach && group.has_match(words) {
                return true;
            }
        }
        false
    }
}

impl Group {
    fn add(&mut self, words: SortedWords) {
        self.reach = self.reach.max(MAX_DISTANCE_BITS + distance(&self.first, &words));
        self.others.push(words);
    }

    /// Whether the hash, which is within reach, matches a frame. Rarely called.
    #[inline(never)]
    fn has_match(&self, words: &SortedWords) -> bool {
        let is_match = |frame: &SortedWords| distance(frame, words) <= MAX_DISTANCE_BITS;
        is_match(&self.first) || self.others.iter().any(is_match)
    }
}

/// Returns the smallest number of bits that differ if one of the pictures may be mirrored. Written out, because it is
/// called hundreds of millions of times.
#[expect(clippy::inline_always, reason = "the release build is optimised for size and would call it")]
#[inline(always)]
fn distance(one: &SortedWords, two: &SortedWords) -> u32 {
    let fixed = (one[0] ^ two[0]).count_ones();
    let columns = (one[1] ^ two[1]).count_ones();
    let rows = (one[2] ^ two[2]).count_ones();
    let either = (one[3] ^ two[3]).count_ones();
    // Inverting a word turns its n differences into 64 - n.
    let as_columns = nearest(columns, rows + either);
    let inverted = nearest(WORD_BITS - columns, rows + WORD_BITS - either);
    fixed + as_columns.min(inverted)
}

/// Returns the differences of the columns and the smaller one of the two that the rows can have.
#[expect(clippy::inline_always, reason = "the release build is optimised for size and would call it")]
#[inline(always)]
fn nearest(columns: u32, rows: u32) -> u32 {
    columns + rows.min(2 * WORD_BITS - rows)
}

/// Returns the hashes as bytes. Their order of bytes is that of the processor, because it decides how fast they are
/// read.
pub fn pack(hashes: impl IntoIterator<Item = PictureHash>) -> Vec<u8> {
    let words = hashes.into_iter().flat_map(sort_bits);
    words.flat_map(u64::to_le_bytes).collect()
}

#[expect(clippy::inline_always, reason = "the release build is optimised for size and would call it")]
#[inline(always)]
fn unpack(bytes: &[u8; PictureHash::BYTES]) -> SortedWords {
    let (words, _) = bytes.as_chunks::<8>();
    match words {
        [a, b, c, d] => [*a, *b, *c, *d].map(u64::from_le_bytes),
        _ => [0; 4],
    }
}

/// Sorts the bits of a hash by what inverts them. A word of a hash has four rows of 16 bits, and every second row and
/// every second column belongs together.
fn sort_bits(hash: PictureHash) -> SortedWords {
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
fn unsort_bits(sorted: SortedWords) -> PictureHash {
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

    /// Returns hashes around a few centres, so that many distances are close to the limits.
    fn crowded(count: usize) -> impl Strategy<Value = Vec<PictureHash>> {
        let flips = prop::collection::vec(0_usize..256, 0..90);
        let hash = (0_u8..3, flips).prop_map(|(centre, flips)| {
            let mut bytes = [centre.wrapping_mul(0x55); PictureHash::BYTES];
            for bit in flips {
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            PictureHash::from_bytes(bytes)
        });
        let turned = (hash, 0_usize..8).prop_map(|(hash, orientation)| hash.orientations()[orientation]);
        prop::collection::vec(turned, 0..count)
    }

    fn frames(hashes: &[PictureHash]) -> Vec<FrameHash> {
        hashes.iter().map(|hash| FrameHash { at_ms: 0, hash: *hash }).collect()
    }

    proptest! {
        #[test]
        fn sorting_the_bits_loses_none(words in any::<[u64; 4]>()) {
            let hash = PictureHash::from_words(words);
            prop_assert_eq!(unsort_bits(sort_bits(hash)), hash);
        }

        #[test]
        fn the_distance_is_that_of_the_nearest_mirrored_hash(one in any::<[u64; 4]>(), two in any::<[u64; 4]>()) {
            let (one, two) = (PictureHash::from_words(one), PictureHash::from_words(two));
            let mirrored = one.orientations().into_iter().take(4).map(|hash| hash.distance(&two)).min();
            prop_assert_eq!(Some(distance(&sort_bits(one), &sort_bits(two))), mirrored);
        }

        #[test]
        fn the_search_finds_exactly_the_hashes_within_the_maximum_distance(
            video in crowded(40), list in crowded(40),
        ) {
            let is_near = |blocked: &PictureHash| {
                video.iter().any(|hash| hash.distance_in_any_orientation(blocked) <= MAX_DISTANCE_BITS)
            };
            let expected: BTreeSet<_> = list.iter().copied().filter(is_near).collect();
            let mut found = BTreeSet::new();
            let groups = FrameGroups::new(&frames(&video));
            groups.find_matches(&pack(list.iter().copied()), &mut found);
            prop_assert_eq!(&found, &expected);
            prop_assert!(list.iter().all(|hash| groups.is_match(*hash) == expected.contains(hash)));
        }
    }

    #[test]
    fn similar_frames_share_a_group() {
        let picture = [0x0123_4567_89AB_CDEF, 0xF0E1_D2C3_B4A5_9687, 0x1F2E_3D4C_5B6A_7988, 0x5A4B_3C2D_1E0F_F1E2];
        let near =
            |bits: u64| PictureHash::from_words([picture[0] ^ ((1 << bits) - 1), picture[1], picture[2], picture[3]]);
        let groups = FrameGroups::new(&frames(&[near(0), near(10), near(32), near(33)]));
        let sizes: Vec<_> = groups.0.iter().map(|group| 1 + group.others.len()).collect();
        // The turned frames are a second group.
        assert_eq!(sizes, [3, 1, 3, 1]);
    }
}
