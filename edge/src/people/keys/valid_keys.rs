//! The one rule that says which key is valid: a channel's current one, or its previous one until that ends.

/// The condition that a row of `api_keys` has a valid key whose hash meets a condition, such as `= ?1`.
macro_rules! has_key {
    ($hash_is:literal) => {
        constcat::concat!(
            "(key_hash ",
            $hash_is,
            " OR previous_key_hash ",
            $hash_is,
            " AND previous_ends_at_unix > unixepoch())"
        )
    };
}
pub(crate) use has_key;

/// The condition that a row of `api_keys` has the valid key with the hash `?1`.
pub(crate) const HAS_KEY: &str = has_key!("= ?1");

/// The channel of the valid key with the hash `?1`.
pub(crate) const CHANNEL_OF_KEY: &str = constcat::concat!("(SELECT channel_id FROM api_keys WHERE ", HAS_KEY, ")");
