//! A queue of one test: the origin's clients of it and of its dead letters, and what steers the bridge.

use crate::harness::Harness;
use anyhow::{Context, Result, ensure};
use contract::{JOB_VERSION, JobMessage};
use origin::queue::{Delivery, QueueAddress, QueueClient};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub struct Queue {
    pub client: QueueClient,
    pub dead: QueueClient,
    harness: Arc<Harness>,
    id: String,
}

/// The text of a job that is told apart by its number.
pub fn job_text(number: u64) -> String {
    let job = JobMessage {
        version: JOB_VERSION,
        content_id: number,
        content_uuid: format!("00000000-0000-7000-8000-{number:012x}"),
        generation: 1,
    };
    serde_json::to_string(&job).unwrap_or_default()
}

/// A client of a queue of the stack that this describes.
pub fn client(env: &dev::StackEnv, queue: &str) -> Result<QueueClient> {
    let address = address(env, queue);
    Ok(QueueClient::new(
        &address,
        env.get("QUEUE_API_TOKEN").into(),
    )?)
}

fn address(env: &dev::StackEnv, queue: &str) -> QueueAddress {
    QueueAddress {
        base: env.get("QUEUE_API_BASE").to_owned(),
        account: env.get("QUEUE_ACCOUNT_ID").to_owned(),
        queue: queue.to_owned(),
    }
}

impl Queue {
    pub async fn fresh(harness: &Arc<Harness>, max_retries: u32) -> Result<Self> {
        let url = format!("{}/queues", bridge(harness.env()));
        let asked = json!({ "max_retries": max_retries });
        let made = call(harness, Method::POST, &url, &asked).await?;
        let id = |name| {
            made["result"][name]
                .as_str()
                .with_context(|| format!("no {name}: {made}"))
        };
        Ok(Self {
            client: client(harness.env(), id("queue_id")?)?,
            dead: client(harness.env(), id("queue_dead_id")?)?,
            harness: Arc::clone(harness),
            id: id("queue_id")?.to_owned(),
        })
    }

    /// The only message that is there.
    pub async fn one(&self, hidden: Duration) -> Result<Delivery> {
        let mut deliveries = self.client.pull(10, hidden).await?.deliveries;
        ensure!(deliveries.len() == 1, "{deliveries:?}");
        deliveries.pop().context("none")
    }

    pub async fn ensure_empty(&self) -> Result<()> {
        let deliveries = self.client.pull(10, Duration::ZERO).await?.deliveries;
        ensure!(deliveries.is_empty(), "{deliveries:?}");
        Ok(())
    }

    /// Fails unless the queue and its dead letters have so many messages.
    pub async fn ensure_stats(&self, depth: u64, dead: u64) -> Result<()> {
        let stats = self.stats().await?;
        ensure!(stats["depth"] == depth && stats["dead"] == dead, "{stats}");
        Ok(())
    }

    /// How many messages there are, leased ones included.
    pub async fn depth(&self) -> Result<u64> {
        let stats = self.stats().await?;
        stats["depth"]
            .as_u64()
            .with_context(|| format!("no depth: {stats}"))
    }

    async fn stats(&self) -> Result<Value> {
        let url = self.steering("/stats");
        let mut answer = call(&self.harness, Method::GET, &url, &Value::Null).await?;
        Ok(answer["result"].take())
    }

    pub async fn advance(&self, time: Duration) -> Result<()> {
        let asked = json!({ "ms": u64::try_from(time.as_millis())? });
        let url = self.steering("/advance");
        let answer = call(&self.harness, Method::POST, &url, &asked).await?;
        ensure!(answer["success"] == true, "{answer}");
        Ok(())
    }

    pub async fn set_faults(&self, faults: Value) -> Result<()> {
        let answer = call(
            &self.harness,
            Method::PUT,
            &self.steering("/faults"),
            &faults,
        )
        .await?;
        ensure!(answer["success"] == true, "{answer}");
        Ok(())
    }

    /// What the bridge answers to this body, with the right token.
    pub async fn raw(&self, action: &str, asked: &Value) -> Result<Value> {
        call(&self.harness, Method::POST, &self.messages(action), asked).await
    }

    pub fn messages(&self, action: &str) -> String {
        let address = self.address();
        let QueueAddress {
            base,
            account,
            queue,
        } = address;
        format!("{base}/accounts/{account}/queues/{queue}/messages{action}")
    }

    pub fn steering(&self, path: &str) -> String {
        format!("{}{path}?queue={}", bridge(self.harness.env()), self.id)
    }

    pub fn with_token(&self, token: &str) -> Result<QueueClient> {
        Ok(QueueClient::new(&self.address(), token.into())?)
    }

    pub fn with_timeout(&self, timeout: Duration) -> Result<QueueClient> {
        let address = self.address();
        Ok(QueueClient::with_timeout(&address, self.token(), timeout)?)
    }

    pub fn of_account(&self, account: &str) -> Result<QueueClient> {
        let mut address = self.address();
        account.clone_into(&mut address.account);
        Ok(QueueClient::new(&address, self.token())?)
    }

    pub fn of_queue(&self, queue: &str) -> Result<QueueClient> {
        let address = address(self.harness.env(), queue);
        Ok(QueueClient::new(&address, self.token())?)
    }

    fn address(&self) -> QueueAddress {
        address(self.harness.env(), &self.id)
    }

    fn token(&self) -> SecretString {
        self.harness.env().get("QUEUE_API_TOKEN").into()
    }
}

/// Where the bridge is.
pub fn bridge(env: &dev::StackEnv) -> &str {
    env.get("QUEUE_API_BASE").trim_end_matches("/client/v4")
}

async fn call(harness: &Harness, method: Method, url: &str, asked: &Value) -> Result<Value> {
    let token = harness.env().get("QUEUE_API_TOKEN");
    let mut request = harness.client.request(method, url).bearer_auth(token);
    if !asked.is_null() {
        request = request.json(asked);
    }
    Ok(request.send().await?.json().await?)
}
