//! The pepper of API keys is replaced without an outage, in the steps of docs/runbook.md. Each step restarts the Worker
//! with new secrets and the same databases.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, StackLimits, TestCache, TestStack, e2e, ensure_refused, moderator_request, send};

const NEW_PEPPER: &str = "0123456789abcdef0123456789abcdef-new";

/// An account with its API key. The cookie belongs to the session in which its owner manages the key.
struct Owner {
    key: String,
    cookie: String,
}

impl Owner {
    async fn new(stack: &Arc<TestStack>) -> Result<Self> {
        let Channel { account, key, .. } = Channel::new(stack).await?;
        Ok(Self { key, cookie: account.cookie.clone() })
    }

    async fn use_key(&self, stack: &TestStack) -> Result<HttpAnswer> {
        stack.get_with_key(paths::UPLOAD_LIMITS, &self.key).await
    }

    async fn ensure_valid(&self, stack: &TestStack) -> Result<()> {
        let answer = self.use_key(stack).await?;
        ensure!(answer.status == 200, "{answer:?}");
        Ok(())
    }

    async fn ensure_invalid(&self, stack: &TestStack) -> Result<()> {
        ensure_refused(&self.use_key(stack).await?, 401, "api_key_invalid")
    }

    /// Sends a request to manage the key, with the session that KV has.
    async fn manage(&self, stack: &TestStack, path: &str) -> Result<HttpAnswer> {
        let answer = send(stack.request(Method::POST, path).header("Cookie", &self.cookie).json(&json!({}))).await?;
        ensure!(answer.status == 200, "{answer:?}");
        Ok(answer)
    }

    async fn upload(&self, stack: &TestStack) -> Result<HttpAnswer> {
        let request = stack.request(Method::POST, paths::UPLOAD_VIDEO).bearer_auth(&self.key);
        let form = Form::new().file("file", "a.mp4", &stack.small_video());
        send(request.header("Content-Type", Form::content_type()).body(form.body())).await
    }
}

/// Restarts the stack with these peppers.
async fn restart(stack: Arc<TestStack>, peppers: [&str; 2]) -> Result<Arc<TestStack>> {
    let stack = Arc::into_inner(stack).context("the stack is still in use")?;
    Ok(Arc::new(stack.restart_with(false, |state| state.set_peppers(peppers)).await?))
}

/// Returns the gauge of the keys that have not moved away from the second pepper.
async fn unmoved_keys(stack: &TestStack) -> Result<u64> {
    let metrics = send(moderator_request(stack, Method::GET, paths::METRICS)).await?;
    let text = String::from_utf8_lossy(&metrics.bytes).into_owned();
    let series = "clipgate_edge_unmoved_api_keys{pepper=\"second\"} ";
    let value = text.lines().find_map(|line| line.strip_prefix(series)).with_context(|| text.clone())?;
    Ok(value.parse()?)
}

#[e2e]
async fn a_key_outlives_the_pepper_that_it_was_made_with(_shared: Arc<TestStack>) -> Result<()> {
    let stack = Arc::new(TestStack::boot("peppers", StackLimits::NONE, TestCache::None).await?);
    let [used, unused, deleted, replaced] =
        [Owner::new(&stack).await?, Owner::new(&stack).await?, Owner::new(&stack).await?, Owner::new(&stack).await?];
    let [old_pepper, none] = stack.state().peppers()?;
    ensure!(none.is_empty() && unmoved_keys(&stack).await? == 0);

    println!("rotation: four keys are made with the old pepper");
    let stack = restart(stack, [&old_pepper, NEW_PEPPER]).await?;
    for owner in [&used, &deleted, &replaced] {
        owner.ensure_valid(&stack).await?;
    }
    ensure!(unmoved_keys(&stack).await? == 0, "no key has the new pepper yet");
    println!("rotation: the Worker also knows the new pepper; the keys work");

    let stack = restart(stack, [NEW_PEPPER, &old_pepper]).await?;
    ensure!(unmoved_keys(&stack).await? == 4);
    for _ in 0..2 {
        used.ensure_valid(&stack).await?;
        ensure!(unmoved_keys(&stack).await? == 3, "a use moves the key, once");
    }
    println!("rotation: the new pepper comes first; a use moves a key, and 3 are unmoved");
    // Neither the hash from before the move nor the new hash brings a deleted or replaced key back.
    deleted.ensure_valid(&stack).await?;
    deleted.manage(&stack, paths::DELETE_API_KEY).await?;
    let new_key = replaced.manage(&stack, paths::ROTATE_API_KEY).await?.json()?;
    let new_key = new_key["api_key"].as_str().context("no key")?.to_owned();
    let renewed = Owner { key: new_key, cookie: replaced.cookie.clone() };
    ensure!(unmoved_keys(&stack).await? == 1);
    deleted.ensure_invalid(&stack).await?;
    replaced.ensure_invalid(&stack).await?;
    renewed.ensure_valid(&stack).await?;
    let moves = "SELECT count(*) FROM trail WHERE action = 'key_rotated' AND id > ?1";
    ensure!(stack.count(moves, 0)? == 1, "a move is not a rotation");

    let stack = restart(stack, [NEW_PEPPER, ""]).await?;
    used.ensure_valid(&stack).await?;
    renewed.ensure_valid(&stack).await?;
    let uploaded = used.upload(&stack).await?;
    ensure!(uploaded.status == 200, "{uploaded:?}");
    for owner in [&unused, &deleted, &replaced] {
        owner.ensure_invalid(&stack).await?;
    }
    println!("rotation: the old pepper is gone; keys that moved work, one that was never used since is refused");
    // The owner of a key that stayed behind is still signed in, and gets a key that works.
    let answer = unused.manage(&stack, paths::ROTATE_API_KEY).await?.json()?;
    let key = answer["api_key"].as_str().context("no key")?.to_owned();
    Owner { key, cookie: unused.cookie.clone() }.ensure_valid(&stack).await?;
    println!("rotation: its owner, who is still signed in, rotates it, and the new key works");
    stack.ensure_nothing_leaked().await
}
