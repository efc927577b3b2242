//! Matches with blocked pictures, groups of similar videos, searches by file, receipts of reports, and the audit log.

use super::decisions::all_entries;
use anyhow::{Context, Result, ensure};
use contract::PictureHash;
use contract::moderation::{FrameHash, Recommendation};
use contract::paths;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

async fn ask(stack: &TestStack, path: &str) -> Result<Value> {
    let answer = send(moderator_request(stack, Method::GET, path)).await?;
    ensure!(answer.status == 200, "{path}: {answer:?}");
    answer.json()
}

/// Returns a hash that resembles no other.
fn unrelated(name: &str) -> PictureHash {
    PictureHash::from_bytes(Sha256::digest(name).into())
}

/// Uploads a video that shows one blocked picture mirrored, among others of its own.
async fn with_mirrored_frame(stack: &Arc<TestStack>, blocked: PictureHash) -> Result<TestContent> {
    let mut content = TestContent::upload(stack, |form| form).await?;
    content.frames = (0..10).map(|second| FrameHash { at_ms: second * 1000, hash: content.frames[0].hash }).collect();
    for frame in &mut content.frames {
        frame.hash = unrelated(&format!("{} {}", content.job.content_uuid, frame.at_ms));
    }
    content.frames[7].hash = blocked.appearances()[1].0;
    content.finish(&[Recommendation::Pass]).await?;
    Ok(content)
}

#[e2e]
async fn a_moderator_sees_the_blocked_picture_beside_the_frame_and_what_it_has_caught(
    stack: Arc<TestStack>,
) -> Result<()> {
    let removed = TestContent::published(&stack, "removed").await?;
    removed.store().await?;
    ensure!(removed.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    let content = with_mirrored_frame(&stack, removed.frames[0].hash).await?;
    let uuid = content.job.content_uuid.as_str();
    ensure!(content.state().await? == "processing", "the video does not wait for a person");
    let found = ask(&stack, &format!("{}?content_uuid={uuid}", paths::MODERATION_MATCHES)).await?;
    let matching = &found["matches"][0];
    ensure!(found["matches"].as_array().map(Vec::len) == Some(1) && found["has_hashes"] == true, "{found}");
    let expected = json!({
        "at_ms": 7000, "distance_bits": 0, "turned_degrees": 0, "is_mirrored": true, "is_inverted": false,
        "hash": content.frames[7].hash.to_string(),
    });
    for (name, value) in expected.as_object().context("no object")? {
        ensure!(&matching[name] == value, "{name}: {matching}");
    }
    let blocked = &matching["blocked"];
    ensure!(blocked["content_uuid"] == removed.job.content_uuid.as_str() && blocked["caught"] == 1, "{blocked}");
    for name in ["storyboard_url", "storyboard_vtt_url"] {
        let url = matching[name].as_str().with_context(|| format!("no {name}"))?;
        let path = &url[url.find("/internal").context("not an internal address")?..];
        ensure!(send(stack.request(Method::GET, path)).await?.status == 200, "{name}");
    }
    let caught = format!("{}?blocked_hash={}", paths::MODERATION_CONTENTS, removed.frames[0].hash);
    let caught = all_entries(&stack, &caught, "contents").await?;
    ensure!(caught.len() == 1 && caught[0]["content_uuid"] == uuid, "{caught:?}");
    let own = format!("{}?content_uuid={}", paths::MODERATION_MATCHES, removed.job.content_uuid);
    ensure!(ask(&stack, &own).await?["matches"] == json!([]), "a removed video matches itself");
    for path in [paths::MODERATION_MATCHES.to_owned(), format!("{}?content_uuid=", paths::MODERATION_FRAME)] {
        ensure_refused(&send(moderator_request(&stack, Method::GET, &path)).await?, 400, "request_malformed")?;
    }
    let unknown = format!("{}?content_uuid=00000000-0000-4000-8000-000000000000", paths::MODERATION_MATCHES);
    ensure_refused(&send(moderator_request(&stack, Method::GET, &unknown)).await?, 404, "content_not_found")
}

#[e2e]
async fn a_frame_of_a_video_is_blocked_by_its_time(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "with a bad frame").await?;
    let path = format!("{}?content_uuid={}&at_ms=2", paths::MODERATION_FRAME, content.job.content_uuid);
    let frame = ask(&stack, &path).await?["frame"].clone();
    ensure!(frame["at_ms"] == 2 && frame["is_blocked"] == false, "{frame}");
    let block = json!({ "hash": frame["hash"], "reason": "from a frame" });
    let blocked = send(moderator_request(&stack, Method::POST, paths::MODERATION_HASHES).json(&block)).await?;
    ensure!(blocked.status == 200, "{blocked:?}");
    ensure!(ask(&stack, &path).await?["frame"]["is_blocked"] == true);
    let far = path.replace("at_ms=2", "at_ms=9007199254740992");
    ensure_refused(&send(moderator_request(&stack, Method::GET, &far)).await?, 400, "request_malformed")
}

