//! No file of a content can be opened before publication or after removal, in any state, at any address, by any viewer.
//! The one exception: its owner and moderators see the pictures of a waiting content.

use anyhow::{Context, Result, bail, ensure};
use contract::job::{JobOutcome, Quality};
use contract::moderation::Recommendation;
use contract::{MediaFile, paths};
use fixtures::combinations;
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

/// A viewer who requests a file with a credential.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Viewer {
    OwnersKey,
    OwnersSession,
    Moderator,
    StrangersKey,
    StrangersSession,
    Site,
}

impl Viewer {
    /// Viewers who may see the pictures of a waiting content come first: their responses must not be served to others.
    const ALL: [Self; 6] =
        [Self::OwnersKey, Self::OwnersSession, Self::Moderator, Self::StrangersKey, Self::StrangersSession, Self::Site];

    fn is_trusted(self) -> bool {
        matches!(self, Self::OwnersKey | Self::OwnersSession | Self::Moderator)
    }

    fn request(self, content: &TestContent, stranger: &Channel, file: MediaFile) -> RequestBuilder {
        let (request, owner, env) = (content.get(file), &content.job.channel, content.stack().env());
        match self {
            Self::OwnersKey => request.bearer_auth(&owner.key),
            Self::StrangersKey => request.bearer_auth(&stranger.key),
            Self::OwnersSession => request.header("Cookie", &owner.account.cookie),
            Self::StrangersSession => request.header("Cookie", &stranger.account.cookie),
            Self::Moderator => request.bearer_auth(env.get("ADMIN_TOKEN")),
            Self::Site => request.bearer_auth(env.get("SERVICE_TOKEN")),
        }
    }
}

/// Requests a file, and fails unless it is served if and only if it is visible.
async fn ensure_sees(request: RequestBuilder, file: MediaFile, visible: VisibleFiles, viewer: &str) -> Result<()> {
    let answer = send(request).await?;
    let is_visible = visible == VisibleFiles::Everything || visible == VisibleFiles::Pictures && is_picture(file);
    if !is_visible {
        return ensure_refused(&answer, 404, "not_found").with_context(|| format!("{viewer} {file}"));
    }
    ensure!(answer.status == 200 && answer.bytes == bytes_of(file), "{viewer} {file}: {}", answer.status);
    if visible == VisibleFiles::Pictures {
        ensure!(answer.header("cache-control") == "private, no-store", "{viewer}: {answer:?}");
        ensure!(answer.header("access-control-allow-origin").is_empty(), "{viewer}: {answer:?}");
    }
    Ok(())
}

