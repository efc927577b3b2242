//! Moderation from end to end: the recommendation of a classifier, the decision of a person, and which copies of a
//! rejected video are recognised.

use anyhow::{Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::routing::post;
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tests::{AcceptedUpload, Clip, OriginFleet, TestStack, e2e, ffmpeg, run_to_end, send};
use tokio::net::TcpListener;

const TIMEOUT: Duration = Duration::from_mins(1);

/// A classifier whose recommendation the test sets.
#[derive(Clone, Default)]
pub(crate) struct FakeClassifier {
    recommendation: Arc<Mutex<&'static str>>,
    last_request: Arc<Mutex<Bytes>>,
}

impl FakeClassifier {
    /// Starts a classifier that passes everything. Also returns its address.
    async fn start() -> Result<(Self, String)> {
        let classifier = Self::default();
        let server = classifier.clone();
        // The request is read to its end: a server that answers before that may break the connection.
        let answer = async move |request: Bytes| server.answer(request);
        let router = Router::new().route("/", post(answer)).layer(DefaultBodyLimit::disable());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}/", listener.local_addr()?);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((classifier, address))
    }

    /// `pass`, `review` or `reject`, or `down` for a classifier that cannot answer.
    pub(crate) fn recommend(&self, recommendation: &'static str) {
        *self.recommendation.lock().unwrap_or_else(PoisonError::into_inner) = recommendation;
    }

    /// Whether the last request had this text.
    pub(crate) fn got_text(&self, text: &str) -> bool {
        let request = self.last_request.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&request).contains(text)
    }

    /// Whether the last request had the sound of a video, as an MP4 file.
    fn got_sound(&self) -> bool {
        let request = self.last_request.lock().unwrap_or_else(PoisonError::into_inner);
        let request = String::from_utf8_lossy(&request).to_lowercase();
        let sound = request.split("name=\"sound\"; filename=\"sound.mp4\"").nth(1);
        sound
            .and_then(|part| part.split("\r\n\r\n").nth(1))
            .is_some_and(|file| file.chars().take(12).collect::<String>().contains("ftyp"))
    }

    fn answer(&self, request: Bytes) -> (StatusCode, String) {
        *self.last_request.lock().unwrap_or_else(PoisonError::into_inner) = request;
        let recommendation = *self.recommendation.lock().unwrap_or_else(PoisonError::into_inner);
        match recommendation {
            "" | "pass" => (StatusCode::OK, json!({ "labels": [] }).to_string()),
            "down" => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
            recommendation => {
                let label = json!({ "label": "test", "score": 0.9, "recommendation": recommendation });
                (StatusCode::OK, json!({ "labels": [label] }).to_string())
            }
        }
    }
}

/// Returns one origin that asks the fake classifier.
pub(crate) async fn fleet_with_classifier(stack: &Arc<TestStack>) -> Result<(OriginFleet, FakeClassifier)> {
    let (classifier, address) = FakeClassifier::start().await?;
    let mut fleet = OriginFleet::new(stack).await?;
    let vars = [("CLASSIFIER_URL", address.as_str()), ("JOBS", "2")];
    fleet.start("origin", &vars).await?;
    Ok((fleet, classifier))
}

/// Whether the content waits for a check or a person.
fn is_waiting(row: &Map<String, Value>) -> bool {
    !row["waits_for"].is_null()
}

async fn decide(fleet: &OriginFleet, path: &str, upload: &AcceptedUpload) -> Result<Value> {
    let mut body = json!({ "content_uuid": upload.content_uuid });
    if path != paths::JOB_REQUEUE {
        body["reason"] = json!("a test");
    }
    let request = fleet.stack.request(Method::POST, path).json(&body);
    let answer = send(request.bearer_auth(fleet.stack.env().get("ADMIN_TOKEN"))).await?;
    ensure!(answer.status == 200, "{path}: {answer:?}");
    answer.json()
}

#[e2e(Own)]
async fn each_recommendation_has_its_consequence_and_without_one_the_video_waits(stack: Arc<TestStack>) -> Result<()> {
    let (fleet, classifier) = fleet_with_classifier(&stack).await?;
    let video = Clip::mp4("moderated.mp4").make(&fleet.folder)?;

    classifier.recommend("pass");
    let accepted = fleet.upload(&video).await?;
    fleet.until_published(&accepted, TIMEOUT).await?;
    ensure!(classifier.got_sound(), "the classifier got no sound");

    classifier.recommend("reject");
    let rejected = fleet.upload(&video).await?;
    let status = fleet.until_processed(&rejected, TIMEOUT).await?;
    ensure!(status["state"] == "rejected" && status["error_message_code"] == "content_moderation_rejected", "{status}");

    classifier.recommend("review");
    let approved = fleet.upload(&video).await?;
    fleet.until_row(&approved, TIMEOUT, is_waiting).await?;
    let status = fleet.status(&approved).await?;
    ensure!(status["state"] == "processing" && status["stage"] == "moderate" && status["urls"].is_null(), "{status}");
    ensure!(decide(&fleet, paths::MODERATION_APPROVE, &approved).await?["state"] == "published");
    ensure!(fleet.status(&approved).await?["urls"].is_object());

    classifier.recommend("down");
    let waiting = fleet.upload(&video).await?;
    fleet.until_row(&waiting, TIMEOUT, is_waiting).await?;
    let status = fleet.status(&waiting).await?;
    ensure!(status["state"] == "processing" && status["detail"].is_string(), "{status}");
    classifier.recommend("pass");
    decide(&fleet, paths::JOB_REQUEUE, &waiting).await?;
    fleet.until_published(&waiting, TIMEOUT).await?;
    Ok(())
}

