//! The frames of a video, grouped so that a hash that is far from one frame is not compared with similar ones.

use crate::MAX_DISTANCE_BITS;
use crate::distance_tables::{DistanceTables, FRAMES};
use crate::sorted_bits::{SortedWords, distance, sort_bits, unpack, unsort_bits};
use contract::PictureHash;
use contract::moderation::FrameHash;
use std::collections::BTreeSet;

/// The frames of a group differ from its first frame in at most this many bits. Unrelated hashes differ in about 128
/// bits, rarely in less than 104, so nearly all of them are ruled out by the first frame.
const GROUP_BITS: u32 = 32;

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

    /// Adds the packed hashes that match a frame to `found`. Never inlined: in a caller that is optimised for size, it
    /// would be too, and take 20 times as long.
    #[inline(never)]
    pub fn find_matches(&self, packed: &[u8], found: &mut BTreeSet<PictureHash>) {
        let (hashes, _) = packed.as_chunks();
        for groups in self.0.chunks(FRAMES) {
            let tables = DistanceTables::new(groups.iter().map(|group| (group.first, group.reach)));
            for hash in hashes {
                if let Some(near) = tables.near(hash) {
                    add_match(groups, near, unpack(hash), found);
                }
            }
        }
    }

    /// Whether a single hash matches a frame. For many hashes, `find_matches` is faster.
    pub fn is_match(&self, hash: PictureHash) -> bool {
        let words = sort_bits(hash);
        self.0.iter().any(|group| distance(&group.first, &words) <= group.reach && group.has_match(&words))
    }
}

impl Group {
    fn add(&mut self, words: SortedWords) {
        self.reach = self.reach.max(MAX_DISTANCE_BITS + distance(&self.first, &words));
        self.others.push(words);
    }

    /// Whether the hash, which is within reach, matches a frame.
    fn has_match(&self, words: &SortedWords) -> bool {
        let is_match = |frame: &SortedWords| distance(frame, words) <= MAX_DISTANCE_BITS;
        is_match(&self.first) || self.others.iter().any(is_match)
    }
}

/// Adds a hash if it matches a frame of the groups that are near. Rarely called.
#[cold]
fn add_match(groups: &[Group], near: [bool; FRAMES], words: SortedWords, found: &mut BTreeSet<PictureHash>) {
    if groups.iter().zip(near).any(|(group, is_near)| is_near && group.has_match(&words)) {
        found.insert(unsort_bits(words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;
    use proptest::prelude::*;

    /// Returns hashes around a few centres, so that many distances are close to the limits.
    fn crowded(centres: u8, count: usize) -> impl Strategy<Value = Vec<PictureHash>> {
        let flips = prop::collection::vec(0_usize..256, 0..90);
        let hash = (0..centres, flips).prop_map(|(centre, flips)| {
            let mut bytes = [centre.wrapping_mul(0x55); PictureHash::BYTES];
            for bit in flips {
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            PictureHash::from_bytes(bytes)
        });
        let turned = (hash, 0_usize..16).prop_map(|(hash, appearance)| hash.appearances()[appearance].0);
        prop::collection::vec(turned, 0..count)
    }

    fn frames(hashes: &[PictureHash]) -> Vec<FrameHash> {
        hashes.iter().map(|hash| FrameHash { at_ms: 0, hash: *hash }).collect()
    }

    /// Compares the search with its definition.
    fn check(video: &[PictureHash], list: &[PictureHash]) -> Result<(), TestCaseError> {
        let is_near = |blocked: &PictureHash| {
            video.iter().any(|hash| hash.distance_in_any_appearance(blocked) <= MAX_DISTANCE_BITS)
        };
        let expected: BTreeSet<_> = list.iter().copied().filter(is_near).collect();
        let (groups, mut found) = (FrameGroups::new(&frames(video)), BTreeSet::new());
        groups.find_matches(&pack(list.iter().copied()), &mut found);
        prop_assert_eq!(&found, &expected);
        prop_assert!(list.iter().all(|hash| groups.is_match(*hash) == expected.contains(hash)));
        Ok(())
    }

    proptest! {
        // Each case builds 768 KiB of tables, so fewer than the usual 256 are tried.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_search_finds_exactly_the_hashes_within_the_maximum_distance(
            video in crowded(3, 40), list in crowded(3, 40),
        ) {
            check(&video, &list)?;
        }

        #[test]
        fn more_groups_than_one_table_has_are_all_searched(
            video in prop::collection::vec(any::<[u64; 4]>(), 60..120), flips in prop::collection::vec(0_usize..256, 0..80),
        ) {
            let video: Vec<_> = video.into_iter().map(PictureHash::from_words).collect();
            let disguise = |hash: &PictureHash| {
                let mut words = hash.words();
                for bit in &flips {
                    words[bit / 64] ^= 1 << (bit % 64);
                }
                PictureHash::from_words(words)
            };
            let list: Vec<_> = video.iter().map(disguise).collect();
            check(&video, &list)?;
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
