//! Blocked pictures and files at the desk: a copy beside the removed video, a frame that is blocked from the
//! player, and the video of a file.

use super::super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use super::{Desk, WITHIN, WaitingVideo, answer, waiting_upload};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tests::browser::BrowserStack;
use tests::{browser, ffmpeg, run_to_end};

/// Counts the requests with a body that the page sends from now on.
const COUNT_SENT: &str = "const count = body => { if (body !== null && body !== undefined) window.sent += 1; };
    window.sent = 0;
    const sendFetch = window.fetch;
    window.fetch = (request, options) => {
        count(options?.body ?? (request instanceof Request ? request.body : null));
        return sendFetch(request, options);
    };
    const sendXhr = XMLHttpRequest.prototype.send;
    XMLHttpRequest.prototype.send = function (body) { count(body); return sendXhr.call(this, body); };
    const sendBeacon = navigator.sendBeacon.bind(navigator);
    navigator.sendBeacon = (address, body) => { count(body); return sendBeacon(address, body); };";

/// Sends a body in every way that is counted, and returns the count.
const SEND_IN_EVERY_WAY: &str = "const post = { method: 'POST', body: 'x' };
    navigator.sendBeacon(location.href, 'x');
    const request = new XMLHttpRequest();
    request.open('POST', location.href);
    request.send('x');
    return fetch(location.href, post).catch(() => {})
        .then(() => fetch(new Request(location.href, post))).catch(() => {}).then(() => window.sent)";

/// Returns an ffmpeg source that draws a new picture every half second. Pictures of different seeds are as far apart as
/// random hashes, and far from the clips of other tests, so blocking one of them affects no other test.
fn pictures(seed: u32) -> String {
    format!("cellauto=size=64x36:rate=25:rule=30:random_seed={seed}:full=1,fps=2,fps=25,scale=320:180:flags=neighbor")
}

/// Makes a video of these pictures.
pub(super) fn make_video(folder: &Path, seed: u32, seconds: u32) -> Result<PathBuf> {
    let video = folder.join(format!("pictures-{seed}.mp4"));
    let (pictures, seconds) = (pictures(seed), seconds.to_string());
    let mut make = ffmpeg();
    make.args(["-f", "lavfi", "-i", &pictures, "-f", "lavfi", "-i", "sine=frequency=440", "-t", &seconds]);
    make.args(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"]).arg(&video);
    run_to_end(make)?;
    Ok(video)
}

/// Makes a long video that ends with the first pictures of another one, mirrored and encoded again. Too few frames
/// match for a rejection without a person, which would delete the copy's files.
pub(super) fn make_copy(folder: &Path, of: &Path) -> Result<PathBuf> {
    let copy = folder.join("copy.mp4");
    let mut make = ffmpeg();
    make.args(["-t", "20", "-f", "lavfi", "-i", &pictures(2), "-t", "0.9", "-i"]).arg(of);
    make.args(["-filter_complex", "[1:v]hflip[copy];[0:v][copy]concat"]);
    make.args(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]).arg(&copy);
    run_to_end(make)?;
    Ok(copy)
}

/// Publishes a video as the account that all tests share, and returns its id.
async fn publish(stack: &BrowserStack, video: &Path) -> Result<String> {
    Ok(stack.publish_file(video).await?.status.content.content_uuid)
}

