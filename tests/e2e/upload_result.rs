//! What a successful upload answers, stores and counts.

use crate::channel::{Channel, Rows, sha256};
use crate::harness::{Answer, Harness, Suite};
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn register(suite: &mut Suite) {
    suite.add(
        "upload_result::the_body_has_the_specs_fields_and_no_other",
        body,
    );
    suite.add("upload_result::every_field_is_stored_as_sent", stored);
    suite.add("upload_result::the_object_is_the_file_byte_for_byte", bytes);
    suite.add(
        "upload_result::a_file_of_several_parts_is_stored_byte_for_byte",
        parts,
    );
    suite.add(
        "upload_result::a_sent_picture_is_stored_beside_the_video",
        picture,
    );
    suite.add("upload_result::the_slug_is_the_caption_in_ascii", slug);
    suite.add(
        "upload_result::the_last_slot_activates_the_limit",
        last_slot,
    );
    suite.add("upload_result::each_upload_counts_one_use_of_the_key", uses);
    suite.add(
        "upload_result::fields_may_come_before_and_after_the_file",
        order,
    );
    suite.add("upload_result::unknown_fields_are_ignored", unknown);
    suite.add(
        "upload_result::equal_uploads_without_a_token_are_two_contents",
        twice,
    );
}

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

pub fn now() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())
}

async fn body(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let video = harness.small_video();
    let answer = channel
        .upload(Form::new().file("file", "a.mp4", &video))
        .await?;
    ensure!(answer.status == 200, "{answer:?}");
    ensure_result(&answer)?;
    ensure!(
        answer.header("content-type") == "application/json",
        "{answer:?}"
    );
    ensure!(
        answer.header("ratelimit-policy") == "\"daily\";q=50;w=86400",
        "{answer:?}"
    );
    ensure!(
        answer.header("ratelimit").starts_with("\"daily\";r=49;t="),
        "{answer:?}"
    );
    ensure!(
        answer.header("idempotency-replayed").is_empty(),
        "{answer:?}"
    );
    channel.ensure_rows(&Rows::after(1))
}

fn ensure_result(answer: &Answer) -> Result<()> {
    let Value::Object(result) = answer.json()? else {
        anyhow::bail!("no object: {answer:?}");
    };
    let names: BTreeSet<&str> = result.keys().map(String::as_str).collect();
    ensure!(names == BTreeSet::from(FIELDS), "{result:?}");
    let number = |name: &str| {
        result[name]
            .as_u64()
            .is_some_and(|number| number > 0 && number < 1 << 53)
    };
    ensure!(number("id") && number("content_id"), "{result:?}");
    ensure!(is_uuid(text(&result, "content_uuid")?), "{result:?}");
    let name = text(&result, "media_name")?
        .strip_suffix(".mp4")
        .context("not .mp4")?;
    ensure!(
        name.len() == 24 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "{result:?}"
    );
    let slug = text(&result, "slug_url")?;
    ensure!(
        !slug.is_empty()
            && slug
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
        "{slug}"
    );
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
    result[name]
        .as_str()
        .with_context(|| format!("{name} is no text: {result:?}"))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12]
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

async fn stored(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let (video, token) = (harness.small_video(), harness.token());
    let publish_at = now()? + 3_600;
    let form = Form::new()
        .text("caption", "Zwölf Boxkämpfer 🥊 #sport")
        .text("super_category_id", "5")
        .text("thumbnail_time", "00:00:05")
        .text("ai_summary_of_content", "Twelve boxers chase Viktor.")
        .text("scheduled_publish_at_unix", &publish_at.to_string())
        .text("upload_token", &token)
        .file("file", "twelve.mp4", &video);
    let result = channel.publish(form).await?;
    ensure!(
        result["scheduled_publish_at_unix"] == publish_at,
        "{result:?}"
    );
    let content = channel.content(&result)?;
    let expected = json!({
        "uuid": result["content_uuid"], "upload_id": result["id"], "channel_id": channel.account.channel_id,
        "state": "processing", "generation": 1, "slug_url": result["slug_url"], "media_name": result["media_name"],
        "caption": "Zwölf Boxkämpfer 🥊 #sport", "super_category_id": 5,
        "ai_summary_of_content": "Twelve boxers chase Viktor.", "thumbnail_time_seconds": 5,
        "has_thumbnail_file": 0, "scheduled_publish_at_unix": publish_at, "container": "mp4",
        "duration_ms": 5_000, "width": 320, "height": 180, "size_bytes": video.len(),
        "file_sha256": sha256(&video), "upload_token": token,
    });
    for (column, value) in expected.as_object().into_iter().flatten() {
        ensure!(
            content[column] == *value,
            "{column}: expected {value} in {content:?}"
        );
    }
    Ok(())
}

async fn bytes(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let video = harness.small_video();
    let result = channel
        .publish(Form::new().file("file", "a.mp4", &video))
        .await?;
    ensure_stored(&harness, &channel, &result, &video).await
}

/// Fails unless the channel's only object is the file.
async fn ensure_stored(
    harness: &Harness,
    channel: &Channel,
    result: &Map<String, Value>,
    video: &[u8],
) -> Result<()> {
    let content = channel.content(result)?;
    let key = format!("sources/{}/video", text(&content, "upload_uuid")?);
    ensure!(
        harness.object_bytes(&key).await? == video,
        "{key} differs from what was sent"
    );
    let found = harness.objects_of_size(video.len())?;
    ensure!(found.len() == 1 && found[0].key == key, "{found:?}");
    Ok(())
}

