//! The response to a successful upload, the stored data, and the counters.

use anyhow::{Context, Result, ensure};
use contract::paths;
use edge::limits::{LARGEST_PART_BYTES, PART_BYTES};
use fixtures::Form;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tests::{Channel, ChannelRows, HttpAnswer, TestStack, e2e, now_unix, sha256};

/// The fields of the answer in the specification.
const FIELDS: [&str; 12] = [
    "success",
    "id",
    "content_id",
    "content_uuid",
    "media_name",
    "message_code",
    "scheduled_publish_at_unix",
    "ui_limit_failure_translation_key",
    "is_limit_activated",
    "limit_reset_time_unix",
    "limit_amount",
    "slug_url",
];

#[e2e]
async fn the_answer_has_exactly_the_fields_of_the_specification(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    let answer = channel.upload(Form::new().file("file", "a.mp4", &video)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    ensure_result(&answer)?;
    ensure!(answer.header("content-type") == "application/json", "{answer:?}");
    ensure!(answer.header("ratelimit-policy") == "\"daily\";q=50;w=86400, \"burst\";q=100;w=10", "{answer:?}");
    ensure!(answer.header("ratelimit").starts_with("\"daily\";r=49;t="), "{answer:?}");
    ensure!(answer.header("idempotency-replayed").is_empty(), "{answer:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}

fn ensure_result(answer: &HttpAnswer) -> Result<()> {
    let Value::Object(result) = answer.json()? else {
        anyhow::bail!("not an object: {answer:?}");
    };
    let names: BTreeSet<&str> = result.keys().map(String::as_str).collect();
    ensure!(names == BTreeSet::from(FIELDS), "{result:?}");
    let number = |name: &str| result[name].as_u64().is_some_and(|number| number > 0 && number < 1 << 53);
    ensure!(number("id") && number("content_id"), "{result:?}");
    ensure!(is_uuid(text(&result, "content_uuid")?), "{result:?}");
    let name = text(&result, "media_name")?.strip_suffix(".mp4").context("not .mp4")?;
    ensure!(name.len() == 24 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{result:?}");
    let slug = text(&result, "slug_url")?;
    ensure!(!slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{slug}");
    let expected = json!({
        "success": true,
        "message_code": "content_upload_success",
        "scheduled_publish_at_unix": null,
        "ui_limit_failure_translation_key": "content_upload_limit_failure",
        "is_limit_activated": false,
        "limit_reset_time_unix": null,
        "limit_amount": 50,
    });
    let Value::Object(expected) = expected else {
        anyhow::bail!("unreachable");
    };
    for (field, value) in expected {
        ensure!(result[&field] == value, "{field}: {result:?}");
    }
    Ok(())
}

fn text<'a>(result: &'a Map<String, Value>, name: &str) -> Result<&'a str> {
    result[name].as_str().with_context(|| format!("{name} is not text: {result:?}"))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[e2e]
async fn every_field_is_stored_as_sent(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (video, token) = (stack.small_video(), stack.token());
    let publish_at = now_unix() + 3_600;
    let form = Form::new()
        .text("caption", "Zwölf Boxkämpfer 🥊 #sport")
        .text("super_category_id", "5")
        .text("thumbnail_time", "00:00:05")
        .text("ai_summary_of_content", "Twelve boxers chase Viktor.")
        .text("scheduled_publish_at_unix", &publish_at.to_string())
        .text("upload_token", &token)
        .file("file", "twelve.mp4", &video);
    let result = channel.upload_accepted(form).await?;
    ensure!(result["scheduled_publish_at_unix"] == publish_at, "{result:?}");
    let content = channel.content_row(&result)?;
    let expected = json!({
        "uuid": result["content_uuid"], "id": result["id"], "channel_id": channel.account.channel_id,
        "state": "processing", "generation": 1, "slug_url": result["slug_url"], "media_name": result["media_name"],
        "caption": "Zwölf Boxkämpfer 🥊 #sport", "super_category_id": 5,
        "ai_summary_of_content": "Twelve boxers chase Viktor.", "scheduled_publish_at_unix": publish_at,
        "duration_ms": 5_000, "file_sha256": sha256(&video), "upload_token": token,
    });
    for (column, value) in expected.as_object().into_iter().flatten() {
        ensure!(content[column] == *value, "{column}: expected {value} in {content:?}");
    }
    let source = json!({ "container": "mp4", "width": 320, "height": 180, "size_bytes": video.len() });
    ensure!(json_column(&content, "source")? == source, "{content:?}");
    ensure!(json_column(&content, "thumbnail")? == json!({ "seconds": 5 }), "{content:?}");
    Ok(())
}

/// Returns the value of a column whose text is JSON.
fn json_column(content: &Map<String, Value>, name: &str) -> Result<Value> {
    Ok(serde_json::from_str(text(content, name)?)?)
}

#[e2e]
async fn the_stored_object_is_the_file_byte_for_byte(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    let result = channel.upload_accepted(Form::new().file("file", "a.mp4", &video)).await?;
    ensure_stored(&stack, &channel, &result, &video).await
}

/// Fails unless the file is stored byte for byte, as the only object of its size.
async fn ensure_stored(stack: &TestStack, channel: &Channel, result: &Map<String, Value>, video: &[u8]) -> Result<()> {
    let content = channel.content_row(result)?;
    let key = format!("sources/{}/video", text(&content, "upload_uuid")?);
    ensure!(stack.object_bytes(&key).await? == video, "{key} differs from what was sent");
    let objects = stack.objects_of_size(video.len())?;
    ensure!(objects.len() == 1 && objects[0].key == key, "{objects:?}");
    Ok(())
}

/// Makes a video whose bytes differ between the R2 parts and within each.
fn numbered_video(size: usize) -> Result<Vec<u8>> {
    let mut video = fixtures::mp4(5_000, size, 0);
    for (index, byte) in video.iter_mut().enumerate().skip(1_000) {
        *byte = u8::try_from((index * 7 + index / 65_536) % 251)?;
    }
    Ok(video)
}

#[e2e]
async fn a_file_of_several_parts_is_stored_byte_for_byte(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    // The sizes at which the storage method changes: held or streamed, and one part or two.
    for size in [PART_BYTES, PART_BYTES + 40_000, LARGEST_PART_BYTES, LARGEST_PART_BYTES + 40_000] {
        let video = numbered_video(size)?;
        let result = channel.upload_accepted(Form::new().file("file", "a.mp4", &video)).await?;
        let content = channel.content_row(&result)?;
        let key = format!("sources/{}/video", text(&content, "upload_uuid")?);
        ensure!(content["file_sha256"] == sha256(&video), "{size}: the hash differs");
        ensure!(stack.object_bytes(&key).await? == video, "{size}: the object differs");
        ensure!(!stack.unfinished_objects()?.contains(&key), "{size}: an unfinished object is left");
    }
    channel.ensure_rows(&ChannelRows::after(4))
}

#[e2e]
async fn an_uploaded_thumbnail_is_stored_beside_the_video(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(2_000_000, 7);
    let video = stack.small_video();
    let form = Form::new().file("thumbnail_file", "t.png", &png).file("file", "a.mp4", &video);
    let result = channel.upload_accepted(form).await?;
    let content = channel.content_row(&result)?;
    ensure!(json_column(&content, "thumbnail")? == json!({ "picture_sha256": sha256(&png) }), "{content:?}");
    let key = format!("sources/{}/thumbnail", text(&content, "upload_uuid")?);
    ensure!(stack.object_bytes(&key).await? == png, "the picture differs");
    Ok(())
}

/// The picture is larger than all other fields may be, so the file ends inside an R2 part that was announced longer.
#[e2e]
async fn a_large_file_before_a_picture_is_stored_byte_for_byte(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut picture = b"\xff\xd8\xff".to_vec();
    picture.resize(1_900_000, 7);
    for size in [PART_BYTES, 2 * PART_BYTES + 123, LARGEST_PART_BYTES + 123] {
        let video = numbered_video(size)?;
        let form = Form::new().file("file", "a.mp4", &video).file("thumbnail_file", "t.jpg", &picture);
        let result = channel.upload_accepted(form).await?;
        let content = channel.content_row(&result)?;
        let folder = format!("sources/{}", text(&content, "upload_uuid")?);
        ensure!(stack.object_bytes(&format!("{folder}/video")).await? == video, "{size}: the video differs");
        ensure!(stack.object_bytes(&format!("{folder}/thumbnail")).await? == picture, "{size}: the picture differs");
        ensure!(
            !stack.unfinished_objects()?.contains(&format!("{folder}/video")),
            "{size}: an unfinished object is left"
        );
    }
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn the_slug_is_the_caption_in_ascii(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (caption, start) in
        [("Çà et là — Straße!", "ca-et-la-strasse-"), ("日本語", ""), (&"word ".repeat(400), "word-word-word-")]
    {
        let form = Form::new().text("caption", caption).file("file", "a.mp4", &stack.small_video());
        let result = channel.upload_accepted(form).await?;
        let slug = text(&result, "slug_url")?;
        let id = slug.rsplit('-').next().unwrap_or_default();
        ensure!(slug.starts_with(start) && slug.len() <= 80 && id.len() == 10, "{slug}");
    }
    Ok(())
}

#[e2e]
async fn the_last_slot_activates_the_limit(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(2)).await?;
    let form = || Form::new().file("file", "a.mp4", &stack.small_video());
    let first = channel.upload_accepted(form()).await?;
    ensure!(first["is_limit_activated"] == false && first["limit_reset_time_unix"].is_null(), "{first:?}");
    let answer = channel.upload(form()).await?;
    let last = answer.json()?;
    ensure!(last["is_limit_activated"] == true && last["limit_amount"] == 2, "{last}");
    ensure_next_midnight(&last["limit_reset_time_unix"])?;
    ensure!(answer.header("ratelimit").starts_with("\"daily\";r=0;t="), "{answer:?}");
    channel.ensure_rows(&ChannelRows::after(2))
}

fn ensure_next_midnight(time: &Value) -> Result<()> {
    let (time, now) = (time.as_u64().context("no time")?, now_unix());
    ensure!(time % 86_400 == 0 && time > now && time <= now + 86_400, "{time} at {now}");
    Ok(())
}

#[e2e]
async fn each_upload_counts_as_one_use_of_the_key(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    channel.upload_accepted(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    let refused = channel.upload(Form::new().text("caption", "no file")).await?;
    ensure!(refused.status == 400, "{refused:?}");
    let metadata = channel.account.post(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"]["uses_count"] == 2, "{metadata}");
    let last = metadata["key"]["last_used_at_unix"].as_u64().context("never used")?;
    ensure!(now_unix().abs_diff(last) < 60, "{metadata}");
    Ok(())
}

#[e2e]
async fn fields_may_come_before_and_after_the_file(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (before, after) = (stack.small_video(), stack.small_video());
    let caption = |form: Form| form.text("caption", "same").text("thumbnail_time", "00:00:01");
    let first = channel.upload_accepted(caption(Form::new()).file("file", "a.mp4", &before)).await?;
    let second = channel.upload_accepted(caption(Form::new().file("file", "a.mp4", &after))).await?;
    for result in [first, second] {
        let content = channel.content_row(&result)?;
        ensure!(content["caption"] == "same", "{content:?}");
        ensure!(json_column(&content, "thumbnail")? == json!({ "seconds": 1 }), "{content:?}");
    }
    Ok(())
}

#[e2e]
async fn identical_uploads_without_a_token_are_two_contents(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let form = Form::new().text("caption", "again").file("file", "a.mp4", &stack.small_video());
    let first = channel.upload_accepted(form.clone()).await?;
    let second = channel.upload_accepted(form).await?;
    for field in ["id", "content_id", "content_uuid", "media_name", "slug_url"] {
        ensure!(first[field] != second[field], "{field}: {first:?} {second:?}");
    }
    channel.ensure_rows(&ChannelRows::after(2))
}
