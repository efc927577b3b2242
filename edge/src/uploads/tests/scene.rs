//! A channel with a key, uploads to it, and the invariants that must hold once all uploads have ended.

use crate::base::ids::ChannelId;
use crate::base::limits::{PartSizes, reserved_memory};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::people::auth::hash::{KeyedHash, Pepper};
use crate::people::failed_requests::KnownCaller;
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::people::keys::key_store::{self, StoredKey};
use crate::platform::database::{Database, Statement};
use crate::platform::entropy::testing::Seeded;
use crate::platform::error::PlatformError;
use crate::testing::fake_platform::{FakePlatform, World};
use crate::testing::sweep;
use crate::uploads::names::UploadNames;
use crate::uploads::pace::PaceRules;
use crate::uploads::{AcceptedUpload, Isolate, Permission, UploadRequest, admit, preview, receive};
use contract::api::UploadResult;
use contract::{JobMessage, TraceContext};
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use multipart::Boundary;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::pin::pin;
use std::rc::Rc;

/// Noon of some day.
pub(super) const NOON: u64 = 20_000 * 86_400 + 43_200;
pub(super) const TOKEN: &str = "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60";
/// Longer than a lease plus the time that garbage is kept.
pub(super) const LONG_AFTER: u64 = 4 * 3600;

/// The channel of the scene.
pub(super) const CHANNEL: ChannelId = ChannelId(1);
/// A limit that no test reaches, unless it is about open uploads and sets its own.
const MAX_OPEN_UPLOADS: u32 = 100;

/// Small parts, so that a video of several parts is quick to test, but larger than anything that follows a file except
/// a picture.
pub(super) const PART_BYTES: usize = 160 * 1024;
pub(super) const MAX_FILE_BYTES: u32 = 750_000;
/// Allows any pace, for tests in which time passes for other reasons.
const ANY_PACE: PaceRules = PaceRules { min_bytes_per_second: 0, window_seconds: 30, max_seconds: 1_000_000 };

pub(super) struct Scene {
    pub world: Rc<World>,
    /// The key that uploads present.
    pub key: KeyedHash,
    pub isolate: Isolate,
    pub max_open_uploads: u32,
    /// The time in which a resumable upload must be finished.
    pub seconds_to_finish: u64,
    pub chunk: usize,
    pub pace: PaceRules,
    /// The token in the header of every upload.
    pub header_token: Option<&'static str>,
    pub unknown_fields: UnknownFields,
}

#[derive(Debug, Deserialize)]
struct Number {
    number: u64,
}

impl Scene {
    pub(super) fn new(daily_limit: u32) -> Self {
        let world = World::new(NOON);
        let channel =
            block_on(ensure_channel(&world.database, 1, ChannelSettings::limited(daily_limit), UnixSeconds(NOON)))
                .unwrap();
        assert_eq!(ChannelId(channel), CHANNEL);
        let key = stored_key("key");
        block_on(key_store::create(&world.database, CHANNEL, &key, UnixSeconds(NOON))).unwrap();
        let categories = Statement::new("INSERT INTO super_categories (id, name) VALUES (7, 'Music')");
        block_on(world.database.batch(vec![categories])).unwrap();
        let isolate = Isolate::with_memory((usize::MAX / 2, usize::MAX / 2), (usize::MAX / 2, usize::MAX / 2));
        Self {
            world,
            key: key.hash,
            isolate,
            max_open_uploads: MAX_OPEN_UPLOADS,
            seconds_to_finish: 86_400,
            chunk: 4 * 1024,
            pace: ANY_PACE,
            header_token: None,
            unknown_fields: UnknownFields::default(),
        }
    }

    /// Runs an upload to its end; returns `None` if its process died on the way.
    pub(super) fn upload(
        &self,
        process: &FakePlatform,
        seed: u64,
        form: Form,
    ) -> Option<Result<AcceptedUpload, Refusal>> {
        self.send(process, seed, form.body())
    }

    pub(super) fn send(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: Vec<u8>,
    ) -> Option<Result<AcceptedUpload, Refusal>> {
        let length = body.len() as u64;
        self.uploading(process, seed, body, Some(length)).now_or_never()
    }

