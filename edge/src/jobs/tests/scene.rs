//! Contents without their uploads, and two origins that work on them.

use crate::channels::ensure_channel;
use crate::database::{Database, Statement};
use crate::fake_platform::World;
use crate::jobs::claim::claim;
use crate::jobs::progress::progress;
use crate::jobs::release::release;
use crate::jobs::renew::{Requeued, requeue};
use crate::jobs::report::report;
use crate::jobs::{Heard, soundness};
use crate::sweep::sweep;
use contract::api::SweepReport;
use contract::job::{
    ClaimAnswer, JobClaim, JobId, JobOutcome, JobProgress, JobReport, ReportAnswer, StoredFile,
    StoredMedia,
};
use contract::moderation::{Check, Finding, FrameHash, Verdict};
use contract::{ContentState, JobMessage, MediaFile, Stage};
use futures_executor::block_on;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::rc::Rc;

pub const NOON: u64 = 20_000 * 86_400 + 43_200;

/// One content of one channel.
pub struct Scene {
    pub world: Rc<World>,
}

/// What of a content the tests look at.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Row {
    pub state: ContentState,
    pub generation: u64,
    pub stage: Stage,
    pub progress_percent: u8,
    pub claimed_by: Option<String>,
    pub claim_ends_at_unix: Option<u64>,
    pub heard_at_unix: Option<u64>,
    pub delivery: u32,
    pub renewals: u32,
    pub waits_for: Option<String>,
    pub error_code: Option<String>,
    pub error_detail: Option<String>,
    pub finished_at_unix: Option<u64>,
    pub published_at_unix: Option<u64>,
    pub media: Option<String>,
    pub media_generation: Option<u64>,
}

#[derive(Deserialize)]
struct Number {
    number: u64,
}

impl Scene {
    pub fn new() -> Self {
        Self::scheduled(None)
    }

    pub fn scheduled(at_unix: Option<u64>) -> Self {
        let world = World::new(NOON);
        block_on(ensure_channel(&world.database, 1, Some(10), NOON)).unwrap();
        let upload = Statement::new(
            "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
             VALUES (1, 'u', 1, 20000, 'committed', 0)",
        );
        block_on(world.database.batch(vec![upload])).unwrap();
        let scene = Self { world };
        scene.begin(at_unix);
        scene
    }

