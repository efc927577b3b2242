//! The client that the documents show, as it stands there.

use crate::clips::Clip;
use crate::fleet::Fleet;
use crate::harness::{Harness, Suite};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::sync::Arc;
use tokio::process::Command;

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack(
        "client::the_documents_client_posts_and_waits_until_it_is_public",
        documented,
    );
}

/// The program that stands in `docs/clients.md`.
fn program() -> Result<String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(project.join("docs/clients.md"))?;
    let (_, from) = text.split_once("```python\n").context("no program")?;
    let (program, _) = from.split_once("```").context("it has no end")?;
    Ok(program.to_owned())
}

async fn documented(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    Clip::mp4("a.mp4").make(&fleet.folder)?;
    fleet.start("works", &[]).await?;
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.dev/python/bin/python");
    if !python.exists() {
        println!("client: the Python clients are not installed here and are not tried");
        return Ok(());
    }
    let ran = Command::new(python)
        .args(["-c", &program()?])
        .arg(fleet.folder.join("a.mp4"))
        .arg("From the documents")
        .env("UPLOAD_URL", harness.url(""))
        .env("API_KEY", &fleet.channel.key)
        .output()
        .await?;
    let errors = String::from_utf8_lossy(&ran.stderr);
    let page = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    ensure!(
        ran.status.success() && errors.contains("published 100 %"),
        "{page} {errors}"
    );
    let path = page.strip_prefix(harness.env().get("SITE_URL"));
    let shown = harness.get(path.context("another site")?).await?;
    ensure!(shown.status == 200, "{page}: {shown:?}");
    Ok(())
}