#[e2e(Own)]
async fn similar_videos_of_the_queue_are_one_group(stack: Arc<TestStack>) -> Result<()> {
    let first = TestContent::upload(&stack, |form| form.text("caption", "one")).await?;
    first.finish(&[Recommendation::Review]).await?;
    let mut second = TestContent::upload(&stack, |form| form.text("caption", "two")).await?;
    second.frames =
        first.frames.iter().map(|frame| FrameHash { hash: frame.hash.appearances()[5].0, ..*frame }).collect();
    second.finish(&[Recommendation::Review]).await?;
    let other = TestContent::upload(&stack, |form| form).await?;
    other.finish(&[Recommendation::Review]).await?;
    let group_of = async |content: &TestContent| {
        let groups = ask(&stack, paths::MODERATION_GROUPS).await?["groups"].clone();
        let has = |group: &&Value| {
            let uuids = group["content_uuids"].as_array();
            uuids.is_some_and(|uuids| uuids.iter().any(|uuid| uuid == content.job.content_uuid.as_str()))
        };
        anyhow::Ok(groups.as_array().context("no groups")?.iter().find(has).cloned())
    };
    let uuids = [&first, &second].map(|content| content.job.content_uuid.clone());
    let expected = json!({ "content_uuids": uuids, "is_same_file": false });
    ensure!(group_of(&second).await? == Some(expected), "{:?}", group_of(&second).await?);
    ensure!(group_of(&other).await?.is_none());
    ensure!(first.decide(paths::MODERATION_APPROVE).await?.status == 200);
    ensure!(group_of(&second).await?.is_none(), "a group of one");
    Ok(())
}

#[e2e]
async fn a_file_leads_to_its_video_also_after_it_was_removed(stack: Arc<TestStack>) -> Result<()> {
    let video = stack.small_video();
    let content = TestContent::upload_file(&stack, &video).await?;
    content.finish(&[Recommendation::Pass]).await?;
    let sha256 = contract::hexadecimal(&Sha256::digest(&video));
    let search = format!("{}?sha256={sha256}", paths::MODERATION_CONTENTS);
    let state_of_found = async || {
        let found = all_entries(&stack, &search, "contents").await?;
        ensure!(found.len() == 1 && found[0]["content_uuid"] == content.job.content_uuid.as_str(), "{found:?}");
        Ok(found[0]["state"].clone())
    };
    ensure!(state_of_found().await? == "published");
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    ensure!(state_of_found().await? == "taken_down");
    Ok(())
}

#[e2e]
async fn a_viewer_reads_the_outcome_of_a_report_by_its_receipt(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "reported").await?;
    let body = json!({ "page": stack.url(&content.page()), "reason": "hate", "text": "" });
    let reported = send(stack.request(Method::POST, paths::REPORT_PAGE).json(&body)).await?;
    ensure!(reported.status == 200, "{reported:?}");
    let receipt = reported.json()?["receipt"].as_str().context("no receipt")?.to_owned();
    ensure!(!receipt.contains(&content.job.content_uuid), "the receipt names the video's UUID");
    let outcome = async || {
        let answer = stack.get(&format!("{}?receipt={receipt}", paths::REPORT_PAGE)).await?;
        ensure!(answer.status == 200 && answer.header("cache-control") == "no-store", "{answer:?}");
        anyhow::Ok(answer.json()?["outcome"].as_str().unwrap_or_default().to_owned())
    };
    ensure!(outcome().await? == "waiting");
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    ensure!(outcome().await? == "removed");
    ensure!(content.decide(paths::MODERATION_RESTORE).await?.status == 200);
    ensure!(outcome().await? == "kept");
    let deleted = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(deleted.status == 200 && outcome().await? == "deleted", "{deleted:?}");
    let (start, end) = receipt.split_at(receipt.len() - 1);
    let forged = format!("{start}{}", if end == "0" { "1" } else { "0" });
    for wrong in [forged.as_str(), "", "1-2-3"] {
        let answer = stack.get(&format!("{}?receipt={wrong}", paths::REPORT_PAGE)).await?;
        ensure!(answer.status == StatusCode::NOT_FOUND, "{wrong}: {answer:?}");
    }
    Ok(())
}

#[e2e]
async fn the_audit_log_is_filtered_by_who_and_about_what(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "in the trail").await?;
    for path in [paths::MODERATION_TAKE_DOWN, paths::MODERATION_RESTORE] {
        ensure!(content.decide(path).await?.status == 200);
    }
    let subject = format!("content:{}", content.job.content_uuid);
    let about = all_entries(&stack, &format!("{}?subject={subject}", paths::TRAIL), "entries").await?;
    let actions: Vec<_> = about.iter().map(|entry| &entry["action"]).collect();
    ensure!(actions == ["restore", "take_down"], "{about:?}");
    let actor = about[0]["actor"].as_str().context("no actor")?;
    let by = ask(&stack, &format!("{}?actor={actor}", paths::TRAIL)).await?["entries"].clone();
    let by = by.as_array().context("no entries")?;
    ensure!(!by.is_empty() && by.iter().all(|entry| entry["actor"] == actor), "{by:?}");
    ensure!(ask(&stack, &format!("{}?actor=nobody-with-this-name", paths::TRAIL)).await?["entries"] == json!([]));
    let both = format!("{}?actor={actor}&subject={subject}", paths::TRAIL);
    ensure_refused(&send(moderator_request(&stack, Method::GET, &both)).await?, 400, "request_malformed")
}

#[e2e]
async fn a_restored_video_is_told_by_an_event_of_its_own(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "taken down by mistake").await?;
    for path in [paths::MODERATION_TAKE_DOWN, paths::MODERATION_RESTORE] {
        ensure!(content.decide(path).await?.status == 200);
    }
    let path = format!("{}?content_uuid={}", paths::EVENTS, content.job.content_uuid);
    let request = stack.request(Method::GET, &path).bearer_auth(&content.job.channel.key);
    let events = send(request).await?.json()?["events"].clone();
    let events = events.as_array().context("no events")?;
    let kinds: Vec<_> = events.iter().map(|event| &event["type"]).collect();
    ensure!(kinds == ["content.published", "content.taken_down", "content.restored"], "{kinds:?}");
    let (first, last) = (&events[0]["data"], &events[2]["data"]);
    ensure!(last["published_at_unix"] == first["published_at_unix"] && last["policy_code"].is_null(), "{last}");
    Ok(())
}
