//! The whole system on one machine, without a cloud account: the Worker in workerd with D1, KV, R2 (S3 too) and queue,
//! beside it the bridge by which the queue can be pulled over HTTP, and the origins that pull.
//!
//! `make run` starts one in the foreground; the end-to-end tests boot private ones.

mod configuration;
mod http;
mod origin;
mod process;
mod queue_bridge;
mod secrets;
mod seed;
mod stack;
mod stack_env;
mod wait;
mod wrangler;

pub use http::client as http_client;
pub use origin::{Origin, OriginOptions};
pub use process::{Group, unless_orphaned};
pub use secrets::Secrets;
pub use stack::{Options, Stack, Variant, free_port};
pub use stack_env::StackEnv;
