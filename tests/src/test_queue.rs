//! Queues of the stack's bridge: a queue for one test with its own clock, and the stack's own queue.

use crate::test_stack::TestStack;
use anyhow::{Context, Result, ensure};
use contract::job::JobWork;
use contract::{JOB_VERSION, JobMessage};
use origin::clients::queue::{QueueAddress, QueueClient, QueueMessage};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A queue, and the clients by which an origin reads it and its dead letters.
#[derive(Debug)]
pub struct TestQueue {
    pub client: QueueClient,
    pub dead: QueueClient,
    stack: Arc<TestStack>,
    id: String,
}

/// Returns the text of a job message, recognisable by its number.
pub fn job_text(number: u64) -> String {
    let job = JobMessage {
        version: JOB_VERSION,
        content_id: number,
        content_uuid: format!("00000000-0000-7000-8000-{number:012x}"),
        generation: 1,
        work: JobWork::Video,
        traceparent: None,
    };
    serde_json::to_string(&job).unwrap_or_default()
}

/// Returns a client of a queue of the stack.
pub fn queue_client(env: &dev::StackEnv, queue: &str) -> Result<QueueClient> {
    let address = address(env, queue);
    Ok(QueueClient::new(&address, env.get("QUEUE_API_TOKEN").into())?)
}

fn address(env: &dev::StackEnv, queue: &str) -> QueueAddress {
    QueueAddress {
        base: env.get("QUEUE_API_BASE").to_owned(),
        account: env.get("QUEUE_ACCOUNT_ID").to_owned(),
        queue: queue.to_owned(),
    }
}

impl TestQueue {
    /// Creates a queue on the bridge.
    pub async fn create(stack: &Arc<TestStack>, max_retries: u32) -> Result<Self> {
        let url = format!("{}/queues", bridge_address(stack.env()));
        let body = json!({ "max_retries": max_retries });
        let answer = call(stack, Method::POST, &url, &body).await?;
        let id = |name| answer["result"][name].as_str().with_context(|| format!("no {name}: {answer}"));
        Self::open(stack, id("queue_id")?, id("queue_dead_id")?)
    }

    /// Returns the queue through which the stack's Worker sends jobs to origins.
    pub fn of_jobs(stack: &Arc<TestStack>) -> Result<Self> {
        Self::open(stack, stack.env().get("QUEUE_ID"), stack.env().get("QUEUE_DEAD_ID"))
    }

    fn open(stack: &Arc<TestStack>, id: &str, dead_id: &str) -> Result<Self> {
        let (client, dead) = (queue_client(stack.env(), id)?, queue_client(stack.env(), dead_id)?);
        Ok(Self { client, dead, stack: Arc::clone(stack), id: id.to_owned() })
    }

    /// Pulls and fails unless exactly one message arrives.
    pub async fn pull_one(&self, hidden: Duration) -> Result<QueueMessage> {
        let mut messages = self.client.pull(10, hidden).await?.messages;
        ensure!(messages.len() == 1, "{messages:?}");
        messages.pop().context("no message")
    }

    /// Fails if a message can be pulled.
    pub async fn ensure_empty(&self) -> Result<()> {
        let messages = self.client.pull(10, Duration::ZERO).await?.messages;
        ensure!(messages.is_empty(), "{messages:?}");
        Ok(())
    }

    /// Fails unless the queue and its dead letters have this many messages.
    pub async fn ensure_stats(&self, depth: u64, dead: u64) -> Result<()> {
        let counts = self.depth_and_dead().await?;
        ensure!(counts == (depth, dead), "expected {depth} and {dead} dead, found {counts:?}");
        Ok(())
    }

    /// Returns how many messages there are, leased ones included.
    pub async fn depth(&self) -> Result<u64> {
        Ok(self.depth_and_dead().await?.0)
    }

    /// Returns how many messages are in the queue, leased ones included, and how many dead letters there are.
    pub async fn depth_and_dead(&self) -> Result<(u64, u64)> {
        let answer = call(&self.stack, Method::GET, &self.control_url("/stats"), &Value::Null).await?;
        let number = |name| answer["result"][name].as_u64().with_context(|| format!("no {name}: {answer}"));
        Ok((number("depth")?, number("dead")?))
    }

    /// Advances the clock of this queue alone: leases and delays run out.
    pub async fn advance(&self, time: Duration) -> Result<()> {
        let body = json!({ "ms": u64::try_from(time.as_millis())? });
        let answer = call(&self.stack, Method::POST, &self.control_url("/advance"), &body).await?;
        ensure!(answer["success"] == true, "{answer}");
        Ok(())
    }

    /// Sets the faults that the next requests meet.
    pub async fn set_faults(&self, faults: Value) -> Result<()> {
        let answer = call(&self.stack, Method::PUT, &self.control_url("/faults"), &faults).await?;
        ensure!(answer["success"] == true, "{answer}");
        Ok(())
    }

    /// Returns the answer of the API to this body, with the right token.
    pub async fn call_api(&self, action: &str, body: &Value) -> Result<Value> {
        call(&self.stack, Method::POST, &self.api_url(action), body).await
    }

    pub fn api_url(&self, action: &str) -> String {
        let address = self.address();
        let QueueAddress { base, account, queue } = address;
        format!("{base}/accounts/{account}/queues/{queue}/messages{action}")
    }

    /// Returns the address of a route that only the bridge has.
    pub fn control_url(&self, path: &str) -> String {
        format!("{}{path}?queue={}", bridge_address(self.stack.env()), self.id)
    }

    pub fn with_token(&self, token: &str) -> Result<QueueClient> {
        Ok(QueueClient::new(&self.address(), token.into())?)
    }

    pub fn with_timeout(&self, timeout: Duration) -> Result<QueueClient> {
        let address = self.address();
        Ok(QueueClient::with_timeout(&address, self.token(), timeout)?)
    }

    pub fn with_account(&self, account: &str) -> Result<QueueClient> {
        let mut address = self.address();
        account.clone_into(&mut address.account);
        Ok(QueueClient::new(&address, self.token())?)
    }

    pub fn with_queue(&self, queue: &str) -> Result<QueueClient> {
        let address = address(self.stack.env(), queue);
        Ok(QueueClient::new(&address, self.token())?)
    }

    fn address(&self) -> QueueAddress {
        address(self.stack.env(), &self.id)
    }

    fn token(&self) -> SecretString {
        self.stack.env().get("QUEUE_API_TOKEN").into()
    }
}

/// Returns the base address of the bridge.
pub fn bridge_address(env: &dev::StackEnv) -> &str {
    env.get("QUEUE_API_BASE").trim_end_matches("/client/v4")
}

async fn call(stack: &TestStack, method: Method, url: &str, body: &Value) -> Result<Value> {
    let token = stack.env().get("QUEUE_API_TOKEN");
    let mut request = stack.client.request(method, url).bearer_auth(token);
    if !body.is_null() {
        request = request.json(body);
    }
    Ok(request.send().await?.json().await?)
}

/// Whether the stack's own queue has neither messages nor dead letters.
pub(crate) async fn queue_is_empty(stack: &Arc<TestStack>) -> Result<bool> {
    Ok(TestQueue::of_jobs(stack)?.depth_and_dead().await? == (0, 0))
}