    /// Puts a fresh content in the place of the one that was there.
    pub fn begin(&self, at_unix: Option<u64>) {
        let forget = [
            "DELETE FROM findings",
            "DELETE FROM frame_hashes",
            "DELETE FROM reports",
            "DELETE FROM outbox",
            "DELETE FROM cleanups",
            "DELETE FROM contents",
        ];
        let mut statements: Vec<_> = forget.into_iter().map(Statement::new).collect();
        let content = Statement::new(
            "INSERT INTO contents (id, uuid, upload_id, channel_id, state, slug_url, media_name, has_thumbnail_file,
                 scheduled_publish_at_unix, container, duration_ms, size_bytes, file_sha256, created_at_unix,
                 enqueued_at_unix)
             VALUES (1, 'c', 1, 1, 'processing', 's', 'm.mp4', 1, ?2, 'mp4', 5000, 7, 'h', ?1, ?1)",
        );
        self.world.now_unix.set(NOON);
        statements.push(content.bind(NOON).bind(at_unix));
        block_on(self.world.database.batch(statements)).unwrap();
        self.world.queue.borrow_mut().clear();
        self.world.objects.borrow_mut().clear();
        for key in [
            "sources/u/video",
            "sources/u/thumbnail",
            "media/d/1/video.mp4",
        ] {
            self.store(key);
        }
    }

    pub fn now(&self) -> u64 {
        self.world.now_unix.get()
    }

    pub fn pass(&self, seconds: u64) {
        self.world.pass(seconds);
    }

    pub fn heard(&self) -> Heard {
        let now_unix = self.now();
        Heard {
            now_unix,
            signed_at_unix: now_unix,
        }
    }

    pub fn claim(&self, origin: &str, generation: u64, delivery: u32) -> ClaimAnswer {
        self.claim_signed(origin, generation, delivery, self.heard())
    }

    pub fn claim_signed(
        &self,
        origin: &str,
        generation: u64,
        delivery: u32,
        heard: Heard,
    ) -> ClaimAnswer {
        let id = job(origin, generation);
        block_on(claim(
            &self.world.database,
            &JobClaim { id, delivery },
            heard,
        ))
        .unwrap()
    }

    pub fn progress(&self, origin: &str, generation: u64, stage: Stage, percent: u8) -> bool {
        self.progress_signed(origin, generation, (stage, percent), self.heard())
    }

    pub fn progress_signed(
        &self,
        origin: &str,
        generation: u64,
        (stage, percent): (Stage, u8),
        heard: Heard,
    ) -> bool {
        let id = job(origin, generation);
        let made = JobProgress { id, stage, percent };
        block_on(progress(&self.world.database, &made, heard))
            .unwrap()
            .go_on
    }

    pub fn release(&self, origin: &str, generation: u64) -> bool {
        self.release_signed(origin, generation, self.heard())
    }

    pub fn release_signed(&self, origin: &str, generation: u64, heard: Heard) -> bool {
        let id = job(origin, generation);
        block_on(release(&self.world.database, &id, heard))
            .unwrap()
            .released
    }

    pub fn report(&self, origin: &str, generation: u64, outcome: JobOutcome) -> ReportAnswer {
        let id = job(origin, generation);
        let made = JobReport { id, outcome };
        assert_eq!(soundness::fault(&made), None);
        block_on(report(&self.world.database, &made, self.now())).unwrap()
    }

    pub fn requeue(&self) -> Requeued {
        block_on(requeue(&self.world.database, "c", self.now())).unwrap()
    }

    pub fn sweep(&self) -> SweepReport {
        block_on(sweep(&self.world.process(None))).unwrap()
    }

    pub fn row(&self) -> Row {
        self.read("SELECT * FROM contents WHERE id = 1")
    }

    pub fn read<T: DeserializeOwned>(&self, sql: &'static str) -> T {
        let row = block_on(self.world.database.first(Statement::new(sql)));
        row.unwrap().unwrap()
    }

    pub fn count(&self, sql: &'static str) -> u64 {
        self.read::<Number>(sql).number
    }

    /// What somebody else's code might try.
    pub fn attempt(&self, sql: &'static str) -> Result<(), String> {
        let done = block_on(self.world.database.batch(vec![Statement::new(sql)]));
        done.map(drop).map_err(|error| error.to_string())
    }

    /// Another state by somebody else's code, with whatever it needs to be shown.
    pub fn set_state(&self, state: ContentState) -> Result<(), String> {
        let set = Statement::new(
            "UPDATE contents SET state = ?1, generation = generation + (state = 'failed' AND ?1 = 'processing'),
                 media = coalesce(media, '{}'), media_generation = coalesce(media_generation, 1),
                 claimed_by = NULL, claim_ends_at_unix = NULL, delivery = 0",
        );
        let set = set.bind(state.as_str());
        let done = block_on(self.world.database.batch(vec![set]));
        done.map(drop).map_err(|error| error.to_string())
    }

    pub fn store(&self, key: &str) {
        let mut objects = self.world.objects.borrow_mut();
        objects.insert(key.to_owned(), b"x".to_vec());
    }

    /// The names of the content's objects.
    pub fn objects(&self) -> Vec<String> {
        let objects = self.world.objects.borrow();
        let own = objects.keys().filter(|key| !key.starts_with("media/d/"));
        own.cloned().collect()
    }

    /// The generations of the jobs that are in the queue.
    pub fn queued(&self) -> Vec<u64> {
        let queue = self.world.queue.borrow();
        let jobs = queue.iter();
        let jobs = jobs.map(|text| serde_json::from_str::<JobMessage>(text).unwrap());
        jobs.map(|job| job.generation).collect()
    }
}

pub fn job(origin: &str, generation: u64) -> JobId {
    JobId {
        content_uuid: "c".to_owned(),
        generation,
        origin: origin.to_owned(),
    }
}

pub fn finding(verdict: Verdict) -> Finding {
    Finding {
        check: Check::Classifier,
        verdict,
        from_ms: Some(1_000),
        until_ms: None,
        score: Some(1.0),
        note: Some("a label".to_owned()),
    }
}

/// The outcome of a job whose checks said that.
pub fn processed(verdicts: &[Verdict]) -> JobOutcome {
    let hash = "0123456789abcdef".repeat(4).parse().unwrap();
    JobOutcome::Processed {
        media: stored_media(),
        findings: verdicts.iter().copied().map(finding).collect(),
        frames: vec![FrameHash { at_ms: 40, hash }],
    }
}

pub fn stored_media() -> StoredMedia {
    let files = [
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Playlist(360),
        MediaFile::Segments(360),
        MediaFile::Poster,
        MediaFile::Thumbnail(640),
        MediaFile::Thumbnail(320),
    ];
    let files = files.map(|file| StoredFile {
        name: file.to_string(),
        size_bytes: 1,
    });
    StoredMedia {
        duration_ms: 5_000,
        width: 640,
        height: 360,
        has_audio: true,
        thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j3A".to_owned(),
        files: files.into(),
    }
}
