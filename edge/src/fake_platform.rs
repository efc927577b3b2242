//! The platform of the native tests: real SQLite, an object store and a queue in memory, a clock that is set by hand;
//! and a fault that strikes one operation, whichever it is.
//!
//! Fakes, because here the order of failures is what is tested; the same operations run on workerd end to end.

use crate::database::{Database, DatabaseError, Rows, Statement};
use crate::platform::{
    Digest, JobQueue, LIST_LENGTH, ObjectStore, PartBuffer, Platform, PlatformError, StoredPart,
};
use crate::sqlite::Sqlite;
use sha2::{Digest as _, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

/// What outlives a process.
pub struct World {
    pub database: Sqlite,
    pub objects: RefCell<BTreeMap<String, Vec<u8>>>,
    /// Unfinished objects by their names.
    pub multiparts: RefCell<BTreeMap<String, Parts>>,
    pub queue: RefCell<Vec<String>>,
    pub now_unix: Cell<u64>,
    next_multipart: Cell<u32>,
}

type Parts = BTreeMap<u16, Vec<u8>>;

/// What happens to the operation that is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process dies before it.
    DieBefore,
    /// The process dies after it.
    DieAfter,
    /// It fails and nothing was done.
    Fail,
    /// It was done, and says that it failed.
    LoseAnswer,
}

impl Fault {
    pub const ALL: [Self; 4] = [
        Self::DieBefore,
        Self::DieAfter,
        Self::Fail,
        Self::LoseAnswer,
    ];
}

/// One process: it counts its operations, and one of them may be struck.
#[derive(Clone)]
pub struct FakePlatform {
    world: Rc<World>,
    operations: Rc<Cell<usize>>,
    strike: Option<(usize, Fault)>,
    /// Whether every operation lets others go first.
    yields: bool,
}

impl World {
    pub fn new(now_unix: u64) -> Rc<Self> {
        Rc::new(Self {
            database: Sqlite::migrated(),
            objects: RefCell::default(),
            multiparts: RefCell::default(),
            queue: RefCell::default(),
            now_unix: Cell::new(now_unix),
            next_multipart: Cell::new(1),
        })
    }

    pub fn process(self: &Rc<Self>, strike: Option<(usize, Fault)>) -> FakePlatform {
        FakePlatform {
            world: Rc::clone(self),
            operations: Rc::default(),
            strike,
            yields: false,
        }
    }

    pub fn pass(&self, seconds: u64) {
        self.now_unix.set(self.now_unix.get() + seconds);
    }
}

impl FakePlatform {
    pub fn operations(&self) -> usize {
        self.operations.get()
    }

    /// The same process, giving way to others at each operation.
    pub fn yielding(mut self) -> Self {
        self.yields = true;
        self
    }

    /// Stores what an origin makes of the content `c`: it does so through S3, past everything here.
    pub fn store_media(&self, generation: u64) {
        let mut objects = self.world.objects.borrow_mut();
        for file in crate::jobs::tests::stored_media().files {
            objects.insert(format!("media/c/{generation}/{}", file.name), b"x".to_vec());
        }
    }

