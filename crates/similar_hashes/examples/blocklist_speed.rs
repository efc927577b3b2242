//! Measures a search through blocklists of several lengths, beside comparing each hash by itself:
//! `cargo run --release -p similar_hashes --example blocklist_speed`.

use contract::PictureHash;
use contract::moderation::FrameHash;
use similar_hashes::{FrameGroups, pack};
use std::collections::BTreeSet;
use std::time::Instant;

/// As many frames as an origin reports at most.
const FRAMES: u64 = 328;
/// The frames of one scene in a usual video, and in the worst case.
const SCENES: [u64; 2] = [8, 1];
const LENGTHS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

fn main() {
    let mut random = Random(1);
    for length in LENGTHS {
        let hashes: Vec<_> = (0..length).map(|_| random.hash()).collect();
        let packed = pack(hashes.iter().copied());
        for per_scene in SCENES {
            let frames = random.video(per_scene);
            let (searched, found) = timed(|| {
                let mut found = BTreeSet::new();
                FrameGroups::new(&frames).find_matches(&packed, &mut found);
                found
            });
            let (compared, expected) = timed(|| {
                let groups = FrameGroups::new(&frames);
                hashes.iter().copied().filter(|hash| groups.is_match(*hash)).collect()
            });
            assert_eq!(found, expected);
            println!("{length} hashes, {per_scene} frames a scene: {searched:.1} ms, one by one {compared:.1} ms");
        }
    }
}

/// Returns the milliseconds that a search takes, and what it finds.
fn timed(search: impl FnOnce() -> BTreeSet<PictureHash>) -> (f64, BTreeSet<PictureHash>) {
    let start = Instant::now();
    let found = search();
    (start.elapsed().as_secs_f64() * 1000.0, found)
}

/// SplitMix64, so that every run uses the same hashes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn hash(&mut self) -> PictureHash {
        PictureHash::from_words([0; 4].map(|_: u64| self.next()))
    }

    /// Returns the frames of a video. Within a scene, they differ from its first frame in about 16 bits.
    fn video(&mut self, per_scene: u64) -> Vec<FrameHash> {
        let mut scene = self.hash().words();
        let frame = |at_ms| {
            if at_ms % per_scene == 0 {
                scene = self.hash().words();
            }
            let few = self.next() & self.next();
            FrameHash { at_ms, hash: PictureHash::from_words([scene[0] ^ few, scene[1], scene[2], scene[3]]) }
        };
        (0..FRAMES).map(frame).collect()
    }
}
