//! The result of the latest claim, passed from the jobs to the pull loop. An origin whose claims fail must not use up
//! the delivery attempts of the whole queue.

use crate::clients::edge::EdgeError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug, Default)]
pub(super) struct LastClaim(Arc<Mutex<Option<Result<(), EdgeError>>>>);

impl LastClaim {
    /// Records that the edge answered the claim, so it accepts this origin.
    pub(super) fn set_answered(&self) {
        *self.lock() = Some(Ok(()));
    }

    pub(super) fn set_failed(&self, error: EdgeError) {
        *self.lock() = Some(Err(error));
    }

    /// Returns the result, if there has been a new one since the last call.
    pub(super) fn take(&self) -> Option<Result<(), EdgeError>> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<(), EdgeError>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
