//! Webhooks: sending the events of a channel to addresses that its owner has chosen, by the rules of Standard Webhooks.
//!
//! `events::adding` writes a delivery for each event and webhook in the transaction of the event. This folder sends
//! what is due, and records what came of it. An event is delivered at least once: its next attempt is planned before
//! each attempt, so a run that dies loses none. The events of one content are sent in their order.
//!
//! It does not know why something happened, who may manage webhooks, or how requests are sent.

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
