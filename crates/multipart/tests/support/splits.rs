//! The ways in which tests split a body into chunks.

#![allow(dead_code, reason = "each test binary uses only some of it")]

/// A small fixed pseudo-random sequence, so that all runs and machines split a body in the same way.
pub(crate) struct Sequence(u64);

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    /// xorshift64*.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number from 1 to `most`.
    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        let most = u64::try_from(most.max(1)).expect("a length fits");
        usize::try_from(self.next() % most).expect("the remainder is smaller than a length") + 1
    }
}

/// Splits a body into chunks of 1 to `longest` bytes.
pub(crate) fn random_chunks(body: &[u8], longest: usize, seed: u64) -> Vec<&[u8]> {
    let mut sequence = Sequence::new(seed);
    let mut rest = body;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(sequence.up_to(longest).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

/// Returns the body whole, in single bytes, in chunks of seven bytes, and in three sets of random chunks.
pub(crate) fn every_split(body: &[u8]) -> Vec<(&'static str, Vec<&[u8]>)> {
    vec![
        ("whole", vec![body]),
        ("1 byte", body.chunks(1).collect()),
        ("7 bytes", body.chunks(7).collect()),
        ("random, short", random_chunks(body, 5, 1)),
        ("random, middle", random_chunks(body, 80, 2)),
        ("random, long", random_chunks(body, 5000, 3)),
    ]
}
