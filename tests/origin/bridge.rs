//! The stack's queue, as its bridge tells of it.

use crate::harness::Harness;
use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

/// Lets time pass for the queue alone: what rests there is given out at once.
pub async fn advance(harness: &Harness, time: Duration) -> Result<()> {
    let asked = json!({ "ms": u64::try_from(time.as_millis())? });
    let told = call(harness, Method::POST, "/advance", &asked).await?;
    ensure!(told["success"] == true, "{told}");
    Ok(())
}

/// How many messages are in the queue, leased ones included, and how many dead letters there are.
pub async fn depth_and_dead(harness: &Harness) -> Result<(u64, u64)> {
    let stats = call(harness, Method::GET, "/stats", &Value::Null).await?;
    let number = |name| {
        let number = stats["result"][name].as_u64();
        number.with_context(|| format!("no {name}: {stats}"))
    };
    Ok((number("depth")?, number("dead")?))
}

async fn call(harness: &Harness, method: Method, path: &str, asked: &Value) -> Result<Value> {
    let env = harness.env();
    let bridge = env.get("QUEUE_API_BASE").trim_end_matches("/client/v4");
    let request = harness.client.request(method, format!("{bridge}{path}"));
    let request = request.bearer_auth(env.get("QUEUE_API_TOKEN"));
    Ok(request.json(asked).send().await?.json().await?)
}
