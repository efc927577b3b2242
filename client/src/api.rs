//! The requests of the API, one method each.

use crate::answers::{EventsPage, Status, StatusPage, UploadAnswer};
use crate::captions;
use crate::connection::{Answer, ClientOptions, Failure, RetryNotice, failed, http_client, read, send, with_retries};
use crate::error::ClientError;
use crate::fields::{UploadFields, check_picture};
use crate::file::{BodyProblem, JudgedFile, VerifiedBody};
use crate::service::{ApiKey, ServiceUrl};
use contract::api::{AppealContent, Categories, DeleteContent, ReleaseContent, UpdateContent, UploadLimits};
use contract::limits::MAX_THUMBNAIL_BYTES;
use contract::{FormField, paths};
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Client as HttpClient, Method, RequestBuilder};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Calls the service with one API key. Every method retries temporary failures.
#[derive(Clone, Debug)]
pub struct Client {
    http: HttpClient,
    service: ServiceUrl,
    key: ApiKey,
    options: ClientOptions,
}

/// A filter for the list of videos, and the page to return.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    pub state: Option<String>,
    pub external_id: Option<String>,
    pub cursor: Option<String>,
}

/// A new status, or the fact that it has not changed.
#[derive(Clone, Debug)]
pub enum StatusChange {
    Unchanged,
    Changed { status: Box<Status>, entity_tag: Option<String> },
}

impl Client {
    pub fn new(service: ServiceUrl, key: ApiKey, options: ClientOptions) -> Result<Self, ClientError> {
        Ok(Self { http: http_client()?, service, key, options })
    }

    /// Returns a client that calls `on_retry` before each retry.
    #[must_use]
    pub fn with_notices(&self, on_retry: Arc<dyn Fn(&RetryNotice) + Send + Sync>) -> Self {
        let mut client = self.clone();
        client.options.on_retry = on_retry;
        client
    }

    pub fn service(&self) -> &ServiceUrl {
        &self.service
    }

    pub fn key(&self) -> &ApiKey {
        &self.key
    }

    /// Returns today's remaining quota and the upload limits.
    pub async fn upload_limits(&self) -> Result<UploadLimits, ClientError> {
        self.get(paths::UPLOAD_LIMITS, &[]).await
    }

    pub async fn categories(&self) -> Result<Categories, ClientError> {
        self.get(paths::CATEGORIES, &[]).await
    }

    pub async fn upload_status(&self, content_uuid: &str) -> Result<Status, ClientError> {
        self.get(paths::UPLOAD_STATUS, &[("content_uuid", content_uuid)]).await
    }

    /// Returns the status unless it still has this entity tag.
    pub async fn changed_status(&self, content_uuid: &str, known: Option<&str>) -> Result<StatusChange, ClientError> {
        let query = [("content_uuid", content_uuid)];
        let answer = self.retry(|| {
            let request = self.request(Method::GET, paths::UPLOAD_STATUS, &query);
            match known {
                Some(tag) => request.header("If-None-Match", tag),
                None => request,
            }
        });
        let Answer { body, entity_tag, is_unchanged } = answer.await?;
        if is_unchanged {
            return Ok(StatusChange::Unchanged);
        }
        Ok(StatusChange::Changed { status: Box::new(parse(body)?), entity_tag })
    }

    /// Returns a page of the uploads, the newest first.
    pub async fn uploads(&self, filter: &ListFilter) -> Result<StatusPage, ClientError> {
        let members = [("state", &filter.state), ("external_id", &filter.external_id), ("cursor", &filter.cursor)];
        let query: Vec<(&str, &str)> =
            members.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect();
        self.get(paths::UPLOADS, &query).await
    }

    /// Returns the events after a sequence number, of all videos or of one.
    pub async fn events(&self, after: u64, content_uuid: Option<&str>) -> Result<EventsPage, ClientError> {
        let after = after.to_string();
        let mut query = vec![("after", after.as_str())];
        query.extend(content_uuid.map(|uuid| ("content_uuid", uuid)));
        self.get(paths::EVENTS, &query).await
    }

    /// Deletes a video. Deleting it again succeeds.
    pub async fn delete_content(&self, content_uuid: &str) -> Result<(), ClientError> {
        let body = DeleteContent { content_uuid: content_uuid.to_owned() };
        self.retry(|| self.request(Method::POST, paths::DELETE_CONTENT, &[]).json(&body)).await.map(drop)
    }

    /// Releases a video: it is published once it is approved and its time has come. Releasing it again succeeds.
    pub async fn release_content(&self, content_uuid: &str) -> Result<(), ClientError> {
        let body = ReleaseContent { content_uuid: content_uuid.to_owned() };
        self.retry(|| self.request(Method::POST, paths::RELEASE_CONTENT, &[]).json(&body)).await.map(drop)
    }

    /// Appeals against the rejection or removal of a video. Sending the same text again succeeds.
    pub async fn appeal_content(&self, content_uuid: &str, text: &str) -> Result<(), ClientError> {
        let body = AppealContent { content_uuid: content_uuid.to_owned(), text: text.to_owned() };
        self.retry(|| self.request(Method::POST, paths::APPEAL_CONTENT, &[]).json(&body)).await.map(drop)
    }

    /// Changes the named fields of a video, all or none.
    pub async fn update_content(&self, update: &UpdateContent) -> Result<(), ClientError> {
        self.retry(|| self.request(Method::POST, paths::UPDATE_CONTENT, &[]).json(update)).await.map(drop)
    }

