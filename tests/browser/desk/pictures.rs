//! Takes the pictures of the desk for the documentation, and only on request.

use super::super::accessibility::HEIGHT;
use super::super::console::Console;
use super::matches::{make_copy, make_video};
use super::seeding::{
    ApiModerator, BLACK, UploadedVideo, ViewerReport, appeal, make_clip, report, three_copies, until_examined, upload,
};
use super::{Desk, EXAMINED_WITHIN, WITHIN, waiting_upload};
use anyhow::{Context, Result};
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::paths;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tests::browser::{Browser, BrowserStack};
use tests::{browser, sha256};
use tokio::net::TcpListener;

/// The fate of a video before the pictures are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Story {
    /// The classifier or a check leaves it to a person.
    Waits,
    Reported,
    Appealed,
    Approved,
    Rejected,
}

/// A zoom into a fractal. It stands for a film.
const ZOOM: &str = "mandelbrot=size=640x360:rate=25:end_scale=0.02:end_pts=150";
const CELLS: &str = "life=size=64x36:rate=5:seed=7,scale=640x360:flags=neighbor";

/// The caption of each video, its picture, and its story.
const VIDEOS: [(&str, &str, Story); 10] = [
    ("Street dance in the rain", "testsrc2=size=640x360:rate=25", Story::Waits),
    ("My cat learns to skate", CELLS, Story::Waits),
    ("Night train through the mountains", BLACK, Story::Waits),
    ("First try at juggling", "rgbtestsrc=size=640x360:rate=25", Story::Waits),
    ("Fireworks from the roof", "testsrc=size=640x360:rate=25", Story::Reported),
    ("Backyard stunt goes wrong", "smptehdbars=size=640x360:rate=25", Story::Reported),
    ("Our theater group rehearses a sword fight", ZOOM, Story::Appealed),
    ("Ducks cross the street", "color=black:size=320x180:rate=24", Story::Approved),
    ("Skating downhill at night", "color=black:size=320x180:rate=26", Story::Approved),
    ("Win a free phone", "color=black:size=320x180:rate=27", Story::Rejected),
];

/// The label that the classifier gives a video with this caption, and its score.
const LABELS: [(&str, &str, f64); 3] = [
    ("Street dance in the rain", "crowd", 0.64),
    ("My cat learns to skate", "dangerous act", 0.71),
    ("First try at juggling", "weapon", 0.58),
];

const REPORTS: [(&str, &str, &str, &str); 4] = [
    ("Fireworks from the roof", "illegal", "Fireworks are not allowed in this city.", "203.0.113.1"),
    ("Fireworks from the roof", "other", "Somebody could get hurt.", "203.0.113.2"),
    ("Fireworks from the roof", "illegal", "", "203.0.113.3"),
    ("Backyard stunt goes wrong", "violence", "He falls on his head at the end.", "203.0.113.4"),
];

const APPEAL: &str = "This is a rehearsal of our theater group. The swords are made of wood, and nobody was hurt.";

const BLOCKED: [&str; 5] = ["known clip", "the list of October", "the list of October", "court order", "known clip"];

const ROLES: [&str; 4] = ["look", "decide", "blocklist", "operate"];

/// In a narrower window, the storyboard of a case is below its findings, out of sight.
const WIDTH_OF_CASES: u32 = 1_440;

const IS_COMPLETE: &str = "const images = [...document.images].filter(image => image.checkVisibility());
    const videos = [...document.querySelectorAll('video')];
    return document.fonts.status === 'loaded' && !document.querySelector('[aria-busy=true]')
        && images.every(image => image.complete) && videos.every(video => video.readyState >= 2 && !video.seeking)";

