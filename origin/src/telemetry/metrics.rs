//! The metrics that `/metrics` exports to Prometheus. The only file that names them.

use crate::build::{COMMIT, VERSION};
use contract::job::{MAX_DELIVERY_ATTEMPTS, REFUSAL_CODES};
use contract::{ErrorCode, Stage};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;

const JOBS: &str = "clipgate_jobs_total";
const REFUSALS: &str = "clipgate_refusals_total";
const STAGE_SECONDS: &str = "clipgate_stage_seconds";
const JOB_SECONDS: &str = "clipgate_job_seconds";
const QUEUE_LAG: &str = "clipgate_queue_lag_seconds";
const BACKLOG: &str = "clipgate_queue_backlog";
const DELIVERY_ATTEMPTS: &str = "clipgate_job_delivery_attempts";
const BYTES: &str = "clipgate_bytes_total";
const RUNNING: &str = "clipgate_jobs_running";
const PULL_FAILURES: &str = "clipgate_pull_failures_total";
const BUILD_INFO: &str = "clipgate_build_info";
const FREE_BYTES: &str = "clipgate_work_folder_free_bytes";
const HARDWARE_FAILURES: &str = "clipgate_hardware_failures_total";
const ENCODE_SPEED: &str = "clipgate_encode_speed";

/// The possible outcomes of a job.
const OUTCOMES: [&str; 6] = ["processed", "refused", "failed", "retried", "claim_lost", "returned"];

/// Bucket bounds for the speed of encodes, compared with playing.
const SPEED_BUCKETS: [f64; 10] = [0.1, 0.2, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0];

/// Bucket bounds for the durations of jobs and stages, in seconds. The last is 12 hours, the limit of
/// `--job-timeout-seconds`.
const DURATION_BUCKETS: [f64; 15] =
    [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 1_800.0, 3_600.0, 10_800.0, 43_200.0];

/// Bucket bounds for the queue lag, in seconds. Without a running origin, messages wait for hours; the last bounds are
/// 1 and 4 days, after which Cloudflare drops a message by default.
const QUEUE_LAG_BUCKETS: [f64; 14] =
    [0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3_600.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0, 345_600.0];

/// Installs the global recorder. The returned handle renders the metrics.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let handle = builder()?.install_recorder()?;
    describe_counter!(JOBS, "Number of finished jobs, by outcome.");
    describe_counter!(REFUSALS, "Number of refused files, by error code.");
    describe_histogram!(STAGE_SECONDS, "Duration of each stage of a job, in seconds.");
    describe_histogram!(JOB_SECONDS, "Duration of a job from its claim to its report, in seconds.");
    describe_histogram!(QUEUE_LAG, "Time that a message waited in the queue before it was pulled, in seconds.");
    describe_gauge!(BACKLOG, "Number of messages in the queue at the last pull.");
    describe_histogram!(DELIVERY_ATTEMPTS, "Delivery attempt of each pulled message; the first is 1.");
    describe_counter!(BYTES, "Bytes downloaded from (in) and uploaded to (out) the object store.");
    describe_gauge!(RUNNING, "Number of jobs that are running.");
    describe_counter!(PULL_FAILURES, "Number of failed pulls from the queue.");
    describe_gauge!(BUILD_INFO, "Always 1. The labels are the build of the program.");
    describe_gauge!(FREE_BYTES, "Free bytes on the disk of the work folder at the last pull.");
    describe_counter!(HARDWARE_FAILURES, "Number of videos that x264 encoded because the graphics card failed.");
    describe_histogram!(ENCODE_SPEED, "Seconds of video that were encoded in a second, for each job.");
    begin_at_zero();
    Ok(handle)
}

/// Exports every series from the start. Otherwise the first failure would not be an increase, and no alert would notice
/// it.
fn begin_at_zero() {
    for outcome in OUTCOMES {
        counter!(JOBS, "outcome" => outcome).absolute(0);
    }
    for code in REFUSAL_CODES {
        counter!(REFUSALS, "code" => code.as_str()).absolute(0);
    }
    for direction in ["in", "out"] {
        counter!(BYTES, "direction" => direction).absolute(0);
    }
    counter!(PULL_FAILURES).absolute(0);
    counter!(HARDWARE_FAILURES).absolute(0);
    gauge!(RUNNING).set(0.0);
    gauge!(BUILD_INFO, "version" => VERSION, "commit" => COMMIT).set(1.0);
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    let delivery_attempts: Vec<_> = (1..=MAX_DELIVERY_ATTEMPTS).map(f64::from).collect();
    PrometheusBuilder::new()
        .set_buckets(&DURATION_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(QUEUE_LAG.to_owned()), &QUEUE_LAG_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(ENCODE_SPEED.to_owned()), &SPEED_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(DELIVERY_ATTEMPTS.to_owned()), &delivery_attempts)
}

