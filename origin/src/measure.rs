//! What the service counts, by the names under which Prometheus finds it. The only file that names them.

use contract::Stage;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::time::Duration;

const JOBS: &str = "clipgate_jobs_total";
const STAGE_SECONDS: &str = "clipgate_stage_seconds";
const JOB_SECONDS: &str = "clipgate_job_seconds";
const QUEUE_LAG: &str = "clipgate_queue_lag_seconds";
const BACKLOG: &str = "clipgate_queue_backlog";
const DELIVERIES: &str = "clipgate_job_deliveries";
const BYTES: &str = "clipgate_bytes_total";
const RUNNING: &str = "clipgate_jobs_running";
const PULL_FAILURES: &str = "clipgate_pull_failures_total";

const SECONDS: [f64; 11] = [
    0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0,
];

/// Starts counting. The handle prints what was counted.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let handle = PrometheusBuilder::new()
        .set_buckets(&SECONDS)?
        .set_buckets_for_metric(Matcher::Full(DELIVERIES.to_owned()), &[1.0, 2.0, 3.0, 4.0])?
        .install_recorder()?;
    describe_counter!(JOBS, "Jobs by what became of them.");
    describe_histogram!(STAGE_SECONDS, "What each stage of a job took.");
    describe_histogram!(JOB_SECONDS, "What a job took, from claim to report.");
    describe_histogram!(QUEUE_LAG, "How long a job had waited when it was pulled.");
    describe_gauge!(BACKLOG, "Messages in the queue at the last pull.");
    describe_histogram!(DELIVERIES, "The how manieth delivery of a job it was.");
    describe_counter!(BYTES, "Bytes from and to the object store.");
    describe_gauge!(RUNNING, "Jobs that run now.");
    describe_counter!(PULL_FAILURES, "Pulls that the queue did not answer well.");
    Ok(handle)
}

pub fn job_ended(outcome: &'static str, took: Duration) {
    counter!(JOBS, "outcome" => outcome).increment(1);
    histogram!(JOB_SECONDS).record(took);
}

pub fn stage_ended(stage: Stage, took: Duration) {
    histogram!(STAGE_SECONDS, "stage" => stage.as_str()).record(took);
}

pub fn pulled(waited: Duration, delivery: u32) {
    histogram!(QUEUE_LAG).record(waited);
    histogram!(DELIVERIES).record(delivery);
}

pub fn backlog(messages: u64) {
    #[expect(clippy::cast_precision_loss, reason = "a backlog is far below 2^53")]
    gauge!(BACKLOG).set(messages as f64);
}

pub fn pull_failed() {
    counter!(PULL_FAILURES).increment(1);
}

pub fn downloaded(bytes: u64) {
    counter!(BYTES, "direction" => "in").increment(bytes);
}

pub fn uploaded(bytes: u64) {
    counter!(BYTES, "direction" => "out").increment(bytes);
}

/// Counts a running job until it is dropped.
#[derive(Debug)]
pub struct Running;

impl Running {
    pub fn start() -> Self {
        gauge!(RUNNING).increment(1.0);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        gauge!(RUNNING).decrement(1.0);
    }
}
