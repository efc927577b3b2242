//! An HTTP response with its body, and the check of a refusal.

use anyhow::{Context, Result, ensure};
use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;
use std::fmt;

/// The number of characters after which the debug form cuts a body off.
const SHOWN_CHARACTERS: usize = 2_000;

/// A response with its body.
pub struct HttpAnswer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl HttpAnswer {
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.bytes).with_context(|| format!("not JSON: {self:?}"))
    }

    /// Returns the error code, or an empty string.
    pub fn code(&self) -> Result<String> {
        Ok(self.json()?["error_message_code"].as_str().unwrap_or_default().to_owned())
    }

    /// Returns everything in the answer except what identifies the request, and how the body was sent.
    pub fn fingerprint(&self) -> String {
        let varies = |name: &str| matches!(name, "x-request-id" | "date" | "content-length" | "transfer-encoding");
        let headers: Vec<_> = self.headers.iter().filter(|(name, _)| !varies(name.as_str())).collect();
        format!("{} {headers:?} {:?}", self.status, self.bytes)
    }

    /// Returns the header's value, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Prints the body as text and cuts it off if it is long, so that the message of a failed test stays readable.
impl fmt::Debug for HttpAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.bytes);
        let shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
        write!(formatter, "{} {:?} {} bytes: {shown}", self.status, self.headers, self.bytes.len())
    }
}

/// Sends the request and reads the whole answer.
pub async fn send(request: RequestBuilder) -> Result<HttpAnswer> {
    let response = request.send().await?;
    let (status, headers) = (response.status(), response.headers().clone());
    Ok(HttpAnswer { status, headers, bytes: response.bytes().await?.to_vec() })
}

/// Fails unless the answer is a refusal with this status and this code.
pub fn ensure_refused(answer: &HttpAnswer, status: u16, code: &str) -> Result<()> {
    ensure!(answer.status.as_u16() == status && answer.code()? == code, "expected {status} {code}: {answer:?}");
    ensure!(answer.json()?["success"] == false, "a refusal has `success: false`: {answer:?}");
    Ok(())
}
