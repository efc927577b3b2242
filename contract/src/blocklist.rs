//! Whether a video shows what was rejected before: its frames against the hashes of the blocklist.
//!
//! One frame that looks like a blocked one is a reason for a person to look: two different videos can share a title or
//! a test picture. A video is refused without a person only when enough of it looks like enough of one and the same
//! rejected content. The blocklist may come in pages, so that nobody has to hold the whole of it.

use crate::moderation::{Check, Finding, FrameHash, Verdict};
use crate::picture_hash::PictureHash;
use std::collections::{BTreeMap, BTreeSet};

/// Two frames that differ in no more bits show the same picture. `docs/moderation.md` has the measurements behind it.
pub const ALIKE_BITS: u32 = 72;

/// Fewer alike frames are not enough to refuse a video without a person, unless it has no others.
pub const REJECT_FRAMES: usize = 3;

/// One frame in so many must be alike, of the video (an excerpt) or of the blocked content (a compilation).
pub const REJECT_SHARE: usize = 4;

/// One hash of the blocklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// What it is a frame of: the id of the rejected content. A hash that somebody added by hand has a number of its
    /// own.
    pub content: u64,
    pub hash: PictureHash,
}

/// A look through the blocklist, page by page in any order.
#[derive(Debug)]
pub struct Search<'a> {
    frames: &'a [FrameHash],
    contents: BTreeMap<u64, Sightings>,
}

#[derive(Debug, Default)]
struct Sightings {
    /// How many hashes the blocklist has of the content.
    hashes: usize,
    /// How many of these a frame looks like.
    hashes_seen: usize,
    /// Which frames look like one of them, with the smallest distance.
    frames_seen: BTreeSet<usize>,
    smallest_distance: Option<u32>,
}

impl<'a> Search<'a> {
    pub fn new(frames: &'a [FrameHash]) -> Self {
        Self {
            frames,
            contents: BTreeMap::new(),
        }
    }

    pub fn look_through(&mut self, page: &[Blocked]) {
        for blocked in page {
            let content = self.contents.entry(blocked.content).or_default();
            content.hashes += 1;
            content.look_at(self.frames, &blocked.hash);
        }
    }

    /// The content that weighs most: `Reject` or `Review`; `None` when not one frame looks like a blocked one.
    pub fn finding(&self) -> Option<Finding> {
        let seen = self
            .contents
            .iter()
            .filter(|(_, content)| content.hashes_seen > 0);
        let (content, sightings) = seen.max_by_key(|(_, content)| {
            (
                content.verdict(self.frames.len()),
                content.frames_seen.len(),
            )
        })?;
        self.describe(*content, sightings)
    }

    fn describe(&self, content: u64, sightings: &Sightings) -> Option<Finding> {
        let at_ms = |index: Option<&usize>| Some(self.frames.get(*index?)?.at_ms);
        let alike = 1.0 - f64::from(sightings.smallest_distance?) / 256.0;
        let (seen, all) = (sightings.frames_seen.len(), self.frames.len());
        Some(Finding {
            check: Check::Blocklist,
            verdict: sightings.verdict(all),
            from_ms: at_ms(sightings.frames_seen.first()),
            until_ms: at_ms(sightings.frames_seen.last()),
            score: Some(alike),
            note: Some(format!(
                "{seen} of {all} frames look like {} of {} of the blocked content {content}",
                sightings.hashes_seen, sightings.hashes
            )),
        })
    }
}

impl Sightings {
    fn look_at(&mut self, frames: &[FrameHash], hash: &PictureHash) {
        let mut is_seen = false;
        for (index, frame) in frames.iter().enumerate() {
            if frame.hash.is_within(ALIKE_BITS, hash) {
                is_seen = true;
                self.frames_seen.insert(index);
                let distance = frame.hash.distance(hash);
                let smallest = self.smallest_distance.unwrap_or(distance);
                self.smallest_distance = Some(smallest.min(distance));
            }
        }
        self.hashes_seen += usize::from(is_seen);
    }

