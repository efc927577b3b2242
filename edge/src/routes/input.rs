//! What handlers take from a request: who is asking, and a small JSON body.

use crate::api_key::ApiKey;
use crate::bindings::App;
use crate::bindings::key_rate::PERIOD_SECONDS;
use crate::delivery::access::Asker;
use crate::error::ApiError;
use crate::hash::{KeyedHash, secrets_match};
use crate::jobs::Heard;
use crate::key_store::{self, KeyUse};
use crate::origin_signature::Asked;
use crate::same_origin::RequestHeaders;
use crate::session::{Session, SessionToken};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderName, ORIGIN};
use axum::http::{HeaderMap, Request};
use contract::ErrorCode;
use contract::job::MAX_JOB_BODY_BYTES;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest list of categories stays below this, and nothing else comes near it.
const BODY_LIMIT: usize = 256 * 1024;
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A header's value, when it came exactly once and is text.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

/// The headers that tell a page of the site from others. One that cannot be read counts as foreign.
pub fn origin_headers(headers: &HeaderMap) -> RequestHeaders<'_> {
    let read = |name| {
        headers
            .contains_key(name)
            .then(|| single(headers, name).unwrap_or(""))
    };
    RequestHeaders {
        sec_fetch_site: read(&SEC_FETCH_SITE),
        origin: read(&ORIGIN),
        content_type: read(&CONTENT_TYPE),
    }
}

/// The session of the request's cookie, or 401 `session_required`.
pub async fn session(app: &App, headers: &HeaderMap) -> Result<Session, ApiError> {
    let required = || ApiError::new(ErrorCode::SessionRequired);
    let cookies = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let token = cookies
        .into_iter()
        .find_map(SessionToken::from_cookies)
        .ok_or_else(required)?;
    let session = app.sessions()?.find(&token).await?.ok_or_else(required)?;
    session
        .is_alive(app.now_unix())
        .then_some(session)
        .ok_or_else(required)
}

/// The request's well-formed API key as the stores know it, or 401 `api_key_invalid`, at the cost of no query; 429
/// `rate_limited` for a living key that asks too often.
pub async fn asking_key(app: &App, headers: &HeaderMap) -> Result<KeyedHash, ApiError> {
    let key = bearer(headers).and_then(ApiKey::parse);
    let key = key.ok_or_else(key_invalid)?.hash(app.pepper());
    if app.may_ask(&key).await {
        return Ok(key);
    }
    require_alive(app, &key).await?;
    Err(ApiError::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS))
}

/// A key that is not alive hears that and nothing else, however busy it is here. Only reads, and counts as no use.
pub async fn require_alive(app: &App, key: &KeyedHash) -> Result<(), ApiError> {
    let is_alive = key_store::is_alive(&app.database()?, key).await?;
    is_alive.then_some(()).ok_or_else(key_invalid)
}

/// The channel of the request's API key, its use counted, or 401 `api_key_invalid`: one and the same answer
/// whether the key is missing, malformed, unknown or deleted.
pub async fn key_use(app: &App, headers: &HeaderMap) -> Result<KeyUse, ApiError> {
    use_key(app, &asking_key(app, headers).await?).await
}

/// The same for a key that was found to ask.
pub async fn use_key(app: &App, key: &KeyedHash) -> Result<KeyUse, ApiError> {
    let found = key_store::use_key(&app.database()?, key, app.now_unix()).await?;
    found.ok_or_else(key_invalid)
}

pub fn key_invalid() -> ApiError {
    ApiError::new(ErrorCode::ApiKeyInvalid)
}

/// Lets only the site's back end pass, or 401 `service_token_invalid`.
pub fn require_service_token(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    require_token(
        app,
        headers,
        "SERVICE_TOKEN",
        ErrorCode::ServiceTokenInvalid,
    )
}