#[browser]
async fn a_mirrored_copy_is_shown_beside_the_removed_video(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let folder = stack.new_folder()?;
    let original = make_video(folder.path(), 1, 16)?;
    let copy = make_copy(folder.path(), &original)?;
    let removed = publish(&stack, &original).await?;
    let remove = json!({ "content_uuid": removed, "reason": "a banned sign", "policy_code": "violence" });
    answer(stack.moderator_request(Method::POST, paths::MODERATION_TAKE_DOWN).json(&remove)).await?;
    let WaitingVideo { uuid, .. } = waiting_upload(&stack, &copy, "A copy").await?;
    let desk = Desk::sign_in(&stack, &browser, "Mia", &["look"]).await?;
    let case = format!("/desk/video/{uuid}");
    desk.show(&case, "Matches with blocked pictures").await?;
    for text in ["Mirrored", "up to 72 is a match", "a banned sign"] {
        desk.until_text(text).await?;
    }
    let removed_case = json!(format!(".matches a[href=\"/desk/video/{removed}\"]"));
    let pictures = format!(
        "const [own, blocked] = document.querySelectorAll('.match [role=img] > span');
        return !!own?.querySelector('.veil') && !own.style.transform.includes('scaleX')
            && blocked?.style.transform.includes('scaleX(-1)')
            && document.documentElement.dataset.pictures === 'blurred' && !!document.querySelector({removed_case})"
    );
    desk.until(WITHIN, "both pictures and the removed video", &pictures).await?;
    let is_loaded = "const video = document.querySelector('video'); return video?.readyState >= 1";
    desk.until(WITHIN, "the video", is_loaded).await?;
    desk.run("document.querySelector('video').currentTime = 1").await?;
    desk.run("document.querySelector('.match .jump').click()").await?;
    let is_there = "return document.querySelector('video').currentTime > 19";
    desk.until(WITHIN, "the video at the frame that matches", is_there).await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        ensure_no_violations(&browser, &case).await?;
        ensure_is_as_wide_as_the_window(&browser, &case).await?;
    }
    desk.ensure_clean().await
}

#[browser]
async fn a_frame_is_blocked_from_the_player_and_is_then_on_the_blocklist(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let folder = stack.new_folder()?;
    let uuid = publish(&stack, &make_video(folder.path(), 3, 4)?).await?;
    let case = format!("/desk/video/{uuid}");
    let desk = Desk::sign_in(&stack, &browser, "Finn", &["look", "blocklist"]).await?;
    desk.show(&case, "Block this frame").await?;
    desk.press("Block this frame").await?;
    desk.until_text("Approved videos with a similar frame are flagged").await?;
    desk.press("Block frame").await?;
    desk.until_text("Enter a reason").await?;
    let hash = desk.run("return document.querySelector('dialog code').innerText").await?;
    let hash = hash.as_str().context("no hash")?;
    ensure!(hash.len() == 64, "{hash}");
    desk.fill("Reason", "a banned frame").await?;
    desk.press("Block frame").await?;
    desk.until_text("The frame is blocked").await?;
    desk.show(&format!("/desk/blocklist?hash={hash}"), "a banned frame").await?;
    desk.until_text("Finn").await?;
    desk.show(&case, "Block this frame").await?;
    desk.press("Block this frame").await?;
    desk.until_text("This frame is already blocked").await?;
    desk.ensure_clean().await
}

#[browser]
async fn a_video_is_found_by_its_file_which_is_not_sent(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let folder = stack.new_folder()?;
    let video = make_video(folder.path(), 4, 4)?;
    let uuid = publish(&stack, &video).await?;
    let other = folder.path().join("other.mp4");
    std::fs::write(&other, "another file")?;
    let desk = Desk::sign_in(&stack, &browser, "Ida", &["look"]).await?;
    desk.show("/desk/find", "only its fingerprint is sent").await?;
    desk.run(COUNT_SENT).await?;
    browser.choose_file("main input[type=file]", &video).await?;
    desk.until_text("Searched for the file pictures-4.mp4").await?;
    let found = json!(format!(".results a[href=\"/desk/video/{uuid}\"]"));
    desk.until(WITHIN, "the video", &format!("return !!document.querySelector({found})")).await?;
    browser.choose_file("main input[type=file]", &other).await?;
    desk.until_text("No match for this file").await?;
    ensure!(desk.run("return window.sent").await? == 0, "the page sent something");
    desk.ensure_clean().await?;
    // Chromium logs that the service rejects these requests.
    let sent = desk.run(SEND_IN_EVERY_WAY).await?;
    ensure!(sent == 4, "not all requests with a body are counted: {sent}");
    Ok(())
}
