//! The queue of jobs, pulled over HTTP as Cloudflare serves it (and the local bridge like it).
//!
//! `client` asks, `answer` reads what comes back, `error` says what a failure means for the one who asked, `backoff` how
//! long to wait then. None of them knows what a job is good for: a message is acknowledged by whoever has done it.
//!
//! Delivery is at least once, a lease cannot be made longer, and a late acknowledgement still counts. So a lease says
//! nothing about who may report; the generation in the message does.

mod answer;

pub mod backoff;
mod body;
mod client;
mod error;

pub use answer::{Batch, Delivery, Malformed, Settled};
pub use client::{QueueAddress, QueueClient};
pub use error::QueueError;

/// What a delivery is acknowledged or given back by. Only an answer of the queue makes one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId(String);

impl LeaseId {
    /// One that an answer of the queue made in an earlier run.
    pub fn kept(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
