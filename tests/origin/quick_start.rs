//! The requests with curl in `docs/publish/quick-start.md`, exactly as they are printed there.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tests::{Clip, DocumentedSample, OriginFleet, SampleLanguage, TestStack, documented_samples, e2e, until};
use tokio::process::Command;

async fn run(fleet: &OriginFleet, request: &DocumentedSample, content_uuid: &str) -> Result<Value> {
    let snippet = &request.text;
    let mut shell = Command::new("sh");
    shell.args(["-ec", snippet]).current_dir(&fleet.folder).env("CLIPGATE", fleet.stack.url(""));
    shell.env("API_KEY", &fleet.channel.key).env("TOKEN", fleet.stack.token()).env("CONTENT_UUID", content_uuid);
    let output = shell.output().await?;
    let answer = serde_json::from_slice(&output.stdout);
    answer.with_context(|| format!("{snippet}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[e2e(Own)]
async fn the_documented_requests_publish_and_remove_a_video(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    Clip::mp4("clip.mp4").make(&fleet.folder)?;
    fleet.start("origin", &[]).await?;
    let requests = documented_samples("publish/quick-start.md", SampleLanguage::Curl)?;
    let [limits, upload, status, delete] = requests.as_slice() else {
        anyhow::bail!("the document has other requests than this test expects: {requests:?}");
    };
    ensure!(run(&fleet, limits, "").await?["remaining"].as_u64().is_some_and(|left| left > 0), "no upload is left");
    let uploaded = run(&fleet, upload, "").await?;
    let uuid = uploaded["content_uuid"].as_str().with_context(|| format!("the upload: {uploaded}"))?;
    let is_published = async || {
        let answer = run(&fleet, status, uuid).await?;
        ensure!(answer["state"] == "processing" || answer["state"] == "published", "{answer}");
        Ok(answer["urls"]["page"].as_str().map(str::to_owned))
    };
    let page = until(Duration::from_mins(3), is_published, || "the video was not published".to_owned()).await?;
    let path = page.strip_prefix(stack.env().get("SITE_URL")).context("the page is on another site")?.to_owned();
    ensure!(stack.get(&path).await?.status == 200, "{page}");
    ensure!(run(&fleet, delete, uuid).await?["success"] == true, "the video was not removed");
    ensure!(stack.get(&path).await?.status == 404, "{page} is still there");
    Ok(())
}
