//! An owner adds captions to a video that was uploaded before.

use anyhow::{Context, Result, ensure};
use contract::job::{JobOutcome, JobWork, StoredFile, StoredSubtitles};
use contract::moderation::Examination;
use contract::subtitles::SubtitleTrack;
use contract::{ErrorCode, MediaFile, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestContent, TestStack, e2e, ensure_refused, send};

pub(super) const SUBRIP: &str = "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Hello</i> <script>alert(1)</script>\r\n";

fn form(content_uuid: &str, language: &str, file: &[u8]) -> Form {
    Form::new().text("content_uuid", content_uuid).text("language", language).file("captions_file", "a.srt", file)
}

async fn change(channel: &Channel, form: Form) -> Result<HttpAnswer> {
    let request = channel.stack.request(Method::POST, paths::UPDATE_CAPTIONS).bearer_auth(&channel.key);
    send(request.header("Content-Type", Form::content_type()).body(form.body())).await
}

async fn changed(content: &TestContent, language: &str, file: &str) -> Result<Value> {
    let answer = change(&content.job.channel, form(&content.job.content_uuid, language, file.as_bytes())).await?;
    ensure!(answer.status == 200 && !answer.header("ratelimit").is_empty(), "{answer:?}");
    answer.json()
}

/// Returns the outcome of a job that made one track of each language.
pub(super) fn made(languages: &[&str]) -> JobOutcome {
    let track_of = |(number, language): (u32, &&str)| SubtitleTrack {
        number,
        language: Some((*language).to_owned()),
        label: format!("Captions in {language}"),
        is_default: false,
        is_forced: false,
        is_for_hearing_impaired: false,
    };
    let tracks: Vec<_> = (1..).zip(languages).map(track_of).collect();
    let of_track =
        |track: &SubtitleTrack| [MediaFile::Subtitles(track.number), MediaFile::SubtitlePlaylist(track.number)];
    let files = tracks.iter().flat_map(of_track).chain([MediaFile::MasterPlaylist]);
    let files = files.map(|file| StoredFile { name: file.to_string(), size_bytes: 7 }).collect();
    let subtitles = StoredSubtitles { tracks, files };
    JobOutcome::Captions { subtitles, findings: Vec::new(), examination: Examination::default() }
}

async fn page(content: &TestContent) -> Result<String> {
    Ok(String::from_utf8(content.stack().get(&content.page()).await?.bytes)?)
}

/// Requests the first subtitle track, as a viewer would.
async fn track(content: &TestContent) -> Result<HttpAnswer> {
    send(content.get(MediaFile::Subtitles(1))).await
}

fn captions_rows(content: &TestContent) -> Result<u64> {
    let sql = "SELECT count(*) AS number FROM captions WHERE content_id = ?1";
    content.stack().row(sql, content.job.content_id)?["number"].as_u64().context("no number")
}

#[e2e]
async fn sent_captions_are_shown_when_they_are_made_and_hidden_with_the_video(stack: Arc<TestStack>) -> Result<()> {
    let mut content = TestContent::published(&stack, "Captions").await?;
    let status = changed(&content, "DE", SUBRIP).await?;
    ensure!(status["captions_change"] == "pending" && status["captions"] == json!(["de"]), "{status}");
    ensure!(!page(&content).await?.contains("srclang=\"de\""), "the page shows captions that are not made");
    content.job.generation = 2;
    let details = content.job.claim_granted().await?;
    ensure!(details.work == JobWork::Captions, "{details:?}");
    let sent = details.captions.context("no captions")?.files.remove(0);
    let stored = String::from_utf8(stack.object_bytes(&sent.key).await?)?;
    ensure!(stored.ends_with("\n\n00:00:01.000 --> 00:00:02.000\nHello alert(1)\n"), "{stored}");
    ensure!(content.job.report(made(&["de"])).await?.accepted);
    let status = content.job.status().await?;
    ensure!(status["captions_change"].is_null() && status["subtitles"][0]["language"] == "de", "{status}");
    ensure!(page(&content).await?.contains("<track kind=\"subtitles\" srclang=\"de\" label=\"Captions in de\""));
    ensure!(track(&content).await?.bytes == b"xxxxxxx");
    // The same file again changes nothing.
    ensure!(changed(&content, "de", SUBRIP).await?["captions_change"].is_null());
    let body = json!({ "language": "de" });
    let removed: Value = content.owner_request(paths::DELETE_CAPTIONS, body).await?.json()?;
    ensure!(removed["captions_change"] == "pending" && removed["captions"] == json!([]), "{removed}");
    ensure!(track(&content).await?.status == 200, "viewers see the old track until the change is made");
    content.job.generation = 3;
    content.job.claim_granted().await?;
    ensure!(content.job.report(made(&[])).await?.accepted);
    ensure!(track(&content).await?.status == 404 && captions_rows(&content)? == 0);
    changed(&content, "fr", SUBRIP).await?;
    content.job.generation = 4;
    content.job.claim_granted().await?;
    ensure!(content.job.report(made(&["fr"])).await?.accepted);
    ensure!(track(&content).await?.status == 200);
    content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(track(&content).await?.status == 404, "captions of a deleted video are shown");
    Ok(())
}

