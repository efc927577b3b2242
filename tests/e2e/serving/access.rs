//! No file of a content can be opened before it is published or after it was removed, whatever the state, the address
//! and the viewer. The one exception: its owner and a moderator see its pictures while it waits.

use anyhow::{Result, ensure};
use contract::moderation::Recommendation;
use contract::{MediaFile, paths};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use std::sync::Arc;
use tests::{
    Channel, TestContent, TestStack, all_media_files, bytes_of, e2e, ensure_refused, moderator_request, now_unix, send,
};

/// The files that a viewer can open.
#[derive(Clone, Copy, PartialEq)]
enum VisibleFiles {
    Everything,
    Pictures,
    Nothing,
}

fn is_picture(file: MediaFile) -> bool {
    use MediaFile::{Poster, Storyboard, StoryboardTrack, Thumbnail};
    matches!(file, Poster | Thumbnail(_) | Storyboard | StoryboardTrack)
}

/// Requests every file and fails unless exactly the visible ones are served.
async fn ensure_sees(
    content: &TestContent,
    visible: VisibleFiles,
    viewer: &str,
    authenticate: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<()> {
    for file in all_media_files() {
        let answer = send(authenticate(content.get(file))).await?;
        let is_visible = visible == VisibleFiles::Everything || visible == VisibleFiles::Pictures && is_picture(file);
        if !is_visible {
            ensure_refused(&answer, 404, "not_found")?;
            continue;
        }
        ensure!(answer.status == 200 && answer.bytes == bytes_of(file), "{viewer} {file}: {}", answer.status);
        if visible == VisibleFiles::Pictures {
            ensure!(answer.header("cache-control") == "private, no-store", "{viewer}: {answer:?}");
            ensure!(answer.header("access-control-allow-origin").is_empty(), "{viewer}: {answer:?}");
        }
    }
    Ok(())
}

/// Requests every file as every kind of viewer. `public` is what the public may see, `trusted` what the owner and a
/// moderator may see.
async fn ensure_access(
    content: &TestContent,
    stranger: &Channel,
    public: VisibleFiles,
    trusted: VisibleFiles,
) -> Result<()> {
    let owner = &content.job.channel;
    ensure_sees(content, trusted, "its owner's key", |request| request.bearer_auth(&owner.key)).await?;
    let cookie = &owner.account.cookie;
    ensure_sees(content, trusted, "its owner's session", |request| request.header("Cookie", cookie)).await?;
    let admin = content.stack().env().get("ADMIN_TOKEN");
    ensure_sees(content, trusted, "a moderator", |request| request.bearer_auth(admin)).await?;
    content.ensure_public(public == VisibleFiles::Everything).await?;
    ensure_sees(content, public, "the public", |request| request).await?;
    ensure_sees(content, public, "a stranger's key", |request| request.bearer_auth(&stranger.key)).await?;
    let cookie = &stranger.account.cookie;
    ensure_sees(content, public, "a stranger's session", |request| request.header("Cookie", cookie)).await?;
    let service = content.stack().env().get("SERVICE_TOKEN");
    ensure_sees(content, public, "the site", |request| request.bearer_auth(service)).await?;
    // Once more, because a refusal must not be kept either.
    ensure_sees(content, trusted, "its owner's key", |request| request.bearer_auth(&owner.key)).await
}

#[e2e]
async fn in_every_state_each_viewer_sees_only_what_is_allowed(stack: Arc<TestStack>) -> Result<()> {
    visit_every_state(stack).await
}

/// Takes contents through every state, and requests every file in each as every kind of viewer. Those who may see a
/// file before the others come first: nothing that they got may be served to the others.
pub(crate) async fn visit_every_state(stack: Arc<TestStack>) -> Result<()> {
    let stranger = Channel::new(&stack).await?;
    let (nothing, pictures, everything) = (VisibleFiles::Nothing, VisibleFiles::Pictures, VisibleFiles::Everything);
    let later = now_unix() + 1_000;
    let scheduled = |form: fixtures::Form| form.text("scheduled_publish_at_unix", &later.to_string());

    let content = TestContent::upload(&stack, |form| form).await?;
    ensure_access(&content, &stranger, nothing, nothing).await?;
    content.job.claim_granted().await?;
    // The files are stored, but no report has said yet that they are complete.
    content.store().await?;
    ensure_access(&content, &stranger, nothing, nothing).await?;
    content.job.report_only(content.outcome(&[Recommendation::Review])).await?;
    ensure_access(&content, &stranger, nothing, pictures).await?;
    ensure!(content.decide(paths::MODERATION_APPROVE).await?.status == 200);
    ensure_access(&content, &stranger, everything, everything).await?;
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    ensure_access(&content, &stranger, nothing, nothing).await?;
    ensure!(content.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    ensure_access(&content, &stranger, nothing, nothing).await?;

    let content = TestContent::upload(&stack, scheduled).await?;
    content.finish(&[Recommendation::Pass]).await?;
    ensure!(content.state().await? == "scheduled");
    ensure_access(&content, &stranger, nothing, pictures).await?;

    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Reject]).await?;
    ensure!(content.state().await? == "rejected");
    ensure_access(&content, &stranger, nothing, nothing).await?;

    let content = TestContent::upload(&stack, |form| form).await?;
    content.job.claim_granted().await?;
    content.store().await?;
    let detail = "broken".to_owned();
    content.job.report(contract::job::JobOutcome::Failed { detail }).await?;
    ensure!(content.state().await? == "failed");
    ensure_access(&content, &stranger, nothing, nothing).await
}

