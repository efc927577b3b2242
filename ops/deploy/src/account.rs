//! The resources of an environment that exist in an account.

use crate::cloudflare::Account;
use crate::environment::Environment;
use crate::hosts::Hosts;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;

/// The Workers of an account.
pub(crate) const SCRIPTS: &str = "workers/scripts";

/// The resources that were found in the account before anything is changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    pub worker: bool,
    /// The names of the Worker's secrets.
    pub secrets: BTreeSet<String>,
    pub database: Option<String>,
    pub sessions: Option<String>,
    pub bucket: bool,
    pub queue: Option<Queue>,
    pub completions: Option<Queue>,
    pub dead_letters: Option<Queue>,
    pub hosts: Hosts,
}

/// A queue with its consumer. A queue has at most one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Queue {
    pub id: String,
    pub consumer: Option<Consumer>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Consumer {
    pub id: String,
    /// `http_pull`, or `worker`.
    pub kind: String,
    pub max_retries: Option<u64>,
    pub dead_letters: Option<String>,
}

/// The ids that the Worker's bindings need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    pub database_id: String,
    pub sessions_id: String,
}

impl Found {
    pub async fn read(account: &Account, environment: &Environment) -> Result<Self> {
        let secrets = account.find(&format!("{SCRIPTS}/{}/secrets", environment.worker()), None).await?;
        Ok(Self {
            worker: secrets.is_some(),
            secrets: secrets.iter().flat_map(names).collect(),
            database: find_database(account, environment).await?,
            sessions: find_sessions(account, environment).await?,
            bucket: find_bucket(account, environment).await?,
            queue: find_queue(account, &environment.queue()).await?,
            completions: match environment.completions() {
                Some(name) => find_queue(account, &name).await?,
                None => None,
            },
            dead_letters: find_queue(account, &environment.dead_letters()).await?,
            hosts: Hosts::read(account, environment).await?,
        })
    }
}

impl Storage {
    pub(crate) async fn read(account: &Account, environment: &Environment) -> Result<Self> {
        Ok(Self {
            database_id: find_database(account, environment).await?.context("the database is gone")?,
            sessions_id: find_sessions(account, environment).await?.context("the KV namespace is gone")?,
        })
    }
}

fn names(list: &Value) -> Vec<String> {
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    entries.iter().filter_map(|entry| entry["name"].as_str().map(str::to_owned)).collect()
}

/// Returns the text of a field of the entry whose `key` is `name`.
fn field_of(list: &[Value], key: &str, name: &str, field: &str) -> Result<Option<String>> {
    let Some(entry) = list.iter().find(|entry| entry[key] == name) else { return Ok(None) };
    let text = entry[field].as_str().with_context(|| format!("`{name}` has no `{field}`"))?;
    Ok(Some(text.to_owned()))
}

async fn find_database(account: &Account, environment: &Environment) -> Result<Option<String>> {
    let name = environment.database();
    field_of(&account.list(&format!("d1/database?name={name}")).await?, "name", &name, "uuid")
}

async fn find_sessions(account: &Account, environment: &Environment) -> Result<Option<String>> {
    field_of(&account.list("storage/kv/namespaces").await?, "title", &environment.sessions(), "id")
}

async fn find_bucket(account: &Account, environment: &Environment) -> Result<bool> {
    let path = format!("r2/buckets/{}", environment.bucket());
    Ok(account.find(&path, environment.jurisdiction.as_deref()).await?.is_some())
}

pub(crate) async fn find_queue(account: &Account, name: &str) -> Result<Option<Queue>> {
    let list = account.list(&format!("queues?name={name}")).await?;
    let Some(id) = field_of(&list, "queue_name", name, "queue_id")? else { return Ok(None) };
    let entry = list.iter().find(|entry| entry["queue_name"] == name);
    let consumers = entry.and_then(|entry| entry["consumers"].as_array());
    let consumer = consumers.and_then(|consumers| consumers.first()).map(consumer).transpose()?;
    Ok(Some(Queue { id, consumer }))
}

fn consumer(entry: &Value) -> Result<Consumer> {
    let text = |field: &str| entry[field].as_str().map(str::to_owned);
    Ok(Consumer {
        id: text("consumer_id").context("a queue's consumer has no `consumer_id`")?,
        kind: text("type").context("a queue's consumer has no `type`")?,
        max_retries: entry["settings"]["max_retries"].as_u64(),
        dead_letters: text("dead_letter_queue").filter(|name| !name.is_empty()),
    })
}
