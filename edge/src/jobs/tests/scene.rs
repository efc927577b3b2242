//! A content for tests, inserted without an upload, and the requests that origins make about it.

use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Decision;
use crate::contents::life::door::{self, Changed, Find};
use crate::contents::life::testing::{self, set_as_a_rule};
use crate::contents::life::works::KnownFacts;
use crate::jobs::report::{accept_report, find_reported};
use crate::jobs::report_validation::validate_report;
use crate::jobs::{RequestTimes, RequeueOutcome, claim, record_progress, release, requeue};
use crate::moderation::screening::Blocklist;
use crate::moderation::segment_cache::SegmentCache;
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::platform::database::{Database, DatabaseError, Statement};
use crate::testing::fake_platform::{FakePlatform, World};
use crate::testing::sweep;
use contract::api::{SweepReport, WaitsFor};
use contract::job::{
    ClaimAnswer, JobId, JobOutcome, JobProgress, JobReport, Quality, ReportAnswer, StoredFile, StoredMedia,
};
use contract::moderation::{Check, Examination, Finding, FrameHash, Recommendation};
use contract::subtitles::SubtitleTrack;
use contract::{ContentState, JobMessage, MediaFile, ObjectKey, Stage};
use futures_executor::block_on;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::rc::Rc;

/// The trace of the content's upload.
pub(crate) const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
pub(crate) const NOON: u64 = 20_000 * 86_400 + 43_200;

/// One content of one channel.
pub(crate) struct Scene {
    pub world: Rc<World>,
}

