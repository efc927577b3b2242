//! The base of every HTTP client in this crate: one cryptography provider, no redirects, and limits on the duration of
//! a request and on the size of an answer.
//!
//! It must not depend on which service a request goes to.

use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns a builder for a client whose requests time out as a whole after `timeout`.
pub fn client_builder(timeout: Duration) -> reqwest::ClientBuilder {
    native::install_crypto_provider();
    reqwest::Client::builder()
        .user_agent(concat!("clipgate-origin/", env!("CARGO_PKG_VERSION")))
        // A redirect could send a token to another host.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
}

/// The reason why the body of an answer was not read completely.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the answer is too long")]
    TooLong,
    #[error(transparent)]
    Transport(#[from] reqwest::Error),
}

/// Reads the whole body, unless it is longer than `max_bytes`.
pub async fn read_body(mut response: reqwest::Response, max_bytes: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > max_bytes {
            return Err(BodyError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
