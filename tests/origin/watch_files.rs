//! The files that `clipgate-watch` writes, as a node_exporter shows them.

use crate::trial::fly_canary;
use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::routing::{get, post};
use serde_json::json;
use std::future::ready;
use std::path::Path;
use std::sync::Arc;
use tests::{Channel, TestStack};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;

/// The metrics of both commands, and a server that shows them. It ends when this is dropped.
pub(crate) struct WatchFiles {
    pub(crate) metrics: String,
    pub(crate) address: String,
    server: JoinHandle<()>,
}

impl Drop for WatchFiles {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl WatchFiles {
    /// Runs a canary through the stack, and reads the requests of an account.
    pub(crate) async fn write(stack: &Arc<TestStack>, folder: &Path) -> Result<Self> {
        let (output, canary) = fly_canary(&Channel::new(stack).await?, folder, "120")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metrics = canary + &traffic().await?;
        let shown = metrics.clone();
        let (address, server) = serve(Router::new().route("/metrics", get(move || ready(shown)))).await?;
        Ok(Self { metrics, address, server })
    }
}

async fn serve(router: Router) -> Result<(String, JoinHandle<()>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?.to_string();
    let serve = async move {
        // Fails only if the listener does, and then the test finds no data.
        let _ = axum::serve(listener, router).await;
    };
    Ok((address, tokio::spawn(serve)))
}

/// Returns the metrics of an account in which there was an upload.
async fn traffic() -> Result<String> {
    let row = json!({ "route": "/api/php/developer/upload_video", "status": "200", "requests": "9",
        "p50": 700, "p99": 900, "rows_read": "600", "rows_written": "200" });
    let answer = json!({ "data": [row] });
    let router = Router::new().route("/accounts/a/analytics_engine/sql", post(move || ready(axum::Json(answer))));
    let (address, server) = serve(router).await?;
    let this = std::env::current_exe()?;
    let mut command = Command::new(this.ancestors().nth(2).context("no target folder")?.join("clipgate-watch"));
    command.arg("traffic").env("CLOUDFLARE_API_BASE_URL", format!("http://{address}"));
    let output = command.env("CLOUDFLARE_ACCOUNT_ID", "a").env("CLOUDFLARE_API_TOKEN", "token").output().await?;
    server.abort();
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
