//! Finds videos that were rejected before: compares a video's frames with the hashes of the blocklist.
//!
//! One frame that matches a blocked frame calls for a moderator, because two different videos can share a title card or
//! a test picture. A video is rejected without a moderator only if enough of it matches enough of one rejected content.
//! The blocklist may be added in pages, so that it never has to be in memory as a whole.

use crate::MAX_DISTANCE_BITS;
use contract::PictureHash;
use contract::moderation::{Check, Finding, FrameHash, Recommendation};
use std::collections::{BTreeMap, BTreeSet};

/// A video is rejected without a moderator only if at least this many of its frames match, or if all frames of both
/// videos match.
pub const MIN_REJECT_FRAMES: usize = 3;

/// One frame in this many must also match, either of the video (an excerpt) or of the blocked content (a compilation).
pub const REJECT_SHARE: usize = 4;

/// One hash of the blocklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedFrame {
    /// The id of the rejected content that the frame belongs to. A hash that a moderator added directly has a number of
    /// its own.
    pub content: u64,
    pub hash: PictureHash,
}

/// A search through the blocklist, whose pages may be added in any order.
#[derive(Debug)]
pub struct BlocklistSearch<'a> {
    frames: &'a [FrameHash],
    /// The number of different times of `frames`.
    frame_count: usize,
    contents: BTreeMap<u64, ContentMatches>,
}

#[derive(Debug, Default)]
struct ContentMatches {
    /// The number of the content's hashes on the blocklist.
    hashes: usize,
    /// The number of these hashes that match a frame.
    matched_hashes: usize,
    /// The times of the frames that match one of them. A frame may have two hashes.
    matched_times: BTreeSet<u64>,
    smallest_distance: Option<u32>,
}

impl<'a> BlocklistSearch<'a> {
    pub fn new(frames: &'a [FrameHash]) -> Self {
        let times: BTreeSet<_> = frames.iter().map(|frame| frame.at_ms).collect();
        Self { frames, frame_count: times.len(), contents: BTreeMap::new() }
    }

    pub fn add_page(&mut self, page: &[BlockedFrame]) {
        for blocked in page {
            let content = self.contents.entry(blocked.content).or_default();
            content.hashes += 1;
            content.add_hash(self.frames, &blocked.hash);
        }
    }

    /// Returns the finding about the content with the strictest recommendation and, among these, the most matching
    /// frames. Returns `None` if no frame matches.
    pub fn finding(&self) -> Option<Finding> {
        let candidates = self.contents.iter().filter(|(_, content)| content.matched_hashes > 0);
        let (content, matches) = candidates
            .max_by_key(|(_, content)| (content.recommendation(self.frame_count), content.matched_times.len()))?;
        self.describe(*content, matches)
    }

    fn describe(&self, content: u64, matches: &ContentMatches) -> Option<Finding> {
        let similarity = 1.0 - f64::from(matches.smallest_distance?) / 256.0;
        let (count, all) = (matches.matched_times.len(), self.frame_count);
        Some(Finding {
            check: Check::Blocklist,
            recommendation: matches.recommendation(all),
            from_ms: matches.matched_times.first().copied(),
            until_ms: matches.matched_times.last().copied(),
            score: Some(similarity),
            note: Some(format!(
                "{count} of {all} frames match {} of {} frames of the blocked content {content}",
                matches.matched_hashes, matches.hashes
            )),
        })
    }
}

impl ContentMatches {
    fn add_hash(&mut self, frames: &[FrameHash], hash: &PictureHash) {
        let (mut is_matched, appearances) = (false, hash.appearances());
        for frame in frames {
            let near = appearances.iter().filter(|(hash, bits)| frame.hash.is_within(MAX_DISTANCE_BITS - bits, hash));
            if let Some(distance) = near.map(|(hash, bits)| frame.hash.distance(hash) + bits).min() {
                is_matched = true;
                self.matched_times.insert(frame.at_ms);
                let smallest = self.smallest_distance.unwrap_or(distance);
                self.smallest_distance = Some(smallest.min(distance));
            }
        }
        self.matched_hashes += usize::from(is_matched);
    }

