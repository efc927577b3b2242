//! A key that asks too often is slowed down, others are not, and a key that is not alive hears only that.

use crate::channel::Channel;
use crate::harness::{Answer, Harness, Suite, ensure_refused};
use anyhow::{Result, ensure};
use contract::paths;
use std::sync::Arc;

const RATE: u32 = 8;

pub fn register(suite: &mut Suite) {
    suite.add_on(
        |name| Harness::start_with_key_rate(name, RATE),
        "key_rate::a_key_that_asks_too_often_waits_and_nobody_else_does",
        too_often,
    );
}

async fn too_often(harness: Arc<Harness>) -> Result<()> {
    let (busy, other) = (Channel::new(&harness).await?, Channel::new(&harness).await?);
    let refused = refused_in_the_end(&harness, &busy.key).await?;
    ensure_refused(&refused, 429, "rate_limited")?;
    ensure!(refused.header("retry-after") == "10", "{refused:?}");
    ensure!(ask(&harness, &other.key).await?.status == 200);
    // The dead one would be over its rate too.
    busy.account.post(paths::DELETE_API_KEY).await?;
    ensure_refused(&ask(&harness, &busy.key).await?, 401, "api_key_invalid")
}

/// The first refusal; the runtime counts generously, but not endlessly.
async fn refused_in_the_end(harness: &Harness, key: &str) -> Result<Answer> {
    for _ in 0..RATE * 3 {
        let answer = ask(harness, key).await?;
        if answer.status != 200 {
            return Ok(answer);
        }
    }
    anyhow::bail!("{} requests were all answered", RATE * 3)
}

async fn ask(harness: &Harness, key: &str) -> Result<Answer> {
    harness.with_key(paths::UPLOAD_LIMITS, key).await
}
