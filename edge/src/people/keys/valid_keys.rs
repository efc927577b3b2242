//! The one rule that says which key is valid: a channel's current one, or its previous one until that ends.

/// The channel of the key with the hash `?1`: a current one, or a previous one that is still valid.
pub(crate) const CHANNEL_OF_KEY: &str = "(SELECT channel_id FROM api_keys WHERE key_hash = ?1 UNION ALL
         SELECT channel_id FROM api_keys WHERE previous_key_hash = ?1 AND previous_ends_at_unix > unixepoch())";

/// The same as a condition on a row of `api_keys`. An update by it reads a row less than one by the channel.
pub(crate) const HAS_KEY: &str = "(key_hash = ?1 OR previous_key_hash = ?1 AND previous_ends_at_unix > unixepoch())";

/// The condition that a row of `api_keys` has a valid key with one of these two hashes.
macro_rules! has_key {
    ($first:literal, $second:literal) => {
        constcat::concat!(
            "(key_hash IN (",
            $first,
            ", ",
            $second,
            ") OR previous_key_hash IN (",
            $first,
            ", ",
            $second,
            ") AND previous_ends_at_unix > unixepoch())"
        )
    };
}
pub(crate) use has_key;
