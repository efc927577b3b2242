//! Tests of the trial at the end of a deployment.

use anyhow::{Result, ensure};
use deploy::trial::Trial;
use std::sync::Arc;
use std::time::Duration;
use tests::{OriginFleet, TestStack, e2e};

#[e2e(Own)]
async fn a_trial_publishes_a_clip_and_leaves_neither_clip_nor_key(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let trial = |account_id| {
        let env = stack.env();
        let (base_url, service_token) = (env.get("BASE_URL"), env.get("SERVICE_TOKEN"));
        Trial { base_url, upload_url: base_url, service_token, account_id }
    };
    let count_keys = || stack.count("SELECT count(*) FROM api_keys WHERE channel_id > ?1", 0);
    let keys_before = count_keys()?;
    // Without an origin, the error says what is missing.
    let error = trial(90_000).run(Duration::from_secs(1)).await.unwrap_err();
    ensure!(format!("{error:#}").contains("Does an origin run?"), "{error:#}");
    fleet.start("trial", &[]).await?;
    let page = trial(90_001).run(Duration::from_mins(2)).await?;
    let status = stack.client.get(&page).send().await?.status();
    ensure!(status == 404, "{page} is still there: {status}");
    ensure!(count_keys()? == keys_before, "a key is left");
    Ok(())
}
