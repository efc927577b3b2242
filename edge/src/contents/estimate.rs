//! The estimate of when a video will be processed: from its place in the queue, and from the pace at which recent
//! videos were processed.
//!
//! The estimate is wrong if the pace changes. It may be some seconds old, because no decision depends on it.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, DatabaseError, Statement, read_column};
use contract::Stage;
use serde::Deserialize;
use std::sync::{Mutex, PoisonError};

/// The time for which an isolate uses the pace that it has read.
const FRESH_SECONDS: u64 = 10;
/// The cost of a video besides its length, as milliseconds of video.
const OVERHEAD_MS: u64 = 4_000;

/// The pace that this isolate has last read, and when.
static LAST_READ: Mutex<Option<(UnixSeconds, Pace)>> = Mutex::new(None);

/// A video that is queued or being processed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    pub stage: Stage,
    pub percent: u8,
    pub enqueued_at: UnixSeconds,
    pub duration_ms: u64,
}

/// The recent pace of processing, and the videos that wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// The seconds that a second of video takes.
    speed: f64,
    /// The seconds between two processed videos, while there is a queue.
    gap: f64,
    /// The times at which the videos at the head of the queue entered it, in order.
    queued: Vec<u64>,
}

/// A processed video: when its report came, how many seconds after it was queued, and its length.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Processed(u64, u64, u64);

/// The query reads at most 40 reports and 100 jobs, however long the history and the queue are.
const SELECT: &str = "
    SELECT (SELECT json_group_array(enqueued_at_unix) FROM (
            SELECT enqueued_at_unix FROM jobs
            WHERE state IN ('held', 'due', 'claimed') AND kind = 'video' AND stage = 'queued'
            ORDER BY enqueued_at_unix LIMIT 100)) AS queued,
        (SELECT json_group_array(json_array(received_at_unix, received_at_unix - enqueued_at_unix, duration_ms))
         FROM (SELECT content_id, kind, received_at_unix FROM reports ORDER BY content_id DESC LIMIT 40) AS newest
             JOIN jobs ON jobs.content_id = newest.content_id AND jobs.kind = 'video'
             JOIN contents ON contents.id = newest.content_id
         WHERE newest.kind = 'processed' AND received_at_unix >= enqueued_at_unix) AS processed";

/// Returns the seconds until the video is processed, or `None` if nothing was processed lately. A failure of the
/// database must not fail a request for the status.
pub(crate) async fn estimate(database: &impl Database, video: Awaited, now: UnixSeconds) -> Option<u32> {
    let pace = recent_pace(database, now).await;
    let log = |error: &DatabaseError| tracing::warn!(%error, "the pace of processing cannot be read");
    pace.inspect_err(log).ok()?.seconds_left(video)
}

async fn recent_pace(database: &impl Database, now: UnixSeconds) -> Result<Pace, DatabaseError> {
    let known = LAST_READ.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let known = known.filter(|(read_at, _)| now.seconds_since(*read_at) < FRESH_SECONDS);
    if let Some((_, pace)) = known {
        return Ok(pace);
    }
    let pace = read(database).await?;
    *LAST_READ.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, pace.clone()));
    Ok(pace)
}

async fn read(database: &impl Database) -> Result<Pace, DatabaseError> {
    #[derive(Deserialize)]
    struct PaceRow {
        queued: String,
        processed: String,
    }
    let row: Option<PaceRow> = database.first(Statement::new(SELECT)).await?;
    let row = row.ok_or_else(|| DatabaseError::Shape("the pace has no row".to_owned()))?;
    Ok(Pace::of(&read_column::<Vec<Processed>>(&row.processed)?, read_column(&row.queued)?))
}

#[expect(clippy::cast_precision_loss, reason = "seconds and milliseconds of a video are far below 2^52")]
fn number(value: u64) -> f64 {
    value as f64
}

fn cost(duration_ms: u64) -> f64 {
    number(duration_ms + OVERHEAD_MS) / 1_000.0
}

impl Pace {
    /// A video that waited long says little about the work, so the speed is the one that a quarter of the videos had or
    /// exceeded.
    fn of(processed: &[Processed], queued: Vec<u64>) -> Self {
        let mut speeds: Vec<f64> =
            processed.iter().map(|Processed(_, took, duration_ms)| number(*took) / cost(*duration_ms)).collect();
        speeds.sort_by(f64::total_cmp);
        let speed = speeds.get(speeds.len() / 4).copied().unwrap_or_default();
        let received = || processed.iter().map(|Processed(received_at, ..)| *received_at);
        let span = received().max().unwrap_or_default() - received().min().unwrap_or_default();
        let mean_cost: f64 = processed.iter().map(|Processed(.., duration_ms)| cost(*duration_ms)).sum::<f64>()
            / number(processed.len().max(1) as u64);
        // A long gap between reports may only mean that nobody uploaded anything. So the gap is at most the time that
        // one origin needs for an average video.
        let gap = (number(span) / number(processed.len().saturating_sub(1).max(1) as u64)).min(speed * mean_cost);
        Self { speed, gap, queued }
    }

