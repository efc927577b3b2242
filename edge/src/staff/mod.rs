//! Those who work on the service: people and programs with tokens, which have names, roles and an end; origins with
//! keys; and the trail of what was done.
//!
//! The secrets `ADMIN_TOKEN` and `SERVICE_TOKEN` are the operator's. Everybody else has a token of their own, which
//! ends by itself and can be ended at any time.

pub(crate) mod access_token;
pub(crate) mod origin_keys;
pub(crate) mod tokens;
pub(crate) mod trail;

#[cfg(test)]
mod tests;
