//! A channel that uploads, and everything that an upload may leave behind: rows in D1, objects in R2.

use crate::harness::{Account, Answer, Harness, send};
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::{Body, Method, RequestBuilder};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// An account with a key, seen from its program.
pub struct Channel {
    pub account: Account,
    pub key: String,
    pub harness: Arc<Harness>,
}

/// What a channel has in the database. The default is a channel that never uploaded anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Slots of today that are held or spent.
    pub used: u64,
    pub reserved: u64,
    pub committed: u64,
    pub contents: u64,
    /// Jobs that are not known to be in the queue.
    pub unsent: u64,
}

/// An object of the local R2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub key: String,
    pub size: u64,
}

impl Rows {
    /// A channel whose uploads all became contents.
    pub fn after(successes: u64) -> Self {
        Self {
            used: successes,
            committed: successes,
            contents: successes,
            ..Self::default()
        }
    }
}

impl Channel {
    pub async fn new(harness: &Arc<Harness>) -> Result<Self> {
        Self::with_limit(harness, None).await
    }

    pub async fn with_limit(harness: &Arc<Harness>, limit: Option<u32>) -> Result<Self> {
        let account = harness.account_with_limit(limit).await?;
        let key = account.create_key().await?;
        Ok(Self {
            account,
            key,
            harness: Arc::clone(harness),
        })
    }

    pub fn request(&self) -> RequestBuilder {
        self.harness
            .request(Method::POST, paths::UPLOAD_VIDEO)
            .bearer_auth(&self.key)
    }

    pub async fn upload(&self, form: Form) -> Result<Answer> {
        self.upload_body(&Form::content_type(), form.body()).await
    }

    pub async fn upload_body(&self, content_type: &str, body: impl Into<Body>) -> Result<Answer> {
        let request = self
            .request()
            .header("Content-Type", content_type)
            .body(body);
        send(request).await
    }

    /// Uploads and expects a success.
    pub async fn publish(&self, form: Form) -> Result<Map<String, Value>> {
        let answer = self.upload(form).await?;
        ensure!(answer.status == 200, "{answer:?}");
        let Value::Object(result) = answer.json()? else {
            anyhow::bail!("the result is no object: {answer:?}");
        };
        Ok(result)
    }

    pub fn rows(&self) -> Result<Rows> {
        let count = |sql| self.harness.count(sql, self.account.channel_id);
        Ok(Rows {
            used: count("SELECT coalesce(sum(used), 0) FROM daily_usage WHERE channel_id = ?1")?,
            reserved: count(
                "SELECT count(*) FROM uploads WHERE channel_id = ?1 AND state = 'reserved'",
            )?,
            committed: count(
                "SELECT count(*) FROM uploads WHERE channel_id = ?1 AND state = 'committed'",
            )?,
            contents: count("SELECT count(*) FROM contents WHERE channel_id = ?1")?,
            unsent: count(
                "SELECT count(*) FROM outbox JOIN contents ON contents.id = content_id WHERE channel_id = ?1",
            )?,
        })
    }

    /// Fails unless the channel has exactly these rows.
    pub fn ensure_rows(&self, expected: &Rows) -> Result<()> {
        let rows = self.rows()?;
        ensure!(rows == *expected, "expected {expected:?}, found {rows:?}");
        Ok(())
    }