/// The columns of a content and of its latest job that the tests check.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Row {
    pub state: ContentState,
    pub generation: u64,
    pub stage: Stage,
    pub percent: u8,
    pub claimed_by: Option<String>,
    pub claim_ends_at_unix: Option<u64>,
    pub last_signed_at_unix: Option<u64>,
    pub attempt: u32,
    pub undecided_failures: u32,
    pub silences: u32,
    pub waits_for: Option<WaitsFor>,
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
    pub(crate) fn new() -> Self {
        Self::scheduled(None)
    }

    /// Returns a scene whose content is published only after its owner has released it.
    pub(crate) fn unreleased(at_unix: Option<u64>) -> Self {
        let scene = Self::scheduled(at_unix);
        scene.attempt("UPDATE contents SET needs_release = 1").unwrap();
        scene
    }

    pub(crate) fn scheduled(at_unix: Option<u64>) -> Self {
        let world = World::new(NOON);
        block_on(ensure_channel(&world.database, 1, ChannelSettings::limited(10), UnixSeconds(NOON))).unwrap();
        let upload = Statement::new(
            "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
             VALUES (1, 'u', 1, 20000, 'committed', 0)",
        );
        block_on(world.database.batch(vec![upload])).unwrap();
        let scene = Self { world };
        scene.begin(at_unix);
        scene
    }

    /// Replaces the content with a new one.
    pub(crate) fn begin(&self, at_unix: Option<u64>) {
        let deletions = [
            "DELETE FROM findings",
            "DELETE FROM frame_hashes",
            "DELETE FROM reports",
            "DELETE FROM jobs",
            "DELETE FROM cleanups",
            "DELETE FROM contents",
        ];
        let mut statements: Vec<_> = deletions.into_iter().map(Statement::new).collect();
        let content = Statement::new(
            r#"INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, thumbnail,
                 scheduled_publish_at_unix, source, duration_ms, file_sha256, created_at_unix)
             VALUES (1, 'c', 1, 'processing', 's', 'm.mp4', '{"picture_sha256":"p"}', ?2,
                 '{"container":"mp4","size_bytes":7}', 5000, 'h', ?1)"#,
        );
        let job = Statement::new(
            "INSERT INTO jobs (content_id, channel_id, kind, state, generation, traceparent, enqueued_at_unix, sendings,
                 sent_at_unix, due_at_unix)
             VALUES (1, 1, 'video', 'due', 1, ?2, ?1, 1, ?1, ?1 + 30)",
        );
        self.world.now_unix.set(NOON);
        statements.push(content.bind(NOON).bind(at_unix));
        statements.push(job.bind(NOON).bind(TRACEPARENT));
        block_on(self.world.database.batch(statements)).unwrap();
        self.world.queue.borrow_mut().clear();
        self.world.objects.borrow_mut().clear();
        for key in ["sources/u/video", "sources/u/thumbnail", "media/d/1/video.mp4"] {
            self.store(key);
        }
    }

    pub(crate) fn now(&self) -> UnixSeconds {
        UnixSeconds(self.world.now_unix.get())
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.world.pass(seconds);
    }

    /// Returns the times of a request that arrives as soon as it is signed.
    pub(crate) fn times(&self) -> RequestTimes {
        RequestTimes { now: self.now(), signed_at: self.now() }
    }

    /// Returns the times of a request that was signed earlier.
    pub(crate) fn signed_at(&self, signed_at: UnixSeconds) -> RequestTimes {
        RequestTimes { now: self.now(), signed_at }
    }

    pub(crate) fn claim(&self, origin: &str, generation: u64) -> ClaimAnswer {
        self.claim_signed(origin, generation, self.times())
    }

    pub(crate) fn claim_signed(&self, origin: &str, generation: u64, times: RequestTimes) -> ClaimAnswer {
        block_on(claim(&self.world.process(None), &job(origin, generation), times)).unwrap()
    }

    pub(crate) fn progress(&self, origin: &str, generation: u64, stage: Stage, percent: u8) -> bool {
        self.progress_signed(origin, generation, (stage, percent), self.times())
    }

    pub(crate) fn progress_signed(
        &self,
        origin: &str,
        generation: u64,
        (stage, percent): (Stage, u8),
        times: RequestTimes,
    ) -> bool {
        let id = job(origin, generation);
        let progress = JobProgress { id, stage, percent };
        block_on(record_progress(&self.world.database, &progress, times)).unwrap().is_current
    }

    pub(crate) fn release(&self, origin: &str, generation: u64) -> bool {
        self.release_signed(origin, generation, self.times())
    }

    pub(crate) fn release_signed(&self, origin: &str, generation: u64, times: RequestTimes) -> bool {
        let id = job(origin, generation);
        block_on(release(&self.world.process(None), &id, times)).unwrap().released
    }

    pub(crate) fn report(&self, origin: &str, generation: u64, outcome: JobOutcome) -> ReportAnswer {
        let id = job(origin, generation);
        let report = JobReport { id, outcome };
        assert_eq!(validate_report(&report), Ok(()));
        let stored = all_stored(generation);
        let process = self.world.process(None);
        block_on(find_and_accept(&blocklist_of(&process), &report, &stored, self.now())).unwrap().outcome
    }

    pub(crate) fn requeue(&self) -> RequeueOutcome {
        block_on(requeue(&self.world.database, &uuid(), "Ada", self.now())).unwrap()
    }

    pub(crate) fn sweep(&self) -> SweepReport {
        block_on(sweep(&self.world.process(None))).unwrap()
    }

    pub(crate) fn row(&self) -> Row {
        self.read(
            "SELECT contents.state, contents.generation, coalesce(stage, 'queued') AS stage,
                 coalesce(percent, 0) AS percent, claimed_by, claim_ends_at_unix, last_signed_at_unix,
                 coalesce(attempt, 0) AS attempt, coalesce(undecided_failures, 0) AS undecided_failures,
                 coalesce(silences, 0) AS silences, waits_for, contents.error_code, contents.error_detail,
                 finished_at_unix, published_at_unix, media, media_generation
             FROM contents LEFT JOIN jobs ON content_id = contents.id
             WHERE contents.id = 1 ORDER BY jobs.generation DESC LIMIT 1",
        )
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, sql: &str) -> T {
        let row = block_on(self.world.database.first(Statement::new(sql.to_owned())));
        row.unwrap().unwrap()
    }

    pub(crate) fn count(&self, sql: &str) -> u64 {
        self.read::<Number>(sql).number
    }

    /// Runs a statement that the Worker itself never would.
    pub(crate) fn attempt(&self, sql: &'static str) -> Result<(), String> {
        block_on(self.world.database.execute(Statement::new(sql))).map_err(|error| error.to_string())
    }

    /// Sets the state directly, together with the columns that the database requires.
    pub(crate) fn set_state(&self, state: ContentState) -> Result<(), String> {
        self.try_apply(&testing::set_state(state, self.now()))
    }

    /// Runs a statement. If it changes contents or captions, the consequences follow.
    pub(crate) fn happen(&self, sql: &'static str) -> Result<(), String> {
        let is_about_life = ["UPDATE contents", "UPDATE captions", "DELETE FROM captions"];
        if is_about_life.iter().any(|start| sql.starts_with(start)) { self.rule(sql) } else { self.attempt(sql) }
    }

    /// Runs a statement, with the same consequences as if a rule had set the values.
    pub(crate) fn rule(&self, sql: &str) -> Result<(), String> {
        set_as_a_rule(&self.world.database, sql, self.now())
    }

    /// Carries out a command about the content.
    pub(crate) fn apply(&self, command: &dyn Decision) {
        self.try_apply(command).unwrap();
    }

    fn try_apply(&self, command: &dyn Decision) -> Result<(), String> {
        let apply = door::apply(&self.world.database, Find::Ids(&[1]), command, self.now());
        block_on(apply).map(drop).map_err(|error| error.to_string())
    }

    pub(crate) fn store(&self, key: &str) {
        let mut objects = self.world.objects.borrow_mut();
        objects.insert(key.to_owned(), b"x".to_vec());
    }

    /// Returns the names of the content's objects.
    pub(crate) fn objects(&self) -> Vec<String> {
        let objects = self.world.objects.borrow();
        let own = objects.keys().filter(|key| !key.starts_with("media/d/") && !key.starts_with("removals/"));
        own.cloned().collect()
    }

    /// Returns the generations of the jobs in the queue.
    pub(crate) fn queued(&self) -> Vec<u64> {
        let queue = self.world.queue.borrow();
        let jobs = queue.iter();
        let jobs = jobs.map(|text| serde_json::from_str::<JobMessage>(text).unwrap());
        jobs.map(|job| job.generation).collect()
    }
}

