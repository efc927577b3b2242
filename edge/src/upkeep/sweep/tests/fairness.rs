//! Channels share the queue: many jobs of one channel do not hold back another's, and no job is lost by being held.

use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::claim::{RELEASED_BY_SWEEP, ReleasedJob};
use crate::contents::life::door::{self, Find};
use crate::contents::life::job::Job;
use crate::contents::life::testing::{Set, set_state};
use crate::contents::life::{Decision, JobState, Life, begin};
use crate::jobs::tests::scene::TRACEPARENT;
use crate::jobs::{RequestTimes, RequeueOutcome, claim, requeue, send_held, send_or_leave};
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::platform::database::{Batch, Database, Statement};
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use crate::testing::fake_platform::{FakePlatform, Fault, World};
use crate::testing::sweep;
use contract::api::WaitsFor;
use contract::job::{ClaimAnswer, JobId, JobWork, Quality};
use contract::{ContentState, JobMessage, TraceContext};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::rc::Rc;

pub(super) const NOON: u64 = 20_000 * 86_400 + 43_200;
pub(super) const BUSY: ChannelId = ChannelId(1);
pub(super) const STRANGER: ChannelId = ChannelId(2);

/// Two channels with contents, and a queue whose messages are pulled in order.
pub(super) struct Scene {
    pub(super) world: Rc<World>,
    uploads: u64,
}

#[derive(Deserialize)]
struct Number {
    number: u64,
}

impl Scene {
    pub(super) fn new() -> Self {
        let world = World::new(NOON);
        for account in [1, 2] {
            let settings = ChannelSettings::limited(1_000);
            block_on(ensure_channel(&world.database, account, settings, UnixSeconds(NOON))).unwrap();
        }
        Self { world, uploads: 0 }
    }

    fn times(&self) -> RequestTimes {
        let now = UnixSeconds(self.world.now_unix.get());
        RequestTimes { now, signed_at: now }
    }

    /// Inserts the rows that an upload's commit inserts. The sweep sends the job unless it is held.
    pub(super) fn upload(&mut self, channel: ChannelId) {
        self.upload_long(channel, 5_000);
    }

    /// Uploads a video of this duration, and returns the name of its content.
    pub(super) fn upload_long(&mut self, channel: ChannelId, duration_ms: u64) -> String {
        self.uploads += 1;
        let uuid = ContentUuid::new(format!("c{}", self.uploads));
        let upload_uuid = UploadUuid::new(uuid.as_str());
        let upload = Statement::new(
            "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix) VALUES (?1, ?2, 20000, 'committed', 0)",
        );
        let mut batch = Batch::default();
        batch.execute(upload.bind(&upload_uuid).bind(channel));
        let columns = json!({
            "slug_url": uuid, "media_name": uuid, "source": "{\"container\":\"mp4\",\"size_bytes\":7}",
            "duration_ms": duration_ms, "file_sha256": "h",
        });
        let content = begin::NewContent {
            upload_uuid: &upload_uuid,
            uuid: &uuid,
            columns: columns.as_object().unwrap().clone(),
            trace: TraceContext::parse(TRACEPARENT).unwrap(),
            has_captions: false,
        };
        begin::add(&mut batch, &content, self.now());
        let job = batch.query::<ReleasedJob>(begin::select_unclaimed(&uuid));
        let answers = block_on(self.world.database.run(batch)).unwrap();
        if let Some(job) = answers.first(job).unwrap() {
            let message = serde_json::to_string(&job.into_message()).unwrap();
            self.world.queue.borrow_mut().push(message);
        }
        uuid.to_string()
    }

    pub(super) fn now(&self) -> UnixSeconds {
        UnixSeconds(self.world.now_unix.get())
    }

    fn apply(&self, content_uuid: &str, command: &dyn Decision) {
        let uuid = ContentUuid::new(content_uuid);
        let apply = door::apply(&self.world.database, Find::Uuid(&uuid), command, self.now());
        // Some changes of state are not allowed.
        if let Ok(Some(outcome)) = block_on(apply) {
            block_on(send_or_leave(&self.world.process(None), &outcome.messages));
        }
    }

    pub(super) fn sweep(&self) {
        block_on(sweep(&self.world.process(None))).unwrap();
    }

    /// Takes the first message out of the queue.
    pub(super) fn pull(&self) -> Option<JobMessage> {
        let mut queue = self.world.queue.borrow_mut();
        let message = (!queue.is_empty()).then(|| queue.remove(0));
        message.map(|text| serde_json::from_str(&text).unwrap())
    }

