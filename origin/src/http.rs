//! What every HTTP client of the origin is built from: one provider of cryptography, no redirects, a limit for
//! the time and for the length of an answer.
//!
//! It must not know what is asked of whom.

use std::time::Duration;

/// A peer that cannot be connected to within this is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client that is not yet built. It gives up on a whole request after `timeout`.
pub fn builder(timeout: Duration) -> reqwest::ClientBuilder {
    install_cryptography();
    reqwest::Client::builder()
        .user_agent(concat!("clipgate-origin/", env!("CARGO_PKG_VERSION")))
        // A token is never to follow a redirect to somewhere else.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
}

/// Why an answer's body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("its answer is too long")]
    TooLong,
    #[error(transparent)]
    Broken(#[from] reqwest::Error),
}

/// The whole body, unless it is longer than any answer can be.
pub async fn body(mut response: reqwest::Response, at_most: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > at_most {
            return Err(BodyError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// An error and what is below it, which says what really happened; the error alone often does not.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The HTTP library comes without a provider, and panics for want of one when a client is built.
fn install_cryptography() {
    // An error says that there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
