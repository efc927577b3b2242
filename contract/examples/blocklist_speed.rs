//! How long a look through a large blocklist takes: `cargo run --release -p contract --example blocklist_speed`.

use contract::PictureHash;
use contract::blocklist::{Blocked, Search};
use contract::moderation::FrameHash;
use std::time::Instant;

const FRAMES: u64 = 64;
const BLOCKED: u64 = 200_000;
const HASHES_A_CONTENT: u64 = 64;

fn main() {
    let mut random = Random(1);
    let frames: Vec<_> = (0..FRAMES)
        .map(|at_ms| FrameHash {
            at_ms,
            hash: random.hash(),
        })
        .collect();
    let blocked: Vec<_> = (0..BLOCKED)
        .map(|index| Blocked {
            content: index / HASHES_A_CONTENT,
            hash: random.hash(),
        })
        .collect();
    for _ in 0..5 {
        let start = Instant::now();
        let mut search = Search::new(&frames);
        search.look_through(&blocked);
        let finding = search.finding();
        let took = start.elapsed().as_secs_f64() * 1000.0;
        println!("{FRAMES} frames x {BLOCKED} hashes: {took:.1} ms, found {finding:?}");
    }
}

/// SplitMix64: the same hashes each time.
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
