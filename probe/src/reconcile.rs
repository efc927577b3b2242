//! A declared length against the timestamps that were really seen.
//!
//! The declaration is believed only where the timestamps allow it: they leave open how long the last frame
//! stays, and nothing else. A declaration that goes on long after the last frame belongs to a file that was cut.

use crate::time::NANOS_PER_SECOND;
use crate::{Container, DurationSource, Refusal};

/// Between a header's rounding and a lost ending lies at least this.
const CUT: u64 = NANOS_PER_SECOND;
/// Recorders begin counting up to so much before the first frame, and count it into their length.
const LEAD_IN: u64 = NANOS_PER_SECOND;
/// How far a declaration may lie from the timestamps for rounding alone.
const ROUNDING: u64 = 2_000_000;

/// What was seen, in nanoseconds of the file's own clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observed {
    /// The first frame's time.
    pub(crate) start: u64,
    /// The last frame's time.
    pub(crate) last: u64,
    /// The last frame's time and how long it stays for certain.
    pub(crate) end: u64,
    /// The latest end that a declaration may claim.
    pub(crate) latest: u64,
}

impl Observed {
    pub(crate) fn length(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// What a header says of the whole length, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared {
    length: u64,
}

impl Declared {
    /// A length that counts from the clock's zero, or from the first frame: writers differ.
    pub(crate) fn from_zero(length: u64) -> Self {
        Self { length }
    }
}

/// The length to believe, and why; `source` names how the observation was made.
pub(crate) fn reconcile(
    declared: Option<Declared>,
    observed: Option<Observed>,
    container: Container,
    source: DurationSource,
) -> Result<(u64, DurationSource), Refusal> {
    let Some(seen) = observed else {
        return Err(without_frames(declared, container));
    };
    let Some(Declared { length }) = declared else {
        return match seen.length() {
            0 => Err(Refusal::DurationUnknown { container }),
            length => Ok((length, source)),
        };
    };
    if length > seen.end.max(seen.length()).saturating_add(CUT) {
        return Err(Refusal::Truncated {
            container,
            what: "its frames end before the length that it declares",
        });
    }
    // A single frame stays as long as its header says, within the second that remains here.
    if allows(seen, length) || seen.length() == 0 {
        // Rounding may not take back what the timestamps have proven.
        let proven = seen.last.saturating_sub(seen.start);
        return Ok((length.max(proven), DurationSource::Confirmed));
    }
    Ok((seen.length(), source))
}

/// Whether the last frame may stay as long as the declaration wants.
fn allows(seen: Observed, declared: u64) -> bool {
    let shortest = seen
        .last
        .saturating_sub(seen.start)
        .saturating_sub(ROUNDING);
    let longest = seen
        .latest
        .saturating_sub(seen.start)
        .saturating_add(seen.start.min(LEAD_IN))
        .saturating_add(ROUNDING);
    (shortest..=longest).contains(&declared)
}

fn without_frames(declared: Option<Declared>, container: Container) -> Refusal {
    match declared {
        Some(Declared { length }) if length > CUT => Refusal::Truncated {
            container,
            what: "it declares a length, and no frame follows",
        },
        _ => Refusal::DurationUnknown { container },
    }
}