    /// Returns when the channel has exactly these rows: for what the Worker does behind a connection that is gone.
    pub async fn until_rows(&self, expected: &Rows, at_most: Duration) -> Result<Duration> {
        let started = std::time::Instant::now();
        loop {
            let rows = self.rows()?;
            if rows == *expected {
                return Ok(started.elapsed());
            }
            ensure!(
                started.elapsed() < at_most,
                "still {rows:?} after {at_most:?}, expected {expected:?}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The stored content of an answer, as the database has it.
    pub fn content(&self, result: &Map<String, Value>) -> Result<Map<String, Value>> {
        let id = result["content_id"].as_u64().context("no content_id")?;
        self.harness.row(
            "SELECT contents.*, uploads.uuid AS upload_uuid, uploads.upload_token
             FROM contents JOIN uploads ON uploads.id = upload_id WHERE contents.id = ?1",
            id,
        )
    }
}

impl Harness {
    /// One row out of the local D1, by its columns' names.
    pub fn row(&self, sql: &str, parameter: u64) -> Result<Map<String, Value>> {
        use rusqlite::types::ValueRef;
        let connection = self.local_store("d1/miniflare-D1DatabaseObject")?;
        let mut statement = connection.prepare(sql)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let row = statement.query_row([i64::try_from(parameter)?], |row| {
            let value = |index| -> rusqlite::Result<Value> {
                Ok(match row.get_ref(index)? {
                    ValueRef::Integer(number) => Value::from(number),
                    ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text)),
                    _ => Value::Null,
                })
            };
            let columns = names.iter().enumerate();
            columns
                .map(|(index, name)| Ok((name.clone(), value(index)?)))
                .collect()
        })?;
        Ok(row)
    }

    /// Everything that is whole in the local R2 and was not there by itself.
    pub fn objects(&self) -> Result<Vec<Object>> {
        let Some(store) = self.local_store_if_any("r2/miniflare-R2BucketObject")? else {
            return Ok(Vec::new());
        };
        let mut statement = store.prepare("SELECT key, size FROM _mf_objects")?;
        let objects = statement.query_map([], |row| {
            let (key, size) = (row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned());
            Ok(Object { key, size })
        })?;
        Ok(objects.collect::<Result<_, _>>()?)
    }

    /// The whole objects of a size: a test that uploads a unique size finds its own.
    pub fn objects_of_size(&self, size: usize) -> Result<Vec<Object>> {
        let mut objects = self.objects()?;
        objects.retain(|object| object.size == size as u64);
        Ok(objects)
    }

    /// Keys of the objects that were begun in parts and neither completed nor aborted.
    pub fn unfinished_objects(&self) -> Result<Vec<String>> {
        let Some(store) = self.local_store_if_any("r2/miniflare-R2BucketObject")? else {
            return Ok(Vec::new());
        };
        let mut statement =
            store.prepare("SELECT key FROM _mf_multipart_uploads WHERE state = 0")?;
        let keys = statement.query_map([], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// An object's bytes, read through S3 as the origin does.
    pub async fn object_bytes(&self, key: &str) -> Result<Vec<u8>> {
        let (bucket, credentials) = self.bucket()?;
        let url = bucket
            .get_object(Some(&credentials), key)
            .sign(Duration::from_mins(1));
        let answer = send(self.client.get(url)).await?;
        ensure!(answer.status == 200, "reading {key}: {answer:?}");
        Ok(answer.bytes)
    }

    /// Stores an object as the origin does.
    pub async fn put_object(&self, key: &str, bytes: impl Into<Body>) -> Result<()> {
        let (bucket, credentials) = self.bucket()?;
        let url = bucket
            .put_object(Some(&credentials), key)
            .sign(Duration::from_mins(1));
        let answer = send(self.client.put(url).body(bytes)).await?;
        ensure!(answer.status == 200, "storing {key}: {answer:?}");
        Ok(())
    }

    fn bucket(&self) -> Result<(Bucket, Credentials)> {
        let env = self.env();
        let bucket = Bucket::new(
            env.get("S3_ENDPOINT").parse()?,
            UrlStyle::Path,
            env.get("S3_BUCKET").to_owned(),
            "auto",
        )?;
        let credentials =
            Credentials::new(env.get("S3_ACCESS_KEY_ID"), env.get("S3_SECRET_ACCESS_KEY"));
        Ok((bucket, credentials))
    }

    /// A video of a few kilobytes whose size no other upload has.
    pub fn small_video(&self) -> Vec<u8> {
        let number = self.unique();
        let size = 2_000 + usize::try_from(number).unwrap_or_default();
        fixtures::mp4(5_000, size, number.to_le_bytes()[0])
    }

    /// A fresh `upload_token`.
    pub fn token(&self) -> String {
        format!("00000000-0000-4000-8000-{:012x}", self.unique())
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes)
        .into_iter()
        .flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}