    /// Makes a picture the thumbnail of a video. Sending the same picture again changes nothing.
    pub async fn update_thumbnail(&self, content_uuid: &str, picture: &[u8]) -> Result<(), ClientError> {
        check_picture(picture, MAX_THUMBNAIL_BYTES)?;
        let form = || {
            let form = Form::new().text("content_uuid", content_uuid.to_owned());
            form.part(FormField::ThumbnailFile.name(), picture_part(picture))
        };
        self.retry(|| self.request(Method::POST, paths::UPDATE_THUMBNAIL, &[]).multipart(form())).await.map(drop)
    }

    /// Sends captions of one language for a video. Sending the same file again changes nothing.
    pub async fn update_captions(&self, content_uuid: &str, language: &str, file: &[u8]) -> Result<(), ClientError> {
        let form = || {
            let form = Form::new().text("content_uuid", content_uuid.to_owned()).text("language", language.to_owned());
            form.part(FormField::CaptionsFile.name(), Part::bytes(file.to_vec()).file_name("captions"))
        };
        self.retry(|| self.request(Method::POST, paths::UPDATE_CAPTIONS, &[]).multipart(form())).await.map(drop)
    }

    /// Uploads a file with this token, with retries. Use [`crate::upload_once`], which stores the token.
    ///
    /// `progress` is called with the number of bytes of the file that this attempt has sent.
    pub(crate) async fn upload_video(
        &self,
        file: &JudgedFile,
        fields: &UploadFields,
        token: &str,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<UploadAnswer, ClientError> {
        let answer = with_retries(&self.options, async || self.upload_attempt(file, fields, token, progress).await);
        parse(answer.await?.body)
    }

    async fn upload_attempt(
        &self,
        file: &JudgedFile,
        fields: &UploadFields,
        token: &str,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Answer, Failure> {
        let body = VerifiedBody::open(file).await.map_err(|error| Failure::Final(error.into()))?;
        let (sent, problem) = (body.sent(), body.problem());
        let form = form(fields, token).part(FormField::File.name(), file_part(body));
        let request = self.request(Method::POST, paths::UPLOAD_VIDEO, &[]).multipart(form);
        let exchange = async {
            let response = request.send().await.map_err(|error| failed(&error))?;
            read(response).await
        };
        self.watched(exchange, &sent, &problem, progress).await
    }

    /// Runs an exchange that sends a body, until it stalls. If the file could not be read, reports that and not the
    /// broken connection that followed from it.
    pub(crate) async fn watched<T>(
        &self,
        exchange: impl Future<Output = Result<T, Failure>>,
        sent: &AtomicU64,
        problem: &BodyProblem,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<T, Failure> {
        let outcome = tokio::select! {
            outcome = exchange => outcome,
            stalled = self.watch(sent, progress) => Err(stalled),
        };
        match problem.take() {
            Some(problem) if outcome.is_err() => Err(Failure::Final(problem.into())),
            _ => outcome,
        }
    }

    /// Reports progress until the upload stalls.
    async fn watch(&self, sent: &AtomicU64, progress: &(dyn Fn(u64) + Send + Sync)) -> Failure {
        const INTERVAL: Duration = Duration::from_millis(100);
        let (mut before, mut moved_at) = (0, Instant::now());
        loop {
            let now = sent.load(Ordering::Relaxed);
            if now != before {
                (before, moved_at) = (now, Instant::now());
            }
            progress(now);
            let stalled = self.options.stall_timeout;
            if moved_at.elapsed() > stalled {
                return Failure::unanswered(format!("nothing has moved for {} s", stalled.as_secs()));
            }
            sleep(INTERVAL).await;
        }
    }

    pub(crate) fn http(&self) -> &HttpClient {
        &self.http
    }

    pub(crate) fn options(&self) -> &ClientOptions {
        &self.options
    }

    pub(crate) fn request(&self, method: Method, path: &str, query: &[(&str, &str)]) -> RequestBuilder {
        self.http.request(method, self.service.join(path, query)).bearer_auth(self.key.expose())
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, ClientError> {
        parse(self.retry(|| self.request(Method::GET, path, query)).await?.body)
    }

    async fn retry(&self, request: impl Fn() -> RequestBuilder) -> Result<Answer, ClientError> {
        with_retries(&self.options, async || send(request(), self.options.stall_timeout).await).await
    }
}

/// Reads the body of a success. It has the required members in every version of the service.
pub(crate) fn parse<T: DeserializeOwned>(body: serde_json::Value) -> Result<T, ClientError> {
    serde_json::from_value(body).map_err(|_| ClientError::ForeignAnswer { status: 200 })
}

/// Returns the file's form part. The part name is fixed: the service identifies a video by its bytes, and a local file
/// name is private.
fn file_part(body: VerifiedBody) -> Part {
    let length = body.length();
    Part::stream_with_length(Body::wrap_stream(body.into_stream()), length).file_name("video")
}

/// Returns the form without its file. The token comes first, so that the service recognises a retry before it stores
/// anything.
fn form(fields: &UploadFields, token: &str) -> Form {
    let mut form = Form::new().text(FormField::UploadToken.name(), token.to_owned());
    for (name, text) in fields.form_texts() {
        form = form.text(name, text);
    }
    if let Some(picture) = &fields.thumbnail {
        form = form.part(FormField::ThumbnailFile.name(), picture_part(picture));
    }
    for (language, file) in &fields.captions {
        form = form.part(captions::field(language), Part::bytes(file.clone()).file_name("captions"));
    }
    form
}

/// Returns a picture's form part. As for the video, the local file name is not sent.
fn picture_part(picture: &[u8]) -> Part {
    Part::bytes(picture.to_vec()).file_name("thumbnail")
}
