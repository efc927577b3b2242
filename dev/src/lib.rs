//! The whole system on one machine, without a cloud account: the Worker in workerd with D1, KV, R2 (S3 too) and queue.
//!
//! `make run` starts one in the foreground; the end-to-end tests boot private ones.

mod configuration;
mod process;
mod secrets;
mod seed;
mod stack;
mod stack_env;
mod wrangler;

pub use secrets::Secrets;
pub use stack::{Options, Stack, Variant, free_port};
pub use stack_env::StackEnv;
