//! Reads what the stack has stored: rows in D1 and objects in R2. Both are read from miniflare's files, without the
//! Worker; objects can also be read and stored through S3, as an origin does.

use crate::fake_origin::processed;
use crate::http::send;
use crate::stored_state::{D1, KV, R2, TestStackState};
use crate::test_stack::TestStack;
use anyhow::{Context, Result, bail, ensure};
use contract::job::JobOutcome;
use reqwest::Body;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A content and its latest job. `job_state` and `job_generation` belong to the job; other shared columns to the
/// content.
const CONTENT: &str = "SELECT contents.*, kind, jobs.state AS job_state, jobs.generation AS job_generation, input,
         traceparent, enqueued_at_unix, sendings, due_at_unix, attempt, claimed_by, claim_ends_at_unix,
         last_signed_at_unix, stage, percent, undecided_failures, silences, check_waits, report, ended_at_unix
     FROM contents LEFT JOIN jobs ON content_id = contents.id
     WHERE contents.id = ?1 ORDER BY jobs.generation DESC LIMIT 1";

/// An object of the local R2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R2Object {
    pub key: String,
    pub size: u64,
}

/// A service that a test makes fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    D1,
    R2,
    Kv,
    /// D1, but only where contents are concerned: every request of an origin fails.
    Contents,
}

/// A service that fails until this is dropped, because a table that all its operations need is missing.
#[derive(Debug)]
pub struct BrokenStore {
    connection: Connection,
    table: &'static str,
}

impl Store {
    /// Returns the folder of the service, and the table that is hidden.
    const fn folder_and_table(self) -> (&'static str, &'static str) {
        match self {
            Self::D1 => (D1, "sweep_parts"),
            Self::R2 => (R2, "_mf_objects"),
            Self::Kv => (KV, "_mf_entries"),
            Self::Contents => (D1, "contents"),
        }
    }
}

impl Drop for BrokenStore {
    fn drop(&mut self) {
        let mended = rename(&self.connection, &hidden(self.table), self.table);
        // The test waits until the service recovers, and fails if it never does.
        let _ = mended.inspect_err(|error| eprintln!("{} stays hidden: {error}", self.table));
    }
}

fn hidden(table: &str) -> String {
    format!("{table}_hidden")
}

/// Renames a table and leaves what refers to it as it is.
fn rename(connection: &Connection, from: &str, to: &str) -> rusqlite::Result<()> {
    connection.execute_batch(&format!("PRAGMA legacy_alter_table = ON; ALTER TABLE {from} RENAME TO {to}"))
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

    /// Returns the row of a content, with the columns of its latest job.
    pub fn content(&self, id: u64) -> Result<Map<String, Value>> {
        self.row(CONTENT, id)
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

    /// Returns the columns and files of D1, KV and R2 that contain the word, ignoring case.
    pub fn places_with(&self, word: &str) -> Result<Vec<String>> {
        let mut places = Vec::new();
        for service in [D1, KV, R2] {
            if let Some(store) = self.open_store(service)? {
                places.extend(columns_with(&store, word).with_context(|| service.to_owned())?);
            }
        }
        places.extend(objects_with(&self.folder().join("storage/v3/r2"), word)?);
        Ok(places)
    }

    /// Adds a past to D1: this many videos, of which the channel owns a tenth.
    pub fn add_past(&self, contents: u32, channel_id: u64) -> Result<()> {
        let JobOutcome::Processed { media, .. } = processed(&[]) else { bail!("another outcome") };
        let mut database = Connection::open(self.store_path(D1)?.context("D1 has no local file")?)?;
        database.busy_timeout(Duration::from_secs(20))?;
        let transaction = database.transaction()?;
        transaction.execute_batch(&fixtures::past(contents, channel_id, &serde_json::to_string(&media)?))?;
        Ok(transaction.commit()?)
    }

    fn database(&self) -> Result<Connection> {
        self.open_store(D1)?.context("D1 has no local file")
    }

    /// Makes a service fail until the returned value is dropped.
    pub fn break_store(&self, store: Store) -> Result<BrokenStore> {
        let (folder, table) = store.folder_and_table();
        let connection = Connection::open(self.store_path(folder)?.context("the service has no local file")?)?;
        connection.busy_timeout(Duration::from_secs(20))?;
        rename(&connection, table, &hidden(table))?;
        Ok(BrokenStore { connection, table })
    }

    /// Returns a handle to the state folder of the stack: its D1, R2 and KV.
    pub fn state(&self) -> TestStackState {
        TestStackState::in_folder(self.folder())
    }

    fn store_path(&self, service: &str) -> Result<Option<PathBuf>> {
        self.state().store_path(service)
    }

    /// Opens that file for reading.
    fn open_store(&self, service: &str) -> Result<Option<Connection>> {
        let Some(path) = self.store_path(service)? else {
            return Ok(None);
        };
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(Some(connection))
    }
}

/// Returns the columns, of all tables, in which any row contains the word.
fn columns_with(store: &Connection, word: &str) -> Result<Vec<String>> {
    let mut columns = store.prepare(
        "SELECT tables.name, columns.name FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table'",
    )?;
    let columns = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let columns: Vec<(String, String)> = columns.collect::<Result<_, _>>()?;
    ensure!(columns.len() > 2, "there is nothing to search");
    let has_word = |(table, column): &(String, String)| {
        let sql =
            format!("SELECT EXISTS (SELECT 1 FROM \"{table}\" WHERE instr(lower(CAST(\"{column}\" AS TEXT)), ?1))");
        store.query_row(&sql, [word], |row| row.get::<_, bool>(0))
    };
    let mut found = Vec::new();
    for column in &columns {
        if has_word(column)? {
            found.push(format!("{}.{}", column.0, column.1));
        }
    }
    Ok(found)
}

/// Returns the files below a folder that contain the word and are no databases.
fn objects_with(folder: &Path, word: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(objects_with(&path, word)?);
        } else if path.extension().is_none_or(|extension| !extension.to_string_lossy().starts_with("sqlite")) {
            // An object may be deleted at any time.
            let bytes = std::fs::read(&path).unwrap_or_default().to_ascii_lowercase();
            if memchr::memmem::find(&bytes, word.as_bytes()).is_some() {
                found.push(path.display().to_string());
            }
        }
    }
    Ok(found)
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
    contract::hexadecimal(&Sha256::digest(bytes))
}
