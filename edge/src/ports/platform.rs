//! Everything in the outside world that uploads, the sweep and webhooks use.
//!
//! They are correct only because of the order of these operations. Each is behind a trait, so that a
//! test can make it fail before its effect or after it, or lose its answer.

use crate::ports::database::Database;
use crate::ports::digest::Digest;
use crate::ports::edge_cache::EdgeCache;
use crate::ports::object_store::ObjectStore;
use crate::ports::queue::JobQueue;
use crate::ports::webhook_client::WebhookClient;
use crate::unix_seconds::UnixSeconds;
use std::time::Duration;

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
    fn cache(&self) -> &Self::Cache;
    fn webhooks(&self) -> &Self::Webhooks;
    fn digest(&self) -> Self::Digest;
    /// Returns the Unix time in milliseconds.
    fn now_ms(&self) -> u64;
    async fn sleep(&self, time: Duration);
    /// Returns the time after which a finished content is compacted.
    fn compact_seconds(&self) -> u64;

    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.now_ms() / 1000)
    }
}
