//! Finds the frame of a video that is most similar to a blocked picture.

use crate::MAX_DISTANCE_BITS;
use contract::moderation::FrameHash;
use contract::{Appearance, PictureHash};

/// A frame that matches a blocked picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestFrame {
    pub frame: FrameHash,
    /// The change that makes the blocked picture look like the frame.
    pub appearance: Appearance,
    pub distance: u32,
}

/// Returns the frame that is most similar to a blocked picture, the first of several; `None` if no frame matches.
pub fn nearest_frame(frames: &[FrameHash], blocked: PictureHash) -> Option<NearestFrame> {
    let appearances = blocked.appearances();
    let is_match = |frame: &&FrameHash| {
        appearances.iter().any(|(hash, bits)| frame.hash.is_within(MAX_DISTANCE_BITS - bits, hash))
    };
    let nearest = frames.iter().filter(is_match).map(|frame| {
        let (appearance, distance) = blocked.nearest_appearance(&frame.hash);
        NearestFrame { frame: *frame, appearance, distance }
    });
    nearest.min_by_key(|nearest| nearest.distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_frame_is_found_in_any_appearance() {
        let blocked: PictureHash = "0123456789abcdef".repeat(4).parse().unwrap();
        let frame = |at_ms, hash| FrameHash { at_ms, hash };
        let far = PictureHash::from_bytes([0xaa; PictureHash::BYTES]);
        let [first, second, third, fourth] = blocked.words();
        let near = PictureHash::from_words([first ^ 1, second, third, fourth]);
        let found = nearest_frame(&[frame(0, far), frame(40, near), frame(80, near)], blocked).unwrap();
        let upright = Appearance { is_mirrored: false, turned_degrees: 0, is_inverted: false };
        assert_eq!((found.frame.at_ms, found.distance, found.appearance), (40, 1, upright));
        let [_, (mirrored, _), ..] = blocked.appearances();
        let found = nearest_frame(&[frame(7, mirrored)], blocked).unwrap();
        assert_eq!((found.distance, found.appearance), (0, Appearance { is_mirrored: true, ..upright }));
        for (turned, bits) in blocked.appearances() {
            assert_eq!(nearest_frame(&[frame(7, turned)], blocked).unwrap().distance, bits);
        }
    }

    #[test]
    fn a_video_without_a_similar_frame_has_none() {
        let blocked = PictureHash::from_bytes([0x0f; PictureHash::BYTES]);
        let mut bytes = [0x0f; PictureHash::BYTES];
        bytes.iter_mut().step_by(3).for_each(|byte| *byte ^= 0x5a);
        bytes.iter_mut().skip(1).step_by(3).for_each(|byte| *byte ^= 0xc3);
        let hash = PictureHash::from_bytes(bytes);
        assert!(hash.distance_in_any_appearance(&blocked) > MAX_DISTANCE_BITS);
        assert_eq!(nearest_frame(&[FrameHash { at_ms: 0, hash }], blocked), None);
        assert_eq!(nearest_frame(&[], blocked), None);
    }
}
