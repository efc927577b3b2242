//! The client polls a video until its status is final, even after an interruption.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ClientProgram, ClientRun, TestContent, TestStack, e2e};
use tokio::process::Child;
use tokio::time::timeout;

async fn output(child: Child) -> Result<ClientRun> {
    let output =
        timeout(Duration::from_mins(1), child.wait_with_output()).await.context("the client is still waiting")?;
    Ok(ClientRun::of(&output?))
}

/// Waits until the Worker has logged this many requests for the status of the content.
async fn until_asked(content: &TestContent) -> Result<()> {
    let uses = "SELECT uses_count FROM api_keys WHERE channel_id = ?1";
    let channel = content.job.channel.account.channel_id;
    // Counts before the key becomes unused: the client may ask while that is done.
    let before = content.stack().count(uses, channel)?;
    // The first read of a minute counts.
    let unused = format!("UPDATE api_keys SET last_used_at_unix = NULL WHERE channel_id = {channel}");
    content.stack().change_rows(unused).await?;
    let look = async || Ok((content.stack().count(uses, channel)? > before).then_some(()));
    tests::until(Duration::from_secs(30), look, || "the client does not ask".to_owned()).await
}

#[e2e]
async fn waiting_ends_with_the_outcome_and_its_exit_code(stack: Arc<TestStack>) -> Result<()> {
    for (recommendation, code, text) in
        [(Recommendation::Pass, 0, "published: http"), (Recommendation::Reject, 7, "content_moderation_rejected")]
    {
        let content = TestContent::upload(&stack, |form| form).await?;
        let program = ClientProgram::new(&content.job.channel)?;
        let child = program.command(&["status", "--wait", &content.job.content_uuid]).spawn()?;
        until_asked(&content).await?;
        content.finish(&[recommendation]).await?;
        let run = output(child).await?;
        ensure!(run.code == code && run.printed.contains(text), "{run:?}");
    }
    Ok(())
}

#[e2e]
async fn a_folder_is_uploaded_on_while_its_first_videos_are_processed(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    for name in ["clips/a.mp4", "clips/b.mp4", "clips/c.mp4"] {
        program.write(name, &stack.small_video())?;
    }
    let child = program.command(&["upload", "clips", "--jobs", "1", "--wait"]).spawn()?;
    // No origin runs in this test, so no video is finished during the other uploads.
    let contents = "SELECT count(*) FROM contents WHERE channel_id = ?1";
    let look = async || Ok((stack.count(contents, channel.account.channel_id)? == 3).then_some(()));
    tests::until(Duration::from_secs(30), look, || "the folder was not uploaded".to_owned()).await?;
    let channel_id = channel.account.channel_id;
    stack.change_rows(format!("UPDATE contents SET state = 'rejected' WHERE channel_id = {channel_id}")).await?;
    let run = output(child).await?;
    ensure!(run.code == 7 && run.printed.lines().filter(|line| line.contains("rejected")).count() == 3, "{run:?}");
    Ok(())
}

#[e2e]
async fn an_interrupted_wait_is_continued_by_the_same_command(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let program = ClientProgram::new(&content.job.channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    let arguments = ["upload", "clip.mp4", "--wait", "--json"];
    let mut command = program.command(&arguments);
    let child = command.spawn()?;
    let contents = "SELECT count(*) FROM contents WHERE channel_id = ?1";
    let channel_id = content.job.channel.account.channel_id;
    let look = async || Ok((stack.count(contents, channel_id)? == 2).then_some(()));
    tests::until(Duration::from_secs(30), look, || "nothing was uploaded".to_owned()).await?;
    until_asked(&content).await?;
    let id = child.id().context("the client has ended")?.to_string();
    ensure!(Command::new("kill").args(["-INT", &id]).status()?.success());
    let interrupted = output(child).await?;
    ensure!(interrupted.code == 130 && interrupted.printed.contains("Run the same command again"), "{interrupted:?}");
    stack.change_rows(format!("UPDATE contents SET state = 'rejected' WHERE channel_id = {channel_id}")).await?;
    let again = program.run(&arguments).await?;
    ensure!(again.event("already_uploaded").is_ok() && again.event("status").is_ok() && again.code == 7, "{again:?}");
    Ok(())
}
