//! Webhooks: sends the events of a channel to addresses that its owner has chosen, following Standard Webhooks.
//!
//! `journal::events` writes a delivery for each event and webhook in the transaction of the event. This room sends the
//! deliveries that are due, and records the outcomes. An event is delivered at least once: the next attempt is planned
//! before each attempt, so a run that dies loses nothing. The events of one content are sent in order.
//!
//! It must not depend on the causes of events, on who may manage webhooks, or on how requests are sent.

pub(crate) mod address;
pub(crate) mod deliveries;
mod message;
mod outbox;
mod schedule;
mod secret;
pub(crate) mod send_again;
mod send_test;
mod sending;
pub(crate) mod store;

#[cfg(test)]
mod tests;

pub(crate) use address::AddressRules;
pub(crate) use message::WebhookSettings;
pub(crate) use secret::RootSecret;
pub(crate) use send_test::{TestOutcome, send_test};
pub(crate) use sending::send_due;
pub(crate) use store::disable;
