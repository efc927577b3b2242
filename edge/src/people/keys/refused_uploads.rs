//! The allowance of refused uploads that each key has per hour. A refused upload writes rows and leaves nothing, so
//! without an allowance one key could keep the database busy for nothing.
//!
//! The count is in the key's row, which a refusal changes in the transaction that it needs anyway.

use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::KeyedHash;
use crate::people::keys::valid_keys::HAS_KEY;
use crate::platform::database::Statement;
use contract::ErrorCode;
use contract::limits::{MAX_REFUSED_UPLOADS, REFUSED_UPLOADS_SECONDS};

/// The assignments that count a refused upload. `?2` is the hour.
pub(super) const COUNT: &str = "refused_uploads = iif(refused_hour = ?2, refused_uploads + 1, 1), refused_hour = ?2";

/// Returns the hour since 1970-01-01, 00:00 UTC.
pub(crate) fn hour_of(now: UnixSeconds) -> u64 {
    now.0 / REFUSED_UPLOADS_SECONDS
}

/// Returns the statement that counts a refused upload of a key that is valid.
pub(crate) fn count(key: &KeyedHash, now: UnixSeconds) -> Statement {
    let count = Statement::new(constcat::concat!("UPDATE api_keys SET ", COUNT, " WHERE ", HAS_KEY));
    count.bind(key.as_str()).bind(hour_of(now))
}

/// Whether an upload with this refusal counts. Failures of the service and keys that have ended do not.
pub(crate) fn is_counted(refusal: &Refusal) -> bool {
    !matches!(refusal.code, ErrorCode::InternalError | ErrorCode::ServiceOverloaded | ErrorCode::ApiKeyInvalid)
}

/// The refusal of a key that has used up the allowance.
pub(crate) fn too_many_refused(now: UnixSeconds) -> Refusal {
    let ends_at = UnixSeconds((hour_of(now) + 1) * REFUSED_UPLOADS_SECONDS);
    let detail = format!(
        "{MAX_REFUSED_UPLOADS} uploads with this key were rejected within an hour. Read their error codes, correct the \
         uploads, and continue after `Retry-After` seconds."
    );
    Refusal::new(ErrorCode::RateLimited).with_retry_after(ends_at.seconds_since(now).max(1)).with_detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_an_allowance_waits_until_the_hour_ends() {
        for (now, seconds) in [(7_200, 3_600), (7_201, 3_599), (10_799, 1)] {
            let refusal = too_many_refused(UnixSeconds(now));
            assert_eq!((refusal.code, refusal.retry_after_seconds), (ErrorCode::RateLimited, Some(seconds)));
        }
    }
}
