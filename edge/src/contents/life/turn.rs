//! The turn of a job that waits in the database: the time by which waiting jobs are ordered. Pure.
//!
//! The job with the earliest turn goes first. More work means a later turn, so a short job overtakes longer ones that
//! came shortly before it. The longest video bounds by how much: no job is overtaken for ever.

use crate::base::unix_seconds::UnixSeconds;
use contract::job::JobWork;
use contract::limits::VIDEO_DURATION_MS;

/// The seconds by which a second of video moves a turn. An origin needs one to three seconds for a second of video. So
/// the turns of a channel's completion jobs are about as far apart as if one origin worked on them alone. A job of the
/// longest video is overtaken only by jobs that come at most six minutes after it.
const SECONDS_OF_WORK: u64 = 3;

/// Returns the turn of a job that is held: its channel has enough jobs in the queue. It is never overtaken by a job of
/// the channel that comes after this time.
pub(super) fn of_held(kind: JobWork, duration_ms: u64, now: UnixSeconds) -> UnixSeconds {
    now + work(kind, duration_ms)
}

/// Returns the turn of a job that waits for new videos. `latest` is the latest turn of such jobs of its channel.
///
/// The jobs of a channel keep their order, and their work moves the channel's turns into the future. So channels share
/// the origins by work, and a channel with one job need not wait for all jobs of another. A job is never overtaken by a
/// job that comes after its turn.
pub(super) fn of_later(duration_ms: u64, latest: Option<UnixSeconds>, now: UnixSeconds) -> UnixSeconds {
    latest.unwrap_or_default().max(now) + work(JobWork::Completion, duration_ms)
}

/// Returns the seconds by which the job's work moves its turn. Other thumbnails and captions take about as long for a
/// short video as for a long one.
fn work(kind: JobWork, duration_ms: u64) -> u64 {
    let longest_ms = *VIDEO_DURATION_MS.end();
    match kind {
        JobWork::Video | JobWork::Completion => (duration_ms.min(longest_ms) * SECONDS_OF_WORK).div_ceil(1_000),
        JobWork::Thumbnail | JobWork::Captions => SECONDS_OF_WORK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The greatest difference between the turn of a held job and the time at which it came.
    const BOUND: u64 = 360;
    const NOON: UnixSeconds = UnixSeconds(1_700_000_000);

    fn any_kind() -> impl Strategy<Value = JobWork> {
        prop::sample::select(vec![JobWork::Video, JobWork::Completion, JobWork::Thumbnail, JobWork::Captions])
    }

    #[test]
    fn a_short_video_overtakes_a_long_one_that_came_a_minute_earlier() {
        let long = of_held(JobWork::Video, 120_000, NOON);
        assert_eq!(long, NOON + BOUND);
        assert!(of_held(JobWork::Video, 3_000, NOON + 60) < long);
        assert!(of_held(JobWork::Captions, 120_000, NOON + 60) < long);
        assert!(of_held(JobWork::Video, 3_000, NOON + BOUND) > long);
    }

    proptest! {
        #[test]
        fn a_held_job_is_overtaken_only_by_jobs_that_come_before_its_turn(
            kind in any_kind(), other in any_kind(), (duration_ms, other_ms) in (0_u64..200_000, 0_u64..200_000),
            after in 0_u64..1_000,
        ) {
            let turn = of_held(kind, duration_ms, NOON);
            prop_assert!((NOON..=NOON + BOUND).contains(&turn));
            let came = NOON + after;
            prop_assert!(of_held(other, other_ms, came) >= turn || came < turn);
        }

        #[test]
        fn of_jobs_that_come_together_the_shorter_goes_first(
            one_ms in 2_000_u64..=120_000, other_ms in 2_000_u64..=120_000,
        ) {
            let turn = |duration_ms| of_held(JobWork::Video, duration_ms, NOON);
            prop_assert!(one_ms > other_ms || turn(one_ms) <= turn(other_ms));
        }

        #[test]
        fn later_jobs_of_a_channel_keep_their_order_and_move_on_by_their_work(
            jobs in prop::collection::vec((2_000_u64..=120_000, 0_u64..100), 1..30),
        ) {
            let (mut latest, mut now, mut work_ms) = (None, NOON, 0);
            for (duration_ms, pause) in jobs {
                now = now + pause;
                work_ms += duration_ms;
                let turn = of_later(duration_ms, latest, now);
                prop_assert!(latest.is_none_or(|latest| latest < turn));
                prop_assert!(turn.0 * 1_000 >= NOON.0 * 1_000 + work_ms * SECONDS_OF_WORK);
                // A job of another channel that comes at this turn or later goes afterwards.
                prop_assert!(of_later(2_000, None, turn) > turn);
                latest = Some(turn);
            }
        }
    }
}
