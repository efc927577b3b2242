//! Connections that break, and requests that overtake each other.

use super::{Upload, video};
use anyhow::{Context, Result, ensure};
use edge::limits::PART_BYTES;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ChannelRows, TestStack, e2e, until};

/// The time that the Worker has to store what has arrived.
const STORED: Duration = Duration::from_secs(30);

#[e2e]
async fn what_has_arrived_when_the_connection_breaks_is_kept(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, 12_000_000);
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    let mut offset = 0;
    for bytes in [300_000, 4_000_000, 5_000_000] {
        let mut request = upload.connect(offset, file.len() - offset).await?;
        request.send(&file[offset..offset + bytes]).await?;
        // Time for the Worker to read it all.
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop(request);
        // A client that is known to be fast may lose a part. The first request comes from nobody who is known.
        let expected = (offset + bytes).saturating_sub(if offset == 0 { 0 } else { PART_BYTES });
        let expected = expected.max(offset);
        let look = async || Ok(Some(upload.offset().await?).filter(|offset| *offset >= expected));
        offset = until(STORED, look, || format!("{expected} bytes are not stored")).await?;
    }
    // On a busy machine, the last request may still be storing, and then the offset moves once more.
    let finish = async || {
        let offset = upload.offset().await?;
        Ok((upload.append(offset, &file[offset..]).await?.status == 204).then_some(()))
    };
    until(STORED, finish, || "the rest is not stored".to_owned()).await?;
    upload.ensure_stored(&file).await?;
    channel.ensure_rows(&ChannelRows::after(1))?;
    stack.ensure_nothing_leaked().await
}

/// A client that comes back before its old connection is known to be dead waits for it at most two seconds.
#[e2e]
async fn a_later_request_takes_the_upload_over(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, 6_000_000);
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    let mut earlier = upload.connect(0, file.len()).await?;
    earlier.send(&file[..1_000_000]).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let offset = upload.offset().await?;
    let answer = upload.append(offset, &file[offset..]).await?;
    ensure!(answer.status == 204 && !answer.header("clipgate-content-uuid").is_empty(), "{answer:?}");
    let ended = earlier.finish(&file[1_000_000..]).await?;
    ensure!(ended.starts_with("HTTP/1.1 409") && ended.contains("upload_superseded"), "{ended:.500}");
    upload.ensure_stored(&file).await?;
    channel.ensure_rows(&ChannelRows::after(1))
}

/// A client that lost the response to its last piece sends the piece again. It may send slowly, and read the response
/// only afterwards.
#[e2e]
async fn whoever_sends_the_last_bytes_again_gets_the_response(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, 2_000_000);
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    ensure!(upload.append(0, &file).await?.status == 204);
    let mut again = upload.connect(0, file.len()).await?;
    let (last, earlier) = file.split_last().context("an empty file")?;
    for piece in earlier.chunks(500_000) {
        again.send(piece).await?;
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    let answer = again.finish(&[*last]).await?;
    ensure!(answer.starts_with("HTTP/1.1 204") && answer.contains("clipgate-content-uuid"), "{answer:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}
