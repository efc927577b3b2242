//! The job queue, pulled over HTTP. Cloudflare serves it in production, the queue bridge in local stacks.
//!
//! `client` sends requests, `answer` and `body` parse what comes back, `error` classifies failures. None of them knows
//! how a job is processed or when a message may be acknowledged.
//!
//! The queue hands a message out at least once, a lease cannot be extended, and a late acknowledgement still counts. A
//! lease therefore proves nothing about who may report a job; the generation in the message does.

mod answer;
mod body;
mod client;
mod error;
mod reason;

pub use answer::{MessageBatch, QueueMessage, SettleSummary};
pub use body::InvalidMessage;
pub use client::{QueueAddress, QueueClient};
pub use error::QueueError;

/// The queue's name for one delivery attempt, needed to settle it. It always comes from an answer of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId(String);

impl LeaseId {
    /// Restores a lease that an earlier run of this origin stored on disk.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
