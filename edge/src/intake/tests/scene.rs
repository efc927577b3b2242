//! A channel with a key, uploads to it, and what must be true whenever everything has come to rest.

use crate::channels::ensure_channel;
use crate::database::{Database, Statement};
use crate::entropy::testing::Seeded;
use crate::error::ApiError;
use crate::fake_platform::{FakePlatform, World};
use crate::hash::{KeyedHash, Pepper};
use crate::intake::names::Names;
use crate::intake::{Accepted, UploadRequest, receive};
use crate::key_store::{StoredKey, create_key};
use crate::platform::PlatformError;
use crate::sweep::sweep;
use contract::JobMessage;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{FutureExt, Stream, stream};
use multipart::Boundary;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Noon of some day.
pub const NOON: u64 = 20_000 * 86_400 + 43_200;
pub const TOKEN: &str = "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60";
/// Longer than a lease and the rest of garbage together.
pub const LONG_AFTER: u64 = 600;

/// Small ones, so that a video of several parts costs a test no time.
pub const PART_BYTES: usize = 16 * 1024;
pub const MAX_FILE_BYTES: u64 = 200_000;

pub struct Scene {
    pub world: Rc<World>,
    pub key: KeyedHash,
    pub chunk: usize,
}

#[derive(Debug, Deserialize)]
struct Number {
    number: u64,
}

impl Scene {
    pub fn new(daily_limit: u32) -> Self {
        let world = World::new(NOON);
        let channel =
            block_on(ensure_channel(&world.database, 1, Some(daily_limit), NOON)).unwrap();
        let pepper = Pepper::new("a pepper that is long enough to be taken").unwrap();
        let key = StoredKey {
            hash: pepper.hash(b"key"),
            hint: "hint".to_owned(),
        };
        block_on(create_key(&world.database, channel, &key, NOON)).unwrap();
        let categories =
            Statement::new("INSERT INTO super_categories (id, name) VALUES (7, 'Music')");
        block_on(world.database.batch(vec![categories])).unwrap();
        Self {
            world,
            key: key.hash,
            chunk: 4 * 1024,
        }
    }

    /// Runs an upload to its end; `None` when its process died on the way.
    pub fn upload(
        &self,
        process: &FakePlatform,
        seed: u64,
        form: Form,
    ) -> Option<Result<Accepted, ApiError>> {
        self.send(process, seed, form.body())
    }

    pub fn send(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: Vec<u8>,
    ) -> Option<Result<Accepted, ApiError>> {
        let length = body.len() as u64;
        self.uploading(process, seed, body, Some(length))
            .now_or_never()
    }

    /// The upload as a future that ends of itself unless its process dies.
    pub async fn uploading(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: Vec<u8>,
        content_length: Option<u64>,
    ) -> Result<Accepted, ApiError> {
        let request = request(seed, content_length);
        let chunks: Vec<_> = body
            .chunks(self.chunk)
            .map(|chunk| Ok::<_, PlatformError>(chunk.to_vec()))
            .collect();
        receive(process, &self.key, &request, stream::iter(chunks)).await
    }

    /// An upload whose body comes as a stream.
    pub fn receive(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Option<Result<Accepted, ApiError>> {
        receive(process, &self.key, &request(seed, None), body).now_or_never()
    }

    pub fn sweep(&self) {
        block_on(sweep(&self.world.process(None))).unwrap();
    }

    pub fn count(&self, sql: &'static str) -> u64 {
        let row: Option<Number> = block_on(self.world.database.first(Statement::new(sql))).unwrap();
        row.unwrap().number
    }

    pub fn contents(&self) -> u64 {
        self.count("SELECT count(*) AS number FROM contents")
    }

    pub fn used(&self) -> u64 {
        self.count("SELECT coalesce(sum(used), 0) AS number FROM daily_usage")
    }

    /// The contents that jobs in the queue are for.
    pub fn queued_contents(&self) -> BTreeSet<u64> {
        let queue = self.world.queue.borrow();
        queue
            .iter()
            .map(|text| serde_json::from_str::<JobMessage>(text).unwrap().content_id)
            .collect()
    }

    /// Unfinished objects that hold a byte. One whose name was lost with its process holds none, for no part is sent
    /// before the name is on record; nobody can abort it, and R2 drops it after seven days.
    fn half_stored(&self) -> u64 {
        self.world
            .multiparts
            .borrow()
            .values()
            .filter(|parts| !parts.is_empty())
            .count() as u64
    }

    /// What holds once every process has ended and the sweep has run long after.
    pub fn faults_at_rest(&self) -> Vec<String> {
        let contents = self.contents();
        let checks = [
            (
                "every content has its objects and nothing else has any",
                self.world.objects.borrow().len() as u64,
                self.count(
                    "SELECT coalesce(sum(1 + has_thumbnail_file), 0) AS number FROM contents",
                ),
            ),
            ("nothing is half stored", self.half_stored(), 0),
            ("every content is charged once", self.used(), contents),
            (
                "no slot is held",
                self.count("SELECT count(*) AS number FROM uploads WHERE state = 'reserved'"),
                0,
            ),
            (
                "every upload is a content",
                self.count("SELECT count(*) AS number FROM uploads"),
                contents,
            ),
            (
                "every job has reached the queue",
                self.queued_contents().len() as u64,
                contents,
            ),
            (
                "no job is left to send",
                self.count("SELECT count(*) AS number FROM outbox"),
                0,
            ),
            (
                "no garbage is left",
                self.count("SELECT count(*) AS number FROM garbage"),
                0,
            ),
        ];
        let wrong = checks
            .into_iter()
            .filter(|(_, found, expected)| found != expected);
        wrong
            .map(|(rule, found, expected)| format!("{rule}: {found} instead of {expected}"))
            .collect()
    }
}

fn request(seed: u64, content_length: Option<u64>) -> UploadRequest {
    UploadRequest {
        names: Names::generate(&mut Seeded::new(seed), 1),
        boundary: Boundary::from_content_type(&Form::content_type()).unwrap(),
        content_length,
        max_file_bytes: MAX_FILE_BYTES,
        part_bytes: PART_BYTES,
    }
}

/// A small video: one put.
pub fn small_video() -> Vec<u8> {
    fixtures::mp4(5_000, 8_000, 1)
}

/// A video of three parts.
pub fn large_video() -> Vec<u8> {
    fixtures::mp4(5_000, 2 * PART_BYTES + 5_000, 2)
}

pub fn form(video: &[u8]) -> Form {
    Form::new().file("file", "clip.mp4", video)
}