/// Requests every file, and fails unless exactly the visible ones are served.
async fn ensure_sees_of_all(
    content: &TestContent,
    visible: VisibleFiles,
    viewer: &str,
    authenticate: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<()> {
    for file in all_media_files() {
        ensure_sees(authenticate(content.get(file)), file, visible, viewer).await?;
    }
    Ok(())
}

/// The requests for contents in one state after the other.
struct Visits {
    stranger: Channel,
    files: Vec<MediaFile>,
    /// A state, a file and a viewer.
    combinations: Vec<[usize; 3]>,
    visited_states: usize,
    requests: usize,
}

impl Visits {
    const STATES: usize = 12;

    async fn new(stack: &Arc<TestStack>) -> Result<Self> {
        let (stranger, files) = (Channel::new(stack).await?, all_media_files());
        let combinations = combinations([Self::STATES, files.len(), Viewer::ALL.len()]);
        Ok(Self { stranger, files, combinations, visited_states: 0, requests: 0 })
    }

    /// Requests the files in the next state. `public` are the files that the public may see, `trusted` the owner's and
    /// moderators'. If they differ, every viewer requests every file.
    async fn visit(&mut self, content: &TestContent, public: VisibleFiles, trusted: VisibleFiles) -> Result<()> {
        let state = self.visited_states;
        for (number, viewer) in Viewer::ALL.into_iter().enumerate() {
            let is_chosen = |file| public != trusted || self.combinations.binary_search(&[state, file, number]).is_ok();
            let chosen: Vec<usize> = (0..self.files.len()).filter(|file| is_chosen(*file)).collect();
            let visible = if viewer.is_trusted() { trusted } else { public };
            self.request(content, viewer, chosen, visible).await?;
        }
        content.ensure_public(public == VisibleFiles::Everything).await?;
        if public != trusted {
            // Once more, because a refusal must not be kept either.
            self.request(content, Viewer::OwnersKey, 0..self.files.len(), trusted).await?;
        }
        self.visited_states += 1;
        Ok(())
    }

    async fn request(
        &mut self,
        content: &TestContent,
        viewer: Viewer,
        files: impl IntoIterator<Item = usize>,
        visible: VisibleFiles,
    ) -> Result<()> {
        for file in files {
            let file = self.files[file];
            ensure_sees(viewer.request(content, &self.stranger, file), file, visible, &format!("{viewer:?}")).await?;
            self.requests += 1;
        }
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        ensure!(self.visited_states == Self::STATES, "{} states were visited", self.visited_states);
        let (files, viewers) = (self.files.len(), Viewer::ALL.len());
        println!(
            "access: {} requests of {viewers} viewers for {files} files in {} states, {} combinations in all; \
             the public requested every file in every state",
            self.requests,
            Self::STATES,
            Self::STATES * files * viewers
        );
        Ok(())
    }
}

#[e2e]
async fn in_every_state_each_viewer_sees_only_what_is_allowed(stack: Arc<TestStack>) -> Result<()> {
    visit_every_state(stack).await
}

/// Takes contents through every state, and requests every file in each. Where all viewers see the same, an everyday run
/// requests a file as the public and one or two others; each viewer still requests every file and in every state.
pub(crate) async fn visit_every_state(stack: Arc<TestStack>) -> Result<()> {
    let mut visits = Visits::new(&stack).await?;
    let (nothing, pictures, everything) = (VisibleFiles::Nothing, VisibleFiles::Pictures, VisibleFiles::Everything);
    let later = now_unix() + 1_000;
    let scheduled = |form: fixtures::Form| form.text("scheduled_publish_at_unix", &later.to_string());

    let content = TestContent::upload(&stack, |form| form).await?;
    visits.visit(&content, nothing, nothing).await?;
    content.job.claim_granted().await?;
    // The files are stored, but no report has said yet that they are complete.
    content.store().await?;
    visits.visit(&content, nothing, nothing).await?;
    content.job.report_only(content.outcome(&[Recommendation::Review])).await?;
    visits.visit(&content, nothing, pictures).await?;
    ensure!(content.decide(paths::MODERATION_APPROVE).await?.status == 200);
    visits.visit(&content, everything, everything).await?;
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    visits.visit(&content, nothing, nothing).await?;
    ensure!(content.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    visits.visit(&content, nothing, nothing).await?;

    // Between the two steps, after the second, and taken down between them.
    let mut content = in_first_quality(&stack).await?;
    visits.visit(&content, everything, everything).await?;
    content.job.generation += 1;
    content.job.claim_granted().await?;
    content.store().await?;
    let JobOutcome::Processed { media, .. } = content.outcome(&[]) else { bail!("no media") };
    ensure!(content.job.report_only(JobOutcome::Completed { media }).await?.accepted);
    visits.visit(&content, everything, everything).await?;
    let content = in_first_quality(&stack).await?;
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    visits.visit(&content, nothing, nothing).await?;

    let content = TestContent::upload(&stack, scheduled).await?;
    content.finish(&[Recommendation::Pass]).await?;
    ensure!(content.state().await? == "scheduled");
    visits.visit(&content, nothing, pictures).await?;

    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Reject]).await?;
    ensure!(content.state().await? == "rejected");
    visits.visit(&content, nothing, nothing).await?;

    let content = TestContent::upload(&stack, |form| form).await?;
    content.job.claim_granted().await?;
    content.store().await?;
    let detail = "broken".to_owned();
    content.job.report(JobOutcome::Failed { detail }).await?;
    ensure!(content.state().await? == "failed");
    visits.visit(&content, nothing, nothing).await?;
    visits.finish()
}

/// Returns a content that is published in its first quality.
async fn in_first_quality(stack: &Arc<TestStack>) -> Result<TestContent> {
    let content = TestContent::upload(stack, |form| form).await?;
    content.job.claim_granted().await?;
    content.store().await?;
    let mut first = content.outcome(&[Recommendation::Pass]);
    if let JobOutcome::Processed { media, .. } = &mut first {
        media.quality = Quality::First;
    }
    ensure!(content.job.report_only(first).await?.accepted);
    Ok(content)
}

#[e2e]
async fn a_deleted_key_and_an_ended_session_open_nothing(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    let owner = &content.job.channel;
    let key = owner.key.clone();
    ensure_sees_of_all(&content, VisibleFiles::Pictures, "its owner", |request| request.bearer_auth(&key)).await?;
    ensure!(owner.account.post(paths::DELETE_API_KEY).await?.status == 200);
    ensure_sees_of_all(&content, VisibleFiles::Nothing, "a deleted key", |request| request.bearer_auth(&key)).await?;
    let request = stack.service_request(Method::DELETE, paths::SESSIONS);
    let request = request.json(&json!({ "session_cookie": owner.account.cookie }));
    ensure!(send(request).await?.status == 200);
    let cookie = &owner.account.cookie;
    ensure_sees_of_all(&content, VisibleFiles::Nothing, "an ended session", |request| request.header("Cookie", cookie))
        .await?;
    let invalid = "Bearer x";
    ensure_sees_of_all(&content, VisibleFiles::Nothing, "an invalid token", |request| {
        request.header("Authorization", invalid)
    })
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
        // The response does not even reveal that the file is unchanged.
        let known = content.get(MediaFile::Video).header("If-None-Match", tag);
        ensure_refused(&send(known).await?, 404, "not_found")?;
        let approve = content.decide(paths::MODERATION_APPROVE).await?;
        ensure_refused(&approve, 409, "content_state_conflict")?;
        let list = send(moderator_request(&stack, Method::GET, paths::MODERATION_QUEUE)).await?;
        ensure!(!String::from_utf8_lossy(&list.bytes).contains(&content.job.content_uuid));
    }
    Ok(())
}
