//! Finds the frames that differ from all samples, so that no picture can be hidden between the samples.
//!
//! Every frame of the video is compared, as a very small picture. Pure: pictures in, frame numbers out. This module
//! must not depend on how frames are extracted.

use super::hash::small_picture_hash;
use contract::PictureHash;
use image::GrayImage;

/// A frame is new if it differs from all samples in more bits than this. Copies of a frame mostly differ in fewer than
/// 8 bits, and hashes that differ in 72 bits still match, so a sample that resembles a hidden frame matches in its
/// place.
pub const NEW_PICTURE_BITS: u32 = 64;

/// The maximum number of frames that are added to the samples. Each costs a comparison with the whole blocklist.
pub const MAX_DISTINCT: usize = 256;

/// A frame is not hashed if its pixels differ from the last hashed one by less than this on average, out of 255: in
/// most videos, most frames hardly change.
const UNCHANGED: u64 = 1;

/// The frames to examine besides the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctFrames {
    /// Their numbers, in ascending order.
    pub numbers: Vec<u64>,
    /// The first frame beyond the maximum. Frames from here on may show something that no sample shows.
    pub unexamined_from: Option<u64>,
}

/// Returns the frames that differ from all samples and from each other.
pub fn distinct_frames(frames: &[GrayImage], samples: &[u64]) -> DistinctFrames {
    let at = |number: &u64| frames.get(usize::try_from(*number).ok()?);
    let mut seen: Vec<PictureHash> = samples.iter().filter_map(at).filter_map(small_picture_hash).collect();
    let mut found = DistinctFrames::default();
    let mut last_hashed = None;
    for (frame, number) in frames.iter().zip(0_u64..) {
        if last_hashed.is_some_and(|last| is_unchanged(last, frame)) {
            continue;
        }
        last_hashed = Some(frame);
        let Some(hash) = small_picture_hash(frame).filter(|hash| is_new(hash, &seen)) else {
            continue;
        };
        if found.numbers.len() == MAX_DISTINCT {
            found.unexamined_from = Some(number);
            break;
        }
        found.numbers.push(number);
        seen.push(hash);
    }
    found
}

fn is_new(hash: &PictureHash, seen: &[PictureHash]) -> bool {
    !seen.iter().any(|other| other.is_within(NEW_PICTURE_BITS, hash))
}

fn is_unchanged(last: &GrayImage, frame: &GrayImage) -> bool {
    let (last, frame) = (last.as_raw(), frame.as_raw());
    let difference: u64 = last.iter().zip(frame).map(|(one, other)| u64::from(one.abs_diff(*other))).sum();
    difference < UNCHANGED * frame.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::cases;
    use image::Luma;
    use proptest::prelude::*;

    /// Returns a small picture. Different numbers show different things.
    fn picture(number: u32) -> GrayImage {
        GrayImage::from_fn(48, 27, |x, y| {
            let cell = (x / 4 + 97 * (y / 4) + 7919 * number).wrapping_mul(0x9E37_79B1);
            Luma([(cell ^ (cell >> 15)).wrapping_mul(0x85EB_CA6B).to_be_bytes()[0]])
        })
    }

    fn pictures(numbers: impl IntoIterator<Item = u32>) -> Vec<GrayImage> {
        numbers.into_iter().map(picture).collect()
    }

    #[test]
    fn a_picture_between_the_samples_is_found_once() {
        let frames = pictures((0..60).map(|number| u32::from(number % 15 != 0)));
        let samples: Vec<u64> = (0..60).step_by(15).collect();
        let found = distinct_frames(&frames, &samples);
        assert_eq!(found, DistinctFrames { numbers: vec![1], unexamined_from: None });
    }

    #[test]
    fn a_video_that_shows_what_its_samples_show_needs_no_others() {
        assert_eq!(distinct_frames(&pictures([3; 60]), &[0, 15, 30]), DistinctFrames::default());
        assert_eq!(distinct_frames(&[], &[0]), DistinctFrames::default());
    }

    #[test]
    fn a_slow_change_is_not_missed() {
        let (from, to) = (picture(1), picture(2));
        let blend = |step: u32| {
            GrayImage::from_fn(48, 27, |x, y| {
                let at = |picture: &GrayImage| u32::from(picture.get_pixel(x, y).0[0]);
                Luma([u8::try_from((at(&from) * (500 - step) + at(&to) * step) / 500).unwrap()])
            })
        };
        let frames: Vec<_> = (0..=500).map(blend).collect();
        let found = distinct_frames(&frames, &[0]);
        assert!(!found.numbers.is_empty() && found.numbers.len() < 20, "{found:?}");
    }

    #[test]
    fn more_pictures_than_the_maximum_are_reported() {
        let found = distinct_frames(&pictures(0..400), &[0]);
        // Two of the pictures may resemble each other by chance.
        assert!(
            found.numbers.len() == MAX_DISTINCT && found.unexamined_from.is_some_and(|number| number < 260),
            "{found:?}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(16, 256)))]

        #[test]
        fn every_frame_resembles_a_sample_or_a_distinct_frame(
            shown in prop::collection::vec(0_u32..40, 1..200), every in 1_usize..40,
        ) {
            let frames = pictures(shown.iter().copied());
            let samples: Vec<u64> = (0..frames.len() as u64).step_by(every).collect();
            let found = distinct_frames(&frames, &samples);
            let examined = samples.iter().chain(&found.numbers).map(|number| shown[usize::try_from(*number).unwrap()]);
            let examined: Vec<_> = examined.collect();
            prop_assert!(shown.iter().all(|number| examined.contains(number)));
        }
    }
}
