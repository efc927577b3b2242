//! HTTP: sends a request, reads its response, and retries temporary failures.
//!
//! Every request to the service goes through this file, and each is idempotent: uploads carry a token, and other
//! changes state the result rather than a step towards it.

use crate::backoff::{RETRYABLE, pause};
use crate::error::ClientError;
use crate::refusal::{FailureBody, Refusal};
use contract::parse_retry_after;
use native::{install_crypto_provider, random_fraction, with_causes};
use reqwest::{Client as HttpClient, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Pages of the list are the longest responses, with about a megabyte.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// The local runtime and many proxies close idle connections after some seconds. A request that is sent at that moment
/// fails.
const MAX_IDLE: Duration = Duration::from_secs(5);

/// The limits on a client's retries.
#[derive(Clone)]
pub struct ClientOptions {
    /// The maximum total time to spend waiting between retries.
    pub patience: Duration,
    /// A connection without progress for this long is dropped, and the request retried.
    pub stall_timeout: Duration,
    /// Called before each retry.
    pub on_retry: Arc<dyn Fn(&RetryNotice) + Send + Sync>,
}

/// A failed attempt, and the pause before the next one.
#[derive(Clone, Debug)]
pub struct RetryNotice {
    pub reason: String,
    /// The code of the refusal, if the service refused the attempt.
    pub code: Option<String>,
    pub pause: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self { patience: Duration::from_mins(5), stall_timeout: Duration::from_mins(1), on_retry: Arc::new(|_| {}) }
    }
}

impl fmt::Debug for ClientOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientOptions").field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// A successful response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub body: Value,
    pub entity_tag: Option<String>,
    /// Whether the status is 304: nothing has changed, and there is no body.
    pub is_unchanged: bool,
}

/// The failure of one attempt.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Worth another attempt.
    Temporary(ClientError),
    Final(ClientError),
}

impl Failure {
    pub(crate) fn unanswered(reason: impl Into<String>) -> Self {
        Self::Temporary(ClientError::Unanswered { reason: reason.into() })
    }
}

/// Returns the HTTP client that all requests share.
pub(crate) fn http_client() -> Result<HttpClient, ClientError> {
    install_crypto_provider();
    let client = HttpClient::builder()
        .user_agent(concat!("clipgate/", env!("CARGO_PKG_VERSION")))
        // A redirect could send the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(MAX_IDLE);
    client.build().map_err(|error| ClientError::Setup(with_causes(&error)))
}

/// Makes attempts until one succeeds, one fails for good, or the time for retries is used up.
pub(crate) async fn with_retries<T>(
    options: &ClientOptions,
    attempt: impl AsyncFn() -> Result<T, Failure>,
) -> Result<T, ClientError> {
    repeat(options, attempt, tokio::time::sleep).await
}

async fn repeat<T>(
    options: &ClientOptions,
    attempt: impl AsyncFn() -> Result<T, Failure>,
    sleep: impl AsyncFn(Duration),
) -> Result<T, ClientError> {
    let (mut failures, mut waited) = (0, Duration::ZERO);
    loop {
        let error = match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(Failure::Final(error)) => return Err(error),
            Err(Failure::Temporary(error)) => error,
        };
        failures += 1;
        let requested = error.refusal().and_then(|refusal| refusal.retry_after);
        let pause = pause(failures, requested, random_fraction());
        waited += pause;
        if waited > options.patience {
            return Err(error);
        }
        let code = error.refusal().map(|refusal| refusal.code.clone());
        (options.on_retry)(&RetryNotice { reason: error.to_string(), code, pause });
        sleep(pause).await;
    }
}

/// Sends a small request once.
pub(crate) async fn send(request: RequestBuilder, timeout: Duration) -> Result<Answer, Failure> {
    let response = request.timeout(timeout).send().await.map_err(|error| failed(&error))?;
    read(response).await
}

/// Classifies a transport failure.
pub(crate) fn failed(error: &reqwest::Error) -> Failure {
    if has_bad_certificate(error) {
        return Failure::Final(ClientError::Insecure { reason: with_causes(error) });
    }
    // The user knows the address, and reqwest's text would repeat it with the query.
    let cause = std::error::Error::source(error);
    Failure::unanswered(cause.map_or_else(|| error.to_string(), with_causes))
}

fn has_bad_certificate(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let inner = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let tls = error.downcast_ref::<rustls::Error>().or(inner);
        if matches!(tls, Some(rustls::Error::InvalidCertificate(_))) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Reads a whole response.
pub(crate) async fn read(mut response: Response) -> Result<Answer, Failure> {
    let status = response.status();
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (entity_tag, request_id) = (header("etag"), header("x-request-id"));
    let wait = header("retry-after").as_deref().and_then(parse_retry_after);
    if status == StatusCode::NOT_MODIFIED {
        return Ok(Answer { body: Value::Null, entity_tag, is_unchanged: true });
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error))? {
        if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(Failure::Final(ClientError::ForeignAnswer { status: status.as_u16() }));
        }
        bytes.extend_from_slice(&chunk);
    }
    let body = judge(status, &bytes).map_err(|failure| match failure {
        Unsuccessful::Refused(body) => refused(Refusal::answered(body, request_id, wait)),
        Unsuccessful::Unreadable(failure) => failure,
    })?;
    Ok(Answer { body, entity_tag, is_unchanged: false })
}

