//! The client programs in `docs/publish/programs.md`, exactly as they are printed there.

use anyhow::{Context, Result, ensure};
use std::process::Output;
use std::sync::Arc;
use tests::{ChannelRows, Clip, DocumentedClient, OriginFleet, TestStack, e2e};

/// Fails unless the program has printed the address of the video's page, and returns it.
async fn published_page(stack: &TestStack, output: &Output) -> Result<String> {
    let errors = String::from_utf8_lossy(&output.stderr);
    let page = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    ensure!(output.status.success() && errors.contains("published 100 %"), "{page} {errors}");
    let path = page.strip_prefix(stack.env().get("SITE_URL"));
    let answer = stack.get(path.context("the page is on another site")?).await?;
    ensure!(answer.status == 200, "{page}: {answer:?}");
    Ok(page)
}

/// Runs each program twice, as after a lost answer: both runs end with the same video.
#[e2e(Own)]
async fn the_documented_clients_publish_a_video_once(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("origin", &[]).await?;
    let mut videos = 0;
    for (client, name) in DocumentedClient::ALL.into_iter().zip(["python.mp4", "node.mp4"]) {
        Clip::mp4(name).make(&fleet.folder)?;
        let clip = fleet.folder.join(name);
        let Some(mut first) = client.post(&fleet.channel, &clip)? else { continue };
        let page = published_page(&stack, &first.output().await?).await?;
        videos += 1;
        let second = client.post(&fleet.channel, &clip)?.context("the program is gone")?.output().await?;
        ensure!(published_page(&stack, &second).await? == page, "{client:?}: another video than {page}");
        fleet.channel.ensure_rows(&ChannelRows::after(videos))?;
    }
    Ok(())
}