pub fn record_job(outcome: &'static str, duration: Duration) {
    counter!(JOBS, "outcome" => outcome).increment(1);
    histogram!(JOB_SECONDS).record(duration);
}

pub fn record_refusal(code: ErrorCode) {
    counter!(REFUSALS, "code" => code.as_str()).increment(1);
}

pub fn record_stage(stage: Stage, duration: Duration) {
    histogram!(STAGE_SECONDS, "stage" => stage.as_str()).record(duration);
}

pub fn record_pulled_message(lag: Duration, delivery_attempt: u32) {
    histogram!(QUEUE_LAG).record(lag);
    histogram!(DELIVERY_ATTEMPTS).record(delivery_attempt);
}

pub fn record_backlog(messages: u64) {
    #[expect(clippy::cast_precision_loss, reason = "a backlog is far below 2^53")]
    gauge!(BACKLOG).set(messages as f64);
}

pub fn record_pull_failure() {
    counter!(PULL_FAILURES).increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "a disk has far less than 2^53 bytes")]
pub fn record_free_bytes(bytes: u64) {
    gauge!(FREE_BYTES).set(bytes as f64);
}

pub fn record_encode(video: Duration, taken: Duration) {
    histogram!(ENCODE_SPEED).record(video.as_secs_f64() / taken.as_secs_f64().max(0.001));
}

pub fn record_hardware_failure() {
    counter!(HARDWARE_FAILURES).increment(1);
}

pub fn record_download(bytes: u64) {
    counter!(BYTES, "direction" => "in").increment(bytes);
}

pub fn record_upload(bytes: u64) {
    counter!(BYTES, "direction" => "out").increment(bytes);
}

/// Counts as a running job until it is dropped.
#[derive(Debug)]
pub struct RunningJob;

impl RunningJob {
    pub fn start() -> Self {
        gauge!(RUNNING).increment(1.0);
        Self
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        gauge!(RUNNING).decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the highest finite bucket of a histogram with its count, and the count of all values.
    fn last_bucket(exported: &str, metric: &str) -> (f64, u64, u64) {
        let buckets: Vec<(f64, u64)> = exported
            .lines()
            .filter_map(|line| {
                line.strip_prefix(&format!("{metric}_bucket{{"))?.split_once("le=\"")?.1.split_once("\"} ")
            })
            .map(|(bound, count)| (bound.parse().unwrap(), count.parse().unwrap()))
            .collect();
        let [.., (bound, count), (_, total)] = buckets[..] else { panic!("no buckets of {metric} in\n{exported}") };
        (bound, count, total)
    }

    #[test]
    fn every_histogram_has_a_finite_bucket_for_its_largest_expected_value() {
        let recorder = builder().unwrap().build_recorder();
        let half_a_day = Duration::from_hours(12);
        metrics::with_local_recorder(&recorder, || {
            record_pulled_message(Duration::from_hours(24), MAX_DELIVERY_ATTEMPTS);
            record_job("processed", half_a_day);
            record_stage(Stage::Transcode, half_a_day);
        });
        let exported = recorder.handle().render();
        for metric in [QUEUE_LAG, DELIVERY_ATTEMPTS, JOB_SECONDS, STAGE_SECONDS] {
            let (bound, count, total) = last_bucket(&exported, metric);
            assert_eq!((count, total), (1, 1), "{metric}: the last finite bucket ends at {bound}");
        }
    }

    #[test]
    fn every_series_begins_at_zero() {
        let recorder = builder().unwrap().build_recorder();
        metrics::with_local_recorder(&recorder, begin_at_zero);
        let exported = recorder.handle().render();
        for series in [
            "clipgate_jobs_total{outcome=\"failed\"} 0",
            "clipgate_refusals_total{code=\"content_video_duration_invalid\"} 0",
            "clipgate_bytes_total{direction=\"out\"} 0",
            "clipgate_pull_failures_total 0",
            "clipgate_jobs_running 0",
        ] {
            assert!(exported.contains(series), "no {series} in\n{exported}");
        }
        let build = format!("clipgate_build_info{{version=\"{VERSION}\",commit=\"{COMMIT}\"}} 1");
        assert!(exported.contains(&build), "no {build} in\n{exported}");
    }

    #[test]
    fn each_delivery_attempt_has_a_bucket_of_its_own() {
        let recorder = builder().unwrap().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            (1..=MAX_DELIVERY_ATTEMPTS).for_each(|attempt| record_pulled_message(Duration::ZERO, attempt));
        });
        let exported = recorder.handle().render();
        for attempt in 1..=MAX_DELIVERY_ATTEMPTS {
            let line = format!("{DELIVERY_ATTEMPTS}_bucket{{le=\"{attempt}\"}} {attempt}");
            assert!(exported.contains(&line), "no {line} in\n{exported}");
        }
    }
}
