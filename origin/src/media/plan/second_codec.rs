//! The renditions in a second codec: which ones, and their bit rates. Pure.

use super::ladder::Rung;
use crate::media::encoders::SecondCodec;
use contract::RenditionName;

/// The renditions in a second codec, largest first.
///
/// Every rung has one, also that for poor connections, because players choose one codec at the start and stay with it:
/// hls.js and shaka-player never change to a smaller rendition in another codec. Small rungs cost little to encode.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondLadder {
    pub codec: SecondCodec,
    pub rungs: Vec<Rung>,
}

/// The smallest side that both encoders accept. SVT-AV1 refuses smaller pictures; x265 refuses pictures that are
/// smaller than one of its blocks.
const MIN_SIDE: u32 = 64;

impl SecondLadder {
    /// Returns the ladder of the same sizes as these rungs, or `None` if one of them is too small.
    pub(super) fn new(codec: SecondCodec, rungs: &[Rung]) -> Option<Self> {
        let is_large_enough = rungs.iter().all(|rung| rung.width.min(rung.height) >= MIN_SIDE);
        let rungs = rungs.iter().map(|rung| Rung { max_kbps: peak_kbps(codec, rung), ..*rung });
        is_large_enough.then(|| Self { codec, rungs: rungs.collect() })
    }

    /// Returns the name of one of its rungs.
    pub(crate) fn name(&self, rung: &Rung) -> RenditionName {
        RenditionName { height: rung.name, codec: self.codec.into() }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = RenditionName> {
        self.rungs.iter().map(|rung| self.name(rung))
    }
}

/// Returns the peak bit rate: the percentage of that of H.264 at which both look alike (docs/media.md).
fn peak_kbps(codec: SecondCodec, rung: &Rung) -> u32 {
    let percent = match codec {
        SecondCodec::Av1 => 60,
        SecondCodec::Hevc => 65,
    };
    (rung.max_kbps * percent).div_ceil(100)
}

#[cfg(test)]
mod tests {
    use super::super::ladder;
    use super::*;
    use crate::media::FrameRate;

    #[test]
    fn every_rung_has_a_cheaper_one_of_the_same_size() {
        let rungs = ladder::rungs(1920, 1080, FrameRate::new(30, 1).unwrap());
        for codec in [SecondCodec::Av1, SecondCodec::Hevc] {
            let second = SecondLadder::new(codec, &rungs).unwrap();
            assert_eq!(second.rungs.len(), rungs.len());
            for (one, other) in second.rungs.iter().zip(&rungs) {
                assert_eq!((one.name, one.width, one.height), (other.name, other.width, other.height));
                assert!(one.max_kbps < other.max_kbps && one.max_kbps * 2 > other.max_kbps);
            }
        }
    }

    #[test]
    fn its_files_are_named_after_the_codec() {
        let rungs = ladder::rungs(640, 360, FrameRate::new(30, 1).unwrap());
        let second = SecondLadder::new(SecondCodec::Hevc, &rungs).unwrap();
        let names: Vec<_> = second.names().map(|name| name.to_string()).collect();
        assert_eq!(names, ["360p-hevc", "240p-hevc"]);
    }

    #[test]
    fn a_picture_that_is_too_small_for_the_encoders_has_none() {
        let rungs = |width, height| ladder::rungs(width, height, FrameRate::new(30, 1).unwrap());
        assert!(SecondLadder::new(SecondCodec::Av1, &rungs(64, 64)).is_some());
        assert_eq!(SecondLadder::new(SecondCodec::Av1, &rungs(64, 62)), None);
        assert_eq!(SecondLadder::new(SecondCodec::Av1, &rungs(1920, 200)), None);
    }
}
