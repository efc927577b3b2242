//! Measures a search through a large blocklist: `cargo run --release -p edge --example blocklist_speed`.

#![expect(clippy::disallowed_methods, reason = "a native program; only the Worker has no clock")]

use contract::PictureHash;
use contract::moderation::FrameHash;
use edge::blocklist_search::{BlockedFrame, BlocklistSearch};
use std::time::Instant;

const FRAMES: u64 = 64;
const BLOCKED: u64 = 200_000;
const HASHES_PER_CONTENT: u64 = 64;

fn main() {
    let mut random = Random(1);
    let frames: Vec<_> = (0..FRAMES).map(|at_ms| FrameHash { at_ms, hash: random.hash() }).collect();
    let blocked: Vec<_> =
        (0..BLOCKED).map(|index| BlockedFrame { content: index / HASHES_PER_CONTENT, hash: random.hash() }).collect();
    for _ in 0..5 {
        let start = Instant::now();
        let mut search = BlocklistSearch::new(&frames);
        search.add_page(&blocked);
        let finding = search.finding();
        let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
        println!("{FRAMES} frames x {BLOCKED} hashes: {milliseconds:.1} ms, finding: {finding:?}");
    }
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
        let mut bytes = [0; PictureHash::BYTES];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes());
        }
        PictureHash::from_bytes(bytes)
    }
}