    fn seconds_left(&self, video: Awaited) -> Option<u32> {
        if self.speed <= 0.0 {
            return None;
        }
        let work = self.speed * cost(video.duration_ms);
        let left = if video.stage == Stage::Queued {
            let ahead = self.queued.partition_point(|enqueued_at| *enqueued_at < video.enqueued_at.0);
            self.gap * number(ahead as u64) + work
        } else {
            work * f64::from(100 - video.percent.min(100)) / 100.0
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
        Some(left.ceil().max(1.0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::processed;
    use crate::jobs::tests::scene::Scene;
    use contract::moderation::Recommendation::Pass;
    use futures_executor::block_on;
    use proptest::prelude::*;

    /// Three videos of 6 seconds that took 10 seconds each, 5 seconds apart: two origins.
    fn pace() -> Pace {
        Pace::of(&[Processed(110, 10, 6_000), Processed(105, 10, 6_000), Processed(100, 10, 6_000)], vec![80, 90, 100])
    }

    fn video(stage: Stage, percent: u8, enqueued_at: u64) -> Awaited {
        Awaited { stage, percent, enqueued_at: UnixSeconds(enqueued_at), duration_ms: 6_000 }
    }

    #[test]
    fn the_pace_is_that_of_the_reports_and_of_the_videos_in_the_queue() {
        let scene = Scene::new();
        let pace = |scene: &Scene| block_on(read(&scene.world.database)).unwrap();
        assert_eq!(pace(&scene), Pace { queued: vec![scene.now().0], ..Pace::default() });
        let enqueued_at = scene.now();
        scene.claim("a", 1);
        scene.pass(18);
        assert!(scene.report("a", 1, processed(&[Pass])).accepted);
        let known = pace(&scene);
        assert_eq!(known.queued, Vec::<u64>::new());
        // The video has five seconds, which with the overhead are nine.
        let next = Awaited { stage: Stage::Queued, percent: 0, enqueued_at, duration_ms: 5_000 };
        assert_eq!(known.seconds_left(next), Some(18));
    }

    #[test]
    fn without_processed_videos_there_is_no_estimate() {
        assert_eq!(Pace::of(&[], vec![1]).seconds_left(video(Stage::Queued, 0, 2)), None);
    }

    #[test]
    fn a_queued_video_waits_for_those_before_it() {
        let left = |enqueued_at| pace().seconds_left(video(Stage::Queued, 0, enqueued_at));
        assert_eq!([left(80), left(90), left(101)], [Some(10), Some(15), Some(25)]);
    }

    #[test]
    fn a_video_that_is_processed_has_the_rest_of_its_work_left() {
        let left = |percent| pace().seconds_left(video(Stage::Transcode, percent, 101));
        assert_eq!([left(0), left(50), left(100)], [Some(10), Some(5), Some(1)]);
    }

    #[test]
    fn a_longer_video_takes_longer() {
        let longer = Awaited { duration_ms: 16_000, ..video(Stage::Download, 0, 1) };
        assert_eq!(pace().seconds_left(longer), Some(20));
    }

    #[test]
    fn a_pause_without_uploads_is_not_taken_for_a_slow_pace() {
        let pace = Pace::of(&[Processed(90_000, 10, 6_000), Processed(100, 10, 6_000)], vec![1, 2]);
        assert_eq!(pace.seconds_left(video(Stage::Queued, 0, 3)), Some(30));
    }

    proptest! {
        #[test]
        fn an_estimate_never_fails_and_shrinks_with_the_queue_and_with_progress(
            processed in proptest::collection::vec((0_u64..1 << 33, 0_u64..100_000, 0_u64..120_000), 0..40),
            mut queued in proptest::collection::vec(0_u64..1_000, 0..100), enqueued_at in 0_u64..1_000, percent: u8,
        ) {
            queued.sort_unstable();
            let processed: Vec<_> = processed.into_iter().map(|(at, took, ms)| Processed(at, took, ms)).collect();
            let pace = Pace::of(&processed, queued);
            let left = |stage, percent, at| pace.seconds_left(video(stage, percent, at));
            prop_assert!(left(Stage::Queued, 0, enqueued_at) <= left(Stage::Queued, 0, enqueued_at + 1));
            prop_assert!(left(Stage::Transcode, percent, 1) <= left(Stage::Download, 0, 1));
            prop_assert!(left(Stage::Store, percent, 1).is_none_or(|seconds| seconds >= 1));
        }
    }
}
