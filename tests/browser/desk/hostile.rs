//! The desk shows the texts of strangers and of moderators as text, even if they contain markup.

use super::super::console::PAYLOADS;
use super::matches::{make_copy, make_video};
use super::seeding::{
    ApiModerator, BLACK, UploadTexts, UploadedVideo, ViewerReport, appeal, make_clip, report, until_examined,
    upload_with,
};
use super::{Desk, EXAMINED_WITHIN, WITHIN, answer, case};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tests::browser::BrowserStack;
use tests::{browser, sha256, until};

/// Returns the elements that texts became, and whether a text ran.
const TRACES: &str =
    "const foreign = 'iframe, object, audio, math, base, img[src=x], body script, body link, body meta, \
     [onload], [onerror], [onfocus], [ontoggle], [onbegin], [href^=\"javascript:\"], [src^=\"javascript:\"]';
    const all = [...document.querySelectorAll('*')];
    const traces = all.filter(one => one.matches(foreign) || one.localName.startsWith('x-'))
        .map(one => one.outerHTML.slice(0, 120));
    if ('pwned' in window) traces.push('window.pwned');
    return traces";

const OPEN_SUBTITLES: &str = "const spoken = document.querySelector('details.spoken');
    if (spoken) spoken.open = true;
    return !!spoken";

/// The videos with hostile texts, by their ids.
struct HostileVideos {
    /// Waits, and so does a copy of it that a colleague is looking at.
    waiting: String,
    /// Waits, and has frames of the removed video.
    matching: String,
    /// Is published, and a viewer has reported it.
    reported: String,
    /// Was removed, and its owner appeals.
    appealed: String,
    /// The channel of the waiting video.
    channel_id: u64,
}

#[browser]
async fn markup_in_any_text_is_shown_as_text_at_the_desk(_: Arc<BrowserStack>) -> Result<()> {
    // The other tests choose among the policies, and read the lists.
    let stack = BrowserStack::boot_with(&[("JOBS", "2")]).await?;
    word_policies(&stack).await?;
    let roles = ["look", "decide", "blocklist", "operate"];
    let colleague = ApiModerator::new(&stack, &hostile("colleague", 100), &roles).await?;
    let blocked = json!({ "hash": blocked_hash(), "reason": hostile("block", 500) });
    colleague.post(paths::MODERATION_HASHES, &blocked).await?;
    let videos = prepare(&stack, &colleague).await?;
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, &hostile("moderator", 100), &roles).await?;
    ensure_lists_show_text(&desk, &videos).await?;
    ensure_cases_show_text(&desk, &videos).await?;
    desk.open(&videos.waiting).await?;
    browser.type_keys("r").await?;
    ensure_shown(&desk, ".policies", &["policy", "wording"]).await?;
    desk.ensure_clean().await
}

/// Returns a text that begins with a tag of this name, which marks it, and has as many payloads as fit.
fn hostile(name: &str, max_characters: usize) -> String {
    let mut text = mark(name);
    for payload in PAYLOADS {
        if text.len() + 1 + payload.len() <= max_characters {
            text.push(' ');
            text.push_str(payload);
        }
    }
    text
}

fn mark(name: &str) -> String {
    format!("<x-{name}>")
}

fn blocked_hash() -> String {
    sha256(b"a picture")
}

/// Gives a policy a hostile name and text.
async fn word_policies(stack: &BrowserStack) -> Result<()> {
    let mut policies =
        answer(stack.moderator_request(Method::GET, paths::MODERATION_POLICIES)).await?["policies"].take();
    let list = policies.as_array_mut().context("no policies")?;
    let violence = list.iter_mut().find(|policy| policy["policy_code"] == "violence").context("no such policy")?;
    violence["name"] = json!(hostile("policy", 60));
    violence["text"] = json!(hostile("wording", 500));
    let request = stack.moderator_request(Method::PUT, paths::MODERATION_POLICIES);
    answer(request.json(&json!({ "policies": policies }))).await.map(drop)
}

/// Uploads the videos, and lets a viewer, the owners and a colleague write their texts.
async fn prepare(stack: &BrowserStack, colleague: &ApiModerator<'_>) -> Result<HostileVideos> {
    let folder = stack.new_folder()?;
    let original = make_video(folder.path(), 1, 16)?;
    let (appealed, _) = upload_hostile(stack, &original).await?;
    take_down(colleague, &appealed).await?;
    appeal(stack, &appealed, &hostile("appeal", 1_000)).await?;
    let (deleted, _) = upload_hostile(stack, &make_video(folder.path(), 3, 4)?).await?;
    take_down(colleague, &deleted).await?;
    delete(stack, &deleted).await?;
    let (reported, case) = upload_hostile(stack, &make_video(folder.path(), 4, 4)?).await?;
    let text = hostile("report", 2_000);
    report(stack, &case, ViewerReport { reason: "other", text: &text, address: "203.0.113.1" }).await?;
    until_subtitled(stack, &reported.uuid).await?;
    let (matching, _) = upload_hostile(stack, &make_copy(folder.path(), &original)?).await?;
    let black = folder.path().join("black.mp4");
    make_clip(&black, BLACK, "4", "hostile")?;
    let (waiting, case) = upload_hostile(stack, &black).await?;
    let (copy, _) = upload_hostile(stack, &black).await?;
    colleague.post(paths::MODERATION_CLAIM, &json!({ "content_uuid": copy.uuid })).await?;
    Ok(HostileVideos {
        waiting: waiting.uuid,
        matching: matching.uuid,
        reported: reported.uuid,
        appealed: appealed.uuid,
        channel_id: case["content"]["channel_id"].as_u64().context("no channel")?,
    })
}

