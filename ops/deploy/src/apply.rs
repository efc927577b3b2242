//! Carries out the steps of a plan.

use crate::account::{SCRIPTS, Storage, find_queue};
use crate::cloudflare::Account;
use crate::environment::Environment;
use crate::plan::{ConsumerSettings, RETENTION_SECONDS, Step};
use crate::record::Record;
use crate::worker_config::{SECOND_PEPPER, worker_config};
use crate::wrangler::Wrangler;
use anyhow::{Context, Result};
use native::now_unix;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The context of a deployment's steps.
#[derive(Debug)]
pub struct Deployment<'a> {
    pub account: &'a Account,
    pub environment: &'a Environment,
    pub record: &'a mut Record,
    /// The project's folder.
    pub project: &'a Path,
    /// The folder for wrangler's configuration: `build/deploy/ENVIRONMENT` in the project.
    pub folder: PathBuf,
}

impl Deployment<'_> {
    /// Carries out one step. Repeating it after a failure is safe.
    pub async fn apply(&mut self, step: &Step) -> Result<()> {
        if let Some(name) = step.created(self.environment) {
            self.record.remember_created(&name)?;
        }
        match step {
            Step::CreateDatabase => self.create_database().await,
            Step::CreateSessions => {
                let body = json!({ "title": self.environment.sessions() });
                self.account.post("storage/kv/namespaces", body, None).await.map(drop)
            }
            Step::CreateBucket => self.create_bucket().await,
            Step::CreateQueue { name } => self.create_queue(name).await,
            Step::SetConsumer { queue, settings } => self.set_consumer(queue, settings).await,
            Step::Migrate => self.wrangler().await?.migrate(),
            Step::DeployWorker { new_secrets, .. } => {
                let secrets = self.record.secrets(new_secrets)?;
                self.wrangler().await?.deploy(&secrets)
            }
            Step::RecordNewPepper => self.record.begin_pepper_change(now_unix()),
            Step::SwitchPeppers => self.record.switch_peppers(),
            Step::EndOldPepper => {
                let path = format!("{SCRIPTS}/{}/secrets/{SECOND_PEPPER}", self.environment.worker());
                self.account.delete(&path).await?;
                self.record.end_pepper_change()
            }
        }
    }

    async fn create_database(&self) -> Result<()> {
        let mut body = json!({ "name": self.environment.database() });
        set(&mut body, "primary_location_hint", self.environment.location.as_deref());
        set(&mut body, "jurisdiction", self.environment.jurisdiction.as_deref());
        self.account.post("d1/database", body, None).await.map(drop)
    }

    async fn create_bucket(&self) -> Result<()> {
        let mut body = json!({ "name": self.environment.bucket() });
        set(&mut body, "locationHint", self.environment.location.as_deref());
        let jurisdiction = self.environment.jurisdiction.as_deref();
        self.account.post("r2/buckets", body, jurisdiction).await.map(drop)
    }

    async fn create_queue(&self, name: &str) -> Result<()> {
        let body = json!({ "queue_name": name, "settings": { "message_retention_period": RETENTION_SECONDS } });
        self.account.post("queues", body, None).await.map(drop)
    }

    async fn set_consumer(&self, queue: &str, settings: &ConsumerSettings) -> Result<()> {
        let found = find_queue(self.account, queue).await?.with_context(|| format!("the queue {queue} is gone"))?;
        let mut body = json!({ "type": "http_pull", "settings": { "max_retries": settings.max_retries } });
        set(&mut body, "dead_letter_queue", settings.dead_letters.as_deref());
        let path = format!("queues/{}/consumers", found.id);
        match found.consumer {
            Some(consumer) => self.account.put(&format!("{path}/{}", consumer.id), body).await,
            None => self.account.post(&path, body, None).await,
        }
        .map(drop)
    }

    /// Writes the configuration with the current ids of the storage.
    async fn wrangler(&self) -> Result<Wrangler> {
        let storage = Storage::read(self.account, self.environment).await?;
        let committed = std::fs::read_to_string(self.project.join("wrangler.toml")).context("reading wrangler.toml")?;
        let config = worker_config(&committed, self.environment, &storage, "../../..")?;
        std::fs::create_dir_all(&self.folder)?;
        let path = self.folder.join("wrangler.json");
        // The file is replaced atomically, because a second deployment may be reading it.
        let unfinished = self.folder.join(format!("wrangler.{}.unfinished", std::process::id()));
        std::fs::write(&unfinished, serde_json::to_string_pretty(&config)?)?;
        std::fs::rename(&unfinished, &path)?;
        Ok(Wrangler::new(self.project, &path))
    }
}

fn set(body: &mut Value, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        body[name] = json!(value);
    }
}