    fn verdict(&self, frames: usize) -> Verdict {
        let seen = self.frames_seen.len();
        let is_everything = seen == frames && self.hashes_seen == self.hashes;
        let is_much_of_one =
            seen * REJECT_SHARE >= frames || self.hashes_seen * REJECT_SHARE >= self.hashes;
        if is_everything || (seen >= REJECT_FRAMES && is_much_of_one) {
            Verdict::Reject
        } else {
            Verdict::Review
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hashes of different numbers are far apart.
    fn picture(number: u8) -> [u8; 32] {
        std::array::from_fn(|index| {
            let mixed =
                (u32::from(number) * 64 + u32::try_from(index).unwrap()).wrapping_mul(0x9E37_79B1);
            (mixed ^ (mixed >> 15))
                .wrapping_mul(0x85EB_CA6B)
                .to_be_bytes()[0]
        })
    }

    /// The same picture with some bits turned.
    fn disguised(number: u8, bits: u32) -> PictureHash {
        let mut bytes = picture(number);
        for bit in 0..bits as usize {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        PictureHash::from_bytes(bytes)
    }

    fn video(hashes: impl IntoIterator<Item = PictureHash>) -> Vec<FrameHash> {
        let hashes = hashes.into_iter().zip(0..);
        hashes
            .map(|(hash, index)| FrameHash {
                at_ms: index * 500,
                hash,
            })
            .collect()
    }

    fn pictures(numbers: impl IntoIterator<Item = u8>) -> Vec<FrameHash> {
        video(numbers.into_iter().map(|number| disguised(number, 0)))
    }

    fn rejected(content: u64, numbers: impl IntoIterator<Item = u8>) -> Vec<Blocked> {
        let hashes = numbers.into_iter().map(|number| disguised(number, 0));
        hashes.map(|hash| Blocked { content, hash }).collect()
    }

    fn verdict(frames: &[FrameHash], blocked: &[Blocked]) -> Option<Verdict> {
        match_blocklist(frames, blocked).map(|finding| finding.verdict)
    }

    fn match_blocklist(frames: &[FrameHash], blocked: &[Blocked]) -> Option<Finding> {
        let mut search = Search::new(frames);
        search.look_through(blocked);
        search.finding()
    }

    #[test]
    fn the_pictures_of_these_tests_are_strangers_to_each_other() {
        for (one, two) in (0..=255).flat_map(|one| (0..one).map(move |two| (one, two))) {
            assert!(disguised(one, 0).distance(&disguised(two, 0)) > ALIKE_BITS + 1);
        }
    }

    #[test]
    fn a_copy_of_a_rejected_video_is_rejected() {
        let copy = video((0..10).map(|number| disguised(number, ALIKE_BITS)));
        assert_eq!(verdict(&copy, &rejected(7, 0..10)), Some(Verdict::Reject));
    }

    #[test]
    fn one_bit_further_than_alike_is_a_stranger() {
        let stranger = video((0..10).map(|number| disguised(number, ALIKE_BITS + 1)));
        assert_eq!(verdict(&stranger, &rejected(7, 0..10)), None);
        assert_eq!(verdict(&pictures(10..20), &rejected(7, 0..10)), None);
    }

    #[test]
    fn an_excerpt_and_a_compilation_are_rejected() {
        assert_eq!(
            verdict(&pictures(20..25), &rejected(7, 0..60)),
            Some(Verdict::Reject)
        );
        assert_eq!(
            verdict(&pictures(0..60), &rejected(7, 20..25)),
            Some(Verdict::Reject)
        );
    }

    #[test]
    fn a_shared_title_is_for_a_person() {
        let title = [0, 1, 2, 3];
        let other = pictures(title.into_iter().chain(100..150));
        let blocked = rejected(7, title.into_iter().chain(10..60));
        assert_eq!(verdict(&other, &blocked), Some(Verdict::Review));
    }

    #[test]
    fn few_alike_frames_are_for_a_person_unless_there_is_nothing_else() {
        assert_eq!(
            verdict(&pictures([1, 2, 50]), &rejected(7, [1, 2])),
            Some(Verdict::Review)
        );
        assert_eq!(
            verdict(&pictures([1, 2]), &rejected(7, [1, 2])),
            Some(Verdict::Reject)
        );
    }

    #[test]
    fn frames_of_several_contents_do_not_add_up() {
        let blocked: Vec<_> = (0..10)
            .flat_map(|number| rejected(number.into(), [number]))
            .collect();
        assert_eq!(verdict(&pictures(0..10), &blocked), Some(Verdict::Review));
    }

    #[test]
    fn a_video_without_hashes_matches_nothing() {
        assert_eq!(verdict(&[], &rejected(7, 0..10)), None);
        assert_eq!(verdict(&pictures(0..10), &[]), None);
    }

    #[test]
    fn the_finding_says_where_and_how_much() {
        let frames = pictures([50, 51, 1, 2, 3, 52]);
        let finding = match_blocklist(&frames, &rejected(7, [1, 2, 3, 4])).unwrap();
        assert_eq!(
            (finding.from_ms, finding.until_ms),
            (Some(1000), Some(2000))
        );
        assert_eq!(finding.score, Some(1.0));
        let note = finding.note.unwrap();
        assert_eq!(
            note,
            "3 of 6 frames look like 3 of 4 of the blocked content 7"
        );
    }

    proptest! {
        #[test]
        fn pages_say_the_same_as_the_whole(
            frames in prop::collection::vec(0_u8..40, 0..20),
            list in prop::collection::vec((0_u64..5, 0_u8..40), 0..60),
            page in 1_usize..10,
        ) {
            let frames = pictures(frames);
            let list: Vec<_> = list.into_iter().flat_map(|(content, number)| rejected(content, [number])).collect();
            let mut search = Search::new(&frames);
            list.chunks(page).for_each(|page| search.look_through(page));
            prop_assert_eq!(search.finding(), match_blocklist(&frames, &list));
        }
    }
}
