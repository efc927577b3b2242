//! Converts failures of the platform into refusals.

use super::database::DatabaseError;
use super::error::PlatformError;
use crate::base::refusal::Refusal;
use contract::ErrorCode;

impl From<DatabaseError> for Refusal {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::SignerUnknown => Self::new(ErrorCode::SignatureInvalid),
            DatabaseError::Busy(_) => database_busy(&error),
            DatabaseError::LostRace(_) | DatabaseError::LostRaceOrApplied(_) => always_changed(&error),
            DatabaseError::Unavailable(_) | DatabaseError::Shape(_) => Self::internal(error),
        }
    }
}

impl From<PlatformError> for Refusal {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::Database(error) => error.into(),
            PlatformError::Failed(cause) => Self::internal(cause),
        }
    }
}

/// The database takes too long or restarts. The cause says so; the change that was asked for may have been made.
fn database_busy(cause: &DatabaseError) -> Refusal {
    let refusal = Refusal { cause: Some(cause.to_string()), ..Refusal::overloaded() };
    refusal.with_detail("The service is busy. A requested change may have been made. Try again after a moment.")
}

/// So many requests change the same rows that this one found no turn in time.
fn always_changed(cause: &DatabaseError) -> Refusal {
    let refusal = Refusal { cause: Some(cause.to_string()), ..Refusal::overloaded() };
    refusal.with_detail("Too many concurrent requests change this video. Try again after `Retry-After` seconds.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::OVERLOADED_RETRY_SECONDS;

    #[test]
    fn only_a_busy_database_and_a_lost_race_are_worth_a_retry() {
        let busy = Refusal::from(DatabaseError::Busy("stalled".to_owned()));
        assert_eq!(
            (busy.code, busy.retry_after_seconds),
            (ErrorCode::ServiceOverloaded, Some(OVERLOADED_RETRY_SECONDS))
        );
        for lost in [DatabaseError::LostRace("x".to_owned()), DatabaseError::LostRaceOrApplied("x".to_owned())] {
            let refusal = Refusal::from(lost);
            assert_eq!((refusal.code, refusal.retry_after_seconds), (busy.code, busy.retry_after_seconds));
        }
        let behind_an_operation = Refusal::from(PlatformError::from(DatabaseError::Busy("stalled".to_owned())));
        assert_eq!(behind_an_operation.code, ErrorCode::ServiceOverloaded);
        assert!(busy.cause.is_some_and(|cause| cause.contains("outcome unknown: stalled")));
        for error in [DatabaseError::Unavailable("x".to_owned()), DatabaseError::Shape("x".to_owned())] {
            let lasting = Refusal::from(error);
            assert_eq!((lasting.code, lasting.retry_after_seconds), (ErrorCode::InternalError, None));
        }
    }

    #[test]
    fn an_internal_refusal_keeps_its_cause_for_the_log() {
        let refusal = Refusal::from(PlatformError::Failed("the bucket is gone".to_owned()));
        assert_eq!((refusal.code, refusal.detail), (ErrorCode::InternalError, None));
        assert!(refusal.cause.is_some_and(|cause| cause.contains("the bucket is gone")));
    }
}
