//! Hashes packed as bytes, and the search for those that are similar to a frame of a video.
//!
//! The search looks at every hash. An index cannot avoid that: two hashes match if up to 72 of their 256 bits differ.
//! If they are cut into 13 parts of 20 bits, one part may still differ in 5 bits, so an index would have to be asked
//! for 21,700 values of each part, which costs more than comparing a million hashes. Instead, the frames are grouped:
//! the pictures of one scene have similar hashes, and a hash that is far from one of them is far enough from all.

use super::blocklist_search::MAX_DISTANCE_BITS;
use contract::PictureHash;
use contract::moderation::FrameHash;
use std::collections::BTreeSet;

/// The frames of a group differ from its first frame in at most this many bits. Unrelated hashes differ in about 128
/// bits, rarely in less than 104, so nearly all of them are ruled out by the first frame.
const GROUP_BITS: u32 = 32;

type Words = [u64; 4];

/// The frames of a video, ready to be compared with many hashes.
#[derive(Debug)]
pub struct FrameGroups(Vec<Group>);

#[derive(Debug)]
struct Group {
    first: Words,
    /// A hash that differs from the first frame in more bits matches no frame of the group.
    reach: u32,
    others: Vec<Words>,
}

impl FrameGroups {
    pub fn new(frames: &[FrameHash]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for words in frames.iter().map(|frame| frame.hash.words()) {
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
                found.insert(PictureHash::from_words(words));
            }
        }
    }

    /// Whether the hash matches a frame.
    pub fn is_match(&self, hash: PictureHash) -> bool {
        self.match_any(&hash.words())
    }

    #[expect(clippy::inline_always, reason = "the release build is optimised for size and would call each step")]
    #[inline(always)]
    fn match_any(&self, words: &Words) -> bool {
        for group in &self.0 {
            if distance(&group.first, words) <= group.reach && group.has_match(words) {
                return true;
            }
        }
        false
    }
}

impl Group {
    fn add(&mut self, words: Words) {
        self.reach = self.reach.max(MAX_DISTANCE_BITS + distance(&self.first, &words));
        self.others.push(words);
    }

    /// Whether the hash, which is within reach, matches a frame. Rarely called.
    #[inline(never)]
    fn has_match(&self, words: &Words) -> bool {
        let is_match = |frame: &Words| distance(frame, words) <= MAX_DISTANCE_BITS;
        is_match(&self.first) || self.others.iter().any(is_match)
    }
}

/// Returns the number of bits that differ. Written out, because it is called hundreds of millions of times.
#[expect(clippy::inline_always, reason = "the release build is optimised for size and would call it")]
#[inline(always)]
fn distance(one: &Words, two: &Words) -> u32 {
    (one[0] ^ two[0]).count_ones()
        + (one[1] ^ two[1]).count_ones()
        + (one[2] ^ two[2]).count_ones()
        + (one[3] ^ two[3]).count_ones()
}

/// Returns the hashes as bytes. Their order of bytes is that of the processor, because it decides how fast they are
/// read.
pub fn pack(hashes: impl IntoIterator<Item = PictureHash>) -> Vec<u8> {
    let words = hashes.into_iter().flat_map(PictureHash::words);
    words.flat_map(u64::to_le_bytes).collect()
}

#[expect(clippy::inline_always, reason = "the release build is optimised for size and would call it")]
#[inline(always)]
fn unpack(bytes: &[u8; PictureHash::BYTES]) -> Words {
    let (words, _) = bytes.as_chunks::<8>();
    match words {
        [a, b, c, d] => [*a, *b, *c, *d].map(u64::from_le_bytes),
        _ => [0; 4],
    }
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
        prop::collection::vec(hash, 0..count)
    }

    fn frames(hashes: &[PictureHash]) -> Vec<FrameHash> {
        hashes.iter().map(|hash| FrameHash { at_ms: 0, hash: *hash }).collect()
    }

    proptest! {
        #[test]
        fn the_search_finds_exactly_the_hashes_within_the_maximum_distance(
            video in crowded(40), list in crowded(40),
        ) {
            let is_near = |blocked: &PictureHash| video.iter().any(|hash| hash.distance(blocked) <= MAX_DISTANCE_BITS);
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
        let near = |bits: u64| PictureHash::from_words([(1 << bits) - 1, 0, 0, 0]);
        let groups = FrameGroups::new(&frames(&[near(0), near(10), near(32), near(33)]));
        let sizes: Vec<_> = groups.0.iter().map(|group| 1 + group.others.len()).collect();
        assert_eq!(sizes, [3, 1]);
    }
}
