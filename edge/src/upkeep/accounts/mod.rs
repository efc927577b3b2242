//! Exports everything that is stored about an account for its owner, and erases it.
//!
//! A request for erasure closes the account in one transaction. Then its contents and records are deleted in parts, by
//! the request and by the sweep. `docs/privacy.md` lists what remains.

pub(crate) mod erasure;
pub(crate) mod export;

#[cfg(test)]
mod tests;
