//! Tests of the trial at the end of a deployment, and of the canary that repeats it.

use anyhow::{Context, Result, ensure};
use deploy::trial::Trial;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, OriginFleet, TestStack, e2e};

#[e2e(Own)]
async fn a_trial_publishes_a_clip_and_leaves_neither_clip_nor_key(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let trial = |account_id| {
        let env = stack.env();
        let (base_url, service_token) = (env.get("BASE_URL"), env.get("SERVICE_TOKEN"));
        Trial { base_url, upload_url: base_url, service_token, account_id }
    };
    let count_keys = || stack.count("SELECT count(*) FROM api_keys WHERE channel_id > ?1", 0);
    let keys_before = count_keys()?;
    // Without an origin, the error says what is missing.
    let error = trial(90_000).run(Duration::from_secs(1)).await.unwrap_err();
    ensure!(format!("{error:#}").contains("Is an origin running?"), "{error:#}");
    fleet.start("trial", &[]).await?;
    let page = trial(90_001).run(Duration::from_mins(2)).await?;
    let status = stack.client.get(&page).send().await?.status();
    ensure!(status == 404, "{page} is still there: {status}");
    ensure!(count_keys()? == keys_before, "a key is left");
    Ok(())
}

/// Runs the canary with the key of a channel, and returns what it wrote.
pub(crate) fn fly_canary(channel: &Channel, folder: &Path, wait: &str) -> Result<(Output, String)> {
    let this = std::env::current_exe()?;
    let program = this.ancestors().nth(2).context("no target folder")?.join("clipgate-watch");
    ensure!(program.exists(), "run `make test-programs` first");
    let file = folder.join("canary.prom");
    let mut command = Command::new(program);
    command.args(["canary", "--url", &channel.stack.url(""), "--wait", wait, "--output"]).arg(&file);
    let output = command.env("CLIPGATE_API_KEY", &channel.key).output()?;
    Ok((output, std::fs::read_to_string(file)?))
}

#[e2e(Own)]
async fn a_canary_says_whether_a_video_can_be_published_and_leaves_none(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let channel = Channel::new(&stack).await?;
    let left = "SELECT count(*) FROM contents WHERE state <> 'deleted' AND channel_id = ?1";
    let (output, metrics) = fly_canary(&channel, &fleet.folder, "1")?;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(1) && error.contains("Is an origin running?"), "{error}");
    ensure!(metrics.contains("clipgate_canary_success 0\n") && metrics.contains("step=\"upload\""), "{metrics}");
    ensure!(!metrics.contains("step=\"publish\"") && !error.contains(&channel.key), "{metrics}");
    fleet.start("canary", &[]).await?;
    for _ in 0..2 {
        let (output, metrics) = fly_canary(&channel, &fleet.folder, "120")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        ensure!(metrics.contains("clipgate_canary_success 1\n"), "{metrics}");
        for step in ["upload", "publish", "page", "delete"] {
            ensure!(metrics.contains(&format!("clipgate_canary_step_seconds{{step=\"{step}\"}}")), "{metrics}");
        }
    }
    ensure!(stack.count(left, channel.account.channel_id)? == 0, "a video is left");
    Ok(())
}