/// Uploads a file with hostile texts as a new channel, and waits until it is examined. Returns its case too.
async fn upload_hostile(stack: &BrowserStack, file: &Path) -> Result<(UploadedVideo, Value)> {
    let (caption, summary, channel) = (hostile("caption", 1_500), hostile("summary", 1_500), hostile("channel", 80));
    // Tags in a file of subtitles are removed, but not escaped ones.
    let cue = hostile("cue", 400).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let subtitles = format!("WEBVTT\n\n00:00.500 --> 00:01.500\n{cue}\n");
    let texts =
        UploadTexts { caption: &caption, summary: &summary, channel_name: Some(&channel), subtitles: Some(&subtitles) };
    let video = upload_with(stack, texts, file).await?;
    let case = until_examined(stack, &video.uuid, EXAMINED_WITHIN).await?;
    Ok((video, case))
}

/// Waits for the captions of an approved video, which a job of their own makes.
async fn until_subtitled(stack: &BrowserStack, uuid: &str) -> Result<()> {
    let is_subtitled = async || {
        let tracks = case(stack, uuid).await?["subtitles"].as_array().map_or(0, Vec::len);
        Ok((tracks > 0).then_some(()))
    };
    until(EXAMINED_WITHIN, is_subtitled, || "the video has no subtitles".to_owned()).await
}

async fn take_down(moderator: &ApiModerator<'_>, video: &UploadedVideo) -> Result<()> {
    let reason = hostile("note", 500);
    let decision = json!({ "content_uuid": video.uuid, "reason": reason, "policy_code": "violence" });
    moderator.post(paths::MODERATION_TAKE_DOWN, &decision).await
}

/// Deletes a video as its owner.
async fn delete(stack: &BrowserStack, video: &UploadedVideo) -> Result<()> {
    let request = stack.client.post(format!("{}{}", stack.base(), paths::DELETE_CONTENT)).bearer_auth(&video.key);
    answer(request.json(&json!({ "content_uuid": video.uuid }))).await.map(drop)
}

async fn ensure_lists_show_text(desk: &Desk<'_>, videos: &HostileVideos) -> Result<()> {
    let (channel, hash) = (videos.channel_id, blocked_hash());
    let (found, of_channel) = (format!("/desk/find?q={channel}&by=channel"), format!("/desk/channel/{channel}"));
    let (blocked, recorded) = (format!("/desk/blocklist?hash={hash}"), format!("/desk/audit?subject=hash%3A{hash}"));
    let views: [(&str, &[&str]); 13] = [
        ("/desk", &["caption", "appeal", "colleague"]),
        ("/desk?show=flagged", &["caption"]),
        ("/desk?show=appeals", &["caption", "appeal", "colleague"]),
        (&found, &["caption"]),
        (&of_channel, &["caption", "channel"]),
        ("/desk/evidence", &["caption"]),
        ("/desk/decisions", &["note", "policy", "colleague"]),
        ("/desk/blocklist", &["note", "colleague"]),
        (&blocked, &["block", "colleague"]),
        ("/desk/audit", &["note", "colleague"]),
        (&recorded, &["block", "colleague"]),
        ("/desk/statistics", &["policy"]),
        ("/desk/tokens", &["colleague"]),
    ];
    for (view, names) in views {
        ensure_shows(desk, view, "main", names).await?;
    }
    Ok(())
}

async fn ensure_cases_show_text(desk: &Desk<'_>, videos: &HostileVideos) -> Result<()> {
    let cases: [(&str, &[&str]); 4] = [
        (&videos.reported, &["caption", "report"]),
        (&videos.appealed, &["caption", "appeal", "note", "policy", "colleague"]),
        (&videos.matching, &["caption", "note", "colleague"]),
        (&videos.waiting, &["caption", "summary", "channel", "colleague"]),
    ];
    for (uuid, names) in cases {
        ensure_shows(desk, &format!("/desk/video/{uuid}"), "article.case", names).await?;
    }
    desk.show(&format!("/desk/video/{}", videos.reported), "Subtitles").await?;
    desk.until(WITHIN, "the subtitles", OPEN_SUBTITLES).await?;
    ensure_shown(desk, "details.spoken", &["cue"]).await
}

/// Opens a view, and fails unless this part of it shows the texts of these names as text, and the page that of the
/// moderator.
async fn ensure_shows(desk: &Desk<'_>, view: &str, part: &str, names: &[&str]) -> Result<()> {
    desk.show(view, &mark("moderator")).await?;
    ensure_shown(desk, part, names).await.with_context(|| view.to_owned())
}

/// Fails unless a part of the page shows the texts of these names, and nothing of them is an element of the page.
async fn ensure_shown(desk: &Desk<'_>, part: &str, names: &[&str]) -> Result<()> {
    for name in names {
        let shows = "return !!document.querySelector(PART)?.innerText.includes(MARK)";
        let shows = shows.replace("PART", &json!(part).to_string()).replace("MARK", &json!(mark(name)).to_string());
        desk.until(WITHIN, &mark(name), &shows).await?;
    }
    let traces = desk.run(TRACES).await?;
    ensure!(traces == json!([]), "traces of {names:?}: {traces}");
    Ok(())
}