#[browser]
async fn the_pictures_of_the_handbook(_: Arc<BrowserStack>) -> Result<()> {
    let Some(folder) = std::env::var_os("HANDBOOK_PICTURES").map(PathBuf::from) else {
        println!("SKIPPED: no pictures of the desk were taken (set HANDBOOK_PICTURES to a folder)");
        return Ok(());
    };
    std::fs::create_dir_all(&folder)?;
    let classifier = start_classifier().await?;
    let stack = BrowserStack::boot_with(&[("JOBS", "2"), ("CLASSIFIER_URL", classifier.as_str())]).await?;
    let ada = ApiModerator::new(&stack, "Ada", &ROLES).await?;
    let bo = ApiModerator::new(&stack, "Bo", &["look", "decide"]).await?;
    block_hashes(&ada).await?;
    let videos = prepare(&stack, [&ada, &bo]).await?;
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &ROLES).await?;
    let camera = Camera { desk: &desk, browser: &browser, folder: &folder };
    camera.set_width(WIDTH_OF_CASES).await?;
    take_cases(&camera, &videos).await?;
    camera.set_width(1_280).await?;
    camera.take_view("desk-blocklist", "/desk/blocklist", "the list of October").await?;
    camera.take_view("desk-queue", "/desk", "Street dance").await?;
    camera.set_width(390).await?;
    camera.take_view("desk-queue-phone", "/desk", "Street dance").await?;
    // Last, because these videos would be in the pictures of the queue.
    take_copies(&camera, &stack, &bo).await
}

/// Takes the pictures of open cases.
async fn take_cases(camera: &Camera<'_>, videos: &[UploadedVideo]) -> Result<()> {
    let of = |story: Story| {
        let at = VIDEOS.iter().position(|(_, _, of)| *of == story).context("no such video")?;
        Ok::<_, anyhow::Error>(format!("/desk/video/{}", videos.get(at).context("not uploaded")?.uuid))
    };
    camera.desk.show(&of(Story::Waits)?, "Hand over").await?;
    camera.unblur().await?;
    camera.take("desk-case").await?;
    camera.browser.type_keys("r").await?;
    camera.desk.until_text("Reject under which policy?").await?;
    camera.take("desk-policy").await?;
    camera.take_view("desk-appeal", &of(Story::Appealed)?, "Hand over").await?;
    camera.browser.type_keys("b").await
}

/// Takes the pictures of a video with frames of a removed one, and of a video with copies.
async fn take_copies(camera: &Camera<'_>, stack: &BrowserStack, moderator: &ApiModerator<'_>) -> Result<()> {
    let folder = stack.new_folder()?;
    let original = make_video(folder.path(), 1, 16)?;
    let removed = upload(stack, "Patterns that grow by themselves", &original).await?;
    until_examined(stack, &removed.uuid, EXAMINED_WITHIN).await?;
    moderator.take_down(&removed.uuid).await?;
    let matching =
        waiting_upload(stack, &make_copy(folder.path(), &original)?, "The best patterns of the week").await?;
    let [copy, ..] = three_copies(stack, "Wait for the ending").await?;
    camera.set_width(WIDTH_OF_CASES).await?;
    camera.desk.show(&format!("/desk/video/{}", matching.uuid), "Hand over").await?;
    camera.unblur().await?;
    camera.desk.until_text("Mirrored").await?;
    camera.desk.run("document.querySelector('.match > .pair').scrollIntoView({ block: 'nearest' })").await?;
    camera.take("desk-matches").await?;
    camera.desk.show(&format!("/desk/video/{copy}"), "Hand over").await?;
    camera.desk.until_text("Copies in the queue").await?;
    camera.take("desk-similar").await
}

/// Takes pictures of the desk.
struct Camera<'a> {
    desk: &'a Console<'a>,
    browser: &'a Browser,
    folder: &'a Path,
}

