//! Counts the operations of a request on D1 and R2, which are logged with its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use worker::d1::D1ResultMeta;

#[derive(Clone, Debug, Default)]
pub(crate) struct Cost(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    d1_batches: AtomicUsize,
    d1_write_batches: AtomicUsize,
    d1_statements: AtomicUsize,
    d1_rows_read: AtomicUsize,
    d1_rows_written: AtomicUsize,
    r2_operations: AtomicUsize,
    database_bytes: AtomicU64,
}

impl Cost {
    /// Adds a batch that is sent. Each is one round trip, and so is each retry.
    pub(crate) fn add_batch(&self, statements: usize) {
        self.0.d1_batches.fetch_add(1, Ordering::Relaxed);
        self.0.d1_statements.fetch_add(statements, Ordering::Relaxed);
    }

    /// Adds the counts that D1 reports for the statements of a batch. A batch that wrote rows counts as a write batch:
    /// D1 persists it in several places, which takes most of the time.
    pub(crate) fn add_answers(&self, metas: &[D1ResultMeta]) {
        let written = metas.iter().filter_map(|meta| meta.rows_written).sum::<usize>();
        self.0.d1_write_batches.fetch_add(usize::from(written > 0), Ordering::Relaxed);
        self.0.d1_rows_written.fetch_add(written, Ordering::Relaxed);
        let read = metas.iter().filter_map(|meta| meta.rows_read).sum();
        self.0.d1_rows_read.fetch_add(read, Ordering::Relaxed);
        if let Some(bytes) = metas.iter().filter_map(|meta| meta.size_after).next_back() {
            self.0.database_bytes.store(bytes as u64, Ordering::Relaxed);
        }
    }

    pub(crate) fn add_r2_operation(&self) {
        self.0.r2_operations.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn r2_operations(&self) -> usize {
        self.0.r2_operations.load(Ordering::Relaxed)
    }

    /// The round trips to D1.
    pub(crate) fn d1_batches(&self) -> usize {
        self.0.d1_batches.load(Ordering::Relaxed)
    }

    /// The batches in which at least one statement wrote rows.
    pub(crate) fn d1_write_batches(&self) -> usize {
        self.0.d1_write_batches.load(Ordering::Relaxed)
    }

    /// The rows that D1 has read, as it bills them.
    pub(crate) fn d1_rows_read(&self) -> usize {
        self.0.d1_rows_read.load(Ordering::Relaxed)
    }

    /// The rows that D1 has written, including rows written by triggers and entries of indexes.
    pub(crate) fn d1_rows_written(&self) -> usize {
        self.0.d1_rows_written.load(Ordering::Relaxed)
    }

    /// The size of the database, or 0 if D1 has not reported it.
    pub(crate) fn database_bytes(&self) -> u64 {
        self.0.database_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn d1_statements(&self) -> usize {
        self.0.d1_statements.load(Ordering::Relaxed)
    }
}
