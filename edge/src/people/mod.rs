//! People and their credentials: sessions and signatures, channels with their API key, their limits and their failed
//! requests, and the staff.

pub(crate) mod auth;
pub(crate) mod failed_requests;
pub(crate) mod keys;
pub(crate) mod owner;
pub(crate) mod staff;
