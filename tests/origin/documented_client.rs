//! The client program in `docs/clients.md`, exactly as it is printed there.

use anyhow::{Context, Result, ensure};
use std::sync::Arc;
use tests::{Clip, OriginFleet, TestStack, e2e, project};
use tokio::process::Command;

/// Returns the Python program in the document.
fn documented_program() -> Result<String> {
    let text = std::fs::read_to_string(project().join("docs/clients.md"))?;
    let (_, from) = text.split_once("```python\n").context("the document has no program")?;
    let (program, _) = from.split_once("```").context("the program has no end")?;
    Ok(program.to_owned())
}

#[e2e(Own)]
async fn the_documented_client_uploads_and_waits_until_publication(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    Clip::mp4("a.mp4").make(&fleet.folder)?;
    fleet.start("origin", &[]).await?;
    let python = project().join(".dev/python/bin/python");
    if !python.exists() {
        println!("documented_client: the Python clients are not installed and are not tested");
        return Ok(());
    }
    let output = Command::new(python)
        .args(["-c", &documented_program()?])
        .arg(fleet.folder.join("a.mp4"))
        .arg("From the documents")
        .env("UPLOAD_URL", stack.url(""))
        .env("API_KEY", &fleet.channel.key)
        .output()
        .await?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let page = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    ensure!(output.status.success() && errors.contains("published 100 %"), "{page} {errors}");
    let path = page.strip_prefix(stack.env().get("SITE_URL"));
    let answer = stack.get(path.context("the page is on another site")?).await?;
    ensure!(answer.status == 200, "{page}: {answer:?}");
    Ok(())
}
