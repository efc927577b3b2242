//! Webhooks on real SQLite, with receivers, a clock and crashes that the tests choose.

mod crashes;
mod failures;
mod owners;
mod queueing;
mod scene;