#[derive(Debug)]
enum Unsuccessful {
    Refused(FailureBody),
    Unreadable(Failure),
}

/// Returns the body of a success. Only JSON with `success` comes from the service; anything else comes from a proxy.
fn judge(status: StatusCode, bytes: &[u8]) -> Result<Value, Unsuccessful> {
    let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
    match body["success"].as_bool() {
        Some(true) if status == StatusCode::OK => return Ok(body),
        Some(false) => {
            if let Ok(failure) = FailureBody::deserialize(&body) {
                return Err(Unsuccessful::Refused(failure));
            }
        }
        _ => {}
    }
    let is_temporary = status.is_success() || status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    Err(Unsuccessful::Unreadable(if is_temporary {
        Failure::unanswered(format!("the response with status {} is damaged or not from Clipgate", status.as_u16()))
    } else {
        Failure::Final(ClientError::ForeignAnswer { status: status.as_u16() })
    }))
}

fn refused(refusal: Refusal) -> Failure {
    let is_temporary = RETRYABLE.iter().any(|code| refusal.is(*code));
    let error = ClientError::from(refusal);
    if is_temporary { Failure::Temporary(error) } else { Failure::Final(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::ErrorCode;
    use std::cell::Cell;

    fn judged(status: u16, body: &str) -> &'static str {
        match judge(StatusCode::from_u16(status).unwrap(), body.as_bytes()) {
            Ok(_) => "success",
            Err(Unsuccessful::Refused(_)) => "refused",
            Err(Unsuccessful::Unreadable(Failure::Temporary(_))) => "try again",
            Err(Unsuccessful::Unreadable(Failure::Final(_))) => "foreign",
        }
    }

    #[test]
    fn only_json_of_the_service_is_an_answer() {
        assert_eq!(judged(200, r#"{"success":true}"#), "success");
        assert_eq!(judged(429, r#"{"success":false,"error_message_code":"rate_limited"}"#), "refused");
        for status in [200, 429, 500, 502, 503, 504] {
            for body in ["", "<html>", r#"{"success":tr"#, r#"{"ok":true}"#, r#"{"success":false}"#, "[]", "null"] {
                assert_eq!(judged(status, body), "try again", "{status} {body}");
            }
        }
        for status in [301, 403, 404] {
            assert_eq!(judged(status, "<html>"), "foreign");
        }
        assert_eq!(judged(502, r#"{"success":true}"#), "try again");
    }

    #[test]
    fn exactly_the_codes_that_are_documented_as_temporary_are_retried() {
        let program = include_str!("../../docs/publish/programs.md");
        let table = include_str!("../../docs/publish/errors-and-retries.md");
        for code in ErrorCode::ALL {
            let failure = refused(Refusal::foreseen(*code, "f", None));
            let is_retried = matches!(failure, Failure::Temporary(_));
            assert_eq!(is_retried, RETRYABLE.contains(code), "{code:?}");
            assert!(!is_retried || program.contains(&format!("\"{}\"", code.as_str())), "{code:?}");
            let rows = || table.lines().filter(|row| row.contains(&format!("`{}`", code.as_str())));
            assert!(!is_retried || rows().any(|row| row.starts_with("| `")), "{code:?}");
        }
    }

    /// Makes attempts without waiting in between.
    fn run<T>(attempt: impl AsyncFn() -> Result<T, Failure>) -> Result<T, ClientError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(repeat(&ClientOptions::default(), attempt, async |_| {}))
    }

    #[test]
    fn a_temporary_failure_is_repeated_until_the_patience_ends() {
        let attempts = Cell::new(0);
        let attempt = async || -> Result<(), Failure> {
            attempts.set(attempts.get() + 1);
            Err(Failure::unanswered("no route"))
        };
        let error = run(attempt).unwrap_err();
        assert!(error.to_string().contains("no route") && attempts.get() > 10, "{error} {}", attempts.get());
    }

    #[test]
    fn a_final_failure_is_not_repeated_and_a_success_ends_the_attempts() {
        let attempts = Cell::new(0);
        let attempt = async || {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 3 { Err(Failure::unanswered("lost")) } else { Ok(attempts.get()) }
        };
        assert_eq!(run(attempt).unwrap(), 3);
        let refusal = || Refusal::foreseen(ErrorCode::ApiKeyInvalid, "f", None);
        let refused = run(async || Err::<(), _>(refused(refusal())));
        assert!(refused.unwrap_err().refusal().unwrap().is(ErrorCode::ApiKeyInvalid));
    }

    #[test]
    fn a_request_for_more_patience_than_there_is_ends_the_attempts_at_once() {
        let attempts = Cell::new(0);
        let attempt = async || {
            attempts.set(attempts.get() + 1);
            let wait = Some(Duration::from_hours(1));
            let body = serde_json::from_str(r#"{"error_message_code":"service_overloaded"}"#).unwrap();
            Err::<(), _>(refused(Refusal::answered(body, None, wait)))
        };
        assert!(run(attempt).is_err());
        assert_eq!(attempts.get(), 1);
    }
}