/// The first disguises, this many, must be recognised. A deep run prints whether the others were.
const MUST_BE_RECOGNISED: usize = 3;

/// The disguises: name, ffmpeg filter, quality.
const DISGUISES: [(&str, &str, &str); 5] = [
    ("re-encoded", "null", "34"),
    ("scaled", "scale=iw/2:ih/2", "26"),
    ("bordered", "pad=iw+128:ih+72:64:36:black", "26"),
    ("cropped by 5 %", "crop=iw*0.95:ih*0.95,scale=608:342", "26"),
    ("5 % faster", "setpts=PTS/1.05", "26"),
];

/// Uploads a video that a moderator rejects, and returns its file. The classifier lets later uploads pass.
async fn rejected_first_video(fleet: &OriginFleet, classifier: &FakeClassifier) -> Result<PathBuf> {
    let first_video = fleet.folder.join("first.mp4");
    make_first_video(&first_video)?;
    classifier.recommend("review");
    let first = fleet.upload(&std::fs::read(&first_video)?).await?;
    fleet.until_row(&first, TIMEOUT, is_waiting).await?;
    ensure!(decide(fleet, paths::MODERATION_REJECT, &first).await?["state"] == "rejected");
    classifier.recommend("pass");
    Ok(first_video)
}

#[e2e(Own)]
async fn copies_of_a_rejected_video_are_rejected_without_a_person(stack: Arc<TestStack>) -> Result<()> {
    let (fleet, classifier) = fleet_with_classifier(&stack).await?;
    let first_video = rejected_first_video(&fleet, &classifier).await?;
    let mut uploads = Vec::new();
    for (name, filter, quality) in DISGUISES.into_iter().take(fixtures::cases(MUST_BE_RECOGNISED, DISGUISES.len())) {
        let copy = fleet.folder.join("copy.mp4");
        disguise(&first_video, &copy, filter, quality)?;
        uploads.push((name, fleet.upload(&std::fs::read(&copy)?).await?));
    }
    let other = Clip::mp4("other.mp4").make(&fleet.folder)?;
    let other = fleet.upload(&other).await?;
    for (index, (name, upload)) in uploads.iter().enumerate() {
        let decided = |row: &Map<String, Value>| row["state"] != "processing" || is_waiting(row);
        let row = fleet.until_row(upload, TIMEOUT, decided).await?;
        let is_recognised = row["state"] == "rejected";
        println!("copy {name}: {}, waits for {}", row["state"], row["waits_for"]);
        ensure!(is_recognised || index >= MUST_BE_RECOGNISED, "{name} was not recognised");
    }
    fleet.until_published(&other, TIMEOUT).await?;
    Ok(())
}

/// The video shows the rejected picture in all frames except the regular samples, which show something else. So does
/// the poster.
#[e2e(Own)]
async fn a_rejected_picture_between_the_samples_is_found(stack: Arc<TestStack>) -> Result<()> {
    let (fleet, classifier) = fleet_with_classifier(&stack).await?;
    let first_video = rejected_first_video(&fleet, &classifier).await?;
    let hiding_video = fleet.folder.join("hiding.mp4");
    hide_between_samples(&first_video, &hiding_video)?;
    let poster_at_the_start = |form: Form| form.text("thumbnail_time", "00:00:00");
    let hiding = fleet.upload_with(&std::fs::read(&hiding_video)?, poster_at_the_start).await?;
    let decided = |row: &Map<String, Value>| row["state"] != "processing" || is_waiting(row);
    let row = fleet.until_row(&hiding, TIMEOUT, decided).await?;
    let is_found = row["state"] == "rejected" || row["waits_for"] == "person";
    ensure!(is_found, "{}, waits for {}", row["state"], row["waits_for"]);
    Ok(())
}

/// Makes a video of 300 frames: 280 show one picture of the first video, and the frames at each half second show
/// something else.
fn hide_between_samples(first_video: &Path, path: &Path) -> Result<()> {
    let mut make = ffmpeg();
    make.args(["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30"]).arg("-ss").arg("2").arg("-i").arg(first_video);
    let graph = "[1:v]trim=end_frame=1,scale=320:180,loop=loop=-1:size=1,fps=30[hidden];\
                 [0:v][hidden]overlay=enable='mod(n,15)'";
    make.args(["-filter_complex", graph, "-t", "10", "-c:v", "libx264"]);
    make.args(["-preset", "ultrafast", "-crf", "30", "-pix_fmt", "yuv420p"]).arg(path);
    run_to_end(make).map(drop)
}

fn make_first_video(path: &Path) -> Result<()> {
    let mut make = ffmpeg();
    let pictures = "mandelbrot=size=640x360:rate=25:end_scale=0.02:end_pts=100";
    make.args(["-f", "lavfi", "-i", pictures, "-t", "4", "-c:v", "libx264"]);
    make.args(["-preset", "ultrafast", "-pix_fmt", "yuv420p"]).arg(path);
    run_to_end(make).map(drop)
}

fn disguise(video: &Path, copy: &Path, filter: &str, quality: &str) -> Result<()> {
    let mut make = ffmpeg();
    make.arg("-i").arg(video).args(["-vf", filter, "-c:v", "libx264"]);
    make.args(["-preset", "ultrafast", "-crf", quality]).arg(copy);
    run_to_end(make).map(drop)
}