#[e2e]
async fn captions_that_an_origin_refuses_are_reported_with_the_code(stack: Arc<TestStack>) -> Result<()> {
    let mut content = TestContent::published(&stack, "Refused captions").await?;
    changed(&content, "en", SUBRIP).await?;
    content.job.generation = 2;
    content.job.claim_granted().await?;
    let refused = JobOutcome::Refused { code: ErrorCode::ContentCaptionsInvalid, detail: "too late".to_owned() };
    ensure!(content.job.report(refused).await?.accepted);
    let status = content.job.status().await?;
    ensure!(status["captions_change"] == "failed" && status["captions"] == json!([]), "{status}");
    ensure!(status["captions_error_message_code"] == "content_captions_invalid", "{status}");
    ensure!(captions_rows(&content)? == 0);
    Ok(())
}

#[e2e]
async fn captions_that_cannot_be_taken_change_nothing(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "No captions").await?;
    let (channel, uuid) = (&content.job.channel, &content.job.content_uuid);
    let too_large = [SUBRIP.as_bytes(), &vec![b'a'; 600_000]].concat();
    for (form, status, code) in [
        (form(uuid, "en", b"no captions"), 422, "content_captions_invalid"),
        (form(uuid, "en", &too_large), 422, "content_captions_invalid"),
        (form(uuid, "english", SUBRIP.as_bytes()), 422, "content_captions_language_invalid"),
        (form(uuid, "en", SUBRIP.as_bytes()).text("caption", "a"), 422, "field_unknown"),
        (form("0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60", "en", SUBRIP.as_bytes()), 404, "content_not_found"),
    ] {
        ensure_refused(&change(channel, form).await?, status, code)?;
    }
    let request = stack.request(Method::POST, paths::UPDATE_CAPTIONS).header("Content-Type", Form::content_type());
    ensure_refused(&send(request.body(form(uuid, "en", SUBRIP.as_bytes()).body())).await?, 401, "api_key_invalid")?;
    let stranger = Channel::new(&stack).await?;
    ensure_refused(&change(&stranger, form(uuid, "en", SUBRIP.as_bytes())).await?, 404, "content_not_found")?;
    let unknown = content.owner_request(paths::DELETE_CAPTIONS, json!({ "language": "<b>" })).await?;
    ensure_refused(&unknown, 422, "content_captions_language_invalid")?;
    let (row, id) = (content.job.row()?, content.job.content_id);
    let changes = stack.count("SELECT count(*) FROM jobs WHERE kind = 'captions' AND content_id = ?1", id)?;
    ensure!(changes == 0 && row["generation"] == 1, "{row:?}");
    content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure_refused(&change(channel, form(uuid, "en", SUBRIP.as_bytes())).await?, 409, "content_state_conflict")?;
    let removal = content.owner_request(paths::DELETE_CAPTIONS, json!({ "language": "en" })).await?;
    ensure_refused(&removal, 409, "content_state_conflict")
}
