//! Shared by the tests: probing bytes, finding vectors, encoding clips, and building small files by hand.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test binary uses only some of it")]

pub mod clips;
pub mod crafted;
pub mod decoded;
pub mod ebml;
pub mod vectors;

use probe::{FileRefusal, Media, Prober};

/// Probes a file that is fed in one piece.
pub fn probe_whole(file: &[u8]) -> Result<Media, FileRefusal> {
    let mut prober = Prober::new();
    prober.feed(file);
    prober.finish()
}

/// Probes a file that is fed in chunks, whose sizes repeat.
pub fn probe_in_chunks(file: &[u8], sizes: &[usize]) -> Result<Media, FileRefusal> {
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

/// Probes a file in chunks, and saves and restores the prober before each. Returns the verdict, and whether the prober
/// could be saved each time before it refused the file.
pub fn probe_saved_between(file: &[u8], sizes: &[usize]) -> (Result<Media, FileRefusal>, bool) {
    let mut prober = Prober::new();
    let (mut rest, mut is_saved) = (file, true);
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let saved = prober.save();
        is_saved &= saved.is_some() || prober.refusal().is_some();
        prober = saved.map_or(prober, |saved| Prober::restore(&saved).expect("a state that was just saved"));
        let (chunk, after) = rest.split_at((*size).clamp(1, rest.len()));
        prober.feed(chunk);
        rest = after;
    }
    (prober.finish(), is_saved)
}

/// Returns the duration, or the kind and text of the refusal, for assertion messages.
pub fn summary(verdict: &Result<Media, FileRefusal>) -> String {
    match verdict {
        Ok(media) => format!("{} ms by {}", media.duration_ms, media.duration_source.name()),
        Err(refusal) => format!("{}: {refusal}", refusal.kind().name()),
    }
}
