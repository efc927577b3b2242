//! The restore drill: an older database is restored, and nothing removed since then comes back.
//! `make drill NAME=restore` prints its outcome.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use tests::{
    Channel, SignedMessage, Signer, StackLimits, TestCache, TestContent, TestJob, TestStack, TestStackState, e2e,
    ensure_refused, moderator_request, send,
};

/// A picture hash that a moderator blocks after the backup.
const HASH: &str = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e";

/// A caption that its owner removes after the backup.
const CAPTION: &str = "words that were taken back";

/// The addresses and keys that a client of the lost system still has.
struct Remembered {
    kept: String,
    removed: Vec<(&'static str, String)>,
    kept_key: String,
    deleted_key: String,
    /// A key that was revoked after the backup, and a key that was made after it.
    origin_keys: [(&'static str, String); 2],
    video: Vec<u8>,
    lost_id: u64,
}

#[e2e]
async fn an_older_database_brings_nothing_back_that_was_removed(_shared: Arc<TestStack>) -> Result<()> {
    let stack = Arc::new(TestStack::boot("restored", StackLimits::NONE, TestCache::None).await?);
    let remembered = remove_after_backup(&stack).await?;
    let stack = Arc::into_inner(stack).context("the stack is still in use")?;

    let restore = |state: &TestStackState| state.restore_database();
    let stack = Arc::new(stack.restart_with(true, restore).await?);
    println!("restore: the database of the backup is in place, and the service is closed");
    ensure_closed(&stack, &remembered).await?;
    let seen = fsck(&stack, &[])?;
    ensure!(seen.contains("found   content") && !seen.contains("mended  "), "{seen}");
    let mended = fsck(&stack, &["--mend", "--delete-unknown"])?;
    for line in [
        "mended  key",
        "mended  content",
        "mended  caption",
        "mended  origin_key",
        "mended  hash",
        "mended  file",
        "mended  object media/",
    ] {
        ensure!(mended.contains(line), "no {line} in {mended}");
    }
    let again = fsck(&stack, &[])?;
    ensure!(again.ends_with("0 differences, 0 mended, 0 left\n"), "{again}");

    let stack = Arc::into_inner(stack).context("the stack is still in use")?;
    let stack = Arc::new(stack.restart_with(false, |_| Ok(())).await?);
    println!("restore: the service is open again");
    ensure_nothing_is_back(&stack, &remembered).await?;
    stack.ensure_nothing_leaked().await
}

/// Publishes, makes a backup, and then removes in every way.
async fn remove_after_backup(stack: &Arc<TestStack>) -> Result<Remembered> {
    let kept = TestContent::published(stack, CAPTION).await?;
    let video = stack.small_video();
    let taken_down = TestContent::upload_file(stack, &video).await?;
    taken_down.finish(&[Recommendation::Pass]).await?;
    let deleted = TestContent::published(stack, "deleted").await?;
    let revoked = Channel::new(stack).await?;
    let ended_origin = stack.new_origin_key("origin-ended").await?;
    stack.state().back_up_database()?;
    println!("restore: 3 videos are published, and a backup is made");

    ensure!(taken_down.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    ensure!(deleted.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    let changed = kept.owner_request(paths::UPDATE_CONTENT, json!({ "caption": "" })).await?;
    ensure!(changed.status == 200, "{changed:?}");
    ensure!(revoked.account.post(paths::DELETE_API_KEY).await?.status == 200);
    end_origin_key(stack, &ended_origin).await?;
    let lost_origin = stack.new_origin_key("origin-lost").await?;
    let change = json!({ "hash": HASH, "reason": "a reason" });
    let blocked = send(moderator_request(stack, Method::POST, paths::MODERATION_HASHES).json(&change)).await?;
    ensure!(blocked.status == 200, "{blocked:?}");
    let lost = TestContent::published(stack, "lost").await?;
    println!("restore: one is taken down, one deleted, a key deleted, a picture blocked, an origin key ended");
    println!("restore: one more video is published, and one more origin key made");
    Ok(Remembered {
        kept: kept.page(),
        removed: vec![("taken down", taken_down.page()), ("deleted", deleted.page())],
        kept_key: kept.job.channel.key.clone(),
        deleted_key: revoked.key.clone(),
        origin_keys: [("ended", ended_origin), ("lost", lost_origin)],
        video,
        lost_id: lost.job.content_id,
    })
}

/// While it is closed, the service answers operators only.
async fn ensure_closed(stack: &TestStack, remembered: &Remembered) -> Result<()> {
    for (_, page) in &remembered.removed {
        ensure!(stack.get(page).await?.status == 503);
    }
    let status = stack.get_with_key(paths::UPLOAD_LIMITS, &remembered.deleted_key).await?;
    ensure_refused(&status, 503, "service_unavailable")?;
    ensure!(stack.get(paths::HEALTH).await?.status == 200);
    Ok(())
}

/// Revokes a key, as the operator does.
async fn end_origin_key(stack: &TestStack, key: &str) -> Result<()> {
    let key_id: u64 = key.split('_').nth(1).context("not a key")?.parse()?;
    let end = moderator_request(stack, Method::DELETE, paths::ORIGIN_KEYS).json(&json!({ "key_id": key_id }));
    let ended = send(end).await?;
    ensure!(ended.status == 200, "{ended:?}");
    Ok(())
}

async fn ensure_nothing_is_back(stack: &Arc<TestStack>, remembered: &Remembered) -> Result<()> {
    for (name, page) in &remembered.removed {
        let status = stack.get(page).await?.status;
        ensure!(status == 404, "{name}: {status}");
        println!("restore: the video that was {name}: {status}");
    }
    let kept = stack.get(&remembered.kept).await?;
    ensure!(kept.status == 200, "{kept:?}");
    println!("restore: the video that was kept: {}", kept.status);
    ensure!(!String::from_utf8_lossy(&kept.bytes).contains(CAPTION), "the caption is back");
    println!("restore: its caption, which its owner had removed, is not back");
    let refused = stack.get_with_key(paths::UPLOAD_LIMITS, &remembered.deleted_key).await?;
    ensure_refused(&refused, 401, "api_key_invalid")?;
    println!("restore: the deleted key: {}", refused.status);
    ensure_origin_keys_are_refused(stack, remembered).await?;
    let limits = stack.get_with_key(paths::UPLOAD_LIMITS, &remembered.kept_key).await?;
    ensure!(limits.status == 200, "{limits:?}");
    let hashes = send(moderator_request(stack, Method::GET, paths::MODERATION_HASHES)).await?;
    ensure!(String::from_utf8_lossy(&hashes.bytes).contains(HASH), "{hashes:?}");
    println!("restore: the picture is blocked");
    let trail = send(moderator_request(stack, Method::GET, paths::TRAIL_EXPORT)).await?;
    ensure!(String::from_utf8_lossy(&trail.bytes).contains("removal_repeated"), "{trail:?}");
    println!("restore: the trail says what was removed again");
    let channel = Channel::new(stack).await?;
    let copy = channel.upload(Form::new().file("file", "copy.mp4", &remembered.video)).await?;
    ensure_refused(&copy, 422, "content_moderation_rejected")?;
    println!("restore: a copy of the video that was taken down: {}", copy.status);
    let new = channel.upload(Form::new().file("file", "new.mp4", &stack.small_video())).await?;
    let new_id = new.json()?["content_id"].as_u64().context("no id")?;
    ensure!(new_id > remembered.lost_id, "{new_id} was given before");
    println!("restore: the next video has the id {new_id}, after the lost {}", remembered.lost_id);
    Ok(())
}

/// If the restored database continued counting, the next key would get a lost key's number.
async fn ensure_origin_keys_are_refused(stack: &Arc<TestStack>, remembered: &Remembered) -> Result<()> {
    let job = TestJob::new(stack).await?.as_origin("origin-new");
    let current = job.signer().await?;
    for (name, key) in &remembered.origin_keys {
        let signer = Signer { key: key.clone(), ..current.clone() };
        let claim = SignedMessage::new(&signer, paths::JOB_CLAIM, &job.id())?.send(stack).await?;
        ensure_refused(&claim, 401, "signature_invalid")?;
        println!("restore: the {name} origin key: {}", claim.status);
    }
    job.claim_granted().await?;
    println!("restore: a new origin key works");
    Ok(())
}

/// Runs `edge/fsck`, prints what it prints, and returns it.
fn fsck(stack: &TestStack, flags: &[&str]) -> Result<String> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../edge/fsck");
    let mut command = Command::new(program);
    command.arg(stack.env().get("BASE_URL")).args(flags).env("ADMIN_TOKEN", stack.env().get("ADMIN_TOKEN"));
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    print!("restore: fsck {}\n{text}", flags.join(" "));
    ensure!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(text)
}