    /// Claims the job of a message. Returns `None` if the process died or the claim failed.
    pub(super) fn claim(&self, process: &FakePlatform, job: &JobMessage) -> Option<ClaimAnswer> {
        let origin = "a".to_owned();
        let id = JobId { content_uuid: job.content_uuid.clone(), generation: job.generation, origin };
        claim(process, &id, self.times()).now_or_never()?.ok()
    }

    pub(super) fn finish(&self, content_uuid: &str) {
        self.apply(content_uuid, &set_state(ContentState::Failed, self.now()));
    }

    /// Starts the job of a content again, as an operator.
    fn requeue(&self, content_uuid: &str) {
        let (uuid, now) = (ContentUuid::new(content_uuid), UnixSeconds(self.world.now_unix.get()));
        let requeued = block_on(requeue(&self.world.database, &uuid, "operator", now)).unwrap();
        if let RequeueOutcome::Requeued { messages, .. } = requeued {
            block_on(send_or_leave(&self.world.process(None), &messages));
        }
    }

    /// Returns the instructions that the database runs for a claim of the first job in the queue.
    pub(super) fn claim_instructions(&self) -> u64 {
        let job = self.pull().unwrap();
        let before = self.world.database.instructions();
        assert!(matches!(self.claim(&self.world.process(None), &job), Some(ClaimAnswer::Granted(_))));
        self.world.database.instructions() - before
    }

    pub(super) fn count(&self, sql: impl Into<Cow<'static, str>>) -> u64 {
        block_on(self.world.database.first::<Number>(Statement::new(sql))).unwrap().unwrap().number
    }

    /// Works on one job after the other until the queue is empty. Returns the contents in the order of their claims.
    pub(super) fn work_alone(&self) -> Vec<String> {
        let mut order = Vec::new();
        while let Some(job) = self.pull() {
            let answer = self.claim(&self.world.process(None), &job);
            assert!(matches!(answer, Some(ClaimAnswer::Granted(_))), "{answer:?}");
            self.world.pass(1);
            self.finish(&job.content_uuid);
            order.push(job.content_uuid);
        }
        order
    }
}

#[test]
fn a_claim_costs_the_same_however_many_jobs_are_held() {
    let with_held = |held: u64| {
        let mut scene = Scene::new();
        for _ in 0..held + 2 {
            scene.upload(BUSY);
        }
        assert_eq!(
            scene.count(
                "SELECT count(*) AS number FROM jobs WHERE state = 'held' AND channel_id = 1
             AND state IN ('held', 'due', 'claimed')"
            ),
            held
        );
        scene.claim_instructions()
    };
    let (few, many) = (with_held(20), with_held(1_000));
    println!("a claim: {few} instructions with 20 held jobs, {many} with 1,000");
    assert!(many < few + few / 4, "{few} instructions with 20 held jobs, {many} with 1,000");
}

