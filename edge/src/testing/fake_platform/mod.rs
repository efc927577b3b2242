//! The platform of the native tests: real SQLite, an object store, a queue, a cache and webhooks in memory, a clock
//! that tests set, and a fault that makes one chosen operation fail.
//!
//! These are fakes because the tests are about the order of failures. End-to-end tests run the same on workerd.

mod database;
mod digest;
mod edge_cache;
mod fault;
mod object_store;
mod object_writer;
mod queue;
mod webhooks;
mod world;

pub(crate) use fault::Fault;
pub(crate) use webhooks::Received;
pub(crate) use world::World;

use crate::platform::Platform;
use digest::FakeDigest;
use fault::Operation;
use std::cell::Cell;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

/// One process. It counts its operations, and one of them may fail.
#[derive(Clone)]
pub(crate) struct FakePlatform {
    world: Rc<World>,
    operations: Rc<Cell<usize>>,
    /// The number of the operation that fails, and how.
    planned_fault: Option<(usize, Fault)>,
    /// Whether every operation yields to other tasks first.
    yields: bool,
    /// The queue of the completion jobs, if they have one of their own. It counts the operations of the same process.
    completions: Option<Box<FakePlatform>>,
    is_completions: bool,
}

impl FakePlatform {
    pub(crate) fn operations(&self) -> usize {
        self.operations.get()
    }

    /// Makes the process yield to other tasks at each operation.
    pub(crate) fn yielding(mut self) -> Self {
        self.yields = true;
        self
    }

    /// Stores the media that an origin makes of the content `c`. Origins write through S3 and not through this
    /// platform.
    pub(crate) fn store_media(&self, generation: u64) {
        let mut objects = self.world.objects.borrow_mut();
        for file in crate::jobs::tests::stored_media().files {
            objects.insert(format!("media/c/{generation}/{}", file.name), b"x".to_vec());
        }
    }

    /// Yields once if `yields` is set.
    async fn yield_once(&self) {
        let mut waited = !self.yields;
        std::future::poll_fn(|context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Runs an operation, or the fault in its place. A process that died never continues: its future is dropped.
    fn operate<T, E>(&self, apply: impl FnOnce() -> Result<T, E>, failed: impl FnOnce(String) -> E) -> Operation<T, E> {
        let number = self.operations.get();
        self.operations.set(number + 1);
        let fault = self.planned_fault.filter(|(chosen, _)| *chosen == number).map(|(_, fault)| fault);
        match fault {
            None => Operation::Answer(apply()),
            Some(Fault::DieBefore) => Operation::Death,
            Some(Fault::Fail) => Operation::Answer(Err(failed("the operation failed".to_owned()))),
            Some(Fault::DieAfter) => {
                let _ = apply();
                Operation::Death
            }
            Some(Fault::LoseAnswer) => {
                let _ = apply();
                Operation::Answer(Err(failed("the answer is lost".to_owned())))
            }
            Some(Fault::LoseConnection) => {
                let _ = apply();
                Operation::Answer(Err(failed("Network connection lost.".to_owned())))
            }
        }
    }
}

impl Platform for FakePlatform {
    type Database = Self;
    type Objects = Self;
    type Digest = FakeDigest;
    type Jobs = Self;
    type Cache = Self;
    type Webhooks = Self;

    fn database(&self) -> &Self {
        self
    }

    fn objects(&self) -> &Self {
        self
    }

    fn jobs(&self) -> &Self {
        self
    }

    fn completions(&self) -> Option<&Self> {
        self.completions.as_deref()
    }

    fn cache(&self) -> &Self {
        self
    }

    fn webhooks(&self) -> &Self {
        self
    }

    fn digest(&self) -> FakeDigest {
        FakeDigest::default()
    }

    fn now_ms(&self) -> u64 {
        self.world.now_unix.get() * 1000
    }

    /// Ends when the test has moved the clock far enough.
    async fn sleep(&self, time: Duration) {
        let wake_at = self.now_ms() + u64::try_from(time.as_millis()).unwrap();
        std::future::poll_fn(|_| if self.now_ms() >= wake_at { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}
