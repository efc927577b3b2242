//! The event log of a channel: changes of its contents and of its key, and reached limits.
//!
//! Triggers write the events (`0009_events.sql`), each in the transaction of the change. This folder reads the log and
//! deletes events that are older than 30 days. It must not depend on the code that makes the changes.

mod log;
mod retention;

#[cfg(test)]
mod tests;

pub(crate) use log::{EventsPart, KeyEvents, StoredEvent, event_columns, events_page, list_events};
pub(crate) use retention::delete_old;
