//! An end-to-end check of a deployed environment: makes an API key, publishes a clip with it, and then deletes the clip
//! and the key.

use crate::test_clip::{TestClip, client, send};
use anyhow::{Context, Result};
use contract::paths;
use reqwest::Client;
use serde_json::{Value, json};
use std::time::Duration;

/// The environment to test, and the account to use.
#[derive(Debug)]
pub struct Trial<'a> {
    pub base_url: &'a str,
    pub upload_url: &'a str,
    pub service_token: &'a str,
    /// An account that has no API key.
    pub account_id: u64,
}

/// A signed-in session of a trial.
struct Session<'a> {
    trial: &'a Trial<'a>,
    client: Client,
    cookie: String,
}

impl Trial<'_> {
    /// Runs the trial, and returns the address of the published page. The clip and the key are removed even if the
    /// trial fails.
    pub async fn run(&self, timeout: Duration) -> Result<String> {
        let client = client()?;
        let session = Session { trial: self, cookie: self.sign_in(&client).await?, client };
        let key = session.manage_key(paths::CREATE_API_KEY).await.context("creating an API key")?;
        let key = key["api_key"].as_str().context("the response has no key")?.to_owned();
        let clip = TestClip { client: &session.client, upload_url: self.upload_url, key: &key };
        let published = clip.run(timeout, &mut Vec::new()).await;
        let removed = session.manage_key(paths::DELETE_API_KEY).await.context("deleting the API key");
        let page = published?;
        removed?;
        Ok(page)
    }

    async fn sign_in(&self, client: &Client) -> Result<String> {
        let request = client.post(format!("{}{}", self.base_url, paths::SESSIONS)).bearer_auth(self.service_token);
        let answer = send(request.json(&json!({ "account_id": self.account_id }))).await.context("signing in")?;
        Ok(answer["session_cookie"].as_str().context("the response has no cookie")?.to_owned())
    }
}

impl Session<'_> {
    async fn manage_key(&self, path: &str) -> Result<Value> {
        let request = self.client.post(format!("{}{path}", self.trial.base_url)).header("Cookie", &self.cookie);
        send(request.json(&json!({}))).await
    }
}