async fn parts(harness: Arc<Harness>) -> Result<()> {
    const PART: usize = 5 * 1024 * 1024;
    let channel = Channel::new(&harness).await?;
    // Exactly one part, one byte more, two and a bit: the borders at which the storing changes.
    for size in [PART, PART + 1, 2 * PART, 2 * PART + 4_321] {
        let permit = harness.large_upload().await?;
        let mut video = fixtures::mp4(5_000, size, 0);
        // Bytes that tell a part from another, and its place.
        for (index, byte) in video.iter_mut().enumerate().skip(1_000) {
            *byte = u8::try_from((index * 7 + index / 65_536) % 251)?;
        }
        let result = channel
            .publish(Form::new().file("file", "a.mp4", &video))
            .await?;
        drop(permit);
        let content = channel.content(&result)?;
        let key = format!("sources/{}/video", text(&content, "upload_uuid")?);
        ensure!(
            content["file_sha256"] == sha256(&video),
            "{size}: the hash differs"
        );
        ensure!(
            harness.object_bytes(&key).await? == video,
            "{size}: the object differs"
        );
        ensure!(
            !harness.unfinished_objects()?.contains(&key),
            "{size}: an unfinished object stayed"
        );
    }
    channel.ensure_rows(&Rows::after(4))
}

async fn picture(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(2_000_000, 7);
    let video = harness.small_video();
    let form = Form::new()
        .file("thumbnail_file", "t.png", &png)
        .file("file", "a.mp4", &video);
    let result = channel.publish(form).await?;
    let content = channel.content(&result)?;
    ensure!(content["has_thumbnail_file"] == 1, "{content:?}");
    let key = format!("sources/{}/thumbnail", text(&content, "upload_uuid")?);
    ensure!(
        harness.object_bytes(&key).await? == png,
        "the picture differs"
    );
    Ok(())
}

async fn slug(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    for (caption, start) in [
        ("Çà et là — Straße!", "ca-et-la-strasse-"),
        ("日本語", ""),
        (&"word ".repeat(400), "word-word-word-"),
    ] {
        let form =
            Form::new()
                .text("caption", caption)
                .file("file", "a.mp4", &harness.small_video());
        let result = channel.publish(form).await?;
        let slug = text(&result, "slug_url")?;
        let id = slug.rsplit('-').next().unwrap_or_default();
        ensure!(
            slug.starts_with(start) && slug.len() <= 80 && id.len() == 10,
            "{slug}"
        );
    }
    Ok(())
}

async fn last_slot(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(2)).await?;
    let form = || Form::new().file("file", "a.mp4", &harness.small_video());
    let first = channel.publish(form()).await?;
    ensure!(
        first["is_limit_activated"] == false && first["limit_reset_time_unix"].is_null(),
        "{first:?}"
    );
    let answer = channel.upload(form()).await?;
    let last = answer.json()?;
    ensure!(
        last["is_limit_activated"] == true && last["limit_amount"] == 2,
        "{last}"
    );
    ensure_next_midnight(&last["limit_reset_time_unix"])?;
    ensure!(
        answer.header("ratelimit").starts_with("\"daily\";r=0;t="),
        "{answer:?}"
    );
    channel.ensure_rows(&Rows::after(2))
}

pub fn ensure_next_midnight(time: &Value) -> Result<()> {
    let (time, now) = (time.as_u64().context("no time")?, now()?);
    ensure!(
        time % 86_400 == 0 && time > now && time <= now + 86_400,
        "{time} at {now}"
    );
    Ok(())
}

async fn uses(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    channel
        .publish(Form::new().file("file", "a.mp4", &harness.small_video()))
        .await?;
    let refused = channel
        .upload(Form::new().text("caption", "no file"))
        .await?;
    ensure!(refused.status == 400, "{refused:?}");
    let metadata = channel.account.post(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"]["uses_count"] == 2, "{metadata}");
    let last = metadata["key"]["last_used_at_unix"]
        .as_u64()
        .context("never used")?;
    ensure!(now()?.abs_diff(last) < 60, "{metadata}");
    Ok(())
}

async fn order(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let (before, after) = (harness.small_video(), harness.small_video());
    let caption = |form: Form| {
        form.text("caption", "same")
            .text("thumbnail_time", "00:00:01")
    };
    let first = channel
        .publish(caption(Form::new()).file("file", "a.mp4", &before))
        .await?;
    let second = channel
        .publish(caption(Form::new().file("file", "a.mp4", &after)))
        .await?;
    for result in [first, second] {
        let content = channel.content(&result)?;
        ensure!(
            content["caption"] == "same" && content["thumbnail_time_seconds"] == 1,
            "{content:?}"
        );
    }
    Ok(())
}

async fn unknown(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let form = Form::new()
        .text("labels", "a,b")
        .text("labels", "a field that nobody knows may even come twice")
        .file("attachment", "notes.bin", &[0; 1_000])
        .file("file", "a.mp4", &harness.small_video());
    channel.publish(form).await?;
    channel.ensure_rows(&Rows::after(1))
}

async fn twice(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let form = Form::new()
        .text("caption", "again")
        .file("file", "a.mp4", &harness.small_video());
    let first = channel.publish(form.clone()).await?;
    let second = channel.publish(form).await?;
    for field in ["id", "content_id", "content_uuid", "media_name", "slug_url"] {
        ensure!(
            first[field] != second[field],
            "{field}: {first:?} {second:?}"
        );
    }
    channel.ensure_rows(&Rows::after(2))
}
