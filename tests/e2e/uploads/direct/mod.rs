//! Direct uploads: users of an API client upload with one-time tokens.

mod ends;
mod pages;
mod refusals;
mod uploads;

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::{Channel, HttpAnswer, send};

const APP: &str = "https://app.example";

/// A direct upload that the owner of a channel has created.
struct Direct {
    channel: Channel,
    id: String,
    token: String,
}

/// Sends a request with the key of the channel.
async fn by_owner(channel: &Channel, method: Method, path: &str, body: Option<&Value>) -> Result<HttpAnswer> {
    let request = channel.stack.request(method, path).bearer_auth(&channel.key);
    send(body.into_iter().fold(request, RequestBuilder::json)).await
}

impl Direct {
    async fn create(channel: &Channel, request: Value) -> Result<Self> {
        let answer = by_owner(channel, Method::POST, paths::DIRECT_UPLOADS, Some(&request)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        let body = answer.json()?;
        let text = |name: &str| body[name].as_str().map(str::to_owned).context("a member is missing");
        ensure!(text("upload_url")?.ends_with(paths::DIRECT_UPLOAD), "{body}");
        ensure!(text("tus_endpoint")?.ends_with(paths::RESUMABLE_DIRECT_UPLOAD), "{body}");
        Ok(Self { channel: channel.clone(), id: text("direct_upload_id")?, token: text("token")? })
    }

    /// Returns the path under which the owner reads and revokes it.
    fn path(&self) -> String {
        format!("{}/{}", paths::DIRECT_UPLOADS, self.id)
    }

    async fn read(&self) -> Result<Value> {
        let answer = by_owner(&self.channel, Method::GET, &self.path(), None).await?;
        ensure!(answer.status == 200, "{answer:?}");
        answer.json()
    }

    async fn revoke(&self) -> Result<HttpAnswer> {
        by_owner(&self.channel, Method::DELETE, &self.path(), None).await
    }

    /// Returns a request with the token, as a program sends it.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.channel.stack.request(method, path).bearer_auth(&self.token)
    }

    fn form(&self, form: Form) -> RequestBuilder {
        self.request(Method::POST, paths::DIRECT_UPLOAD).header("Content-Type", Form::content_type()).body(form.body())
    }

    async fn upload(&self, form: Form) -> Result<HttpAnswer> {
        send(self.form(form)).await
    }

    /// Returns the request that begins a resumable upload of this length.
    fn creation(&self, length: usize, metadata: &str) -> RequestBuilder {
        let request = self.request(Method::POST, paths::RESUMABLE_DIRECT_UPLOAD).header("Tus-Resumable", "1.0.0");
        request.header("Upload-Length", length).header("Upload-Metadata", metadata)
    }

    async fn status(&self) -> Result<HttpAnswer> {
        send(self.request(Method::GET, paths::DIRECT_UPLOAD)).await
    }
}

fn with_caption() -> Value {
    json!({ "user_may_set": ["caption"] })
}

fn clip(channel: &Channel) -> Vec<u8> {
    fixtures::mp4(5_000, 9_000 + usize::try_from(channel.stack.unique()).unwrap_or_default(), 3)
}

fn form(channel: &Channel) -> Form {
    Form::new().text("caption", "Hello").file("file", "a.mp4", &clip(channel))
}
