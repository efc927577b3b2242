//! The core's requirements of a platform, as narrow traits: a database, an object store, a queue, a cache, a client of
//! webhooks, a digest, a clock and randomness.
//!
//! `cloudflare` implements them, and `testing` implements them with SQLite and in memory. Uploads, the sweep and
//! webhooks are correct only because of the order of these operations: behind a trait, a test can make each fail before
//! or after its effect, or lose its response.

pub(crate) mod batch_frame;
pub(crate) mod cloudflare;
pub(crate) mod database;
pub(crate) mod digest;
pub(crate) mod edge_cache;
pub(crate) mod entropy;
pub(crate) mod error;
pub(crate) mod follow_ups;
pub(crate) mod isolate;
pub(crate) mod object_store;
pub(crate) mod place;
pub(crate) mod queue;
mod refusals;
pub(crate) mod signer;
#[cfg(test)]
pub(crate) mod statement_sites;
pub(crate) mod webhook_client;

use crate::base::unix_seconds::UnixSeconds;
use database::Database;
use digest::Digest;
use edge_cache::EdgeCache;
use object_store::ObjectStore;
use queue::JobQueue;
use std::time::Duration;
use webhook_client::WebhookClient;

/// Everything in the outside world that uploads, the sweep and webhooks use.
pub(crate) trait Platform {
    type Database: Database;
    type Objects: ObjectStore;
    type Digest: Digest<<Self::Objects as ObjectStore>::Segment>;
    type Jobs: JobQueue;
    type Cache: EdgeCache;
    type Webhooks: WebhookClient;

    fn database(&self) -> &Self::Database;
    fn objects(&self) -> &Self::Objects;
    fn jobs(&self) -> &Self::Jobs;
    /// Returns the queue of the completion jobs, or `None` if they share the queue of all jobs.
    fn completions(&self) -> Option<&Self::Jobs>;
    fn cache(&self) -> &Self::Cache;
    fn webhooks(&self) -> &Self::Webhooks;
    fn digest(&self) -> Self::Digest;
    /// Returns the Unix time in milliseconds.
    fn now_ms(&self) -> u64;
    async fn sleep(&self, time: Duration);

    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.now_ms() / 1000)
    }
}
