//! Authentication: sessions, same-origin checks, origin signatures, and the hashes by which secrets are compared.
//!
//! Pure decisions over header values. `bindings` stores the sessions, and `http::callers` applies the decisions to
//! requests.

pub(crate) mod client_network;
pub(crate) mod hash;
pub(crate) mod header;
pub(crate) mod origin_signature;
pub(crate) mod same_origin;
pub(crate) mod session;
