//! Captions that come with an upload: a form part for each language.

use super::sent_captions::{SUBRIP, made};
use anyhow::{Context, Result, ensure};
use contract::MediaFile;
use contract::job::JobWork;
use contract::moderation::Recommendation;
use edge::limits::PART_BYTES;
use fixtures::Form;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestContent, TestStack, e2e, ensure_refused, send};

fn with_captions(form: Form) -> Form {
    form.file("captions_file_DE", "a.srt", SUBRIP.as_bytes()).file("captions_file_pt-BR", "b.srt", SUBRIP.as_bytes())
}

/// Returns the names of the captions of the uploaded content, with their languages.
fn captions(stack: &TestStack, result: &Map<String, Value>) -> Result<Vec<(String, String)>> {
    let sql = "SELECT coalesce(group_concat(language || ' ' || name), '') AS words FROM captions WHERE content_id = ?1";
    let row = stack.row(sql, result["content_id"].as_u64().context("no content_id")?)?;
    let words = row["words"].as_str().context("no words")?;
    let pair = |word: &str| word.split_once(' ').map(|(language, name)| (language.to_owned(), name.to_owned()));
    Ok(words.split(',').filter_map(pair).collect())
}

#[e2e]
async fn captions_before_and_after_the_video_are_stored_as_plain_text(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let small = stack.small_video();
    let large = fixtures::mp4(5_000, 2 * PART_BYTES + 1_000, 7);
    // Much longer than the usual data after a file, so the announced parts are longer than the file.
    let long = [SUBRIP.as_bytes(), &vec![b'\n'; 300_000]].concat();
    let forms = [
        (&small, 2, with_captions(Form::new()).file("file", "a.mp4", &small)),
        (&small, 2, with_captions(Form::new().file("file", "a.mp4", &small))),
        (&large, 3, with_captions(Form::new().file("file", "a.mp4", &large)).file("captions_file_en", "c.srt", &long)),
    ];
    for (video, languages, form) in forms {
        let result = channel.upload_accepted(form).await?;
        let upload = channel.content_row(&result)?["upload_uuid"].as_str().context("no upload_uuid")?.to_owned();
        ensure!(stack.object_bytes(&format!("sources/{upload}/video")).await? == *video, "the video differs");
        let captions = captions(&stack, &result)?;
        ensure!(captions.len() == languages, "{captions:?}");
        ensure!(captions.iter().any(|(language, _)| language == "pt-BR"), "{captions:?}");
        for (_, name) in captions {
            let stored = String::from_utf8(stack.object_bytes(&format!("sources/{name}/captions")).await?)?;
            ensure!(stored.ends_with("\n\n00:00:01.000 --> 00:00:02.000\nHello alert(1)\n"), "{stored}");
        }
    }
    channel.ensure_rows(&ChannelRows::after(3))
}

#[e2e]
async fn captions_of_an_upload_are_made_when_the_video_is_approved(stack: Arc<TestStack>) -> Result<()> {
    let mut content = TestContent::upload(&stack, with_captions).await?;
    let status = content.job.status().await?;
    ensure!(status["state"] == "processing" && status["captions_change"] == "pending", "{status}");
    ensure!(status["captions"] == json!(["de", "pt-BR"]), "{status}");
    content.finish(&[Recommendation::Pass]).await?;
    content.job.generation = 2;
    let details = content.job.claim_granted().await?;
    ensure!(details.work == JobWork::Captions, "{details:?}");
    ensure!(details.captions.context("no captions")?.files.len() == 2);
    ensure!(content.job.report(made(&["de", "pt-BR"])).await?.accepted);
    let status = content.job.status().await?;
    ensure!(status["captions_change"].is_null() && status["subtitles"][1]["language"] == "pt-BR", "{status}");
    ensure!(send(content.get(MediaFile::Subtitles(2))).await?.status == 200);
    Ok(())
}

#[e2e]
async fn a_repetition_must_have_the_same_captions(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let form = || Form::new().text("upload_token", &token).file("file", "a.mp4", &video);
    let first = channel.upload_accepted(with_captions(form())).await?;
    let again = channel.upload(with_captions(form())).await?;
    ensure!(again.header("idempotency-replayed") == "true", "{again:?}");
    ensure!(again.json()?["content_id"] == first["content_id"], "{again:?}");
    for other in [form(), with_captions(form()).file("captions_file_en", "a", SUBRIP.as_bytes())] {
        ensure_refused(&channel.upload(other).await?, 422, "upload_token_mismatch")?;
    }
    ensure!(captions(&stack, &first)?.len() == 2);
    channel.ensure_rows(&ChannelRows::after(1))
}
