//! Many slow clients at once, the normal case on phones: none is refused, and other clients do not wait for them.

use anyhow::{Context, Result, bail, ensure};
use edge::limits::{BUFFERED_UPLOADS_AT_ONCE, HELD_FILES_BYTES};
use fixtures::Form;
use futures_util::future::try_join_all;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, ChannelRows, RawUpload, TestStack, e2e, ensure_refused};

const TENANTS: usize = 40;
/// The pause between two pieces of a slow upload.
const PAUSE: Duration = Duration::from_millis(200);
const NOTICE: Duration = Duration::from_secs(30);

/// Returns a video that differs from the others everywhere.
fn video(number: usize) -> Result<Vec<u8>> {
    // Every other file is too small for a streamed part, so it needs memory or a padded object.
    let bytes = if number.is_multiple_of(2) { 5_000_000 } else { fixtures::cases(6_000_000, 12_000_000) };
    let mut video = fixtures::mp4(5_000, bytes + number, 1);
    for (index, block) in video[1_000..].chunks_mut(1_000).enumerate() {
        block.fill(u8::try_from((index * 7 + index / 65 + number) % 251)?);
    }
    Ok(video)
}

/// Uploads a video slowly and steadily. Returns the key of the stored object, and the bytes that it must have.
async fn upload_slowly(stack: Arc<TestStack>, number: usize, video: Vec<u8>) -> Result<(String, Vec<u8>)> {
    let channel = Channel::new(&stack).await?;
    let body = Form::new().file("file", "a.mp4", &video).body();
    let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
    for piece in body.chunks(fixtures::cases(80_000, 60_000)) {
        if let Err(error) = upload.send(piece).await {
            bail!("upload {number}: {error}, after the answer: {}", upload.answer().await?);
        }
        tokio::time::sleep(PAUSE).await;
    }
    let answer = upload.answer().await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "upload {number}: {answer}");
    // The body may be chunked: the JSON stands between the sizes of its chunks.
    let json = answer.find('{').zip(answer.rfind('}')).and_then(|(start, end)| answer.get(start..=end));
    let json: serde_json::Value = serde_json::from_str(json.context("an answer without a body")?)?;
    let content = channel.content_row(json.as_object().context("not an object")?)?;
    let upload_uuid = content["upload_uuid"].as_str().context("no upload_uuid")?;
    Ok((format!("sources/{upload_uuid}/video"), video))
}

