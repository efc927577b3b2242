//! The core's requirements of a platform, as narrow traits: a database, an object store, a queue, a cache, a client of
//! webhooks, a digest, a clock and randomness.
//!
//! `bindings` implements them on Cloudflare, and `testing` with SQLite and in memory.

pub(crate) mod database;
pub(crate) mod digest;
pub(crate) mod edge_cache;
pub(crate) mod entropy;
pub(crate) mod error;
pub(crate) mod object_store;
pub(crate) mod place;
pub(crate) mod platform;
pub(crate) mod queue;
#[cfg(test)]
pub(crate) mod statement_sites;
pub(crate) mod webhook_client;
