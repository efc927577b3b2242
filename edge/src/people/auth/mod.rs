//! Authentication: sessions, same-origin checks, origin signatures, and the hashes by which secrets are compared.
//!
//! Pure decisions over header values. `http` stores the sessions and applies the decisions to requests.

pub(crate) mod checked_secret;
pub(crate) mod client_network;
pub(crate) mod hash;
pub(crate) mod header;
pub(crate) mod origin_signature;
pub(crate) mod same_origin;
pub(crate) mod session;