/// Finds the content of a report and judges the report, as the route does, with the blocklist of a new isolate.
pub(crate) async fn find_and_accept(
    blocklist: &Blocklist<'_, FakePlatform, FakePlatform>,
    report: &JobReport,
    stored: &[(String, u64)],
    now: UnixSeconds,
) -> Result<Changed<ReportAnswer>, DatabaseError> {
    let life = find_reported(blocklist.database, report, now).await?;
    accept_report(blocklist, report, life, all_known(stored), now).await
}

pub(crate) fn blocklist_of(process: &FakePlatform) -> Blocklist<'_, FakePlatform, FakePlatform> {
    static NOTHING_KEPT: SegmentCache = SegmentCache::new(0);
    Blocklist { database: process, objects: process, segments: &NOTHING_KEPT }
}

/// Returns the UUID of every scene's content.
pub(crate) fn uuid() -> ContentUuid {
    ContentUuid::new("c")
}

pub(crate) fn job(origin: &str, generation: u64) -> JobId {
    JobId { content_uuid: "c".to_owned(), generation, origin: origin.to_owned() }
}

pub(crate) fn finding(recommendation: Recommendation) -> Finding {
    Finding {
        check: Check::Classifier,
        recommendation,
        from_ms: Some(1_000),
        until_ms: None,
        score: Some(1.0),
        note: Some("a label".to_owned()),
    }
}

/// Returns the outcome of a job whose findings have these recommendations.
pub(crate) fn processed(recommendations: &[Recommendation]) -> JobOutcome {
    let hash = "0123456789abcdef".repeat(4).parse().unwrap();
    JobOutcome::Processed {
        media: stored_media(),
        findings: recommendations.iter().copied().map(finding).collect(),
        frames: vec![FrameHash { at_ms: 40, hash }],
        examination: examination(),
    }
}

/// Returns an origin's complete examination of the scene's video.
fn examination() -> Examination {
    let plain_frames_at_ms = (0..10).map(|number| number * 500).collect();
    Examination { checks: Check::OF_EVERY_JOB.to_vec(), plain_frames_at_ms }
}

/// Returns the objects that a job of this generation stores.
pub(crate) fn all_stored(generation: u64) -> Vec<(String, u64)> {
    let folder = ObjectKey::generation_folder("c", generation);
    let object = |file: StoredFile| (format!("{folder}{}", file.name), file.size_bytes);
    with_subtitles().files.into_iter().map(object).collect()
}

/// Returns the edge's facts about a job that stored these objects.
pub(crate) fn all_known(stored: &[(String, u64)]) -> KnownFacts<'_> {
    KnownFacts { stored, requires_classifier: false }
}

pub(crate) fn stored_media() -> StoredMedia {
    let files = [
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Playlist(360.into()),
        MediaFile::Segments(360.into()),
        MediaFile::Poster,
        MediaFile::Thumbnail(640),
        MediaFile::Thumbnail(320),
    ];
    let files = files.map(|file| StoredFile { name: file.to_string(), size_bytes: 1 });
    StoredMedia {
        duration_ms: 5_000,
        width: 640,
        height: 360,
        has_audio: true,
        thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j3A".to_owned(),
        quality: Quality::Full,
        files: files.into(),
        subtitles: Vec::new(),
        dropped_subtitles: Vec::new(),
    }
}

/// Returns media with one English subtitle track, of which players show the default.
pub(crate) fn with_subtitles() -> StoredMedia {
    let mut media = stored_media();
    let files = [MediaFile::SubtitlePlaylist(1), MediaFile::Subtitles(1)];
    media.files.extend(files.map(|file| StoredFile { name: file.to_string(), size_bytes: 1 }));
    media.subtitles.push(SubtitleTrack {
        number: 1,
        language: Some("en".to_owned()),
        label: "English".to_owned(),
        is_default: true,
        is_forced: false,
        is_for_hearing_impaired: false,
    });
    media
}
