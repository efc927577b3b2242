//! The jobs of contents as the origins see them: claimed, worked on, reported; and what the sweep does when an origin
//! falls silent. Every operation is one transaction, and every one may be repeated.
//!
//! Three things fence them. The generation: who works on an older one has nothing to say. The origin's name: who has
//! not claimed the job has nothing to say either. The state: what is over stays as it is. The steps between the states
//! are `contract::STEPS`, which the database itself enforces.

pub mod claim;
pub mod cleanup;
pub mod progress;
pub mod release;
pub mod renew;
pub mod report;
pub mod soundness;

#[cfg(test)]
pub mod tests;

/// When a request is heard, and when its origin signed it, by its own clock.
///
/// A request that was signed no later than another that was heard is a repetition: it must not prolong a claim.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    pub now_unix: u64,
    pub signed_at_unix: u64,
}