    fn recommendation(&self, frames: usize) -> Recommendation {
        let matched = self.matched_times.len();
        let is_everything = matched == frames && self.matched_hashes == self.hashes;
        let is_much_of_one = matched * REJECT_SHARE >= frames || self.matched_hashes * REJECT_SHARE >= self.hashes;
        if is_everything || (matched >= MIN_REJECT_FRAMES && is_much_of_one) {
            Recommendation::Reject
        } else {
            Recommendation::Review
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the bytes of a hash. The hashes of different numbers are far apart.
    fn picture(number: u8) -> [u8; 32] {
        std::array::from_fn(|index| {
            let mixed = (u32::from(number) * 64 + u32::try_from(index).unwrap()).wrapping_mul(0x9E37_79B1);
            (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B).to_be_bytes()[0]
        })
    }

    /// Returns the hash of the same picture with some bits inverted.
    fn disguised(number: u8, bits: u32) -> PictureHash {
        let mut bytes = picture(number);
        for bit in 0..bits as usize {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        PictureHash::from_bytes(bytes)
    }

    fn video(hashes: impl IntoIterator<Item = PictureHash>) -> Vec<FrameHash> {
        let hashes = hashes.into_iter().zip(0..);
        hashes.map(|(hash, index)| FrameHash { at_ms: index * 500, hash }).collect()
    }

    fn pictures(numbers: impl IntoIterator<Item = u8>) -> Vec<FrameHash> {
        video(numbers.into_iter().map(|number| disguised(number, 0)))
    }

    fn rejected(content: u64, numbers: impl IntoIterator<Item = u8>) -> Vec<BlockedFrame> {
        let hashes = numbers.into_iter().map(|number| disguised(number, 0));
        hashes.map(|hash| BlockedFrame { content, hash }).collect()
    }

    fn recommendation(frames: &[FrameHash], blocked: &[BlockedFrame]) -> Option<Recommendation> {
        match_blocklist(frames, blocked).map(|finding| finding.recommendation)
    }

    fn match_blocklist(frames: &[FrameHash], blocked: &[BlockedFrame]) -> Option<Finding> {
        let mut search = BlocklistSearch::new(frames);
        search.add_page(blocked);
        search.finding()
    }

    #[test]
    fn the_pictures_of_these_tests_do_not_match_each_other() {
        for (one, two) in (0..=255).flat_map(|one| (0..one).map(move |two| (one, two))) {
            assert!(disguised(one, 0).distance_in_any_appearance(&disguised(two, 0)) > MAX_DISTANCE_BITS);
        }
    }

    #[test]
    fn a_copy_of_a_rejected_video_is_rejected() {
        let copy = video((0..10).map(|number| disguised(number, MAX_DISTANCE_BITS)));
        assert_eq!(recommendation(&copy, &rejected(7, 0..10)), Some(Recommendation::Reject));
    }

    #[test]
    fn a_copy_in_any_orientation_is_rejected_also_with_inverted_colours() {
        for appearance in 0..16 {
            let (_, bits) = disguised(0, 0).appearances()[appearance];
            let disguised = |number| disguised(number, MAX_DISTANCE_BITS - bits).appearances()[appearance].0;
            let copy = video((0..10).map(disguised));
            assert_eq!(recommendation(&copy, &rejected(7, 0..10)), Some(Recommendation::Reject), "{appearance}");
        }
    }

    #[test]
    fn one_bit_beyond_the_maximum_distance_is_no_match() {
        let different = video((0..10).map(|number| disguised(number, MAX_DISTANCE_BITS + 1)));
        assert_eq!(recommendation(&different, &rejected(7, 0..10)), None);
        assert_eq!(recommendation(&pictures(10..20), &rejected(7, 0..10)), None);
    }

    #[test]
    fn an_excerpt_and_a_compilation_are_rejected() {
        assert_eq!(recommendation(&pictures(20..25), &rejected(7, 0..60)), Some(Recommendation::Reject));
        assert_eq!(recommendation(&pictures(0..60), &rejected(7, 20..25)), Some(Recommendation::Reject));
    }

    #[test]
    fn a_shared_title_card_calls_for_a_moderator() {
        let title = [0, 1, 2, 3];
        let other = pictures(title.into_iter().chain(100..150));
        let blocked = rejected(7, title.into_iter().chain(10..60));
        assert_eq!(recommendation(&other, &blocked), Some(Recommendation::Review));
    }

    #[test]
    fn few_matching_frames_call_for_a_moderator_unless_the_video_has_no_others() {
        assert_eq!(recommendation(&pictures([1, 2, 50]), &rejected(7, [1, 2])), Some(Recommendation::Review));
        assert_eq!(recommendation(&pictures([1, 2]), &rejected(7, [1, 2])), Some(Recommendation::Reject));
    }

    #[test]
    fn a_quarter_of_the_frames_or_of_the_blocked_frames_is_much() {
        for (others, blocked_others, expected) in
            [(9, 10, Recommendation::Reject), (10, 9, Recommendation::Reject), (10, 10, Recommendation::Review)]
        {
            let frames = pictures((0..3).chain(100..100 + others));
            let blocked = rejected(7, (0..3).chain(200..200 + blocked_others));
            assert_eq!(recommendation(&frames, &blocked), Some(expected), "{others} {blocked_others}");
        }
    }

    #[test]
    fn a_frame_with_two_hashes_counts_once() {
        let backgrounds = pictures(100..103);
        let inner = pictures(0..3);
        let frames: Vec<_> = inner.into_iter().chain(backgrounds).collect();
        assert_eq!(recommendation(&frames, &rejected(7, 0..3)), Some(Recommendation::Reject));
        assert_eq!(match_blocklist(&frames, &rejected(7, [1])).unwrap().note.unwrap().get(..6), Some("1 of 3"));
        let two = &frames[..2];
        assert_eq!(recommendation(&[two, &frames[3..5]].concat(), &rejected(7, 0..2)), Some(Recommendation::Reject));
    }

    #[test]
    fn frames_of_several_contents_do_not_add_up() {
        let blocked: Vec<_> = (0..10).flat_map(|number| rejected(number.into(), [number])).collect();
        assert_eq!(recommendation(&pictures(0..10), &blocked), Some(Recommendation::Review));
    }

    #[test]
    fn a_video_without_hashes_matches_nothing() {
        assert_eq!(recommendation(&[], &rejected(7, 0..10)), None);
        assert_eq!(recommendation(&pictures(0..10), &[]), None);
    }

    #[test]
    fn the_finding_is_about_the_content_with_the_strictest_recommendation() {
        let frames = pictures(0..20);
        let blocked = [rejected(1, [0]), rejected(2, 5..15), rejected(3, [19])].concat();
        let finding = match_blocklist(&frames, &blocked).unwrap();
        assert_eq!((finding.recommendation, finding.from_ms), (Recommendation::Reject, Some(2_500)));
    }

    #[test]
    fn the_score_is_that_of_the_closest_match() {
        let frames = video([disguised(1, 64), disguised(1, 32), disguised(1, 48)]);
        assert_eq!(match_blocklist(&frames, &rejected(7, [1])).unwrap().score, Some(0.875));
    }

    #[test]
    fn the_finding_states_where_and_how_much_matches() {
        let frames = pictures([50, 51, 1, 2, 3, 52]);
        let finding = match_blocklist(&frames, &rejected(7, [1, 2, 3, 4])).unwrap();
        assert_eq!((finding.from_ms, finding.until_ms), (Some(1000), Some(2000)));
        assert_eq!(finding.score, Some(1.0));
        let note = finding.note.unwrap();
        assert_eq!(note, "3 of 6 frames match 3 of 4 frames of the blocked content 7");
    }

    proptest! {
        #[test]
        fn pages_give_the_same_finding_as_the_whole_list(
            frames in prop::collection::vec(0_u8..40, 0..20),
            list in prop::collection::vec((0_u64..5, 0_u8..40), 0..60),
            page in 1_usize..10,
        ) {
            let frames = pictures(frames);
            let list: Vec<_> = list.into_iter().flat_map(|(content, number)| rejected(content, [number])).collect();
            let mut search = BlocklistSearch::new(&frames);
            list.chunks(page).for_each(|page| search.add_page(page));
            prop_assert_eq!(search.finding(), match_blocklist(&frames, &list));
        }
    }
}
