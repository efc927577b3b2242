//! The requests and responses of a browser, from the DevTools events in its performance log.

use anyhow::Result;
use serde_json::Value;

/// A response that the browser received.
#[derive(Debug)]
pub struct BrowserResponse {
    pub url: String,
    pub status: u64,
    pub content_range: Option<String>,
}

/// All requests and responses of a log.
#[derive(Debug, Default)]
pub struct BrowserTraffic {
    /// The URL of every request, answered or not.
    pub requested: Vec<String>,
    pub responses: Vec<BrowserResponse>,
}

impl BrowserTraffic {
    pub fn from_log(log: &[Value]) -> Result<Self> {
        let mut traffic = Self::default();
        for entry in log {
            let text = entry["message"].as_str().unwrap_or_default();
            let event = &serde_json::from_str::<Value>(text)?["message"];
            let parameters = &event["params"];
            match event["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    traffic.requested.push(text_of(&parameters["request"]["url"]));
                }
                Some("Network.responseReceived") => {
                    traffic.responses.push(response_of(&parameters["response"]));
                }
                _ => {}
            }
        }
        Ok(traffic)
    }

    /// Returns the responses to requests for this URL.
    pub fn responses_from(&self, url: &str) -> impl Iterator<Item = &BrowserResponse> {
        self.responses.iter().filter(move |response| response.url == url)
    }
}

fn response_of(response: &Value) -> BrowserResponse {
    let headers = response["headers"].as_object();
    let content_range = headers.and_then(|headers| {
        let mut headers = headers.iter();
        let header = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-range"));
        header.map(|(_, value)| text_of(value))
    });
    BrowserResponse {
        url: text_of(&response["url"]),
        status: response["status"].as_u64().unwrap_or_default(),
        content_range,
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
