//! The programs that people upload with: each gets the JSON of a success, and that of a refusal while it still sends.

use crate::channel::Channel;
use crate::harness::{Harness, Suite};
use anyhow::{Result, ensure};
use contract::paths;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::Command;

pub fn register(suite: &mut Suite) {
    suite.add("real_clients::curl", curl);
    suite.add("real_clients::python_requests", |harness| {
        python(harness, "requests")
    });
    suite.add("real_clients::python_httpx", |harness| {
        python(harness, "httpx")
    });
    suite.add("real_clients::node_fetch", node);
}

const CAPTION: &str = "Grüße, 世界 \"quoted\" #fun";

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What every client is given: address, key, file and caption, through its environment.
fn equip(command: &mut Command, channel: &Channel, file: &Path) {
    command
        .env("UPLOAD", channel.harness.url(paths::UPLOAD_VIDEO))
        .env("KEY", &channel.key);
    command
        .env("FILE", file)
        .env("CAPTION", CAPTION)
        .stdin(Stdio::null());
}

/// Runs a client for a success and for an early refusal; `None` where it is not installed.
async fn try_client(harness: Arc<Harness>, name: &str, client: impl Fn() -> Command) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let folder = harness.folder().join(format!("client-{name}"));
    std::fs::create_dir_all(&folder)?;
    let (video, junk) = (folder.join("clip.mp4"), folder.join("junk.bin"));
    std::fs::write(&video, harness.small_video())?;
    // Large enough that the refusal comes while it is still being sent.
    std::fs::write(&junk, vec![b'-'; 30_000_000])?;
    let _permit = harness.large_uploads(1).await?;
    let Some(success) = answer_of(&client, &channel, &video).await? else {
        println!("real_clients: {name} is not installed here and is not tried");
        return Ok(());
    };
    ensure!(
        success["success"] == true
            && success["slug_url"]
                .as_str()
                .is_some_and(|slug| slug.starts_with("gru")),
        "{name}: {success}"
    );
    let refusal = answer_of(&client, &channel, &junk)
        .await?
        .unwrap_or_default();
    ensure!(
        refusal["error_message_code"] == "content_file_invalid_format",
        "{name}: {refusal}"
    );
    let stored = channel.content(success.as_object().unwrap_or(&serde_json::Map::new()))?;
    ensure!(stored["caption"] == CAPTION, "{name}: {stored:?}");
    Ok(())
}

async fn answer_of(
    client: &impl Fn() -> Command,
    channel: &Channel,
    file: &Path,
) -> Result<Option<Value>> {
    let mut command = client();
    equip(&mut command, channel, file);
    let Ok(output) = command.output().await else {
        return Ok(None);
    };
    let (printed, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    if errors.contains("No module named") {
        return Ok(None);
    }
    ensure!(output.status.success(), "the client failed: {errors}");
    Ok(Some(serde_json::from_str(&printed)?))
}

async fn curl(harness: Arc<Harness>) -> Result<()> {
    let script = r#"curl -sS "$UPLOAD" -H "Authorization: Bearer $KEY" -F "caption=$CAPTION" -F "file=@$FILE""#;
    try_client(harness, "curl", || {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    })
    .await
}

async fn python(harness: Arc<Harness>, library: &'static str) -> Result<()> {
    let script = format!(
        "import os, {library}\n\
         e = os.environ\n\
         with open(e['FILE'], 'rb') as f:\n    \
             r = {library}.post(e['UPLOAD'], headers={{'Authorization': 'Bearer ' + e['KEY']}},\n        \
                 data={{'caption': e['CAPTION']}}, files={{'file': ('clip.mp4', f)}}, timeout=60)\n\
         print(r.text)"
    );
    try_client(harness, library, || {
        let mut command = Command::new(project().join(".dev/python/bin/python"));
        command.args(["-c", &script]);
        command
    })
    .await
}

async fn node(harness: Arc<Harness>) -> Result<()> {
    let script = "const e = process.env, form = new FormData();\n\
        form.set('caption', e.CAPTION);\n\
        form.set('file', await (await import('node:fs')).openAsBlob(e.FILE), 'clip.mp4');\n\
        const headers = { authorization: `Bearer ${e.KEY}` };\n\
        console.log(await (await fetch(e.UPLOAD, { method: 'POST', headers, body: form })).text());";
    try_client(harness, "node", || {
        let mut command = Command::new(project().join("node_modules/.bin/node"));
        command.args(["--input-type=module", "-e", script]);
        command
    })
    .await
}