#[test]
fn a_job_waits_behind_two_of_a_channel_with_forty() {
    let mut scene = Scene::new();
    for _ in 0..40 {
        scene.upload(BUSY);
    }
    scene.upload(STRANGER);
    scene.sweep();
    let order = scene.work_alone();
    assert_eq!(order.iter().position(|uuid| uuid == "c41"), Some(2), "{order:?}");
    assert_eq!(order.len(), 41);
    let of_busy: Vec<_> = order.into_iter().filter(|uuid| uuid != "c41").collect();
    let in_order: Vec<_> = (1..=40).map(|number| format!("c{number}")).collect();
    assert_eq!(of_busy, in_order, "the jobs of a channel keep their order");
    assert_eq!(scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'held'"), 0);
}

#[test]
fn a_channel_alone_soon_uses_every_origin() {
    let mut scene = Scene::new();
    for _ in 0..40 {
        scene.upload(BUSY);
    }
    scene.sweep();
    let mut running = Vec::new();
    while running.last() != Some(&40) {
        let waiting = scene.world.queue.borrow().len();
        for _ in 0..waiting {
            let job = scene.pull().unwrap();
            scene.claim(&scene.world.process(None), &job).unwrap();
        }
        running.push(scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'claimed'"));
        assert!(running.len() < 8, "{running:?}");
    }
    assert_eq!(running[..4], [2, 4, 8, 16], "the running jobs double with each round of pulls");
}

#[test]
fn a_channel_goes_on_if_the_messages_of_its_first_jobs_are_lost_or_its_contents_deleted() {
    for is_deleted in [false, true] {
        let mut scene = Scene::new();
        for _ in 0..6 {
            scene.upload(BUSY);
        }
        scene.sweep();
        if is_deleted {
            for uuid in ["c1", "c2", "c3"] {
                scene.apply(uuid, &set_state(ContentState::Deleted, scene.now()));
            }
        }
        scene.world.queue.borrow_mut().clear();
        scene.world.pass(60);
        scene.sweep();
        let order = scene.work_alone();
        // Lost messages are sent again.
        let first = if is_deleted { 4 } else { 1 };
        let left: Vec<_> = (first..=6).map(|number| format!("c{number}")).collect();
        assert_eq!(order, left, "{is_deleted}");
    }
}

#[test]
fn as_many_jobs_as_one_transaction_takes_are_released_at_once_and_no_more() {
    let mut scene = Scene::new();
    // Each channel has room for two jobs in the queue.
    for number in 0..=RELEASED_BY_SWEEP / 2 {
        let account = u64::from(number) + 10;
        let settings = ChannelSettings::limited(1_000);
        let channel = block_on(ensure_channel(&scene.world.database, account, settings, UnixSeconds(NOON))).unwrap();
        scene.upload(ChannelId(channel));
        scene.upload(ChannelId(channel));
    }
    scene.world.database.run_script("UPDATE jobs SET state = 'held'");
    let release = || block_on(send_held(&scene.world.process(None))).unwrap();
    assert_eq!([release(), release(), release()], [u64::from(RELEASED_BY_SWEEP), 2, 0]);
}

#[test]
fn a_new_generation_of_a_held_job_stays_held() {
    let mut scene = Scene::new();
    for _ in 0..4 {
        scene.upload(BUSY);
    }
    scene.requeue("c4");
    scene.sweep();
    assert_eq!(scene.world.queue.borrow().len(), 2);
    assert_eq!(scene.work_alone(), ["c1", "c2", "c3", "c4"]);
}

#[test]
fn jobs_that_are_started_again_take_turns_with_those_of_other_channels() {
    let mut scene = Scene::new();
    for _ in 0..12 {
        scene.upload(BUSY);
    }
    scene.sweep();
    // All of them fail, and an operator starts them again.
    assert_eq!(scene.work_alone().len(), 12);
    for number in 1..=12 {
        scene.requeue(&format!("c{number}"));
    }
    scene.sweep();
    assert_eq!(scene.world.queue.borrow().len(), 2, "messages in the queue");
    scene.upload(STRANGER);
    scene.sweep();
    let order = scene.work_alone();
    assert_eq!(order.iter().position(|uuid| uuid == "c13"), Some(2), "{order:?}");
    assert_eq!(order.len(), 13);
}

#[test]
fn checks_that_are_repeated_take_turns_with_the_jobs_of_other_channels() {
    let mut scene = Scene::new();
    for _ in 0..12 {
        scene.upload(BUSY);
    }
    scene.sweep();
    while let Some(job) = scene.pull() {
        scene.claim(&scene.world.process(None), &job).unwrap();
        scene.apply(&job.content_uuid, &Set(wait_for_check));
    }
    scene.world.pass(600);
    scene.sweep();
    assert_eq!(scene.world.queue.borrow().len(), 2, "messages in the queue");
    scene.upload(STRANGER);
    scene.sweep();
    let order = scene.work_alone();
    assert_eq!(order.iter().position(|uuid| uuid == "c13"), Some(2), "{order:?}");
    assert_eq!(order.len(), 13);
}

/// Sets the state after a report about a video for which a check was not possible.
fn wait_for_check(life: &mut Life) {
    life.content.waits_for = Some(WaitsFor::Check);
    for job in &mut life.jobs {
        job.end(JobState::Waiting, UnixSeconds(NOON));
        job.due_at_unix = Some(UnixSeconds(NOON + 300));
    }
}

/// A random sequence of uploads, claims, faults, deletions and lost messages.
struct RandomRun {
    scene: Scene,
    dice: Seeded,
}

impl RandomRun {
    fn below(&mut self, bound: u64) -> u64 {
        let mut bytes = [0; 8];
        self.dice.fill(&mut bytes);
        u64::from_le_bytes(bytes) % bound
    }

    fn process(&mut self) -> FakePlatform {
        let faults = [Fault::DieBefore, Fault::DieAfter, Fault::Fail, Fault::LoseAnswer];
        let fault = faults[usize::try_from(self.below(4)).unwrap()];
        let operation = usize::try_from(self.below(6)).unwrap();
        self.scene.world.process(Some((operation, fault)))
    }

    fn act(&mut self) {
        match self.below(14) {
            0..5 => {
                let channel = ChannelId(1 + self.below(2));
                self.scene.upload(channel);
            }
            5..8 => self.claim_next(),
            8 => drop(sweep(&self.process()).now_or_never()),
            9 => {
                let uuid = format!("c{}", 1 + self.below(self.scene.uploads.max(1)));
                self.scene.apply(&uuid, &set_state(ContentState::Deleted, self.scene.now()));
            }
            10 => {
                let seconds = 1 + self.below(600);
                self.scene.world.pass(seconds);
            }
            11..13 => {
                let uuid = format!("c{}", 1 + self.below(self.scene.uploads.max(1)));
                self.scene.requeue(&uuid);
            }
            _ => drop(self.scene.pull()),
        }
        let wrong = "SELECT count(*) AS number FROM contents
            WHERE (state = 'processing') <> (SELECT count(*) FROM jobs
                WHERE jobs.content_id = contents.id AND jobs.state IN ('held', 'due', 'claimed'))";
        assert_eq!(self.scene.count(wrong), 0, "an open job is held, due or claimed, and no other is");
    }

    fn claim_next(&mut self) {
        let Some(job) = self.scene.pull() else { return };
        let process = self.process();
        if let Some(ClaimAnswer::Granted(_)) = self.scene.claim(&process, &job) {
            if self.below(3) > 0 {
                self.scene.finish(&job.content_uuid);
            }
        } else {
            // The queue hands a message that was not acknowledged out again.
            let message = serde_json::to_string(&job).unwrap();
            self.scene.world.queue.borrow_mut().push(message);
        }
    }
}

#[test]
fn whatever_fails_every_job_is_claimed_in_the_end() {
    for seed in 0..fixtures::cases(60, 1_000) {
        let mut run = RandomRun { scene: Scene::new(), dice: Seeded::new(seed) };
        for _ in 0..40 {
            run.act();
        }
        for _ in 0..8 {
            run.scene.world.pass(3 * 3_600);
            run.scene.sweep();
            while let Some(job) = run.scene.pull() {
                if let Some(ClaimAnswer::Granted(_)) = run.scene.claim(&run.scene.world.process(None), &job) {
                    run.scene.finish(&job.content_uuid);
                }
            }
        }
        let left = "SELECT count(*) AS number FROM contents WHERE state = 'processing'";
        assert_eq!(run.scene.count(left), 0, "seed {seed}");
        assert_eq!(run.scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'held'"), 0, "seed {seed}");
        let due = "SELECT count(*) AS number FROM jobs WHERE state IN ('due', 'claimed')";
        assert_eq!(run.scene.count(due), 0, "seed {seed}");
    }
}

#[test]
fn the_rest_of_a_published_video_waits_for_new_videos_but_not_for_ever() {
    let mut scene = Scene::new();
    for _ in 0..3 {
        scene.upload(BUSY);
    }
    scene.upload(STRANGER);
    let claim_next = |scene: &Scene| {
        let job = scene.pull().unwrap();
        assert!(matches!(scene.claim(&scene.world.process(None), &job), Some(ClaimAnswer::Granted(_))), "{job:?}");
        job
    };
    let first = claim_next(&scene);
    publish_first(&scene, &first.content_uuid);
    let later = "SELECT count(*) AS number FROM jobs WHERE state = 'later'";
    assert_eq!(scene.count(later), 1);
    let mut claimed = Vec::new();
    while scene.count(later) == 1 {
        claimed.push(claim_next(&scene).content_uuid);
    }
    // The third video was held, so the stranger's came first.
    assert_eq!(claimed, ["c2", "c4", "c3"]);
    let rest = claim_next(&scene);
    assert_eq!((rest.content_uuid.as_str(), rest.generation), ("c1", 2));
    // New videos that never cease.
    for _ in 0..2 {
        scene.upload(STRANGER);
    }
    publish_first(&scene, "c2");
    claim_next(&scene);
    assert_eq!(scene.count(later), 1);
    scene.world.pass(601);
    scene.upload(BUSY);
    scene.upload(BUSY);
    claim_next(&scene);
    assert_eq!(scene.count(later), 0);
}

/// Publishes a content in its first quality.
pub(super) fn publish_first(scene: &Scene, content_uuid: &str) {
    scene.apply(content_uuid, &in_first_quality(scene.now()));
}

/// Returns the change that publishes a content in its first quality.
pub(super) fn in_first_quality(now: UnixSeconds) -> Set<impl Fn(&mut Life)> {
    let mut media = crate::jobs::tests::stored_media();
    media.quality = Quality::First;
    Set(move |life: &mut Life| {
        life.content.state = ContentState::Published;
        (life.content.published_at_unix, life.content.finished_at_unix) = (Some(now), Some(now));
        life.content.set_media(&media).unwrap();
        life.content.media_generation = Some(life.content.generation);
        life.jobs.push(Job::new(life.content.id, life.content.channel_id, JobWork::Completion, now));
    })
}
