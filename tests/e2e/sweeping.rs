//! The sweep on the real runtime: by hand with the service token, and by the clock.

use crate::channel::{Channel, Rows};
use crate::harness::{Harness, Suite, ensure_refused, send};
use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("sweeping::only_the_service_token_sweeps", service_token);
    suite.add(
        "sweeping::a_sweep_leaves_finished_and_running_uploads_alone",
        harmless,
    );
    suite.add("sweeping::the_clock_sweeps", clock);
}

async fn service_token(harness: Arc<Harness>) -> Result<()> {
    let answer = send(harness.request(Method::POST, paths::SWEEP)).await?;
    ensure_refused(&answer, 401, "service_token_invalid")
}

async fn harmless(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let video = harness.small_video();
    for _ in 0..10 {
        let upload = channel.upload(Form::new().file("file", "a.mp4", &video));
        let sweep = send(harness.service(Method::POST, paths::SWEEP));
        let (uploaded, swept) = futures_util::future::join(upload, sweep).await;
        ensure!(uploaded?.status == 200);
        let swept = swept?;
        ensure!(
            swept.status == 200 && swept.json()?["success"] == true,
            "{swept:?}"
        );
    }
    ensure!(harness.objects_of_size(video.len())?.len() == 10);
    channel.ensure_rows(&Rows::after(10))
}

async fn clock(harness: Arc<Harness>) -> Result<()> {
    let answer = send(harness.request(Method::GET, "/cdn-cgi/handler/scheduled")).await?;
    ensure!(answer.status == 200, "{answer:?}");
    harness.logged("\"message\":\"swept\"").await.map(drop)
}
