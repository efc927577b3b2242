//! A tour of all routes, as a channel with a long past and as a new one.

use anyhow::{Context, Result, ensure};
use contract::job::JobOutcome;
use contract::moderation::Recommendation::{Pass, Review};
use contract::{MediaFile, Stage, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, HttpAnswer, TestAccount, TestContent, TestJob, TestStack, WebhookReceiver, WebhookReply,
    moderator_request, now_unix, send, until,
};

/// The jobs of the channel that are held.
const HELD: u64 = 50;
/// The longest that the deliveries of the tour's own events may take.
const DELIVERED: Duration = Duration::from_mins(1);

/// A channel that will have a past, with a webhook.
pub(super) struct Tour {
    stack: Arc<TestStack>,
    large: Channel,
    webhook: String,
    receiver: WebhookReceiver,
    /// A time after the whole past.
    since: u64,
    named: BTreeMap<String, &'static str>,
}

impl Tour {
    /// Gives the channel its webhook, which gets a delivery for each event of the past.
    pub(super) async fn begin(stack: &Arc<TestStack>, large: &Channel) -> Result<Self> {
        let receiver = WebhookReceiver::start(|_| WebhookReply::Status(200)).await?;
        let webhook = create_webhook(&large.account, &receiver).await?;
        Ok(Self { stack: Arc::clone(stack), large: large.clone(), webhook, receiver, since: 0, named: BTreeMap::new() })
    }

