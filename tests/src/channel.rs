//! A channel that uploads with an API key, and the rows that its uploads leave in D1.

use crate::http::{HttpAnswer, send};
use crate::test_stack::{TestAccount, TestStack};
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::{Body, Method, RequestBuilder};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROWS: &str = "SELECT
    (SELECT coalesce(sum(used), 0) FROM daily_usage WHERE channel_id = ?1) AS used,
    (SELECT count(*) FROM uploads WHERE channel_id = ?1 AND state = 'reserved') AS reserved,
    (SELECT count(*) FROM uploads WHERE channel_id = ?1 AND state = 'committed') AS committed,
    (SELECT count(*) FROM contents WHERE channel_id = ?1) AS contents,
    (SELECT count(*) FROM jobs WHERE channel_id = ?1 AND state = 'due' AND due_at_unix = 0) AS unsent";

/// An account with a key.
#[derive(Clone)]
pub struct Channel {
    pub account: TestAccount,
    pub key: String,
    pub stack: Arc<TestStack>,
}

/// The rows of a channel in the database. The default is a channel that has never uploaded anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelRows {
    /// Today's slots that are reserved or used up.
    pub used: u64,
    pub reserved: u64,
    pub committed: u64,
    pub contents: u64,
    /// Jobs that the queue has not accepted: the next sweep sends them.
    pub unsent: u64,
}

impl ChannelRows {
    /// Returns the rows of a channel whose uploads all became contents.
    pub fn after(successes: u64) -> Self {
        Self { used: successes, committed: successes, contents: successes, ..Self::default() }
    }
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Channel").field("account", &self.account).finish_non_exhaustive()
    }
}

impl Channel {
    pub async fn new(stack: &Arc<TestStack>) -> Result<Self> {
        Self::with_limit(stack, None).await
    }

    pub async fn with_limit(stack: &Arc<TestStack>, daily_upload_limit: Option<u32>) -> Result<Self> {
        let account = stack.account_with_limit(daily_upload_limit).await?;
        let key = account.create_key().await?;
        Ok(Self { account, key, stack: Arc::clone(stack) })
    }

    /// Returns an upload without a body.
    pub fn upload_request(&self) -> RequestBuilder {
        self.stack.request(Method::POST, paths::UPLOAD_VIDEO).bearer_auth(&self.key)
    }

    pub async fn upload(&self, form: Form) -> Result<HttpAnswer> {
        self.upload_body(&Form::content_type(), form.body()).await
    }

    pub async fn upload_body(&self, content_type: &str, body: impl Into<Body>) -> Result<HttpAnswer> {
        send(self.upload_request().header("Content-Type", content_type).body(body)).await
    }

    /// Uploads, fails unless the upload is accepted, and returns the answer's fields.
    pub async fn upload_accepted(&self, form: Form) -> Result<Map<String, Value>> {
        let answer = self.upload(form).await?;
        ensure!(answer.status == 200, "{answer:?}");
        let Value::Object(result) = answer.json()? else {
            anyhow::bail!("the result is not an object: {answer:?}");
        };
        Ok(result)
    }

    pub fn rows(&self) -> Result<ChannelRows> {
        let row = self.stack.row(ROWS, self.account.channel_id)?;
        let count = |name: &str| row[name].as_u64().with_context(|| format!("no {name}: {row:?}"));
        Ok(ChannelRows {
            used: count("used")?,
            reserved: count("reserved")?,
            committed: count("committed")?,
            contents: count("contents")?,
            unsent: count("unsent")?,
        })
    }

    /// Fails unless the channel has exactly these rows.
    pub fn ensure_rows(&self, expected: &ChannelRows) -> Result<()> {
        let rows = self.rows()?;
        ensure!(rows == *expected, "expected {expected:?}, found {rows:?}");
        Ok(())
    }

    /// Waits until the channel has exactly these rows, and returns how long that took. Use it for the Worker's clean-up
    /// after a broken connection.
    pub async fn until_rows(&self, expected: &ChannelRows, at_most: Duration) -> Result<Duration> {
        let started = Instant::now();
        let look = async || Ok((self.rows()? == *expected).then_some(()));
        crate::until(at_most, look, || format!("expected {expected:?}, found {:?}", self.rows())).await?;
        Ok(started.elapsed())
    }

    /// Returns the content that an upload's answer names, as it is in the database.
    pub fn content_row(&self, result: &Map<String, Value>) -> Result<Map<String, Value>> {
        let id = result["content_id"].as_u64().context("no content_id")?;
        self.stack.row(
            "SELECT contents.*, uploads.uuid AS upload_uuid, uploads.upload_token
             FROM contents JOIN uploads ON uploads.id = contents.id WHERE contents.id = ?1",
            id,
        )
    }
}
