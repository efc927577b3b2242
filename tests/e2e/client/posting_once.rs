//! The client posts a file once, unless its user wants it twice.

use anyhow::{Result, ensure};
use contract::paths;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, ChannelRows, ClientProgram, TestStack, e2e, send};

#[e2e]
async fn the_client_posts_a_file_once_however_often_it_is_told_to(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    let first = program.run(&["upload", "clip.mp4", "--caption", "One", "--json"]).await?;
    let uuid = first.event("uploaded")?["content_uuid"].clone();
    for arguments in [&["clip.mp4", "--caption", "One"][..], &["clip.mp4", "./clip.mp4", "--caption", "Two"]] {
        let again = program.run(&[&["upload", "--json"][..], arguments].concat()).await?;
        let known = again.event("already_uploaded")?;
        ensure!(again.code == 0 && known["content_uuid"] == uuid, "{again:?}");
        ensure!(known["has_same_fields"] == (arguments.len() == 3), "{again:?}");
    }
    channel.ensure_rows(&ChannelRows::after(1))?;
    let other = program.run(&["upload", "clip.mp4", "--again", "--json"]).await?;
    ensure!(other.event("uploaded")?["content_uuid"] != uuid, "{other:?}");
    channel.ensure_rows(&ChannelRows::after(2))
}

#[e2e]
async fn a_client_that_has_lost_its_records_finds_its_upload_again(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    let upload = async || program.run(&["upload", "clip.mp4", "--json"]).await;
    let first = upload().await?.event("uploaded")?;
    program.forget_uploads()?;
    let second = upload().await?.event("uploaded")?;
    ensure!(second["content_uuid"] == first["content_uuid"], "{first} {second}");
    ensure!(second["answer"]["content_state"] == "processing", "{second}");
    program.forget_uploads()?;
    let other = program.run(&["upload", "clip.mp4", "--caption", "Other"]).await?;
    ensure!(other.code == 9 && other.errors.contains("clipgate list"), "{other:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_deleted_video_comes_back_only_if_its_owner_says_so(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    let uploaded = program.run(&["upload", "clip.mp4", "--json"]).await?.event("uploaded")?;
    let delete = stack.request(reqwest::Method::POST, paths::DELETE_CONTENT).bearer_auth(&channel.key);
    send(delete.json(&json!({ "content_uuid": uploaded["content_uuid"] }))).await?;
    let again = program.run(&["upload", "clip.mp4"]).await?;
    ensure!(again.code == 7 && again.errors.contains("--again"), "{again:?}");
    program.forget_uploads()?;
    for _ in 0..2 {
        let again = program.run(&["upload", "clip.mp4"]).await?;
        ensure!(again.code == 9 && again.errors.contains("--again"), "{again:?}");
    }
    let new = program.run(&["upload", "clip.mp4", "--again", "--json"]).await?.event("uploaded")?;
    ensure!(new["content_uuid"] != uploaded["content_uuid"], "{new}");
    Ok(())
}

#[e2e]
async fn two_runs_at_once_post_a_file_once(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    let path = program.write("clip.mp4", &stack.small_video())?;
    // The same content under a name that no shell would like.
    let odd = program.write("-a \n\u{1b}[2J\"';$(x)é.mp4", &std::fs::read(path)?)?;
    let odd = odd.to_string_lossy().into_owned();
    let run = async || program.run(&["upload", "clip.mp4", odd.as_str()]).await;
    let (first, second) = tokio::try_join!(run(), run())?;
    for run in [first, second] {
        ensure!(run.code == 0 && !run.printed.contains('\u{1b}'), "{run:?}");
    }
    channel.ensure_rows(&ChannelRows::after(1))
}