    /// Requests every operation. Returns the names of requests that differ from others of their route.
    pub(super) async fn request_everything(mut self) -> Result<BTreeMap<String, &'static str>> {
        self.since = now_unix() + 1;
        let jobs = self.hold_jobs().await?;
        for _ in 0..3 {
            self.stack.sweep().await?;
        }
        self.jobs(jobs).await?;
        let fresh = self.fresh_content(Pass).await?;
        self.resumable().await?;
        self.direct().await?;
        self.readers().await?;
        self.owners(&fresh).await?;
        self.site(&fresh).await?;
        self.owner_changes(&fresh).await?;
        self.webhooks().await?;
        self.keys().await?;
        self.moderation().await?;
        self.channels().await?;
        self.operation().await?;
        // Makes the sweep resend every unclaimed job, however long the tour took.
        self.stack
            .change_rows("UPDATE jobs SET due_at_unix = 1 WHERE due_at_unix > 0 AND state = 'due'".to_owned())
            .await?;
        self.stack.sweep().await?;
        // The sweep reads all held and due jobs. The jobs of this tour are open work, and must not count as the next
        // tour's past.
        let ended = "UPDATE jobs SET state = 'done', due_at_unix = NULL WHERE state IN ('held', 'due', 'claimed')";
        self.stack.change_rows(ended.to_owned()).await?;
        Ok(self.named)
    }

    /// Gives a name to a request.
    fn name(&mut self, name: &'static str, answer: &HttpAnswer) -> Result<()> {
        ensure!(answer.status.is_success(), "{name}: {answer:?}");
        self.named.insert(answer.header("x-request-id").to_owned(), name);
        Ok(())
    }

    /// Uploads until this many jobs of the channel are held. The first two are in the queue.
    async fn hold_jobs(&mut self) -> Result<Vec<TestJob>> {
        let mut jobs = Vec::new();
        for number in 0..HELD + 2 {
            let video = self.stack.small_video();
            let answer = self.large.upload(Form::new().file("file", "a.mp4", &video)).await?;
            self.name(if number < 2 { "in a channel with a past" } else { "held" }, &answer)?;
            let uploaded = answer.json()?;
            jobs.push(TestJob {
                channel: self.large.clone(),
                content_uuid: uploaded["content_uuid"].as_str().context("no content_uuid")?.to_owned(),
                content_id: uploaded["content_id"].as_u64().context("no content_id")?,
                generation: 1,
                origin: "origin-a".to_owned(),
            });
        }
        let held = "SELECT count(*) FROM jobs WHERE state = 'held' AND channel_id = ?1";
        let held = self.stack.count(held, self.large.account.channel_id)?;
        ensure!(held == HELD, "{held} jobs are held");
        Ok(jobs)
    }

    async fn jobs(&mut self, mut jobs: Vec<TestJob>) -> Result<()> {
        let (first, second, third) = (TestContent::of(jobs.remove(0))?, jobs.remove(0), jobs.remove(0));
        first.job.claim_granted().await?;
        first.job.progress(Stage::Transcode, 50).await?;
        first.job.report(first.outcome(&[Pass])).await?;
        third.claim_granted().await?;
        ensure!(third.release().await?, "not released");
        second.claim_granted().await?;
        second.report(JobOutcome::Failed { detail: "a reason".to_owned() }).await?;
        ensure!(second.requeue().await?.status == 200);
        let letters = self.operator(Method::GET, paths::DEAD_LETTERS, None).await?.json()?;
        let letter = letters["dead_letters"][0]["content_uuid"].clone();
        self.operator(Method::POST, paths::DEAD_LETTER_DROP, Some(json!({ "content_uuid": letter }))).await.map(drop)
    }

    /// Returns a finished content of a new channel.
    async fn fresh_content(&mut self, recommendation: contract::moderation::Recommendation) -> Result<TestContent> {
        let content = TestContent::upload(&self.stack, |form| form.text("caption", "A new video")).await?;
        content.finish(&[recommendation]).await?;
        content.store().await?;
        Ok(content)
    }

    /// A resumable upload in the channel with a past.
    async fn resumable(&mut self) -> Result<()> {
        let video = self.stack.small_video();
        let tus = |method, path: &str| self.stack.request(method, path).header("Tus-Resumable", "1.0.0");
        let mut locations = Vec::new();
        for _ in 0..2 {
            let request = tus(Method::POST, paths::RESUMABLE_UPLOADS).bearer_auth(&self.large.key);
            let created = send(request.header("Upload-Length", video.len())).await?;
            ensure!(created.status == 201, "{created:?}");
            locations.push(created.header("location").to_owned());
        }
        let patch = tus(Method::PATCH, &locations[0]).header("Upload-Offset", "0");
        let patch = patch.header("Content-Type", "application/offset+octet-stream").body(video);
        let requests = [patch, tus(Method::GET, &locations[0]), tus(Method::DELETE, &locations[1])];
        for request in requests {
            let answer = send(request).await?;
            ensure!(answer.status.is_success(), "{answer:?}");
        }
        Ok(())
    }

    /// Direct uploads into the channel with a past.
    async fn direct(&mut self) -> Result<()> {
        let by_owner = |method, path: &str| self.stack.request(method, path).bearer_auth(&self.large.key);
        let mut created = Vec::new();
        for _ in 0..2 {
            let answer = send(by_owner(Method::POST, paths::DIRECT_UPLOADS).json(&json!({}))).await?;
            ensure!(answer.status == 200, "{answer:?}");
            created.push(answer.json()?);
        }
        let by_user = |method, path: &str, created: &Value| {
            self.stack.request(method, path).bearer_auth(created["token"].as_str().unwrap_or_default())
        };
        let id = created[1]["direct_upload_id"].as_str().unwrap_or_default();
        let path = format!("{}/{id}", paths::DIRECT_UPLOADS);
        let form = Form::new().file("file", "a.mp4", &self.stack.small_video());
        let posted = by_user(Method::POST, paths::DIRECT_UPLOAD, &created[0]);
        let begun = by_user(Method::POST, paths::RESUMABLE_DIRECT_UPLOAD, &created[1]);
        let requests = [
            posted.header("Content-Type", Form::content_type()).body(form.body()),
            by_user(Method::GET, paths::DIRECT_UPLOAD, &created[0]),
            begun.header("Tus-Resumable", "1.0.0").header("Upload-Length", 5_000),
            by_owner(Method::GET, paths::DIRECT_UPLOADS),
            by_owner(Method::GET, &path),
            by_owner(Method::DELETE, &path),
        ];
        for request in requests {
            let answer = send(request).await?;
            ensure!(answer.status.is_success(), "{answer:?}");
        }
        Ok(())
    }

    /// Every list and status, with both keys.
    async fn readers(&mut self) -> Result<()> {
        let new = Channel::new(&self.stack).await?;
        let form = Form::new().file("file", "a.mp4", &self.stack.small_video());
        let answer = new.upload(form).await?;
        self.name("in a new channel", &answer)?;
        for (name, key) in [("with a past", self.large.key.clone()), ("without a past", new.key.clone())] {
            for path in [
                paths::CATEGORIES,
                paths::UPLOAD_LIMITS,
                paths::UPLOADS,
                paths::EVENTS,
                paths::WEBHOOKS,
                paths::FAILED_REQUESTS,
            ] {
                let answer = self.stack.get_with_key(path, &key).await?;
                self.name(name, &answer)?;
            }
            let week = now_unix() - 604_800;
            for query in [
                "state=published".to_owned(),
                "state=failed".to_owned(),
                "external_id=mine".to_owned(),
                format!("created_from_unix={week}"),
                format!("created_until_unix={week}"),
            ] {
                let answer = self.stack.get_with_key(&format!("{}?{query}", paths::UPLOADS), &key).await?;
                self.name("a filtered list", &answer)?;
            }
        }
        let first = self.stack.get_with_key(paths::UPLOADS, &self.large.key).await?.json()?;
        let cursor = first["next_cursor"].as_str().context("one page only")?;
        let answer = self.stack.get_with_key(&format!("{}?cursor={cursor}", paths::UPLOADS), &self.large.key).await?;
        self.name("the next page", &answer)
    }

    /// The status, and changes of a video that is published.
    async fn owners(&mut self, content: &TestContent) -> Result<()> {
        content.job.status().await?;
        let captions = Form::new().text("content_uuid", &content.job.content_uuid).text("language", "en");
        let captions = captions.file("captions_file", "a.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHello\n");
        self.owner_form(content, paths::UPDATE_CAPTIONS, captions).await?;
        let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
        picture.resize(1_000, 1);
        let picture =
            Form::new().text("content_uuid", &content.job.content_uuid).file("thumbnail_file", "a.png", &picture);
        self.owner_form(content, paths::UPDATE_THUMBNAIL, picture).await?;
        let removed = content.owner_request(paths::DELETE_CAPTIONS, json!({ "language": "en" })).await?;
        ensure!(removed.status == 200, "{removed:?}");
        let scheduled = now_unix() + 86_400;
        let add = |form: Form| form.text("scheduled_publish_at_unix", &scheduled.to_string());
        let later = TestContent::upload(&self.stack, add).await?;
        let body = json!({ "scheduled_publish_at_unix": scheduled + 60 });
        let moved = later.owner_request(paths::RESCHEDULE_CONTENT, body).await?;
        ensure!(moved.status == 200, "{moved:?}");
        let released = later.owner_request(paths::RELEASE_CONTENT, json!({})).await?;
        ensure!(released.status == 200, "{released:?}");
        Ok(())
    }

    async fn owner_form(&self, content: &TestContent, path: &str, form: Form) -> Result<()> {
        let request = self.stack.request(Method::POST, path).bearer_auth(&content.job.channel.key);
        let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(())
    }

    async fn owner_changes(&mut self, content: &TestContent) -> Result<()> {
        let changed = content.owner_request(paths::UPDATE_CONTENT, json!({ "caption": "another" })).await?;
        ensure!(changed.status == 200, "{changed:?}");
        let deleted = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
        ensure!(deleted.status == 200, "{deleted:?}");
        Ok(())
    }

    /// Public pages and files.
    async fn site(&mut self, content: &TestContent) -> Result<()> {
        for file in [MediaFile::Video, MediaFile::Poster, MediaFile::MasterPlaylist] {
            for method in [Method::GET, Method::OPTIONS] {
                let request = self.stack.request(method, &content.path(file)).header("Origin", "https://a.example");
                let answer = send(request.header("Access-Control-Request-Method", "GET")).await?;
                ensure!(answer.status.is_success(), "{answer:?}");
            }
        }
        let page = content.page();
        let html = self.stack.get(&page).await?;
        let html = String::from_utf8(html.bytes)?;
        let script =
            html.split("src=\"/scripts/").nth(1).and_then(|rest| rest.split('"').next()).context("no script")?;
        let front = send(self.stack.request(Method::GET, "/").header("Accept", "text/html")).await?;
        ensure!(front.status == 200, "{front:?}");
        for path in [
            content.embed(),
            content.oembed(),
            format!("{}{script}", paths::SCRIPTS),
            paths::ROBOTS.to_owned(),
            paths::SITEMAP.to_owned(),
            format!("{}1.xml", paths::SITEMAP_PARTS),
            paths::ICON.to_owned(),
            paths::OLD_ICON.to_owned(),
            paths::OPENAPI.to_owned(),
            paths::HEALTH.to_owned(),
            paths::DOCS.to_owned(),
            "/docs/console".to_owned(),
            "/docs/publish/upload".to_owned(),
            "/docs/errors/not_found".to_owned(),
            "/docs/reference/uploads/upload_video".to_owned(),
        ] {
            let answer = self.stack.get(&path).await?;
            ensure!(answer.status.as_u16() < 400, "{path}: {answer:?}");
        }
        let body = json!({ "page": self.stack.url(&page), "reason": "spam", "text": "a text" });
        let reported = send(self.stack.request(Method::POST, paths::REPORT_PAGE).json(&body)).await?;
        ensure!(reported.status == 200, "{reported:?}");
        let receipt = reported.json()?["receipt"].as_str().context("no receipt")?.to_owned();
        let asked = self.stack.get(&format!("{}?receipt={receipt}", paths::REPORT_PAGE)).await?;
        ensure!(asked.status == 200, "{asked:?}");
        let dismissed = content.decide(paths::MODERATION_DISMISS).await?;
        ensure!(dismissed.status == 200, "{dismissed:?}");
        Ok(())
    }

    async fn webhooks(&mut self) -> Result<()> {
        self.until_all_delivered().await?;
        let (account, uuid) = (self.large.account.clone(), json!(self.webhook));
        let list = format!("{}?limit=20&webhook_uuid={}", paths::WEBHOOK_DELIVERIES, self.webhook);
        let deliveries = account.get(&list).await?.json()?;
        let before = deliveries["next_before"].as_u64().context("one page only")?;
        self.name("the next page", &account.get(&format!("{list}&before={before}")).await?)?;
        for (name, selection) in [
            ("one", json!({ "event_id": deliveries["deliveries"][0]["event_id"] })),
            ("since the beginning of the tour", json!({ "since_unix": self.since })),
        ] {
            let mut body = selection;
            body["webhook_uuid"] = uuid.clone();
            let answer = account.post_json(paths::SEND_EVENTS_AGAIN, &body).await?;
            self.name(name, &answer)?;
        }
        account.get(paths::WEBHOOKS).await?;
        for is_active in [false, true] {
            let answer = account
                .post_json(paths::UPDATE_WEBHOOK, &json!({ "webhook_uuid": uuid, "is_active": is_active }))
                .await?;
            self.name("switched off or on", &answer)?;
        }
        let other = create_webhook(&account, &self.receiver).await?;
        for path in [paths::ROTATE_WEBHOOK_SECRET, paths::TEST_WEBHOOK, paths::DELETE_WEBHOOK] {
            let answer = account.post_json(path, &json!({ "webhook_uuid": other })).await?;
            ensure!(answer.status == 200, "{path}: {answer:?}");
        }
        Ok(())
    }

    /// Sweeps until no delivery of the channel is pending. `send_again` reads every pending delivery, so the number of
    /// rows would otherwise depend on timing.
    async fn until_all_delivered(&self) -> Result<()> {
        let pending = "SELECT count(*) FROM webhooks JOIN webhook_deliveries ON webhook_id = webhooks.id
             WHERE channel_id = ?1 AND webhook_deliveries.state = 'pending'";
        let look = async || {
            self.stack.sweep().await?;
            Ok((self.stack.count(pending, self.large.account.channel_id)? == 0).then_some(()))
        };
        until(DELIVERED, look, || "deliveries are pending".to_owned()).await
    }

    async fn keys(&mut self) -> Result<()> {
        let Channel { account, .. } = Channel::new(&self.stack).await?;
        account.get(paths::GET_API_KEY).await?;
        account.post(paths::GET_API_KEY).await?;
        let rotated = account.post(paths::ROTATE_API_KEY).await?.json()?;
        account.post(paths::DELETE_API_KEY).await?;
        let leaked = self.stack.request(Method::POST, paths::REPORT_LEAKED_KEY);
        let leaked = send(leaked.json(&json!({ "api_key": rotated["api_key"] }))).await?;
        ensure!(leaked.status == 200, "{leaked:?}");
        let rotated = self.large.account.post(paths::GET_API_KEY).await?;
        self.name("with a past", &rotated)?;
        let categories = json!({ "categories": [{ "id": 1, "name": "a" }] });
        let set = send(self.stack.service_request(Method::PUT, paths::SERVICE_CATEGORIES).json(&categories)).await?;
        ensure!(set.status == 200, "{set:?}");
        let ended = self.stack.service_request(Method::DELETE, paths::SESSIONS);
        let ended = send(ended.json(&json!({ "session_cookie": account.cookie }))).await?;
        ensure!(ended.status == 200, "{ended:?}");
        Ok(())
    }

    async fn moderation(&mut self) -> Result<()> {
        let approved = self.fresh_content(Review).await?;
        self.operator(Method::GET, paths::MODERATION_QUEUE, None).await?;
        let found = format!("{}?slug={}", paths::MODERATION_CONTENTS, approved.slug_url);
        let found = self.operator(Method::GET, &found, None).await?.json()?;
        let video = found["contents"][0]["video_url"].as_str().and_then(|url| Some(&url[url.find("/internal")?..]));
        let video = self.stack.get(video.context("no video")?).await?;
        ensure!(video.status == 200, "{video:?}");
        self.search(&approved).await?;
        ensure!(approved.decide(paths::MODERATION_APPROVE).await?.status == 200);
        let rejected = self.fresh_content(Review).await?;
        self.operator(Method::POST, paths::MODERATION_CLAIM, Some(rejected.named())).await?;
        self.operator(Method::POST, paths::MODERATION_RELEASE_CLAIM, Some(rejected.named())).await?;
        for path in [paths::MODERATION_REJECT, paths::MODERATION_RESTORE, paths::MODERATION_TAKE_DOWN] {
            let answer = rejected.decide(path).await?;
            ensure!(answer.status == 200, "{path}: {answer:?}");
        }
        let label = json!({ "content_uuid": approved.job.content_uuid, "reason": "blood", "is_sensitive": true });
        self.operator(Method::POST, paths::MODERATION_LABEL, Some(label)).await?;
        let appealed = rejected.owner_request(paths::APPEAL_CONTENT, json!({ "text": "It is art." })).await?;
        ensure!(appealed.status == 200, "{appealed:?}");
        self.operator(Method::GET, paths::MODERATION_APPEALS, None).await?;
        let case = format!("{}?content_uuid={}", paths::MODERATION_CASE, rejected.job.content_uuid);
        self.operator(Method::GET, &case, None).await?;
        let matches = format!("{}?content_uuid={}", paths::MODERATION_MATCHES, rejected.job.content_uuid);
        self.operator(Method::GET, &matches, None).await?;
        let frame = format!("{}?content_uuid={}&at_ms=0", paths::MODERATION_FRAME, rejected.job.content_uuid);
        self.operator(Method::GET, &frame, None).await?;
        self.operator(Method::GET, paths::MODERATION_GROUPS, None).await?;
        ensure!(rejected.decide(paths::MODERATION_REJECT_APPEAL).await?.status == 200);
        self.desk().await?;
        for path in [
            paths::MODERATION_FLAGGED,
            paths::MODERATION_EVIDENCE,
            paths::MODERATION_DECISIONS,
            paths::MODERATION_STATISTICS,
            paths::MODERATION_HASHES,
        ] {
            self.operator(Method::GET, path, None).await?;
        }
        let about = format!("{}?content_uuid={}", paths::MODERATION_DECISIONS, approved.job.content_uuid);
        self.operator_list(&about, "about a video").await?;
        self.operator(Method::GET, paths::MODERATION_HASH_EXPORT, None).await?;
        let hash = format!("{:064x}", self.stack.unique() + 0x5ca1_ab1e);
        let import = json!({ "hashes": [hash], "reason": "a reason" });
        self.operator(Method::POST, paths::MODERATION_HASH_IMPORT, Some(import)).await?;
        let change = json!({ "hash": hash, "reason": "a reason" });
        self.operator(Method::POST, paths::MODERATION_HASHES, Some(change.clone())).await?;
        self.operator(Method::DELETE, paths::MODERATION_HASHES, Some(change)).await.map(drop)
    }

    /// A moderator signs in at the desk and out again, and an operator words the policies.
    async fn desk(&mut self) -> Result<()> {
        let policies = self.operator(Method::GET, paths::MODERATION_POLICIES, None).await?.json()?;
        let policies = json!({ "policies": policies["policies"] });
        self.operator(Method::PUT, paths::MODERATION_POLICIES, Some(policies)).await?;
        let token = json!({ "name": "Ada", "roles": ["look"], "ttl_seconds": 3_600 });
        let token = self.operator(Method::POST, paths::TOKENS, Some(token)).await?.json()?;
        let token = token["token"].as_str().context("no token")?;
        self.stack.remember_secret(token);
        for (method, path) in [
            (Method::POST, paths::DESK_SIGN_IN),
            (Method::GET, paths::DESK_ACCOUNT),
            (Method::POST, paths::DESK_SIGN_OUT),
            (Method::GET, paths::DESK),
            (Method::GET, "/desk/decisions"),
        ] {
            let request = self.stack.request(method.clone(), path).bearer_auth(token);
            let request = if method == Method::POST { request.json(&json!({})) } else { request };
            let answer = send(request).await?;
            ensure!(answer.status == 200, "{path}: {answer:?}");
        }
        Ok(())
    }

    /// Requests two pages of a moderator's search for the large channel, and a search for one video.
    async fn search(&mut self, content: &TestContent) -> Result<()> {
        let channel = format!("{}?channel={}", paths::MODERATION_CONTENTS, self.large.account.channel_id);
        let first = self.operator(Method::GET, &channel, None).await?;
        self.name("of a channel with a past", &first)?;
        let cursor = first.json()?["next_cursor"].as_str().context("one page only")?.to_owned();
        let next = self.operator(Method::GET, &format!("{channel}&cursor={cursor}"), None).await?;
        self.name("the next page", &next)?;
        let name = format!("{}?media_name={}", paths::MODERATION_CONTENTS, content.media_name);
        self.operator(Method::GET, &name, None).await?;
        for of in ["sha256", "blocked_hash"] {
            let search = format!("{}?{of}={}", paths::MODERATION_CONTENTS, "0f".repeat(32));
            self.operator_list(&search, of).await?;
        }
        for of in ["actor=operator", "subject=channel:1"] {
            self.operator_list(&format!("{}?{of}", paths::TRAIL), of).await?;
        }
        Ok(())
    }

    async fn channels(&mut self) -> Result<()> {
        let body = || Some(json!({ "channel_id": self.large.account.channel_id, "reason": "a reason" }));
        for path in [paths::MODERATION_SUSPEND, paths::MODERATION_LIFT_SUSPENSION, paths::MODERATION_TAKE_DOWN_CHANNEL]
        {
            self.operator(Method::POST, path, body()).await?;
        }
        let export = format!("{}?account_id={}", paths::EXPORT_ACCOUNT, self.large.account.id);
        self.operator(Method::GET, &export, None).await?;
        let erased = self.fresh_content(Pass).await?;
        let erase = json!({ "account_id": erased.job.channel.account.id, "reason": "a reason" });
        self.operator(Method::POST, paths::ERASE_ACCOUNT, Some(erase)).await.map(drop)
    }

    async fn operation(&mut self) -> Result<()> {
        for path in [paths::METRICS, paths::SERVICE_HEALTH, paths::TRAIL, paths::TRAIL_EXPORT, paths::TOKENS] {
            self.operator(Method::GET, path, None).await?;
        }
        let fsck = self.operator(Method::POST, paths::FSCK, Some(json!({ "mend": false }))).await?.json()?;
        let next = json!({ "mend": false, "cursor": fsck["next_cursor"] });
        self.operator(Method::POST, paths::FSCK, Some(next)).await?;
        let token = json!({ "name": "a person", "roles": ["look"], "ttl_seconds": 3_600 });
        let token = self.operator(Method::POST, paths::TOKENS, Some(token)).await?.json()?;
        self.stack.remember_secret(token["token"].as_str().unwrap_or_default());
        self.operator(Method::DELETE, paths::TOKENS, Some(json!({ "token_id": token["token_id"] }))).await?;
        self.operator(Method::GET, paths::ORIGIN_KEYS, None).await?;
        let key = self.stack.new_origin_key("origin-of-the-tour").await?;
        let key_id: u64 = key.split('_').nth(1).context("not a key")?.parse()?;
        self.operator(Method::DELETE, paths::ORIGIN_KEYS, Some(json!({ "key_id": key_id }))).await.map(drop)
    }

    /// Reads a list with the admin token, under a name.
    async fn operator_list(&mut self, path: &str, name: &'static str) -> Result<()> {
        let answer = self.operator(Method::GET, path, None).await?;
        self.name(name, &answer)
    }

    /// Sends a request with the admin token.
    async fn operator(&self, method: Method, path: &str, body: Option<Value>) -> Result<HttpAnswer> {
        let mut request = moderator_request(&self.stack, method, path);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = send(request).await?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(answer)
    }
}

/// Creates a webhook and returns its uuid.
async fn create_webhook(account: &TestAccount, receiver: &WebhookReceiver) -> Result<String> {
    let created = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": receiver.url })).await?;
    let uuid = created.json()?["webhook"]["webhook_uuid"].as_str().map(str::to_owned);
    uuid.with_context(|| format!("not created: {}", created.status))
}
