//! Deploys an environment to Cloudflare.
//!
//! `account` and `hosts` read what exists, `plan` decides what to do, `apply` does it, `smoke` waits for the result,
//! and `trial` publishes a clip with it. `pepper` adds the steps that replace the pepper of API keys. Every step can be
//! repeated, so an interrupted deployment is resumed by running it again. `closing` closes and opens the service.
//!
//! `operate` manages tokens and keys of a running service, exports its trail, and imports and exports its blocklist,
//! whose formats `hash_list` reads. `watch` writes metrics. `test_clip` is the clip of the trial and of the canary.

#![forbid(unsafe_code)]

pub mod account;
pub mod apply;
pub mod closing;
pub mod cloudflare;
pub mod environment;
pub mod hash_list;
pub mod hosts;
pub mod operate;
pub mod pepper;
pub mod plan;
pub mod record;
mod routes;
pub mod smoke;
mod test_clip;
pub mod trial;
pub mod watch;
pub mod worker_config;
mod wrangler;
