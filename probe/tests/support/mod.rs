//! What the tests share: judging bytes, finding vectors, making clips, building small files by hand.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses its own part"
)]

pub mod clips;
pub mod ebml;
pub mod vectors;

use probe::{Media, Prober, Refusal};

/// The verdict on a file that is fed in one piece.
pub fn judge(file: &[u8]) -> Result<Media, Refusal> {
    let mut prober = Prober::new();
    prober.feed(file);
    prober.finish()
}

/// The verdict on a file that is fed in chunks of the given sizes, over and over.
pub fn judge_split(file: &[u8], sizes: &[usize]) -> Result<Media, Refusal> {
    let mut prober = Prober::new();
    let mut rest = file;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, after) = rest.split_at((*size).clamp(1, rest.len()));
        prober.feed(chunk);
        rest = after;
    }
    prober.finish()
}

/// The duration, or the refusal's kind and text, in a form that reads well in a failed assertion.
pub fn summary(verdict: &Result<Media, Refusal>) -> String {
    match verdict {
        Ok(media) => format!(
            "{} ms by {}",
            media.duration_ms,
            media.duration_source.name()
        ),
        Err(refusal) => format!("{}: {refusal}", refusal.kind().name()),
    }
}
