//! The sweep on the real runtime: on request with the service token, and on schedule.

use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestStack, e2e, ensure_refused, send};

#[e2e]
async fn only_the_service_token_can_sweep(stack: Arc<TestStack>) -> Result<()> {
    let answer = send(stack.request(Method::POST, paths::SWEEP)).await?;
    ensure_refused(&answer, 401, "service_token_invalid")
}

#[e2e]
async fn a_sweep_leaves_finished_and_running_uploads_alone(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    for _ in 0..10 {
        let upload = channel.upload(Form::new().file("file", "a.mp4", &video));
        let (answer, report) = futures_util::future::join(upload, stack.sweep()).await;
        ensure!(answer?.status == 200);
        let report = report?;
        ensure!(report["success"] == true, "{report}");
    }
    ensure!(stack.objects_of_size(video.len())?.len() == 10);
    channel.ensure_rows(&ChannelRows::after(10))
}

#[e2e]
async fn the_sweep_runs_on_schedule(stack: Arc<TestStack>) -> Result<()> {
    let answer = send(stack.request(Method::GET, "/cdn-cgi/handler/scheduled")).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let logged = stack.logged("\"message\":\"swept\"").await?;
    for field in ["resent_jobs", "cleaned_contents", "duration_ms", "d1_rows_read"] {
        ensure!(logged[field].is_u64(), "no {field} in {logged}");
    }
    Ok(())
}
