//! More uploads at once than an isolate has memory for: the ones above are asked to come back, and it costs them
//! nothing.

use crate::channel::{Channel, Rows};
use crate::harness::{Harness, Suite, ensure_refused};
use crate::raw::RawUpload;
use anyhow::{Result, ensure};
use contract::limits::{LARGE_UPLOADS_AT_ONCE, UPLOADS_MEMORY_BYTES, upload_memory};
use contract::paths;
use fixtures::Form;
use std::sync::Arc;
use std::time::Duration;

/// Uploads above what the isolate takes.
const ABOVE: usize = 5;
const NOTICE: Duration = Duration::from_secs(30);

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack(
        "overload::uploads_above_the_memory_budget_come_back_later_and_lose_nothing",
        above_the_budget,
    );
}

fn form(harness: &Harness) -> Form {
    Form::new().file("file", "a.mp4", &harness.small_video())
}

async fn above_the_budget(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    channel.publish(form(&harness)).await?;
    let held = hold_all_memory(&channel).await?;
    let at_rest = Rows {
        used: 1 + held.len() as u64,
        reserved: held.len() as u64,
        ..Rows::after(1)
    };
    channel.until_rows(&at_rest, NOTICE).await?;
    let uses = key_uses(&channel)?;
    for _ in 0..ABOVE {
        refused_before_its_body(&channel).await?;
    }
    ensure!(key_uses(&channel)? == uses, "a refusal counted a use");
    // A dead key is refused as one, however busy it is here.
    let gone = Channel::new(&harness).await?;
    gone.account.post(paths::DELETE_API_KEY).await?;
    let large = vec![0; upload_memory(None)];
    let answer = gone.upload_body(&Form::content_type(), large).await?;
    ensure_refused(&answer, 401, "api_key_invalid")?;
    ensure!(harness.objects()?.len() == 1 && harness.unfinished_objects()?.is_empty());
    channel.ensure_rows(&at_rest)?;
    // What the large ones leave suffices for a small one.
    let small = form(&harness).body();
    let left = UPLOADS_MEMORY_BYTES - held.len() * upload_memory(None);
    ensure!(left >= upload_memory(Some(small.len())));
    let answer = channel.upload_body(&Form::content_type(), small).await?;
    ensure!(answer.status == 200, "{answer:?}");

    let successes = finish(held).await?;
    for _ in 0..ABOVE {
        channel.publish(form(&harness)).await?;
    }
    let all = 1 + successes + 1 + ABOVE;
    println!(
        "{LARGE_UPLOADS_AT_ONCE} uploads hold all memory: {ABOVE} more get 503, {successes} succeed, then {ABOVE} of {ABOVE} retries"
    );
    ensure!(harness.objects()?.len() == all);
    channel.ensure_rows(&Rows::after(all as u64))?;
    harness.ensure_nothing_leaked().await
}

/// A body of unknown length holds as much as a large one, from its first byte on.
async fn hold_all_memory(channel: &Channel) -> Result<Vec<(RawUpload, Vec<u8>)>> {
    let mut held = Vec::new();
    for _ in 0..LARGE_UPLOADS_AT_ONCE {
        let mut rest = form(&channel.harness).body();
        let second_half = rest.split_off(rest.len() / 2);
        let mut upload = RawUpload::start(channel, None).await?;
        upload.send_chunk(&rest).await?;
        held.push((upload, second_half));
    }
    Ok(held)
}

/// The rest of them all; all succeed.
async fn finish(held: Vec<(RawUpload, Vec<u8>)>) -> Result<usize> {
    let count = held.len();
    for (mut upload, second_half) in held {
        upload.send_chunk(&second_half).await?;
        upload.send(b"0\r\n\r\n").await?;
        let answer = upload.answer().await?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    Ok(count)
}

/// The answer comes though not a byte of the body was sent; and through a client library it is the same.
async fn refused_before_its_body(channel: &Channel) -> Result<()> {
    let mut upload = RawUpload::start(channel, Some(90_000_000)).await?;
    let answer = tokio::time::timeout(NOTICE, upload.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    ensure!(answer.contains("service_overloaded"), "{answer}");
    let large = vec![0; upload_memory(None)];
    let answer = channel.upload_body(&Form::content_type(), large).await?;
    ensure_refused(&answer, 503, "service_overloaded")?;
    let seconds: u64 = answer.header("retry-after").parse()?;
    ensure!((1..=60).contains(&seconds), "{answer:?}");
    Ok(())
}

fn key_uses(channel: &Channel) -> Result<u64> {
    let sql = "SELECT uses_count FROM api_keys WHERE channel_id = ?1";
    channel.harness.count(sql, channel.account.channel_id)
}
