//! An `upload_token` makes an upload happen once, however often it is sent.

use crate::channel::{Channel, Rows};
use crate::harness::{Answer, Harness, Suite, ensure_refused};
use anyhow::{Result, ensure};
use fixtures::Form;
use futures_util::future::join_all;
use std::collections::HashSet;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "upload_token::a_repeated_upload_answers_the_same_and_costs_no_slot",
        repeated,
    );
    suite.add(
        "upload_token::other_bytes_or_fields_are_a_mismatch",
        mismatch,
    );
    suite.add("upload_token::of_16_at_once_one_becomes_a_content", at_once);
    suite.add(
        "upload_token::a_repetition_is_answered_when_the_day_is_used_up",
        at_the_limit,
    );
    suite.add("upload_token::channels_do_not_share_tokens", independent);
    suite.add("upload_token::a_failure_is_not_repeated", failure);
}

fn token_first(token: &str, video: &[u8]) -> Form {
    Form::new()
        .text("upload_token", token)
        .file("file", "a.mp4", video)
}

fn token_last(token: &str, video: &[u8]) -> Form {
    Form::new()
        .file("file", "a.mp4", video)
        .text("upload_token", token)
}

async fn repeated(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let (token, video) = (harness.token(), harness.small_video());
    let first = channel.upload(token_first(&token, &video)).await?;
    ensure!(
        first.status == 200 && first.header("idempotency-replayed").is_empty(),
        "{first:?}"
    );
    for form in [
        token_first(&token, &video),
        token_last(&token.to_uppercase(), &video),
    ] {
        let again = channel.upload(form).await?;
        ensure!(
            again.status == 200 && again.header("idempotency-replayed") == "true",
            "{again:?}"
        );
        ensure!(again.json()? == first.json()?, "{again:?}");
    }
    ensure!(harness.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&Rows::after(1))
}

async fn mismatch(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let (token, video) = (harness.token(), harness.small_video());
    channel.publish(token_first(&token, &video)).await?;
    let others = [
        token_first(&token, &harness.small_video()),
        token_last(&token, &harness.small_video()),
        token_first(&token, &video).text("caption", "another"),
    ];
    for other in others {
        ensure_refused(&channel.upload(other).await?, 422, "upload_token_mismatch")?;
    }
    channel.ensure_rows(&Rows::after(1))
}

async fn at_once(harness: Arc<Harness>) -> Result<()> {
    let (mut replays, mut in_progress) = (0, 0);
    for _ in 0..5 {
        let channel = Channel::new(&harness).await?;
        let (token, video) = (harness.token(), harness.small_video());
        let forms = (0..16).map(|n| {
            if n % 2 == 0 {
                token_first(&token, &video)
            } else {
                token_last(&token, &video)
            }
        });
        let answers = join_all(forms.map(|form| channel.upload(form))).await;
        let answers: Vec<Answer> = answers.into_iter().collect::<Result<_>>()?;
        let mut ids = HashSet::new();
        for answer in &answers {
            if answer.status == 200 {
                ids.insert(answer.json()?["content_id"].as_u64());
                replays += u32::from(answer.header("idempotency-replayed") == "true");
            } else {
                ensure_refused(answer, 409, "upload_in_progress")?;
                ensure!(!answer.header("retry-after").is_empty(), "{answer:?}");
                in_progress += 1;
            }
        }
        ensure!(ids.len() == 1, "{answers:?}");
        ensure!(harness.objects_of_size(video.len())?.len() == 1);
        channel.ensure_rows(&Rows::after(1))?;
    }
    println!(
        "one token, 16 at once, 5 rounds: 5 contents, {replays} replays, {in_progress} in progress"
    );
    Ok(())
}

async fn at_the_limit(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(1)).await?;
    let (token, video) = (harness.token(), harness.small_video());
    let first = channel.upload(token_first(&token, &video)).await?;
    ensure!(first.json()?["is_limit_activated"] == true, "{first:?}");
    let again = channel.upload(token_first(&token, &video)).await?;
    ensure!(
        again.status == 200 && again.json()? == first.json()?,
        "{again:?}"
    );
    let new = channel
        .upload(token_first(&harness.token(), &video))
        .await?;
    ensure_refused(&new, 429, "content_upload_limit_failure")?;
    let without = channel
        .upload(Form::new().file("file", "a.mp4", &video))
        .await?;
    ensure_refused(&without, 429, "content_upload_limit_failure")?;
    channel.ensure_rows(&Rows::after(1))
}

async fn independent(harness: Arc<Harness>) -> Result<()> {
    let (one, other) = (Channel::new(&harness).await?, Channel::new(&harness).await?);
    let (token, video) = (harness.token(), harness.small_video());
    let first = one.publish(token_first(&token, &video)).await?;
    let second = other.publish(token_first(&token, &video)).await?;
    ensure!(first["content_id"] != second["content_id"]);
    one.ensure_rows(&Rows::after(1))?;
    other.ensure_rows(&Rows::after(1))
}

async fn failure(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let token = harness.token();
    let refused = channel
        .upload(token_first(
            &token,
            b"a text that is no video, whatever it is called",
        ))
        .await?;
    ensure_refused(&refused, 415, "content_file_invalid_format")?;
    channel
        .publish(token_first(&token, &harness.small_video()))
        .await?;
    channel.ensure_rows(&Rows::after(1))
}
