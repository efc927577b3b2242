//! Those who work on the service: their tokens, with names, roles and an end, and the trail of what was done.
//!
//! The secrets `ADMIN_TOKEN` and `SERVICE_TOKEN` are the operator's. Everybody else has a token of their own, which
//! ends by itself and can be ended at any time.

pub(crate) mod access_token;
pub(crate) mod tokens;
pub(crate) mod trail;

#[cfg(test)]
mod tests;