impl Camera<'_> {
    /// Sets the width of the window. The pictures are light, and nothing in them moves.
    async fn set_width(&self, width: u32) -> Result<()> {
        let features = json!({ "features": [
            { "name": "prefers-color-scheme", "value": "light" },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ] });
        self.browser.devtools("Emulation.setEmulatedMedia", &features).await?;
        self.browser.resize(width, HEIGHT).await
    }

    /// Shows the pictures of an open case clearly. They must be blurred.
    async fn unblur(&self) -> Result<()> {
        self.browser.type_keys("b").await?;
        let is_clear = "return document.documentElement.dataset.pictures === 'clear'";
        self.desk.until(WITHIN, "clear pictures", is_clear).await
    }

    async fn take_view(&self, name: &str, view: &str, text: &str) -> Result<()> {
        self.desk.show(view, text).await?;
        self.take(name).await
    }

    /// Saves what is shown once it is complete.
    async fn take(&self, name: &str) -> Result<()> {
        self.desk.until(WITHIN, "everything", IS_COMPLETE).await?;
        let taken = self.browser.devtools("Page.captureScreenshot", &json!({ "format": "png" })).await?;
        let picture = STANDARD.decode(taken["data"].as_str().context("no picture")?)?;
        let file = self.folder.join(format!("{name}.png"));
        std::fs::write(&file, picture).with_context(|| file.display().to_string())
    }
}

/// Starts a classifier that labels by captions, and returns its address.
async fn start_classifier() -> Result<String> {
    let answer = async |request: Bytes| Json(labels_of(&String::from_utf8_lossy(&request)));
    let router = Router::new().route("/", post(answer)).layer(DefaultBodyLimit::disable());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

/// Returns the classifier's response to a request with a caption.
fn labels_of(request: &str) -> Value {
    let of_request = LABELS.iter().filter(|(caption, ..)| request.contains(caption));
    let label = |(_, label, score): &(&str, &str, f64)| {
        let (from_ms, until_ms) = (1_500, 3_500);
        json!({ "label": label, "score": score, "recommendation": "review", "from_ms": from_ms, "until_ms": until_ms })
    };
    json!({ "labels": of_request.map(label).collect::<Vec<_>>() })
}

async fn block_hashes(moderator: &ApiModerator<'_>) -> Result<()> {
    for (number, reason) in BLOCKED.iter().enumerate() {
        let body = json!({ "hash": sha256(&[u8::try_from(number)?]), "reason": reason });
        moderator.post(paths::MODERATION_HASHES, &body).await?;
    }
    Ok(())
}

/// Uploads the videos, and lets everybody do their part. Returns them in the order of `VIDEOS`.
async fn prepare(stack: &BrowserStack, [ada, bo]: [&ApiModerator<'_>; 2]) -> Result<Vec<UploadedVideo>> {
    let folder = stack.new_folder()?;
    let mut videos = Vec::new();
    for (number, (caption, picture, _)) in VIDEOS.iter().enumerate() {
        let clip = folder.path().join(format!("{number}.mp4"));
        make_clip(&clip, picture, "6", caption)?;
        videos.push(upload(stack, caption, &clip).await?);
    }
    for (video, (caption, _, story)) in videos.iter().zip(VIDEOS) {
        let case = until_examined(stack, &video.uuid, EXAMINED_WITHIN).await.context(caption)?;
        let decision = json!({ "content_uuid": video.uuid, "reason": "looked at the whole video" });
        match story {
            Story::Waits => {}
            Story::Reported => report_all(stack, &case, caption).await?,
            Story::Appealed => {
                bo.take_down(&video.uuid).await?;
                appeal(stack, video, APPEAL).await?;
            }
            Story::Approved => ada.post(paths::MODERATION_APPROVE, &decision).await?,
            Story::Rejected => bo.post(paths::MODERATION_REJECT, &decision).await?,
        }
    }
    Ok(videos)
}

/// Reports a video as all its viewers do.
async fn report_all(stack: &BrowserStack, case: &Value, caption: &str) -> Result<()> {
    for (_, reason, text, address) in REPORTS.into_iter().filter(|(of, ..)| *of == caption) {
        report(stack, case, ViewerReport { reason, text, address }).await.context(caption.to_owned())?;
    }
    Ok(())
}