/// Uploads small videos of other accounts until this time, and returns how many there were.
async fn upload_as_strangers(stack: &Arc<TestStack>, until: Instant) -> Result<u32> {
    let mut uploads = 0;
    while Instant::now() < until {
        let stranger = Channel::new(stack).await?;
        stranger.upload_accepted(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
        uploads += 1;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(uploads)
}

/// The small files need more memory than there is, so some go through padded objects.
#[e2e(Own)]
async fn a_crowd_of_slow_uploads_is_accepted_and_holds_up_nobody(stack: Arc<TestStack>) -> Result<()> {
    // Made before the first upload begins, because the work would delay uploads in progress.
    let videos = (0..TENANTS).map(video).collect::<Result<Vec<_>>>()?;
    let earlier = stack.objects()?;
    let uploads = videos.into_iter().enumerate();
    let crowd = try_join_all(uploads.map(|(number, video)| upload_slowly(Arc::clone(&stack), number, video)));
    let strangers = upload_as_strangers(&stack, Instant::now() + fixtures::cases(PAUSE * 75, PAUSE * 200));
    let (stored, strangers) = futures_util::future::try_join(crowd, strangers).await?;
    for (key, video) in &stored {
        ensure!(stack.object_bytes(key).await? == *video, "{key} differs from what was sent");
    }
    let mut objects = stack.objects()?;
    objects.retain(|object| earlier.iter().all(|earlier| earlier.key != object.key));
    ensure!(objects.len() == stored.len() + usize::try_from(strangers)?, "{objects:?}");
    println!(
        "{TENANTS} slow uploads and {strangers} of strangers: all accepted, {HELD_FILES_BYTES} bytes of memory for small files"
    );
    stack.ensure_nothing_leaked().await
}

/// Starts an upload of unknown length, and sends half of it.
async fn hold_buffered(channel: &Channel, body: &[u8]) -> Result<RawUpload> {
    let mut upload = RawUpload::start(channel, None).await?;
    upload.send_chunk(&body[..body.len() / 2]).await?;
    channel.until_rows(&ChannelRows { used: 1, reserved: 1, ..ChannelRows::default() }, NOTICE).await?;
    Ok(upload)
}

/// Uploads a form of unknown length at once.
async fn upload_buffered(channel: &Channel, body: &[u8]) -> Result<()> {
    let mut upload = RawUpload::start(channel, None).await?;
    upload.send_chunk(&body[..body.len() / 2]).await?;
    finish_buffered(upload, body).await
}

/// Sends the other half of an upload that is held, and fails unless it is accepted.
async fn finish_buffered(mut upload: RawUpload, body: &[u8]) -> Result<()> {
    upload.send_chunk(&body[body.len() / 2..]).await?;
    upload.send(b"0\r\n\r\n").await?;
    let answer = upload.answer().await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    Ok(())
}

#[e2e(Own)]
async fn one_channel_cannot_take_the_places_of_uploads_of_unknown_length(stack: Arc<TestStack>) -> Result<()> {
    let (channel, stranger) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let body = Form::new().file("file", "a.mp4", &fixtures::mp4(5_000, 3_000, 1)).body();
    let held = hold_buffered(&channel, &body).await?;
    for _ in 0..2 * BUFFERED_UPLOADS_AT_ONCE {
        let mut excess = RawUpload::start(&channel, None).await?;
        let answer = tokio::time::timeout(NOTICE, excess.answer()).await??;
        ensure!(answer.starts_with("HTTP/1.1 429") && answer.contains("too_many_uploads"), "{answer}");
        ensure!(answer.contains("Send `Content-Length`"), "{answer}");
    }
    upload_buffered(&stranger, &body).await?;
    finish_buffered(held, &body).await?;
    upload_buffered(&channel, &body).await?;
    channel.ensure_rows(&ChannelRows::after(2))?;
    stack.ensure_nothing_leaked().await
}

#[e2e(Own)]
async fn uploads_of_unknown_length_have_their_own_memory_and_the_excess_is_told_to_retry(
    stack: Arc<TestStack>,
) -> Result<()> {
    let other = Channel::new(&stack).await?;
    let form = || Form::new().file("file", "a.mp4", &fixtures::mp4(5_000, 3_000, 1));
    let body = form().body();
    let mut held = Vec::new();
    for _ in 0..BUFFERED_UPLOADS_AT_ONCE {
        held.push(hold_buffered(&Channel::new(&stack).await?, &body).await?);
    }
    let uses = key_uses(&other)?;
    let mut excess = RawUpload::start(&other, None).await?;
    let answer = tokio::time::timeout(NOTICE, excess.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 503") && answer.contains("service_overloaded"), "{answer}");
    ensure!(answer.to_lowercase().contains("\r\nretry-after: "), "{answer}");
    ensure!(key_uses(&other)? == uses, "a refusal for lack of memory counted as a use of the key");
    ensure_dead_key_is_refused_as_invalid(&stack).await?;
    // Uploads that announce their length are not affected.
    other.upload_accepted(form()).await?;
    for upload in held {
        finish_buffered(upload, &body).await?;
    }
    upload_buffered(&other, &body).await?;
    other.ensure_rows(&ChannelRows::after(2))?;
    stack.ensure_nothing_leaked().await
}

/// Fails unless a deleted key is refused as invalid, however busy the isolate is.
async fn ensure_dead_key_is_refused_as_invalid(stack: &Arc<TestStack>) -> Result<()> {
    let deleted = Channel::new(stack).await?;
    deleted.account.post(contract::paths::DELETE_API_KEY).await?;
    let answer = deleted.upload_body(&Form::content_type(), vec![0; 1_000]).await?;
    ensure_refused(&answer, 401, "api_key_invalid")?;
    let mut upload = RawUpload::start(&deleted, None).await?;
    let answer = tokio::time::timeout(NOTICE, upload.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    Ok(())
}

fn key_uses(channel: &Channel) -> Result<u64> {
    let sql = "SELECT uses_count FROM api_keys WHERE channel_id = ?1";
    channel.stack.count(sql, channel.account.channel_id)
}
