//! The credentials of people and programs that work on the service, and the trail of their actions.
//!
//! The secrets `ADMIN_TOKEN` and `SERVICE_TOKEN` are the operator's. Everyone else has a personal token, which expires
//! and can be revoked at any time. At the desk, a cookie stands for a moderator's token.

pub(crate) mod access_token;
pub(crate) mod desk_sessions;
pub(crate) mod tokens;
pub(crate) mod trail;

#[cfg(test)]
mod tests;
