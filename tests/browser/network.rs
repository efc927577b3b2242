//! What a browser says of its requests: the DevTools events in its performance log.

use anyhow::Result;
use serde_json::Value;

/// An answer that the browser got.
#[derive(Debug)]
pub struct Received {
    pub url: String,
    pub status: u64,
    pub content_range: Option<String>,
}

#[derive(Debug, Default)]
pub struct Traffic {
    /// The address of every request, answered or not.
    pub asked: Vec<String>,
    pub received: Vec<Received>,
}

impl Traffic {
    pub fn of(log: &[Value]) -> Result<Self> {
        let mut traffic = Self::default();
        for entry in log {
            let text = entry["message"].as_str().unwrap_or_default();
            let event = &serde_json::from_str::<Value>(text)?["message"];
            let parameters = &event["params"];
            match event["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    traffic.asked.push(text_of(&parameters["request"]["url"]));
                }
                Some("Network.responseReceived") => {
                    traffic.received.push(received(&parameters["response"]));
                }
                _ => {}
            }
        }
        Ok(traffic)
    }

    /// The answers from that address.
    pub fn from(&self, url: &str) -> impl Iterator<Item = &Received> {
        self.received
            .iter()
            .filter(move |received| received.url == url)
    }
}

fn received(response: &Value) -> Received {
    let headers = response["headers"].as_object();
    let content_range = headers.and_then(|headers| {
        let mut headers = headers.iter();
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-range"));
        found.map(|(_, value)| text_of(value))
    });
    Received {
        url: text_of(&response["url"]),
        status: response["status"].as_u64().unwrap_or_default(),
        content_range,
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