    /// Returns the upload as a future, which completes unless its process dies.
    pub(super) async fn uploading(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: Vec<u8>,
        content_length: Option<u64>,
    ) -> Result<AcceptedUpload, Refusal> {
        let chunks: Vec<_> = body.chunks(self.chunk).map(|chunk| Ok::<_, PlatformError>(chunk.to_vec())).collect();
        self.run(process, self.request(seed, content_length), stream::iter(chunks)).await
    }

    /// Runs an upload whose body is a stream.
    pub(super) fn receive(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Option<Result<AcceptedUpload, Refusal>> {
        self.receiving(process, seed, body).now_or_never()
    }

    /// Returns an upload whose body is a stream, as a future.
    pub(super) async fn receiving(
        &self,
        process: &FakePlatform,
        seed: u64,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Result<AcceptedUpload, Refusal> {
        self.run(process, self.request(seed, None), body).await
    }

    /// Returns an upload that announces this length, and whose body is a stream.
    pub(super) async fn announcing(
        &self,
        process: &FakePlatform,
        seed: u64,
        length: u64,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Result<AcceptedUpload, Refusal> {
        self.run(process, self.request(seed, Some(length)), body).await
    }

    /// Returns an upload without a length with another key.
    pub(super) async fn receiving_from(
        &self,
        key: &KeyedHash,
        process: &FakePlatform,
        seed: u64,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Result<AcceptedUpload, Refusal> {
        self.run(process, UploadRequest { permission: Permission::Key(key.clone()), ..self.request(seed, None) }, body)
            .await
    }

    /// Adds another channel, and returns its key.
    pub(super) fn add_stranger(&self) -> KeyedHash {
        let (database, now) = (&self.world.database, UnixSeconds(NOON));
        let channel = block_on(ensure_channel(database, 2, ChannelSettings::limited(10), now)).unwrap();
        let key = stored_key("stranger");
        block_on(key_store::create(database, ChannelId(channel), &key, now)).unwrap();
        key.hash
    }

    pub(super) async fn run(
        &self,
        process: &FakePlatform,
        request: UploadRequest,
        body: impl Stream<Item = Result<Vec<u8>, PlatformError>>,
    ) -> Result<AcceptedUpload, Refusal> {
        let mut body = pin!(body.fuse());
        let chunks = preview(process, &self.isolate, &request, body.as_mut()).await?;
        let admitted = admit(process, &self.isolate, &request).await?;
        let body = stream::iter(chunks.into_iter().map(Ok)).chain(body);
        // Boxed, because the state of an upload is large.
        Box::pin(receive(process, &request, &admitted, body)).await
    }

    pub(super) fn request(&self, seed: u64, content_length: Option<u64>) -> UploadRequest {
        UploadRequest {
            permission: Permission::Key(self.key.clone()),
            owner_fields: None,
            names: UploadNames::generate(&mut Seeded::new(seed), 1),
            boundary: Boundary::from_content_type(&Form::content_type()).unwrap(),
            content_length,
            max_file_bytes: u64::from(MAX_FILE_BYTES),
            max_open_uploads: self.max_open_uploads,
            parts: PartSizes { smallest: PART_BYTES, largest: PART_BYTES / 2 * 3 },
            pace: self.pace,
            token: self.header_token.map(str::to_owned),
            unknown_fields: self.unknown_fields.clone(),
            caller: KnownCaller::default(),
            trace: TraceContext::begin([seed.to_le_bytes()[0]; 24]),
        }
    }

    pub(super) fn sweep(&self) {
        block_on(sweep(&self.world.process(None))).unwrap();
    }

    pub(super) fn count(&self, sql: &'static str) -> u64 {
        let row: Option<Number> = block_on(self.world.database.first(Statement::new(sql))).unwrap();
        row.unwrap().number
    }

    /// Returns the text that a query selects.
    pub(super) fn text(&self, sql: &'static str) -> String {
        #[derive(Deserialize)]
        struct Text {
            text: String,
        }
        let row: Option<Text> = block_on(self.world.database.first(Statement::new(sql))).unwrap();
        row.unwrap().text
    }

    pub(super) fn contents(&self) -> u64 {
        self.count("SELECT count(*) AS number FROM contents")
    }

    /// Counts the uploads that hold a slot with a live lease.
    pub(super) fn open_uploads(&self) -> u64 {
        let select = "SELECT count(*) AS number FROM uploads WHERE state = 'reserved' AND lease_ends_at_unix > ?1";
        let select = Statement::new(select).bind(self.world.now_unix.get());
        let row: Option<Number> = block_on(self.world.database.first(select)).unwrap();
        row.unwrap().number
    }

    pub(super) fn used(&self) -> u64 {
        self.count("SELECT coalesce(sum(used), 0) AS number FROM daily_usage")
    }

    /// Returns the contents that have a job in the queue.
    pub(super) fn queued_contents(&self) -> BTreeSet<u64> {
        let queue = self.world.queue.borrow();
        queue.iter().map(|text| serde_json::from_str::<JobMessage>(text).unwrap().content_id).collect()
    }

    fn held(&self) -> u64 {
        self.count("SELECT count(*) AS number FROM jobs WHERE state = 'held' AND kind = 'video'")
    }

    /// Counts unfinished objects that hold data. A multipart upload whose id was lost with its process holds none,
    /// because no part is sent before the id is recorded. It cannot be aborted; R2 drops it after seven days.
    fn incomplete_objects(&self) -> u64 {
        self.world.multiparts.borrow().values().filter(|parts| !parts.is_empty()).count() as u64
    }

    /// Runs the sweep long after every process has ended, and returns the violated invariants.
    pub(super) fn violations_after_sweep(&self) -> Vec<String> {
        self.world.pass(LONG_AFTER);
        self.sweep();
        self.violations_at_rest()
    }

    /// Returns the violated invariants. Call it after every process has ended and the sweep has run long after.
    pub(super) fn violations_at_rest(&self) -> Vec<String> {
        let contents = self.contents();
        let checks = [
            (
                "every content has its objects and there are no others",
                self.world.objects.borrow().keys().filter(|key| !key.starts_with("removals/")).count() as u64,
                self.count(
                    "SELECT coalesce(sum(1 + (thumbnail ->> '$.picture_sha256' IS NOT NULL)), 0)
                         + (SELECT count(*) FROM captions) AS number
                     FROM contents",
                ),
            ),
            ("no object is incomplete", self.incomplete_objects(), 0),
            ("every content uses one slot", self.used(), contents),
            ("no slot is reserved", self.count("SELECT count(*) AS number FROM uploads WHERE state = 'reserved'"), 0),
            ("every upload has a content", self.count("SELECT count(*) AS number FROM uploads"), contents),
            ("every job has reached the queue or is held", self.queued_contents().len() as u64 + self.held(), contents),
            (
                "every content has a job",
                self.count("SELECT count(*) AS number FROM jobs WHERE kind = 'video' AND state IN ('held', 'due')"),
                contents,
            ),
            ("no garbage is on record", self.count("SELECT count(*) AS number FROM garbage"), 0),
        ];
        let wrong = checks.into_iter().filter(|(_, found, expected)| found != expected);
        wrong.map(|(rule, found, expected)| format!("{rule}: {found} instead of {expected}")).collect()
    }
}

/// The pepper of the scene's keys.
pub(super) const PEPPER: &str = "a pepper that is long enough to use";

/// Returns a key that is made from a text.
pub(super) fn stored_key(text: &str) -> StoredKey {
    let pepper = Pepper::new(PEPPER).unwrap();
    StoredKey { hash: pepper.hash(text.as_bytes()), hint: "hint".to_owned() }
}

/// Returns a small video, stored by one put.
pub(super) fn small_video() -> Vec<u8> {
    fixtures::mp4(5_000, 8_000, 1)
}

/// Returns a video of three streamed parts and a tail.
pub(super) fn large_video() -> Vec<u8> {
    fixtures::mp4(5_000, 4 * PART_BYTES + 5_000, 2)
}

/// Returns a form whose file is stored in parts. The thumbnail time excludes a picture after the file.
pub(super) fn stored_in_parts() -> Form {
    Form::new().text("thumbnail_time", "00:00:01").file("file", "clip.mp4", &large_video())
}

/// Returns an isolate with memory for one upload, and with this much to hold a small file or a picture.
pub(super) fn memory_to_hold(bytes: usize) -> Isolate {
    Isolate::with_memory((reserved_memory(true), bytes), (0, 0))
}

pub(super) fn form(video: &[u8]) -> Form {
    Form::new().file("file", "clip.mp4", video)
}

/// Returns the result without the member that only a replay's response has.
pub(super) fn without_state(result: &UploadResult) -> UploadResult {
    UploadResult { content_state: None, ..result.clone() }
}
