//! The public interface: feed chunks, read the verdict at any time, and finish to get the final verdict.
//!
//! Holds the verdict and counts bytes. This module must not depend on the containers or on how they are walked.

use crate::driver::Driver;
use crate::sniff::Sniffer;
#[cfg(feature = "state")]
use crate::state::{SavedProber, SavedWalk};
use crate::time::millis;
use crate::{FileRefusal, Media, TrackKind};

/// Judges one file while its bytes arrive. The crate documentation describes how a verdict develops.
#[derive(Debug)]
pub struct Prober {
    driver: Driver,
    fed: u64,
    provisional: Option<Media>,
    refusal: Option<FileRefusal>,
    bytes_until_verdict: Option<u64>,
}

/// The state of a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict<'a> {
    /// Nothing yet. A duration may already be proven: see [`Prober::proven_ms`].
    Undecided,
    /// A video with the duration that it declares. [`Prober::finish`] confirms or corrects it.
    Provisional(&'a Media),
    /// Final: no later byte can make the file a supported video.
    Refused(&'a FileRefusal),
}

impl Default for Prober {
    fn default() -> Self {
        Self::new()
    }
}

impl Prober {
    /// The longest saved state.
    #[cfg(feature = "state")]
    pub const MOST_SAVED: usize = crate::state::MOST_SAVED;

    pub fn new() -> Self {
        Self {
            driver: Driver::new(Box::new(Sniffer)),
            fed: 0,
            provisional: None,
            refusal: None,
            bytes_until_verdict: None,
        }
    }

    /// Takes the next bytes of the file, in chunks of any size.
    pub fn feed(&mut self, chunk: &[u8]) -> Verdict<'_> {
        self.fed = self.fed.saturating_add(crate::bytes::wide(chunk.len()));
        if self.refusal.is_none() {
            let outcome = self.driver.feed(chunk);
            self.note(outcome);
        }
        self.verdict()
    }

    /// Returns how many of the next bytes cannot affect the verdict. A caller that can seek may pass over them and
    /// report it with [`Prober::skip`]. Feeding them costs one subtraction.
    pub fn skippable(&self) -> u64 {
        if self.refusal.is_some() { u64::MAX } else { self.driver.skippable() }
    }

    /// Reports that bytes of the file were passed over, at most [`Prober::skippable`] of them.
    ///
    /// Count only bytes that exist: passing over the end of the file would hide that it is truncated.
    pub fn skip(&mut self, count: u64) {
        let count = count.min(self.skippable());
        self.fed = self.fed.saturating_add(count);
        self.driver.pass(count);
    }

    /// Returns what is known so far. Cheap to call.
    pub fn verdict(&self) -> Verdict<'_> {
        match (&self.refusal, &self.provisional) {
            (Some(refusal), _) => Verdict::Refused(refusal),
            (None, Some(media)) => Verdict::Provisional(media),
            (None, None) => Verdict::Undecided,
        }
    }

    /// Returns the refusal, if there is one. Cheap to call.
    pub fn refusal(&self) -> Option<&FileRefusal> {
        self.refusal.as_ref()
    }

    /// Returns the duration that the file declares, once it is known.
    pub fn declared_ms(&self) -> Option<u64> {
        self.provisional.as_ref().map(|media| media.duration_ms)
    }

    /// Returns the duration that the file's timestamps have proven so far. It never decreases, and [`Prober::finish`]
    /// never returns less, so a file can be refused as soon as it exceeds a limit.
    pub fn proven_ms(&self) -> u64 {
        millis(self.driver.walk().proven())
    }

    /// Returns the start of the structure that decided the first verdict, provisional or refused. It is the same for
    /// every split into chunks.
    pub fn bytes_until_verdict(&self) -> Option<u64> {
        self.bytes_until_verdict
    }

    /// Returns how many bytes of the file the prober has read or skipped.
    pub fn bytes_seen(&self) -> u64 {
        self.fed
    }

    /// Returns the number of steps so far, a measure of the work that the file caused.
    pub fn steps(&self) -> u64 {
        self.driver.steps()
    }

    /// Returns the final verdict after the last byte of the file.
    pub fn finish(mut self) -> Result<Media, FileRefusal> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => self.driver.finish().and_then(require_readable_pictures),
        }
    }

    /// Returns the state, for uploads that resume. Returns `None` if the file is refused, because nothing can change
    /// that verdict, or if the state is larger than [`Prober::MOST_SAVED`]. Only hostile files reach that size, except
    /// within an ASF packet of more than 48 KiB or an Ogg page of more than 60 KiB, after which the state can be saved
    /// again.
    #[cfg(feature = "state")]
    pub fn save(&self) -> Option<Vec<u8>> {
        let state = SavedProber {
            walk: SavedWalk::of(self.driver.walk())?,
            position: self.driver.position(),
            fed: self.fed,
            provisional: self.provisional.as_ref(),
            bytes_until_verdict: self.bytes_until_verdict,
        };
        if self.refusal.is_some() { None } else { crate::state::save(&state) }
    }

    /// Restores a prober from its saved state, to be fed the bytes after the saved prober's last. Returns `None` if the
    /// bytes are not a state of this version.
    #[cfg(feature = "state")]
    pub fn restore(saved: &[u8]) -> Option<Self> {
        let state = crate::state::restore(saved)?;
        Some(Self {
            driver: Driver::restored(state.walk.into_walk(), state.position),
            fed: state.fed,
            provisional: state.provisional,
            refusal: None,
            bytes_until_verdict: state.bytes_until_verdict,
        })
    }

    fn note(&mut self, outcome: Result<(), FileRefusal>) {
        if let Err(refusal) = outcome {
            self.refusal = Some(refusal);
            self.bytes_until_verdict = self.bytes_until_verdict.or(Some(self.driver.at()));
        } else if self.provisional.is_none() && self.driver.known_at().is_some() {
            self.provisional = self.driver.walk().provisional();
            self.bytes_until_verdict = self.driver.known_at();
        }
    }
}

/// Refuses a video whose pictures nobody can see without a key.
fn require_readable_pictures(media: Media) -> Result<Media, FileRefusal> {
    let has_pictures = |encrypted: bool| {
        media.tracks.iter().any(|track| track.kind == TrackKind::Video && track.encrypted == encrypted)
    };
    if has_pictures(true) && !has_pictures(false) {
        return Err(FileRefusal::Unsupported { container: media.container, what: "its pictures are encrypted" });
    }
    Ok(media)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_count_as_seen_also_those_passed_over_or_fed_after_a_refusal() {
        let mut prober = Prober::new();
        prober.feed(b"\x89PNG\r\n\x1A\n");
        prober.feed(&[0; 1_000]);
        assert!(prober.refusal().is_some());
        prober.skip(50);
        assert_eq!(prober.bytes_seen(), 1_058);
    }
}
