//! Counts the operations of a request on D1 and R2, which are logged with its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Debug, Default)]
pub(crate) struct Cost(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    d1_batches: AtomicUsize,
    d1_statements: AtomicUsize,
    r2_operations: AtomicUsize,
}

impl Cost {
    pub(crate) fn add_batch(&self, statements: usize) {
        self.0.d1_batches.fetch_add(1, Ordering::Relaxed);
        self.0.d1_statements.fetch_add(statements, Ordering::Relaxed);
    }

    pub(crate) fn add_r2_operation(&self) {
        self.0.r2_operations.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn r2_operations(&self) -> usize {
        self.0.r2_operations.load(Ordering::Relaxed)
    }

    pub(crate) fn d1_batches(&self) -> usize {
        self.0.d1_batches.load(Ordering::Relaxed)
    }

    pub(crate) fn d1_statements(&self) -> usize {
        self.0.d1_statements.load(Ordering::Relaxed)
    }
}