#[e2e]
async fn a_deleted_key_and_an_ended_session_open_nothing(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    let owner = &content.job.channel;
    let key = owner.key.clone();
    ensure_sees(&content, VisibleFiles::Pictures, "its owner", |request| request.bearer_auth(&key)).await?;
    ensure!(owner.account.post(paths::DELETE_API_KEY).await?.status == 200);
    ensure_sees(&content, VisibleFiles::Nothing, "a deleted key", |request| request.bearer_auth(&key)).await?;
    let request = stack.service_request(Method::DELETE, paths::SESSIONS);
    let request = request.json(&json!({ "session_cookie": owner.account.cookie }));
    ensure!(send(request).await?.status == 200);
    let cookie = &owner.account.cookie;
    ensure_sees(&content, VisibleFiles::Nothing, "an ended session", |request| request.header("Cookie", cookie))
        .await?;
    let invalid = "Bearer x";
    ensure_sees(&content, VisibleFiles::Nothing, "an invalid token", |request| request.header("Authorization", invalid))
        .await
}

#[e2e]
async fn deleting_and_taking_down_stop_serving_at_once(stack: Arc<TestStack>) -> Result<()> {
    remove_in_both_ways(stack).await
}

/// Deletes one content and takes another one down, and requests everything of them before and after.
pub(crate) async fn remove_in_both_ways(stack: Arc<TestStack>) -> Result<()> {
    for path in [paths::DELETE_CONTENT, paths::MODERATION_TAKE_DOWN] {
        let content = TestContent::published(&stack, "soon gone").await?;
        let tag = send(content.get(MediaFile::Video)).await?.header("etag").to_owned();
        content.ensure_public(true).await?;
        let answer = match path {
            paths::DELETE_CONTENT => content.owner_request(path, json!({})).await?,
            _ => content.decide(path).await?,
        };
        ensure!(answer.status == 200, "{answer:?}");
        content.ensure_public(false).await?;
        // The answer does not even reveal that the file is unchanged.
        let known = content.get(MediaFile::Video).header("If-None-Match", tag);
        ensure_refused(&send(known).await?, 404, "not_found")?;
        let approve = content.decide(paths::MODERATION_APPROVE).await?;
        ensure_refused(&approve, 409, "content_state_conflict")?;
        let list = send(moderator_request(&stack, Method::GET, paths::MODERATION_QUEUE)).await?;
        ensure!(!String::from_utf8_lossy(&list.bytes).contains(&content.job.content_uuid));
    }
    Ok(())
}
