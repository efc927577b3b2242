//! People and their credentials: sessions and signatures, channels with their API key and their limits, and the staff.

pub(crate) mod auth;
pub(crate) mod keys;
pub(crate) mod owner;
pub(crate) mod staff;
