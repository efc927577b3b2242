//! Reads what the stack has stored: rows in D1 and objects in R2. Both are read from miniflare's files, without the
//! Worker; objects can also be read and stored through S3, as an origin does.

use crate::http::send;
use crate::test_stack::TestStack;
use anyhow::{Context, Result, ensure};
use reqwest::Body;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

const D1: &str = "d1/miniflare-D1DatabaseObject";
const R2: &str = "r2/miniflare-R2BucketObject";

/// An object of the local R2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R2Object {
    pub key: String,
    pub size: u64,
}

impl TestStack {
    /// Returns one number from D1.
    pub fn count(&self, sql: &str, parameter: u64) -> Result<u64> {
        let database = self.database()?;
        Ok(database.query_row(sql, [i64::try_from(parameter)?], |row| row.get::<_, i64>(0))?.cast_unsigned())
    }

    /// Returns one row from D1 by its columns' names.
    pub fn row(&self, sql: &str, parameter: u64) -> Result<Map<String, Value>> {
        let database = self.database()?;
        let mut statement = database.prepare(sql)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let row = statement.query_row([i64::try_from(parameter)?], |row| {
            let columns = names.iter().enumerate();
            columns.map(|(index, name)| Ok((name.clone(), json_value(row, index)?))).collect()
        })?;
        Ok(row)
    }

    /// Returns the first column of every row, as strings.
    pub fn texts(&self, sql: &str) -> Result<HashSet<String>> {
        let database = self.database()?;
        let mut statement = database.prepare(sql)?;
        let texts = statement.query_map([], |row| row.get(0))?;
        Ok(texts.collect::<Result<_, _>>()?)
    }

    /// Returns every complete object in R2.
    pub fn objects(&self) -> Result<Vec<R2Object>> {
        let Some(store) = self.open_store(R2)? else {
            return Ok(Vec::new());
        };
        let mut statement = store.prepare("SELECT key, size FROM _mf_objects")?;
        let objects = statement.query_map([], |row| {
            let (key, size) = (row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned());
            Ok(R2Object { key, size })
        })?;
        Ok(objects.collect::<Result<_, _>>()?)
    }

    /// Returns the complete objects of a size. A test that uploads a unique size finds its own.
    pub fn objects_of_size(&self, size: usize) -> Result<Vec<R2Object>> {
        let mut objects = self.objects()?;
        objects.retain(|object| object.size == size as u64);
        Ok(objects)
    }

    /// Returns the keys of multipart uploads that were neither completed nor aborted.
    pub fn unfinished_objects(&self) -> Result<Vec<String>> {
        let Some(store) = self.open_store(R2)? else {
            return Ok(Vec::new());
        };
        let mut statement = store.prepare("SELECT key FROM _mf_multipart_uploads WHERE state = 0")?;
        let keys = statement.query_map([], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// Reads an object through S3.
    pub async fn object_bytes(&self, key: &str) -> Result<Vec<u8>> {
        let (bucket, credentials) = self.bucket()?;
        let url = bucket.get_object(Some(&credentials), key).sign(Duration::from_mins(1));
        let answer = send(self.client.get(url)).await?;
        ensure!(answer.status == 200, "reading {key}: {answer:?}");
        Ok(answer.bytes)
    }

    /// Stores an object through S3.
    pub async fn put_object(&self, key: &str, bytes: impl Into<Body>) -> Result<()> {
        let (bucket, credentials) = self.bucket()?;
        let url = bucket.put_object(Some(&credentials), key).sign(Duration::from_mins(1));
        let answer = send(self.client.put(url).body(bytes)).await?;
        ensure!(answer.status == 200, "storing {key}: {answer:?}");
        Ok(())
    }

    fn bucket(&self) -> Result<(Bucket, Credentials)> {
        let env = self.env();
        let endpoint = env.get("S3_ENDPOINT").parse()?;
        let bucket = Bucket::new(endpoint, UrlStyle::Path, env.get("S3_BUCKET").to_owned(), "auto")?;
        let credentials = Credentials::new(env.get("S3_ACCESS_KEY_ID"), env.get("S3_SECRET_ACCESS_KEY"));
        Ok((bucket, credentials))
    }

    fn database(&self) -> Result<Connection> {
        self.open_store(D1)?.context("D1 has no local file")
    }

    /// Opens the database in which miniflare keeps a service. A service that was never used has none.
    fn open_store(&self, service: &str) -> Result<Option<Connection>> {
        let folder = self.folder().join("storage/v3").join(service);
        let files = std::fs::read_dir(&folder)?.filter_map(|file| file.ok().map(|file| file.path()));
        let Some(path) = files.into_iter().find(|path| is_database(path)) else {
            return Ok(None);
        };
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(Some(connection))
    }
}

fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "sqlite") && !path.ends_with("metadata.sqlite")
}

fn json_value(row: &Row<'_>, index: usize) -> rusqlite::Result<Value> {
    Ok(match row.get_ref(index)? {
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text)),
        _ => Value::Null,
    })
}

/// Returns the SHA-256 of the bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}
