//! The credentials of people, programs and origins that work on the service, and the trail of their actions.
//!
//! The secrets `ADMIN_TOKEN` and `SERVICE_TOKEN` are the operator's. Everybody else has a token of their own, which
//! ends by itself and can be ended at any time.

pub(crate) mod access_token;
pub(crate) mod origin_keys;
pub(crate) mod tokens;
pub(crate) mod trail;

#[cfg(test)]
mod tests;
