//! The gate: nothing of a content is reachable before it is published or after it has left it, in any state, by any
//! address, for anybody; its owner and a moderator see its pictures before, and nothing else.

use crate::channel::Channel;
use crate::harness::{Harness, Suite, ensure_refused, send};
use crate::shown::{FILES, Shown, bytes_of, moderator};
use anyhow::{Result, ensure};
use contract::moderation::Verdict;
use contract::{MediaFile, paths};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "gate::in_every_state_everybody_sees_what_is_theirs",
        every_state,
    );
    suite.add(
        "gate::a_deleted_key_and_an_ended_session_open_nothing",
        dead_credentials,
    );
    suite.add(
        "gate::deleting_and_taking_down_stop_serving_at_once",
        at_once,
    );
}

/// What somebody who is not everybody sees.
#[derive(Clone, Copy, PartialEq)]
enum Sees {
    Everything,
    Pictures,
    Nothing,
}

fn is_picture(file: MediaFile) -> bool {
    use MediaFile::{Poster, Storyboard, StoryboardTrack, Thumbnail};
    matches!(file, Poster | Thumbnail(_) | Storyboard | StoryboardTrack)
}

async fn ensure_sees(
    shown: &Shown,
    sees: Sees,
    who: &str,
    ask: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<()> {
    for file in FILES {
        let answer = send(ask(shown.get(file))).await?;
        let may = sees == Sees::Everything || sees == Sees::Pictures && is_picture(file);
        if !may {
            ensure_refused(&answer, 404, "not_found")?;
            continue;
        }
        ensure!(
            answer.status == 200 && answer.bytes == bytes_of(file),
            "{who} {file}: {}",
            answer.status
        );
        if sees == Sees::Pictures {
            ensure!(
                answer.header("cache-control") == "private, no-store",
                "{who}: {answer:?}"
            );
            ensure!(
                answer.header("access-control-allow-origin").is_empty(),
                "{who}: {answer:?}"
            );
        }
    }
    Ok(())
}

/// Asks for everything as everybody, and expects what the state allows.
async fn ensure_gate(
    shown: &Shown,
    stranger: &Channel,
    everybody: Sees,
    trusted: Sees,
) -> Result<()> {
    let owner = &shown.job.channel;
    shown.ensure_public(everybody == Sees::Everything).await?;
    ensure_sees(shown, everybody, "nobody", |request| request).await?;
    ensure_sees(shown, everybody, "a stranger's key", |request| {
        request.bearer_auth(&stranger.key)
    })
    .await?;
    let cookie = &stranger.account.cookie;
    ensure_sees(shown, everybody, "a stranger's session", |request| {
        request.header("Cookie", cookie)
    })
    .await?;
    let service = shown.harness().env().get("SERVICE_TOKEN");
    ensure_sees(shown, everybody, "the site", |request| {
        request.bearer_auth(service)
    })
    .await?;
    ensure_sees(shown, trusted, "its owner's key", |request| {
        request.bearer_auth(&owner.key)
    })
    .await?;
    let cookie = &owner.account.cookie;
    ensure_sees(shown, trusted, "its owner's session", |request| {
        request.header("Cookie", cookie)
    })
    .await?;
    let admin = shown.harness().env().get("ADMIN_TOKEN");
    ensure_sees(shown, trusted, "a moderator", |request| {
        request.bearer_auth(admin)
    })
    .await?;
    Ok(())
}

async fn every_state(harness: Arc<Harness>) -> Result<()> {
    let stranger = Channel::new(&harness).await?;
    let (nothing, pictures, everything) = (Sees::Nothing, Sees::Pictures, Sees::Everything);
    let later = crate::origin::now_unix() + 1_000;
    let scheduled =
        |form: fixtures::Form| form.text("scheduled_publish_at_unix", &later.to_string());

    let shown = Shown::upload(&harness, |form| form).await?;
    ensure_gate(&shown, &stranger, nothing, nothing).await?;
    shown.job.take().await?;
    // Stored, and not reported: nobody has said yet that it is whole.
    shown.store().await?;
    ensure_gate(&shown, &stranger, nothing, nothing).await?;
    shown.job.report(shown.outcome(&[Verdict::Review])).await?;
    ensure_gate(&shown, &stranger, nothing, pictures).await?;
    ensure!(shown.decide(paths::MODERATION_APPROVE).await?.status == 200);
    ensure_gate(&shown, &stranger, everything, everything).await?;
    ensure!(shown.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    ensure_gate(&shown, &stranger, nothing, nothing).await?;
    ensure!(shown.wish(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    ensure_gate(&shown, &stranger, nothing, nothing).await?;

    let shown = Shown::upload(&harness, scheduled).await?;
    shown.finish(&[Verdict::Pass]).await?;
    ensure!(shown.state().await? == "scheduled");
    ensure_gate(&shown, &stranger, nothing, pictures).await?;

    let shown = Shown::upload(&harness, |form| form).await?;
    shown.finish(&[Verdict::Reject]).await?;
    ensure!(shown.state().await? == "rejected");
    ensure_gate(&shown, &stranger, nothing, nothing).await?;

    let shown = Shown::upload(&harness, |form| form).await?;
    shown.job.take().await?;
    shown.store().await?;
    let detail = "broken".to_owned();
    shown
        .job
        .report(contract::job::JobOutcome::Failed { detail })
        .await?;
    ensure!(shown.state().await? == "failed");
    ensure_gate(&shown, &stranger, nothing, nothing).await
}

async fn dead_credentials(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::upload(&harness, |form| form).await?;
    shown.finish(&[Verdict::Review]).await?;
    let owner = &shown.job.channel;
    let key = owner.key.clone();
    ensure_sees(&shown, Sees::Pictures, "its owner", |request| {
        request.bearer_auth(&key)
    })
    .await?;
    ensure!(owner.account.post(paths::DELETE_API_KEY).await?.status == 200);
    ensure_sees(&shown, Sees::Nothing, "a deleted key", |request| {
        request.bearer_auth(&key)
    })
    .await?;
    let end = harness.service(Method::DELETE, paths::SESSIONS);
    let end = end.json(&json!({ "session_cookie": owner.account.cookie }));
    ensure!(send(end).await?.status == 200);
    let cookie = &owner.account.cookie;
    ensure_sees(&shown, Sees::Nothing, "an ended session", |request| {
        request.header("Cookie", cookie)
    })
    .await?;
    let wrong = "Bearer x";
    ensure_sees(&shown, Sees::Nothing, "garbage", |request| {
        request.header("Authorization", wrong)
    })
    .await
}

async fn at_once(harness: Arc<Harness>) -> Result<()> {
    for path in [paths::DELETE_CONTENT, paths::MODERATION_TAKE_DOWN] {
        let shown = Shown::published(&harness, "soon gone").await?;
        let tag = send(shown.get(MediaFile::Video))
            .await?
            .header("etag")
            .to_owned();
        shown.ensure_public(true).await?;
        let answer = match path {
            paths::DELETE_CONTENT => shown.wish(path, json!({})).await?,
            _ => shown.decide(path).await?,
        };
        ensure!(answer.status == 200, "{answer:?}");
        shown.ensure_public(false).await?;
        // Not even that it is still the same is said.
        let known = shown.get(MediaFile::Video).header("If-None-Match", tag);
        ensure_refused(&send(known).await?, 404, "not_found")?;
        let approve = shown.decide(paths::MODERATION_APPROVE).await?;
        ensure_refused(&approve, 409, "content_state_conflict")?;
        let list = send(moderator(&harness, Method::GET, paths::MODERATION_QUEUE)).await?;
        ensure!(!String::from_utf8_lossy(&list.bytes).contains(&shown.job.content_uuid));
    }
    Ok(())
}
