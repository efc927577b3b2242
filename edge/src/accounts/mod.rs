//! Everything that is stored about an account: exported for its owner, and erased.
//!
//! The request of an erasure closes the account in one transaction (`0022_erased_accounts.sql`). `erasure` then deletes
//! its contents and records in parts, in the request and in the sweep. `docs/privacy.md` lists what is left.

pub(crate) mod erasure;
pub(crate) mod export;

#[cfg(test)]
mod tests;
