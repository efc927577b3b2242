//! Closes and opens a deployed service by one secret of the Worker, which takes neither a build nor a deployment.
//!
//! Changing a secret makes a new version of the Worker, so the cache is empty afterwards.

use crate::account::SCRIPTS;
use crate::cloudflare::Account;
use crate::environment::Environment;
use crate::worker_config::CLOSED;
use anyhow::{Context, Result};
use serde_json::json;

/// Lets the Worker answer operators only. Repeating it changes nothing.
pub async fn close(account: &Account, environment: &Environment) -> Result<()> {
    let secret = json!({ "name": CLOSED, "text": "true", "type": "secret_text" });
    let put = account.put(&format!("{SCRIPTS}/{}/secrets", environment.worker()), secret).await;
    // Cloudflare refuses to change the secrets of a version that is not the latest one.
    put.map(drop).context("closing the service. After `wrangler rollback`, deploy the version that works first")
}

/// Opens the service to everyone. Repeating it changes nothing.
pub async fn open(account: &Account, environment: &Environment) -> Result<()> {
    let path = format!("{SCRIPTS}/{}/secrets/{CLOSED}", environment.worker());
    account
        .delete(&path)
        .await
        .context("opening the service. After `wrangler rollback`, deploy the version that works first")
}
