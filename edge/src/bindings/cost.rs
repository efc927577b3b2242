//! Counts the operations of a request on D1 and R2, which are logged with its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use worker::d1::D1ResultMeta;

#[derive(Clone, Debug, Default)]
pub(crate) struct Cost(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    d1_batches: AtomicUsize,
    d1_statements: AtomicUsize,
    d1_rows_read: AtomicUsize,
    d1_rows_written: AtomicUsize,
    r2_operations: AtomicUsize,
    database_bytes: AtomicU64,
}

impl Cost {
    pub(crate) fn add_batch(&self, statements: usize) {
        self.0.d1_batches.fetch_add(1, Ordering::Relaxed);
        self.0.d1_statements.fetch_add(statements, Ordering::Relaxed);
    }

    /// Adds what D1 says about a statement that it has run.
    pub(crate) fn add_statement(&self, meta: &D1ResultMeta) {
        self.0.d1_rows_read.fetch_add(meta.rows_read.unwrap_or_default(), Ordering::Relaxed);
        self.0.d1_rows_written.fetch_add(meta.rows_written.unwrap_or_default(), Ordering::Relaxed);
        if let Some(bytes) = meta.size_after {
            self.0.database_bytes.store(bytes as u64, Ordering::Relaxed);
        }
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

    /// The rows that D1 has read, as it bills them.
    pub(crate) fn d1_rows_read(&self) -> usize {
        self.0.d1_rows_read.load(Ordering::Relaxed)
    }

    /// The rows that D1 has written, those of triggers and the entries of indexes included.
    pub(crate) fn d1_rows_written(&self) -> usize {
        self.0.d1_rows_written.load(Ordering::Relaxed)
    }

    /// The size of the database, or 0 if D1 has not told it.
    pub(crate) fn database_bytes(&self) -> u64 {
        self.0.database_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn d1_statements(&self) -> usize {
        self.0.d1_statements.load(Ordering::Relaxed)
    }
}
