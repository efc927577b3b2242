//! Moderation from end to end: what a classifier says, what people decide, and which copies of a rejected video are caught.

use crate::clips::{self, Clip, ffmpeg};
use crate::fleet::{Fleet, Upload};
use crate::harness::{Harness, Suite, send};
use anyhow::{Result, ensure};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::routing::post;
use contract::paths;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;

const PATIENCE: Duration = Duration::from_mins(1);

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack(
        "moderation::each_verdict_has_its_consequence_and_silence_waits",
        verdicts,
    );
    suite.add_on_its_own_stack(
        "moderation::copies_of_a_rejected_video_are_refused_without_a_person",
        copies,
    );
}

/// A classifier that says what the test wants.
#[derive(Clone, Default)]
struct Classifier(Arc<Mutex<&'static str>>);

impl Classifier {
    /// Starts one that lets everything pass; returns its address too.
    async fn start() -> Result<(Self, String)> {
        let classifier = Self::default();
        let asked = classifier.clone();
        let router = Router::new()
            .route("/", post(async move || asked.answer()))
            .layer(DefaultBodyLimit::disable());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}/", listener.local_addr()?);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((classifier, address))
    }

    /// `pass`, `review` or `reject`; `down` for one that cannot answer.
    fn says(&self, verdict: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = verdict;
    }

    fn answer(&self) -> (StatusCode, String) {
        let verdict = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match verdict {
            "" | "pass" => (StatusCode::OK, json!({ "labels": [] }).to_string()),
            "down" => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
            verdict => {
                let label = json!({ "label": "test", "score": 0.9, "verdict": verdict });
                (StatusCode::OK, json!({ "labels": [label] }).to_string())
            }
        }
    }
}

async fn fleet(harness: &Arc<Harness>) -> Result<(Fleet, Classifier)> {
    let (classifier, address) = Classifier::start().await?;
    let mut fleet = Fleet::new(harness).await?;
    let vars = [("CLASSIFIER_URL", address.as_str()), ("JOBS", "2")];
    fleet.start("origin", &vars).await?;
    Ok((fleet, classifier))
}

fn waits(row: &Map<String, Value>) -> bool {
    !row["waits_for"].is_null()
}

async fn decide(fleet: &Fleet, path: &str, upload: &Upload) -> Result<Value> {
    let body = json!({ "content_uuid": upload.content_uuid, "reason": "a test", "by": "mara" });
    let request = fleet.harness.request(Method::POST, path).json(&body);
    let answer = send(request.bearer_auth(fleet.harness.env().get("ADMIN_TOKEN"))).await?;
    ensure!(answer.status == 200, "{path}: {answer:?}");
    answer.json()
}

async fn verdicts(harness: Arc<Harness>) -> Result<()> {
    let (fleet, classifier) = fleet(&harness).await?;
    let video = Clip::mp4("judged.mp4").make(&fleet.folder)?;

    classifier.says("pass");
    let passed = fleet.upload(&video).await?;
    fleet.until_published(&passed, PATIENCE).await?;

    classifier.says("reject");
    let refused = fleet.upload(&video).await?;
    let status = fleet.until_over(&refused, PATIENCE).await?;
    ensure!(
        status["state"] == "rejected"
            && status["error_message_code"] == "content_moderation_rejected",
        "{status}"
    );

    classifier.says("review");
    let approved = fleet.upload(&video).await?;
    fleet.until(&approved, PATIENCE, waits).await?;
    let status = fleet.status(&approved).await?;
    ensure!(
        status["state"] == "processing"
            && status["stage"] == "moderate"
            && status["urls"].is_null(),
        "{status}"
    );
    ensure!(decide(&fleet, paths::MODERATION_APPROVE, &approved).await?["state"] == "published");
    ensure!(fleet.status(&approved).await?["urls"].is_object());

    classifier.says("down");
    let waiting = fleet.upload(&video).await?;
    fleet.until(&waiting, PATIENCE, waits).await?;
    let status = fleet.status(&waiting).await?;
    ensure!(
        status["state"] == "processing" && status["detail"].is_string(),
        "{status}"
    );
    classifier.says("pass");
    decide(&fleet, paths::JOB_REQUEUE, &waiting).await?;
    fleet.until_published(&waiting, PATIENCE).await?;
    Ok(())
}

/// The disguises, as ffmpeg's filters and options; the first three must be seen through.
const DISGUISES: [(&str, &str, &str); 5] = [
    ("re-encoded", "null", "34"),
    ("scaled", "scale=iw/2:ih/2", "26"),
    ("bordered", "pad=iw+128:ih+72:64:36:black", "26"),
    ("cropped by 5 %", "crop=iw*0.95:ih*0.95,scale=608:342", "26"),
    ("5 % faster", "setpts=PTS/1.05", "26"),
];

async fn copies(harness: Arc<Harness>) -> Result<()> {
    let (fleet, classifier) = fleet(&harness).await?;
    let original = fleet.folder.join("original.mp4");
    make_original(&original)?;
    classifier.says("review");
    let first = fleet.upload(&std::fs::read(&original)?).await?;
    fleet.until(&first, PATIENCE, waits).await?;
    ensure!(decide(&fleet, paths::MODERATION_REJECT, &first).await?["state"] == "rejected");

    classifier.says("pass");
    let mut uploads = Vec::new();
    for (name, filter, quality) in DISGUISES {
        let copy = fleet.folder.join("copy.mp4");
        disguise(&original, &copy, filter, quality)?;
        uploads.push((name, fleet.upload(&std::fs::read(&copy)?).await?));
    }
    let stranger = Clip::mp4("stranger.mp4").make(&fleet.folder)?;
    let stranger = fleet.upload(&stranger).await?;
    for (index, (name, upload)) in uploads.iter().enumerate() {
        let decided = |row: &Map<String, Value>| row["state"] != "processing" || waits(row);
        let row = fleet.until(upload, PATIENCE, decided).await?;
        let is_caught = row["state"] == "rejected";
        println!(
            "a copy, {name}: {}, waits for {}",
            row["state"], row["waits_for"]
        );
        ensure!(is_caught || index >= 3, "{name} was not caught");
    }
    fleet.until_published(&stranger, PATIENCE).await?;
    Ok(())
}

fn make_original(path: &Path) -> Result<()> {
    let mut make = ffmpeg();
    let pictures = "mandelbrot=size=640x360:rate=25:end_scale=0.02:end_pts=100";
    make.args(["-f", "lavfi", "-i", pictures, "-t", "5", "-c:v", "libx264"]);
    make.args(["-preset", "ultrafast", "-pix_fmt", "yuv420p"])
        .arg(path);
    clips::succeed(make).map(drop)
}

fn disguise(original: &Path, copy: &Path, filter: &str, quality: &str) -> Result<()> {
    let mut make = ffmpeg();
    make.arg("-i")
        .arg(original)
        .args(["-vf", filter, "-c:v", "libx264"]);
    make.args(["-preset", "ultrafast", "-crf", quality])
        .arg(copy);
    clips::succeed(make).map(drop)
}
