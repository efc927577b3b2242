//! Whoever knows the secret address of a resumable upload.
//!
//! A location that has another form, is unknown or has ended always gets the same answer: 404 `upload_not_found`.

use super::{Caller, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::cross_origin::origin_of;
use crate::http::query::require_known;
use crate::platform::cloudflare::rate_limit::RateLimit;
use crate::uploads::resumable::{Location, allowed_page};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use contract::ErrorCode;
use contract::api::PresentedCredential;
use worker::send::SendFuture;

/// The holder of a well-formed location. The upload may still be unknown.
pub(crate) struct LocationHolder {
    pub location: Location,
    pub method: Method,
}

impl Caller for LocationHolder {
    const REQUIRES: Requirement = Requirement::Nothing;
}

impl FromRequestParts<()> for LocationHolder {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async {
            let app = App::of(parts)?;
            let text = parts.uri.path().rsplit('/').next().and_then(Location::parse);
            let location = text.ok_or_else(|| Refusal::new(ErrorCode::UploadNotFound))?;
            if !app.count(RateLimit::Key, &location.sha256()).await {
                return Err(Refusal::burst_exceeded());
            }
            allow_page(&app, &location, &parts.headers).await?;
            require_known(app.unknown_fields(), &parts.uri, &[])?;
            Ok(Self { location, method: parts.method.clone() })
        })
        .await
    }
}

/// Lets the page that began the upload with a one-time token read the response. A page of another origin is refused.
/// Programs cost no query.
async fn allow_page(app: &App, location: &Location, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(origin) = origin_of(headers) else { return Ok(()) };
    let Some(page) = allowed_page(&app.database()?, location).await? else { return Ok(()) };
    app.known_caller().note(page.channel_id, PresentedCredential::DirectUploadToken);
    app.cross_origin().allow(&page.origin);
    if page.origin == origin { Ok(()) } else { Err(Refusal::new(ErrorCode::DirectUploadOriginForbidden)) }
}
