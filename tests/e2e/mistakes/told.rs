//! A request with a mistake, and what its sender is told.

use anyhow::{Context, Result, ensure};
use contract::mistake::MAX_CHARACTERS;
use contract::{ErrorCode, paths};
use fixtures::Form;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use tests::{Channel, HttpAnswer, send};

/// The words of parsers, which say nothing to people.
const PARSER_WORDS: [&str; 6] = ["line 1", "column", "expected value", "invalid type", "missing field", "serde"];

/// The name of the mistake, the request, and the status, the code and a part of the text of its response. Key
/// management has no text, but a link.
pub(crate) struct Mistake(pub &'static str, pub RequestBuilder, pub u16, pub &'static str, pub &'static str);

/// The requests of a channel's program.
pub(crate) struct Program<'a>(pub &'a Channel);

impl Program<'_> {
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.0.stack.request(method, path).bearer_auth(&self.0.key)
    }

    pub(crate) fn get(&self, path_and_query: &str) -> RequestBuilder {
        self.request(Method::GET, path_and_query)
    }

    pub(crate) fn post(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> RequestBuilder {
        self.request(Method::POST, path).header("Content-Type", content_type).body(body.into())
    }

    pub(crate) fn json(&self, path: &str, body: impl Into<Vec<u8>>) -> RequestBuilder {
        self.post(path, "application/json", body)
    }

    pub(crate) fn upload(&self, form: Form) -> RequestBuilder {
        self.post(paths::UPLOAD_VIDEO, &Form::content_type(), form.body())
    }
}

/// Sends each request, prints its response, and fails unless all responses are as expected.
pub(crate) async fn ensure_told(channel: &Channel, mistakes: Vec<Mistake>) -> Result<()> {
    let mut wrong = Vec::new();
    for Mistake(name, request, status, code, part) in mistakes {
        let answer = send(request).await.with_context(|| name.to_owned())?;
        let text = text_of(&answer)?;
        println!("{name} | {} {}: {text}", answer.status.as_u16(), answer.code()?);
        ensure_readable(channel, &answer, &text).with_context(|| name.to_owned())?;
        if answer.status != status || answer.code()? != code || !text.contains(part) {
            wrong.push(format!(
                "{name}: expected {status} {code} …{part}…, got {} {}: {text}",
                answer.status,
                answer.code()?
            ));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn text_of(answer: &HttpAnswer) -> Result<String> {
    let body = answer.json()?;
    let text = body["detail"].as_str().unwrap_or_else(|| answer.header("link"));
    ensure!(!text.is_empty(), "neither a detail nor a link: {answer:?}");
    Ok(text.to_owned())
}

/// Fails unless the text is short and plain, and has no secret.
fn ensure_readable(channel: &Channel, answer: &HttpAnswer, text: &str) -> Result<()> {
    let is_of_code = ErrorCode::ALL.iter().any(|code| code.text() == text);
    ensure!(is_of_code || text.chars().count() <= MAX_CHARACTERS, "too long: {text}");
    ensure!(!text.chars().any(char::is_control), "{text:?}");
    ensure!(!PARSER_WORDS.iter().any(|word| text.contains(word)), "{text}");
    let bytes = String::from_utf8_lossy(&answer.bytes);
    ensure!(!bytes.contains(&channel.key[4..20]), "the key is shown: {bytes}");
    ensure!(answer.json()?["success"] == Value::Bool(false), "{bytes}");
    Ok(())
}
