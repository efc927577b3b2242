//! Everything outside a process: the database, the objects, the queue, the cache and the clock.

use super::{FakePlatform, Fault, Received};
use crate::platform::error::PlatformError;
use crate::platform::isolate::Turns;
use crate::platform::object_store::{ByteRange, PartAddress};
use crate::platform::webhook_client::WebhookAnswer;
use crate::testing::sqlite::Sqlite;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The state that survives a crash of the process.
pub(crate) struct World {
    pub database: Sqlite,
    pub turns: Turns,
    pub objects: RefCell<BTreeMap<String, Vec<u8>>>,
    /// The descriptions that were stored, by the names of their objects.
    pub(super) descriptions: RefCell<BTreeMap<String, String>>,
    /// Multipart uploads in progress, by their ids.
    pub multiparts: RefCell<BTreeMap<String, Parts>>,
    pub queue: RefCell<Vec<String>>,
    /// The queue of the completion jobs, if they have one of their own.
    pub completions: RefCell<Vec<String>>,
    pub has_completions_queue: Cell<bool>,
    /// The time at which a queue got each message. Tests take messages out of the queues alone.
    pub(super) sent_at_unix: RefCell<BTreeMap<String, u64>>,
    /// Whether the queue refuses messages.
    pub refuses_messages: Cell<bool>,
    /// Objects whose names begin with one of these can be neither listed nor deleted.
    pub broken_prefixes: RefCell<BTreeSet<String>>,
    /// The tags of each purge that the cache accepted.
    pub purges: RefCell<Vec<Vec<String>>>,
    /// Whether the cache refuses purges.
    pub refuses_purges: Cell<bool>,
    /// All requests to webhooks so far.
    pub received: RefCell<Vec<Received>>,
    /// The answers of webhooks.
    pub webhook: RefCell<Receiver>,
    pub now_unix: Cell<u64>,
    pub(super) next_multipart: Cell<u32>,
}

/// The function that responds to the requests of a webhook.
pub(crate) type Receiver = Box<dyn FnMut(&Received) -> WebhookAnswer>;

/// The bytes of each part of an unfinished object, by its number.
type Parts = BTreeMap<u16, Vec<u8>>;

/// The destination of written bytes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Object(String),
    Part { multipart_id: String, number: u16 },
}

impl Target {
    pub(super) fn part(part: PartAddress<'_>) -> Self {
        Self::Part { multipart_id: part.multipart_id.to_owned(), number: part.number }
    }
}

impl World {
    pub(crate) fn new(now_unix: u64) -> Rc<Self> {
        Rc::new(Self {
            database: Sqlite::migrated(),
            turns: Turns::new(),
            objects: RefCell::default(),
            descriptions: RefCell::default(),
            multiparts: RefCell::default(),
            queue: RefCell::default(),
            completions: RefCell::default(),
            has_completions_queue: Cell::default(),
            sent_at_unix: RefCell::default(),
            refuses_messages: Cell::default(),
            broken_prefixes: RefCell::default(),
            purges: RefCell::default(),
            refuses_purges: Cell::default(),
            received: RefCell::default(),
            webhook: RefCell::new(Box::new(|_| WebhookAnswer { status: Some(200), ..WebhookAnswer::default() })),
            now_unix: Cell::new(now_unix),
            next_multipart: Cell::new(1),
        })
    }

    pub(crate) fn process(self: &Rc<Self>, planned_fault: Option<(usize, Fault)>) -> FakePlatform {
        let mut platform = FakePlatform {
            world: Rc::clone(self),
            operations: Rc::default(),
            planned_fault,
            yields: false,
            completions: None,
            is_completions: false,
        };
        if self.has_completions_queue.get() {
            platform.completions = Some(Box::new(FakePlatform { is_completions: true, ..platform.clone() }));
        }
        platform
    }

    /// Fails if the name begins with a broken prefix, or is the beginning of one.
    pub(super) fn ensure_works(&self, name: &str) -> Result<(), PlatformError> {
        let broken = self.broken_prefixes.borrow();
        let is_broken = broken.iter().any(|prefix| name.starts_with(prefix.as_str()) || prefix.starts_with(name));
        if is_broken { Err(PlatformError::Failed(format!("{name} is broken"))) } else { Ok(()) }
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.now_unix.set(self.now_unix.get() + seconds);
    }

    /// Adds messages to a queue, unless the queues refuse them.
    pub(super) fn enqueue(&self, queue: &RefCell<Vec<String>>, messages: &[String]) -> Result<(), PlatformError> {
        if self.refuses_messages.get() {
            return Err(PlatformError::Failed("the queue is down".to_owned()));
        }
        let mut queue = queue.borrow_mut();
        for message in messages {
            if !queue.contains(message) {
                self.sent_at_unix.borrow_mut().insert(message.clone(), self.now_unix.get());
            }
            queue.push(message.clone());
        }
        Ok(())
    }

    /// Stores the bytes and returns their entity tag.
    pub(super) fn store(&self, target: &Target, bytes: &[u8]) -> Result<String, PlatformError> {
        match target {
            Target::Object(key) => drop(self.objects.borrow_mut().insert(key.clone(), bytes.to_vec())),
            Target::Part { multipart_id, number } => {
                assert!(!bytes.is_empty(), "a part without bytes is a call too many");
                let gone = || PlatformError::Failed("no such upload".to_owned());
                let mut multiparts = self.multiparts.borrow_mut();
                multiparts.get_mut(multipart_id).ok_or_else(gone)?.insert(*number, bytes.to_vec());
            }
        }
        Ok(tag(bytes))
    }

    /// Returns a range of an object's bytes.
    pub(super) fn range(&self, key: &str, bytes: ByteRange) -> Result<Vec<u8>, PlatformError> {
        let start = usize::try_from(bytes.start).unwrap();
        let range = start..start + usize::try_from(bytes.length).unwrap();
        let objects = self.objects.borrow();
        let found = objects.get(key).and_then(|object| object.get(range)).map(<[u8]>::to_vec);
        found.ok_or_else(|| PlatformError::Failed("no such object".to_owned()))
    }
}

/// Returns the entity tag of these bytes.
pub(super) fn tag(bytes: &[u8]) -> String {
    format!("etag-{:x}", crc32fast::hash(bytes))
}
