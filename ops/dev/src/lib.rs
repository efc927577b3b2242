//! Runs the whole system on one machine, without a cloud account: the Worker in workerd with D1, KV, R2 (including its
//! S3 endpoint) and a queue, a cache in front of it, the queue bridge that serves Cloudflare's pull API, and the
//! origins that pull from it.
//!
//! `make run` starts one stack in the foreground; the end-to-end tests boot private ones.

#![forbid(unsafe_code)]

mod local_cache;
mod migrated_storage;
mod network;
mod options;
mod origin_process;
mod process;
mod project;
mod queue_bridge;
mod readiness;
mod schedule;
mod secrets;
mod seed;
mod sign_in;
mod stack;
mod stack_env;
mod supervision;
mod worker_config;
mod wrangler;

pub use local_cache::is_cache_installed;
pub use network::{free_port, http_client};
pub use options::{StackOptions, WorkerVariant};
pub use origin_process::{OriginOptions, OriginProcess};
pub use process::{ProcessGroup, tied_to_parent};
pub use queue_bridge::QUEUE_COMPLETIONS_ID;
pub use schedule::Schedule;
pub use secrets::{Secrets, random_hex, write_private};
pub use seed::create_origin_key;
pub use stack::Stack;
pub use stack_env::StackEnv;
