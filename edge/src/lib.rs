//! The edge: a Worker that runs near the client.
//!
//! All decisions are made in the core: `intake`, `jobs`, `contents`, `moderation`, `serving`, `sweep`, `webhooks`,
//! `keys` and `auth`. It reaches the platform only through `ports`, which `bindings` implements on Cloudflare. `http`
//! turns requests into calls of the core.

#![forbid(unsafe_code)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic answers 500; every case must have its own answer"
)]

mod accounts;
mod auth;
mod compaction;
mod contents;
mod events;
mod fsck;
mod gauges;
mod http;
mod ids;
mod intake;
mod isolate;
mod jobs;
mod journal;
mod keys;
mod life;
pub mod limits;
mod moderation;
mod paging;
mod ports;
mod purges;
mod refusal;
mod removals;
mod serving;
mod slug;
mod staff;
mod sweep;
mod unix_seconds;
mod unknown_fields;
mod version;
mod visible_text;
mod webhooks;

mod bindings;

#[cfg(test)]
mod testing;

pub use moderation::blocklist_search;

#[cfg(not(target_arch = "wasm32"))]
pub use http::openapi;

use worker::web_sys::Response;
use worker::{Context, Env, Request, ScheduleContext, ScheduledEvent, event};

#[event(start)]
fn start() {
    bindings::log::install();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    bindings::response::into_runtime(http::entry::answer(request, env).await).await
}

#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    http::scheduled::run_every_minute(env).await;
}
