//! Common upload programs. Each reads the JSON of a success, and of a refusal that arrives while it is still sending.

use anyhow::{Result, ensure};
use contract::paths;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use tests::{Channel, TestStack, e2e, project};
use tokio::process::Command;

const CAPTION: &str = "Grüße, 世界 \"quoted\" #fun";

/// Puts the address, key, file and caption into the environment of a client.
fn set_environment(command: &mut Command, channel: &Channel, file: &Path) {
    command.env("UPLOAD", channel.stack.url(paths::UPLOAD_VIDEO)).env("KEY", &channel.key);
    command.env("FILE", file).env("CAPTION", CAPTION).stdin(Stdio::null());
}

/// Runs a client for a success and for an early refusal.
async fn ensure_client_works(stack: Arc<TestStack>, name: &str, client: impl Fn() -> Command) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let folder = stack.folder().join(format!("client-{name}"));
    std::fs::create_dir_all(&folder)?;
    let (video, junk) = (folder.join("clip.mp4"), folder.join("junk.bin"));
    std::fs::write(&video, stack.small_video())?;
    // Larger than all buffers on the way, so the refusal arrives while the client is still sending.
    std::fs::write(&junk, vec![b'-'; 15_000_000])?;
    let Some(success) = upload_with(&client, &channel, &video).await? else {
        println!("real_clients: {name} is not installed and is not tested");
        return Ok(());
    };
    ensure!(
        success["success"] == true && success["slug_url"].as_str().is_some_and(|slug| slug.starts_with("gru")),
        "{name}: {success}"
    );
    let refusal = upload_with(&client, &channel, &junk).await?.unwrap_or_default();
    ensure!(refusal["error_message_code"] == "content_file_invalid_format", "{name}: {refusal}");
    let stored = channel.content_row(success.as_object().unwrap_or(&serde_json::Map::new()))?;
    ensure!(stored["caption"] == CAPTION, "{name}: {stored:?}");
    Ok(())
}

/// Uploads a file and returns the JSON that the client printed. Returns `None` if the client is not installed.
async fn upload_with(client: &impl Fn() -> Command, channel: &Channel, file: &Path) -> Result<Option<Value>> {
    let mut command = client();
    set_environment(&mut command, channel, file);
    let Ok(output) = command.output().await else {
        return Ok(None);
    };
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if errors.contains("No module named") {
        return Ok(None);
    }
    ensure!(output.status.success(), "the client failed: {errors}");
    Ok(Some(serde_json::from_str(&printed)?))
}

#[e2e]
async fn curl_reads_a_success_and_an_early_refusal(stack: Arc<TestStack>) -> Result<()> {
    let script = r#"printf '1\n00:00:01,000 --> 00:00:02,000\nOla\n' >"$FILE.srt"
        curl -sS "$UPLOAD" -H "Authorization: Bearer $KEY" -F "caption=$CAPTION" -F "captions_file_pt-BR=@$FILE.srt" \
            -F "file=@$FILE""#;
    ensure_client_works(stack, "curl", || {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    })
    .await
}

#[e2e]
async fn python_requests_reads_a_success_and_an_early_refusal(stack: Arc<TestStack>) -> Result<()> {
    ensure_python_works(stack, "requests").await
}

#[e2e]
async fn python_httpx_reads_a_success_and_an_early_refusal(stack: Arc<TestStack>) -> Result<()> {
    ensure_python_works(stack, "httpx").await
}

async fn ensure_python_works(stack: Arc<TestStack>, library: &'static str) -> Result<()> {
    let script = format!(
        "import os, {library}\n\
         e = os.environ\n\
         with open(e['FILE'], 'rb') as f:\n    \
             r = {library}.post(e['UPLOAD'], headers={{'Authorization': 'Bearer ' + e['KEY']}},\n        \
                 data={{'caption': e['CAPTION']}}, files={{'file': ('clip.mp4', f)}}, timeout=60)\n\
         print(r.text)"
    );
    ensure_client_works(stack, library, || {
        let mut command = Command::new(project().join(".dev/python/bin/python"));
        command.args(["-c", &script]);
        command
    })
    .await
}

#[e2e]
async fn node_fetch_reads_a_success_and_an_early_refusal(stack: Arc<TestStack>) -> Result<()> {
    let script = "const e = process.env, form = new FormData();\n\
        form.set('caption', e.CAPTION);\n\
        form.set('file', await (await import('node:fs')).openAsBlob(e.FILE), 'clip.mp4');\n\
        const headers = { authorization: `Bearer ${e.KEY}` };\n\
        console.log(await (await fetch(e.UPLOAD, { method: 'POST', headers, body: form })).text());";
    ensure_client_works(stack, "node", || {
        let mut command = Command::new(project().join("node_modules/.bin/node"));
        command.args(["--input-type=module", "-e", script]);
        command
    })
    .await
}
