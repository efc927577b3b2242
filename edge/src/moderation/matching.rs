//! Whether frames look like those of the blocklist: hashes of equal length that differ in few bits.

use contract::moderation::{Check, Finding, FrameHash, Verdict};

/// Two hashes look alike when at most this part of their bits differ: 8 of 64. Of unrelated pictures one pair in
/// three thousand million is as close; re-encoded, scaled and dimmed copies stay well below.
const ALIKE_PART: u32 = 8;
/// A hash with nearly all bits equal comes from a frame without a picture, such as a black one: every video has those.
const TELLING_PART: u32 = 8;
/// One frame alike may be an accident; so many are not. A video of fewer frames is judged by all it has.
const REJECTING_FRAMES: usize = 2;

/// A hash as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bits(Vec<u64>);

/// The frames of one report, and what of the blocklist they were found to look like so far.
#[derive(Debug)]
pub struct Matching {
    frames: Vec<Frame>,
}

#[derive(Debug)]
struct Frame {
    at_ms: u64,
    bits: Bits,
    /// The fewest bits by which it differs from a blocked hash that it looks like.
    distance: Option<u32>,
}

impl Matching {
    pub fn new(frames: &[FrameHash]) -> Self {
        let frames = frames.iter().filter_map(|frame| {
            let bits = Bits::parse(&frame.hash).filter(Bits::is_telling)?;
            Some(Frame {
                at_ms: frame.at_ms,
                bits,
                distance: None,
            })
        });
        Self {
            frames: frames.collect(),
        }
    }

    /// Compares every frame with a hash of the blocklist.
    pub fn compare(&mut self, blocked: &str) {
        let Some(blocked) = Bits::parse(blocked).filter(Bits::is_telling) else {
            return;
        };
        for frame in &mut self.frames {
            if let Some(distance) = frame.bits.distance_if_alike(&blocked) {
                frame.distance = Some(frame.distance.map_or(distance, |one| one.min(distance)));
            }
        }
    }

    /// What was found, if anything.
    pub fn finding(&self) -> Option<Finding> {
        let alike: Vec<&Frame> = self
            .frames
            .iter()
            .filter(|frame| frame.distance.is_some())
            .collect();
        let times = || alike.iter().map(|frame| frame.at_ms);
        let closest = alike.iter().filter_map(|frame| frame.similarity());
        let is_sure = alike.len() >= REJECTING_FRAMES.min(self.frames.len());
        Some(Finding {
            check: Check::Blocklist,
            verdict: if is_sure {
                Verdict::Reject
            } else {
                Verdict::Review
            },
            from_ms: Some(times().min()?),
            until_ms: times().max(),
            score: closest.max_by(f64::total_cmp),
            note: Some(format!(
                "{} of {} frames look like blocked ones",
                alike.len(),
                self.frames.len()
            )),
        })
    }
}

impl Frame {
    /// From 0 to 1.
    fn similarity(&self) -> Option<f64> {
        let part = f64::from(self.distance?) / f64::from(self.bits.count());
        Some(1.0 - part)
    }
}

impl Bits {
    /// `None` for what is no hash: only whole words of 16 digits are.
    fn parse(hash: &str) -> Option<Self> {
        let (words, rest) = hash.as_bytes().as_chunks::<16>();
        if words.is_empty() || !rest.is_empty() {
            return None;
        }
        let word = |digits: &[u8; 16]| {
            let is_hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
            let digits = std::str::from_utf8(digits)
                .ok()
                .filter(|_| is_hexadecimal)?;
            u64::from_str_radix(digits, 16).ok()
        };
        words.iter().map(word).collect::<Option<_>>().map(Self)
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|_| u64::BITS).sum()
    }

    fn is_telling(&self) -> bool {
        let ones: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        let fewest = self.count() / TELLING_PART;
        (fewest..=self.count() - fewest).contains(&ones)
    }

    fn distance_if_alike(&self, other: &Self) -> Option<u32> {
        let pairs = self.0.iter().zip(&other.0);
        let distance: u32 = pairs.map(|(one, two)| (one ^ two).count_ones()).sum();
        let is_alike = self.0.len() == other.0.len() && distance <= self.count() / ALIKE_PART;
        is_alike.then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames(hashes: &[&str]) -> Vec<FrameHash> {
        let frame = |(index, hash): (u64, &&str)| FrameHash {
            at_ms: index * 500,
            hash: (*hash).to_owned(),
        };
        (0..).zip(hashes).map(frame).collect()
    }

    fn found(hashes: &[&str], blocked: &[&str]) -> Option<Finding> {
        let mut matching = Matching::new(&frames(hashes));
        for hash in blocked {
            matching.compare(hash);
        }
        matching.finding()
    }

    const ONE: &str = "0123456789abcdef";
    /// Differs from the first in 4 bits.
    const LIKE_ONE: &str = "0123456789abcde0";
    const OTHER: &str = "f0e1d2c3b4a59687";

    #[test]
    fn a_copy_is_refused_and_a_single_frame_is_looked_at() {
        let copy = found(&[OTHER, ONE, LIKE_ONE], &[ONE]).unwrap();
        assert_eq!(copy.verdict, Verdict::Reject);
        assert_eq!((copy.from_ms, copy.until_ms), (Some(500), Some(1_000)));
        assert_eq!(copy.score, Some(1.0));
        let glimpse = found(&[OTHER, LIKE_ONE], &[ONE]).unwrap();
        assert_eq!(glimpse.verdict, Verdict::Review);
        assert_eq!(glimpse.score, Some(60.0 / 64.0));
        assert_eq!(found(&[ONE], &[ONE]).unwrap().verdict, Verdict::Reject);
    }

    #[test]
    fn what_looks_like_nothing_blocked_has_no_finding() {
        assert_eq!(found(&[OTHER], &[ONE]), None);
        assert_eq!(found(&[ONE], &[]), None);
        assert_eq!(found(&[], &[ONE]), None);
    }

    #[test]
    fn a_frame_without_a_picture_looks_like_nothing() {
        let black = "0000000000000001";
        assert_eq!(found(&[black, black], &[black, "0000000000000000"]), None);
        assert_eq!(found(&["ffffffffffffffff"], &["ffffffffffffffff"]), None);
    }

    #[test]
    fn hashes_of_another_length_or_form_are_not_compared() {
        let long = ONE.repeat(4);
        assert_eq!(found(&[&long], &[ONE]), None);
        assert!(found(&[&long], &[&long]).is_some());
        for wrong in ["", "0123", "+123456789abcdef", "0123456789abcdeg"] {
            assert_eq!(found(&[ONE], &[wrong]), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn up_to_an_eighth_of_the_bits_may_differ(hash in any::<u64>(), flipped in proptest::collection::hash_set(0_u32..64, 0..20)) {
            let other = flipped.iter().fold(hash, |hash, bit| hash ^ (1 << bit));
            let telling = |hash: u64| (8..=56).contains(&hash.count_ones());
            prop_assume!(telling(hash) && telling(other));
            let (hash, other) = (format!("{hash:016x}"), format!("{other:016x}"));
            prop_assert_eq!(found(&[&hash], &[&other]).is_some(), flipped.len() <= 8);
        }
    }
}