    /// Waits once, when the process gives way.
    async fn give_way(&self) {
        let mut waited = !self.yields;
        std::future::poll_fn(|_| {
            let ready = std::mem::replace(&mut waited, true);
            if ready {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// Does an operation, or what the fault makes of it. A process that died never goes on: its future is dropped.
    fn operate<T, E>(
        &self,
        apply: impl FnOnce() -> Result<T, E>,
        failed: impl FnOnce(String) -> E,
    ) -> Operation<T, E> {
        let number = self.operations.get();
        self.operations.set(number + 1);
        let fault = self
            .strike
            .filter(|(struck, _)| *struck == number)
            .map(|(_, fault)| fault);
        match fault {
            None => Operation::Answer(apply()),
            Some(Fault::DieBefore) => Operation::Death,
            Some(Fault::Fail) => Operation::Answer(Err(failed("struck".to_owned()))),
            Some(Fault::DieAfter) => {
                let _ = apply();
                Operation::Death
            }
            Some(Fault::LoseAnswer) => {
                let _ = apply();
                Operation::Answer(Err(failed("the answer is lost".to_owned())))
            }
        }
    }
}

enum Operation<T, E> {
    Answer(Result<T, E>),
    Death,
}

impl<T, E> Operation<T, E> {
    async fn answer(self) -> Result<T, E> {
        match self {
            Self::Answer(answer) => answer,
            Self::Death => std::future::pending().await,
        }
    }
}

impl Platform for FakePlatform {
    type Database = Self;
    type Objects = Self;
    type Digest = FakeDigest;
    type Jobs = Self;

    fn database(&self) -> &Self {
        self
    }

    fn objects(&self) -> &Self {
        self
    }

    fn jobs(&self) -> &Self {
        self
    }

    fn digest(&self) -> FakeDigest {
        FakeDigest(Sha256::new())
    }

    fn now_unix(&self) -> u64 {
        self.world.now_unix.get()
    }
}

impl Database for FakePlatform {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.give_way().await;
        for statement in &statements {
            self.world.database.check_plan(statement);
        }
        let apply = || self.world.database.transact(&statements);
        self.operate(apply, DatabaseError::Unavailable)
            .answer()
            .await
    }
}

impl JobQueue for FakePlatform {
    async fn send(&self, message: &str) -> Result<(), PlatformError> {
        self.give_way().await;
        let apply = || {
            self.world.queue.borrow_mut().push(message.to_owned());
            Ok(())
        };
        self.operate(apply, PlatformError).answer().await
    }
}

impl ObjectStore for FakePlatform {
    type Buffer = Vec<u8>;
    type Sending = Pin<Box<dyn Future<Output = Result<(StoredPart, Vec<u8>), PlatformError>>>>;

    fn buffer(&self, capacity: usize) -> Vec<u8> {
        Vec::with_capacity(capacity)
    }

    async fn put(&self, key: &str, bytes: &Vec<u8>) -> Result<(), PlatformError> {
        self.give_way().await;
        let apply = || {
            self.world
                .objects
                .borrow_mut()
                .insert(key.to_owned(), bytes.clone());
            Ok(())
        };
        self.operate(apply, PlatformError).answer().await
    }

    async fn start_multipart(&self, _key: &str) -> Result<String, PlatformError> {
        self.give_way().await;
        let apply = || {
            let number = self.world.next_multipart.get();
            self.world.next_multipart.set(number + 1);
            let id = format!("multipart-{number}");
            self.world
                .multiparts
                .borrow_mut()
                .insert(id.clone(), BTreeMap::new());
            Ok(id)
        };
        self.operate(apply, PlatformError).answer().await
    }

    fn send_part(
        &self,
        _key: &str,
        multipart_id: &str,
        number: u16,
        bytes: Vec<u8>,
    ) -> Self::Sending {
        let apply = || {
            let mut multiparts = self.world.multiparts.borrow_mut();
            let gone = || PlatformError("no such upload".to_owned());
            let parts = multiparts.get_mut(multipart_id).ok_or_else(gone)?;
            parts.insert(number, bytes.clone());
            Ok(StoredPart {
                number,
                etag: format!("etag-{number}"),
            })
        };
        // Applied when called, as the platform's promises are; only the answer is waited for.
        let operation = self.operate(apply, PlatformError);
        Box::pin(async move { Ok((operation.answer().await?, bytes)) })
    }

    async fn complete(
        &self,
        key: &str,
        multipart_id: &str,
        parts: &[StoredPart],
    ) -> Result<(), PlatformError> {
        self.give_way().await;
        let apply = || {
            let gone = || PlatformError("no such upload".to_owned());
            let stored = self
                .world
                .multiparts
                .borrow_mut()
                .remove(multipart_id)
                .ok_or_else(gone)?;
            assert!(
                parts
                    .iter()
                    .map(|part| part.number)
                    .eq(stored.keys().copied()),
                "parts in order, none missing"
            );
            assert!(equal_but_the_last(&stored), "R2 takes equal parts alone");
            let whole = stored.into_values().flatten().collect();
            self.world
                .objects
                .borrow_mut()
                .insert(key.to_owned(), whole);
            Ok(())
        };
        self.operate(apply, PlatformError).answer().await
    }

    async fn abort(&self, _key: &str, multipart_id: &str) -> Result<(), PlatformError> {
        self.give_way().await;
        let apply = || {
            self.world.multiparts.borrow_mut().remove(multipart_id);
            Ok(())
        };
        self.operate(apply, PlatformError).answer().await
    }

    async fn delete(&self, keys: &[String]) -> Result<(), PlatformError> {
        self.give_way().await;
        let apply = || {
            self.world
                .objects
                .borrow_mut()
                .retain(|key, _| !keys.contains(key));
            Ok(())
        };
        self.operate(apply, PlatformError).answer().await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, PlatformError> {
        self.give_way().await;
        let apply = || {
            let objects = self.world.objects.borrow();
            let names = objects.keys().filter(|key| key.starts_with(prefix));
            Ok(names.take(LIST_LENGTH).cloned().collect())
        };
        self.operate(apply, PlatformError).answer().await
    }
}

fn equal_but_the_last(parts: &BTreeMap<u16, Vec<u8>>) -> bool {
    let sizes: Vec<usize> = parts.values().map(Vec::len).collect();
    let equal = sizes
        .windows(2)
        .rev()
        .skip(1)
        .all(|pair| pair[0] == pair[1]);
    let last_fits = sizes
        .last()
        .is_some_and(|last| *last > 0 && *last <= sizes[0]);
    equal && last_fits
}

impl PartBuffer for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn length(&self) -> usize {
        self.len()
    }
}

/// Hashing has no effect on the world: nothing can strike it.
pub struct FakeDigest(Sha256);

impl Digest<Vec<u8>> for FakeDigest {
    async fn update(&mut self, bytes: &Vec<u8>) -> Result<(), PlatformError> {
        self.0.update(bytes);
        Ok(())
    }

    async fn finish(self) -> Result<String, PlatformError> {
        Ok(contract::hexadecimal(&self.0.finalize()))
    }
}