/// Lets only the media team pass, or 401 `admin_token_invalid`.
pub fn require_admin_token(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    require_token(app, headers, "ADMIN_TOKEN", ErrorCode::AdminTokenInvalid)
}

fn require_token(
    app: &App,
    headers: &HeaderMap,
    name: &'static str,
    otherwise: ErrorCode,
) -> Result<(), ApiError> {
    let expected = app.strong_secret(name)?;
    let sent = bearer(headers).unwrap_or_default();
    secrets_match(sent, &expected)
        .then_some(())
        .ok_or_else(|| ApiError::new(otherwise))
}

/// Who looks at what is not public: a living key's channel, a signed-in one, a moderator; anybody, whatever is wrong.
pub async fn asker(app: &App, headers: &HeaderMap) -> Result<Asker, ApiError> {
    if require_admin_token(app, headers).is_ok() {
        return Ok(Asker::Moderator);
    }
    let channel = if headers.contains_key(AUTHORIZATION) {
        key_use(app, headers).await.map(|owner| owner.channel_id)
    } else {
        session(app, headers).await.map(|owner| owner.channel_id)
    };
    match channel {
        Ok(channel_id) => Ok(Asker::Channel(channel_id)),
        Err(error)
            if error.code != ErrorCode::ApiKeyInvalid
                && error.code != ErrorCode::SessionRequired =>
        {
            Err(error)
        }
        Err(_) => Ok(Asker::Anybody),
    }
}

/// The body of a request that an origin signed, and when, or 401 `signature_invalid`: one and the same answer whatever
/// is wrong with the signature. What is signed and cannot be read is 400 `request_malformed`.
pub async fn signed_json<T: DeserializeOwned>(
    app: &App,
    request: Request<Body>,
) -> Result<(T, Heard), ApiError> {
    let refused = || ApiError::new(ErrorCode::SignatureInvalid);
    let secrets = app.origin_secrets()?;
    let (parts, body) = request.into_parts();
    // A body that is too large to be read is too large to be verified.
    let body = to_bytes(body, MAX_JOB_BODY_BYTES).await;
    let body = body.map_err(|_| refused())?;
    let asked = Asked {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        body: &body,
    };
    let now_unix = app.now_unix();
    let signed_at_unix = secrets.verify(asked, &parts.headers, now_unix);
    let heard = Heard {
        now_unix,
        signed_at_unix: signed_at_unix.ok_or_else(refused)?,
    };
    // By way of a value, as everywhere: reading each type from bytes as well makes the Worker a good deal larger.
    let value = serde_json::from_slice(&body);
    let read = value.and_then(|value: Value| T::deserialize(&value));
    let misfit = |error| ApiError::malformed(format!("The body does not fit: {error}."));
    Ok((read.map_err(misfit)?, heard))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = single(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The body as what an endpoint expects, or 400 `request_malformed`. A member that comes twice is refused: two readers
/// could take different ones.
pub async fn read_json<T: DeserializeOwned>(request: Request<Body>) -> Result<T, ApiError> {
    let body = json_object(request).await?;
    serde_json::from_slice(&body)
        .map_err(|error| ApiError::malformed(format!("The body does not fit: {error}.")))
}

/// The body, which is a JSON object and nothing after it; an empty body is an empty object. 400 `request_malformed`
/// for anything else.
pub async fn json_object(request: Request<Body>) -> Result<Bytes, ApiError> {
    let bytes = to_bytes(request.into_body(), BODY_LIMIT).await;
    let bytes = bytes.map_err(|_| {
        ApiError::malformed("The body is larger than 256 KiB or did not arrive whole.")
    })?;
    if bytes.trim_ascii().is_empty() {
        return Ok(Bytes::from_static(b"{}"));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(_)) => Ok(bytes),
        Ok(_) => Err(ApiError::malformed(
            "The body is JSON, but not an object. Send an object.",
        )),
        Err(error) => Err(ApiError::malformed(format!(
            "The body is not JSON: {error}."
        ))),
    }
}
