//! The event log of a channel: changes of its contents and of its key, and reached limits.
//!
//! `journal` writes an event in the transaction of the change; `log` reads the log, and `retention` deletes events that
//! are older than 30 days. This folder must not depend on the code that makes the changes.

mod log;
mod retention;

#[cfg(test)]
mod tests;

pub(crate) use log::{EVENT_COLUMNS, EventsPart, OwnedEvents, StoredEvent, events_page, list_events};
pub(crate) use retention::delete_old;
