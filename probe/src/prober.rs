//! The public face: feed chunks, look at the verdict whenever you like, finish for the last word.
//!
//! Holds the verdict and counts bytes; knows neither containers nor how they are walked.

use crate::driver::Driver;
use crate::sniff::Sniffer;
use crate::time::millis;
use crate::{Media, Refusal};

/// Judges one file while its bytes stream past. See the crate's documentation for the life of a verdict.
#[derive(Debug)]
pub struct Prober {
    driver: Driver,
    fed: u64,
    provisional: Option<Media>,
    refusal: Option<Refusal>,
    bytes_until_verdict: Option<u64>,
}

/// What is known at this moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict<'a> {
    /// Nothing yet; a duration may already be proven, see [`Prober::proven_ms`].
    Undecided,
    /// A video of this length, as far as it says itself; [`Prober::finish`] confirms it or overturns it.
    Provisional(&'a Media),
    /// Final: no further byte can make it a video.
    Refused(&'a Refusal),
}

impl Default for Prober {
    fn default() -> Self {
        Self::new()
    }
}

impl Prober {
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

    /// How many of the following bytes cannot change anything. A caller that can seek may jump over any
    /// number of them, saying so with [`Prober::skip`]; feeding them costs a subtraction.
    pub fn skippable(&self) -> u64 {
        if self.refusal.is_some() {
            u64::MAX
        } else {
            self.driver.skippable()
        }
    }

    /// Tells that bytes of the file were passed over, at most [`Prober::skippable`] of them.
    ///
    /// Only bytes that exist: jumping past the end of the file would hide that it is truncated.
    pub fn skip(&mut self, count: u64) {
        let count = count.min(self.skippable());
        self.fed = self.fed.saturating_add(count);
        self.driver.pass(count);
    }

    /// What is known at this moment; costs nothing.
    pub fn verdict(&self) -> Verdict<'_> {
        match (&self.refusal, &self.provisional) {
            (Some(refusal), _) => Verdict::Refused(refusal),
            (None, Some(media)) => Verdict::Provisional(media),
            (None, None) => Verdict::Undecided,
        }
    }

    /// The refusal, once there is one; costs nothing.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// The length that the file declares, as soon as it does.
    pub fn declared_ms(&self) -> Option<u64> {
        self.provisional.as_ref().map(|media| media.duration_ms)
    }

    /// The length that the file's own timestamps have proven so far. It only grows, and
    /// [`Prober::finish`] answers no less: once past a limit, the file can be refused at once.
    pub fn proven_ms(&self) -> u64 {
        millis(self.driver.walk().proven())
    }

    /// How many bytes of the file it took until the first verdict, provisional or refusing.
    pub fn bytes_until_verdict(&self) -> Option<u64> {
        self.bytes_until_verdict
    }

    /// How many bytes were fed or skipped.
    pub fn bytes_seen(&self) -> u64 {
        self.fed
    }

    /// The last word, after the last byte of the file.
    pub fn finish(mut self) -> Result<Media, Refusal> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => self.driver.finish(),
        }
    }

    fn note(&mut self, outcome: Result<(), Refusal>) {
        if let Err(refusal) = outcome {
            self.refusal = Some(refusal);
            self.bytes_until_verdict = self.bytes_until_verdict.or(Some(self.fed));
        } else if self.provisional.is_none() && self.driver.known_at().is_some() {
            self.provisional = self.driver.walk().provisional();
            self.bytes_until_verdict = self.driver.known_at();
        }
    }
}
