//! The event log of a channel: what happened to its contents, its key and its limit.
//!
//! Triggers write the events (`0009_events.sql`), each in the transaction of the change. This folder reads the log and
//! deletes what is older than 30 days. It does not know why something happened.

mod log;
mod retention;

#[cfg(test)]
mod tests;

pub(crate) use log::{EventsPart, KeyEvents, events_page, list_events};
pub(crate) use retention::delete_old;
