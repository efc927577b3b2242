//! The origin that signed a request. Its key is checked in the transactions that do the work, so that the check costs
//! no round trip and a revoked key changes nothing.

use super::database::{INVALID_SIGNER, Statement};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signer {
    pub key_id: u64,
    pub origin: String,
}

impl Signer {
    /// Returns a statement that fails its whole batch unless the key is this origin's and not revoked. SQL cannot raise
    /// an error outside a trigger, but a function with an invalid argument does.
    pub(super) fn require_valid(&self) -> Statement {
        let require = Statement::new(
            "SELECT json_extract('{}', iif(
                 EXISTS (SELECT 1 FROM origin_keys WHERE id = ?1 AND name = ?2 AND ended_at_unix IS NULL), '$', ?3))
             AS is_valid",
        );
        require.bind(self.key_id).bind(self.origin.as_str()).bind(INVALID_SIGNER)
    }
}
