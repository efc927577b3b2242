//! Routes that accept a small file in a form: the caller, the body and the response.

use crate::base::ids::ChannelId;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{PresentedOwner, UnreadRequest};
use crate::http::form_headers::FormHeaders;
use crate::http::linger::UnreadBody;
use crate::http::query::require_known;
use crate::platform::error::PlatformError;
use crate::platform::isolate::Quota;
use crate::uploads::small_form::SmallFormRequest;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::{HeaderMap, Response, Uri};
use axum::response::IntoResponse;
use contract::ErrorCode;
use contract::api::UploadStatus;
use futures_util::StreamExt;
use futures_util::stream::LocalBoxStream;

/// A request of an owner whose body is not read yet.
pub(super) struct FormRequest<'a> {
    pub app: &'a App,
    pub owner: &'a PresentedOwner,
    pub channel_id: ChannelId,
    pub headers: &'a HeaderMap,
    pub uri: &'a Uri,
    pub body: &'a mut BodyDataStream,
}

impl FormRequest<'_> {
    /// Returns the properties of the form, or a refusal if the headers and the address alone show that it cannot be
    /// accepted.
    pub(super) fn small<'m>(&self, memory: &'m Quota) -> Result<SmallFormRequest<'m>, Refusal> {
        let (app, unknown_fields) = (self.app, self.app.unknown_fields().clone());
        require_known(&unknown_fields, self.uri, &[])?;
        let FormHeaders { boundary, content_length } = FormHeaders::read(self.headers)?;
        Ok(SmallFormRequest { boundary, content_length, pace: app.settings().upload_pace, unknown_fields, memory })
    }

    /// Returns the body. All forms share one type of body, so that its reader is compiled only once.
    pub(super) fn body(&mut self) -> LocalBoxStream<'_, Result<Bytes, PlatformError>> {
        self.body.map(|chunk| chunk.map_err(|error| PlatformError::Failed(error.to_string()))).boxed_local()
    }
}

/// Counts a use of the key, makes the update, and answers with the status of the video.
pub(super) async fn answer_form(
    app: App,
    request: UnreadRequest<PresentedOwner>,
    update: impl AsyncFnOnce(FormRequest<'_>) -> Result<UploadStatus, Refusal>,
) -> Response<Body> {
    let UnreadRequest { caller: presented, uri, headers, mut body } = request;
    let owner = match presented.identify(&app).await {
        Ok(owner) => owner,
        Err(refusal) => return UnreadBody::attach(refusal, body),
    };
    let channel_id = owner.0.channel_id;
    let form = FormRequest { app: &app, owner: &presented, channel_id, headers: &headers, uri: &uri, body: &mut body };
    match update(form).await {
        Ok(status) => owner.answer(&app, status).into_response(),
        Err(refusal) if matches!(refusal.code, ErrorCode::ApiKeyInvalid | ErrorCode::SessionRequired) => {
            UnreadBody::attach(refusal, body)
        }
        Err(refusal) => UnreadBody::attach(refusal.with_usage(owner.0.usage, app.now()), body),
    }
}
