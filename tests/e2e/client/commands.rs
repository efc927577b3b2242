//! The commands of the client, with the key where its user stores it.

use anyhow::{Context, Result, ensure};
use contract::paths;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;
use tests::{Channel, ChannelRows, ClientProgram, ClientRun, TestStack, e2e};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Signs in with a key on standard input.
async fn log_in(program: &ClientProgram, key: &str) -> Result<ClientRun> {
    let mut command = program.command(&["login"]);
    let mut child = command.env_remove("CLIPGATE_API_KEY").stdin(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("no standard input")?;
    input.write_all(format!("{key}\n").as_bytes()).await?;
    drop(input);
    Ok(ClientRun::of(&child.wait_with_output().await?))
}

/// Returns a command that has only the stored login.
fn signed_in(program: &ClientProgram, arguments: &[&str]) -> Command {
    let mut command = program.command(arguments);
    command.env_remove("CLIPGATE_API_KEY").env_remove("CLIPGATE_URL");
    command
}

async fn run(mut command: Command) -> Result<ClientRun> {
    Ok(ClientRun::of(&command.output().await?))
}

#[e2e]
async fn a_stored_key_serves_every_command_and_is_never_printed(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    program.write("cover.png", b"\x89PNG\r\n\x1a\n a picture")?;
    let login = log_in(&program, &channel.key).await?;
    ensure!(login.code == 0 && login.printed.contains("50"), "{login:?}");
    let stored = program.home().join("config/clipgate/credentials.json");
    ensure!(std::fs::metadata(stored)?.permissions().mode() & 0o777 == 0o600);
    let uploaded = run(signed_in(&program, &["upload", "clip.mp4", "--caption", "First", "--json"])).await?;
    let uuid = uploaded.event("uploaded")?["content_uuid"].as_str().context("no UUID")?.to_owned();
    let mut printed = login.printed + &uploaded.printed;
    for (arguments, expected) in [
        (vec!["status", uuid.as_str()], "processing"),
        (vec!["list"], "First"),
        (vec!["list", "--state", "published"], ""),
        (vec!["update", uuid.as_str(), "--caption", "Second", "--external-id", "7"], "processing"),
        (vec!["update", uuid.as_str(), "--thumbnail", "cover.png"], "the new thumbnail is pending"),
        (vec!["list", "--external-id", "7"], "Second"),
        (vec!["limits"], "Uploads left today: 49 of 50"),
        (vec!["categories"], ""),
        (vec!["delete", uuid.as_str(), "--yes"], "deleted"),
        (vec!["delete", uuid.as_str(), "--yes"], "deleted"),
        (vec!["events"], "content.deleted"),
        (vec!["logout"], "Removed"),
    ] {
        let run = run(signed_in(&program, &arguments)).await?;
        ensure!(run.code == 0 && run.printed.contains(expected), "{arguments:?}: {run:?}");
        printed.push_str(&(run.printed + &run.errors));
    }
    ensure!(!printed.contains(&channel.key), "the key was printed");
    channel.ensure_rows(&ChannelRows::after(1))?;
    let after = run(signed_in(&program, &["limits"])).await?;
    ensure!(after.code == 4 && after.errors.contains("clipgate login"), "{after:?}");
    Ok(())
}

#[e2e]
async fn a_video_is_released_with_the_client(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    let uploaded = program.run(&["upload", "clip.mp4", "--json"]).await?.event("uploaded")?;
    let uuid = uploaded["content_uuid"].as_str().context("no UUID")?;
    stack.change_rows(format!("UPDATE contents SET needs_release = 1 WHERE uuid = '{uuid}'")).await?;
    let listed = program.run(&["list"]).await?;
    ensure!(listed.printed.contains("(needs your release)"), "{listed:?}");
    for _ in 0..2 {
        let released = program.run(&["release", uuid, "--json"]).await?.event("released")?;
        ensure!(released["content_uuid"] == uuid && released["needs_release"] == false, "{released}");
    }
    let listed = program.run(&["list"]).await?;
    ensure!(!listed.printed.contains("(needs your release)"), "{listed:?}");
    Ok(())
}

#[e2e]
async fn each_kind_of_failure_has_an_exit_code_and_says_what_to_do(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let program = ClientProgram::new(&channel)?;
    for name in ["a.mp4", "b.mp4", "c.mp4"] {
        program.write(name, &stack.small_video())?;
    }
    let unknown = "00000000-0000-4000-8000-000000000000";
    let nobody = format!("http://127.0.0.1:{}", dev::free_port()?);
    let fails = async |arguments: &[&str], code: i32, text: &str| -> Result<()> {
        let run = program.run(arguments).await?;
        ensure!(run.code == code && run.errors.contains(text), "{arguments:?}: {run:?}");
        Ok(())
    };
    fails(&["upload"], 2, "Usage").await?;
    fails(&["delete", unknown], 2, "--yes").await?;
    fails(&["status", unknown], 8, "clipgate list").await?;
    fails(&["release", unknown], 8, "clipgate list").await?;
    fails(&["status", unknown], 8, "/docs/errors/content_not_found").await?;
    let json = program.run(&["status", unknown, "--json"]).await?.event("failed")?;
    let page = format!("{}{}content_not_found", stack.env().get("SITE_URL"), paths::DOCS_ERRORS);
    ensure!(json["refusal"]["docs_url"] == page, "{json}");
    fails(&["limits", "--url", &nobody, "--retry-for", "0"], 6, "does not respond").await?;
    fails(&["limits", "--url", "http://example.com"], 2, "unencrypted").await?;
    fails(&["upload", "a.mp4", "b.mp4", "c.mp4", "--jobs", "1"], 5, "Uploads are possible again").await?;
    channel.ensure_rows(&ChannelRows::after(1))?;
    let wrong = log_in(&program, "cgk_0000000000000000000000000000000000000000000000").await?;
    ensure!(wrong.code == 4 && !program.home().join("config").exists(), "{wrong:?}");
    let other = log_in(&program, "hunter2-hunter2").await?;
    ensure!(other.code == 4 && !(other.errors + &other.printed).contains("hunter2"), "the text was repeated");
    Ok(())
}

#[e2e]
async fn the_client_describes_itself(stack: Arc<TestStack>) -> Result<()> {
    let program = ClientProgram::at(&stack.url(""), "")?;
    for shell in ["bash", "zsh", "fish"] {
        let script = program.run(&["completions", shell]).await?;
        ensure!(script.code == 0 && script.printed.contains("upload"), "{shell}: {script:?}");
    }
    let page = program.run(&["man"]).await?;
    ensure!(page.printed.starts_with(".ie") && page.printed.contains("clipgate"), "{page:?}");
    program.run(&["man", "--to", "pages"]).await?;
    ensure!(std::fs::read_dir(program.home().join("pages"))?.count() > 10);
    let help = program.run(&["upload", "--help"]).await?;
    ensure!(help.printed.contains("Examples:") && help.printed.contains("--again"), "{help:?}");
    let missing = program.run(&["limits"]).await?;
    ensure!(missing.code == 4 && missing.errors.contains("clipgate login --url"), "{missing:?}");
    Ok(())
}

#[e2e]
async fn the_client_lists_page_by_page(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    for number in 0..3 {
        program.write(format!("videos/{number}.mp4"), &stack.small_video())?;
    }
    let uploaded = program.run_json(&["upload", "videos", "--external-id", "x"]).await?;
    ensure!(uploaded.len() == 3, "{uploaded:?}");
    let uuids = |lines: &[Value]| lines.iter().map(|line| line["content_uuid"].clone()).collect::<Vec<_>>();
    let listed = uuids(&program.run_json(&["list", "--external-id", "x"]).await?);
    ensure!(listed.len() == 3 && uuids(&uploaded).iter().all(|uuid| listed.contains(uuid)), "{listed:?}");
    ensure!(uuids(&program.run_json(&["list", "--limit", "2"]).await?) == listed[..2]);
    Ok(())
}
