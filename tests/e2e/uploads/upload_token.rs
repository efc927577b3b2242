//! Uploads with the same `upload_token` happen once, however often they are sent.

use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use tests::{Channel, ChannelRows, HttpAnswer, TestStack, e2e, ensure_refused, send};

fn token_first(token: &str, video: &[u8]) -> Form {
    Form::new().text("upload_token", token).file("file", "a.mp4", video)
}

fn token_last(token: &str, video: &[u8]) -> Form {
    Form::new().file("file", "a.mp4", video).text("upload_token", token)
}

/// Whether an answer repeats the first one, and also contains the state of the video.
fn is_repetition(answer: &HttpAnswer, first: &HttpAnswer) -> Result<bool> {
    let mut expected = first.json()?;
    expected["content_state"] = json!("processing");
    Ok(answer.json()? == expected)
}

#[e2e]
async fn a_repeated_upload_gets_the_same_answer_and_costs_no_slot(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let first = channel.upload(token_first(&token, &video)).await?;
    ensure!(first.status == 200 && first.header("idempotency-replayed").is_empty(), "{first:?}");
    for form in [token_first(&token, &video), token_last(&token.to_uppercase(), &video)] {
        let again = channel.upload(form).await?;
        ensure!(again.status == 200 && again.header("idempotency-replayed") == "true", "{again:?}");
        ensure!(is_repetition(&again, &first)?, "{again:?}");
    }
    ensure!(stack.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&ChannelRows::after(1))
}

/// Sends a form with a token in the header.
async fn with_header(channel: &Channel, token: &str, form: Form) -> Result<HttpAnswer> {
    let request = channel.upload_request().header("Idempotency-Key", token);
    send(request.header("Content-Type", Form::content_type()).body(form.body())).await
}

#[e2e]
async fn a_token_in_the_header_replays_a_form_that_begins_with_its_file_on_a_full_day(
    stack: Arc<TestStack>,
) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let form = || Form::new().file("file", "a.mp4", &video);
    let first = with_header(&channel, &token, form()).await?;
    ensure!(first.status == 200, "{first:?}");
    for again in [
        with_header(&channel, &token, form()).await?,
        with_header(&channel, &token, token_last(&token, &video)).await?,
        channel.upload(token_first(&token, &video)).await?,
    ] {
        ensure!(again.status == 200 && again.header("idempotency-replayed") == "true", "{again:?}");
        ensure!(is_repetition(&again, &first)?, "{again:?}");
    }
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_token_in_the_header_is_a_uuid_and_the_same_as_in_the_form(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let malformed = with_header(&channel, "order 7", token_first(&token, &video)).await?;
    ensure_refused(&malformed, 422, "upload_token_invalid")?;
    ensure!(malformed.json()?["field"] == "Idempotency-Key", "{malformed:?}");
    for form in [token_first(&token, &video), token_last(&token, &video)] {
        ensure_refused(&with_header(&channel, &stack.token(), form).await?, 422, "upload_token_mismatch")?;
    }
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_token_reused_for_other_bytes_or_fields_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (token, video) = (stack.token(), stack.small_video());
    channel.upload_accepted(token_first(&token, &video)).await?;
    let others = [
        token_first(&token, &stack.small_video()),
        token_last(&token, &stack.small_video()),
        token_first(&token, &video).text("caption", "another"),
    ];
    for other in others {
        ensure_refused(&channel.upload(other).await?, 422, "upload_token_mismatch")?;
    }
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn the_token_of_a_deleted_video_is_spent(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let content = channel.upload_accepted(token_first(&token, &video)).await?;
    let again = channel.upload_accepted(token_first(&token, &video)).await?;
    ensure!(again["content_state"] == "processing" && !content.contains_key("content_state"), "{again:?}");
    let delete = stack.request(Method::POST, paths::DELETE_CONTENT).bearer_auth(&channel.key);
    let deleted = send(delete.json(&json!({ "content_uuid": content["content_uuid"] }))).await?;
    ensure!(deleted.status == 200, "{deleted:?}");
    for form in [token_first(&token, &video), token_last(&token, &video)] {
        ensure_refused(&channel.upload(form).await?, 409, "upload_token_spent")?;
    }
    channel.upload_accepted(token_first(&stack.token(), &video)).await?;
    channel.ensure_rows(&ChannelRows::after(2))
}

#[e2e]
async fn of_16_concurrent_uploads_with_one_token_one_becomes_a_content(stack: Arc<TestStack>) -> Result<()> {
    let (mut replays, mut in_progress) = (0, 0);
    for _ in 0..5 {
        let channel = Channel::new(&stack).await?;
        let (token, video) = (stack.token(), stack.small_video());
        let forms = (0..16).map(|n| if n % 2 == 0 { token_first(&token, &video) } else { token_last(&token, &video) });
        let answers = join_all(forms.map(|form| channel.upload(form))).await;
        let answers: Vec<HttpAnswer> = answers.into_iter().collect::<Result<_>>()?;
        let mut ids = HashSet::new();
        for answer in &answers {
            if answer.status == 200 {
                ids.insert(answer.json()?["content_id"].as_u64());
                replays += u32::from(answer.header("idempotency-replayed") == "true");
            } else {
                ensure_refused(answer, 409, "upload_in_progress")?;
                let seconds: u64 = answer.header("retry-after").parse()?;
                ensure!((1..=15).contains(&seconds), "{answer:?}");
                in_progress += 1;
            }
        }
        ensure!(ids.len() == 1, "{answers:?}");
        ensure!(stack.objects_of_size(video.len())?.len() == 1);
        channel.ensure_rows(&ChannelRows::after(1))?;
    }
    println!(
        "16 concurrent uploads with one token, 5 rounds: 5 contents, {replays} replays, {in_progress} in progress"
    );
    Ok(())
}

#[e2e]
async fn a_repeated_upload_is_answered_after_the_limit_is_reached(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let first = channel.upload(token_first(&token, &video)).await?;
    ensure!(first.json()?["is_limit_activated"] == true, "{first:?}");
    let again = channel.upload(token_first(&token, &video)).await?;
    ensure!(again.status == 200 && is_repetition(&again, &first)?, "{again:?}");
    let new = channel.upload(token_first(&stack.token(), &video)).await?;
    ensure_refused(&new, 429, "content_upload_limit_failure")?;
    let without = channel.upload(Form::new().file("file", "a.mp4", &video)).await?;
    ensure_refused(&without, 429, "content_upload_limit_failure")?;
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn channels_do_not_share_tokens(stack: Arc<TestStack>) -> Result<()> {
    let (one, other) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let (token, video) = (stack.token(), stack.small_video());
    let first = one.upload_accepted(token_first(&token, &video)).await?;
    let second = other.upload_accepted(token_first(&token, &video)).await?;
    ensure!(first["content_id"] != second["content_id"]);
    one.ensure_rows(&ChannelRows::after(1))?;
    other.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_failed_upload_is_not_repeated(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let token = stack.token();
    let refused = channel.upload(token_first(&token, b"a text that is not a video, whatever it is called")).await?;
    ensure_refused(&refused, 415, "content_file_invalid_format")?;
    channel.upload_accepted(token_first(&token, &stack.small_video())).await?;
    channel.ensure_rows(&ChannelRows::after(1))
}
