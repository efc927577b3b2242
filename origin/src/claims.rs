//! What the edge said last to a claim: the jobs tell, the loop that pulls listens. An origin that can claim nothing must not
//! use up the deliveries of the whole queue.

use crate::edge::EdgeError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug, Default)]
pub struct Claims(Arc<Mutex<Option<Result<(), EdgeError>>>>);

impl Claims {
    /// The edge answered: it knows this origin.
    pub fn answered(&self) {
        *self.lock() = Some(Ok(()));
    }

    pub fn failed(&self, error: EdgeError) {
        *self.lock() = Some(Err(error));
    }

    /// What is new since the last look.
    pub fn news(&self) -> Option<Result<(), EdgeError>> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<(), EdgeError>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
