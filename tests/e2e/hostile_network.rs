//! Connections that are cut, reset, stalled or dripping, at every place that matters: nothing leaks.

use crate::channel::{Channel, Rows};
use crate::harness::{Harness, Suite};
use crate::raw::RawUpload;
use anyhow::{Result, ensure};
use fixtures::Form;
use std::sync::Arc;
use std::time::Duration;

/// How long the Worker may take to notice that a client is gone.
const NOTICE: Duration = Duration::from_secs(30);
const PART: usize = 5 * 1024 * 1024;

pub fn register(suite: &mut Suite) {
    suite.add(
        "hostile_network::an_upload_that_is_cut_anywhere_leaves_nothing",
        cut,
    );
    suite.add(
        "hostile_network::a_large_upload_that_is_cut_at_a_parts_border_leaves_nothing",
        cut_large,
    );
    suite.add(
        "hostile_network::a_stalled_upload_goes_on_when_the_network_does",
        stalled,
    );
    suite.add(
        "hostile_network::a_drip_of_single_bytes_is_taken_and_its_end_noticed",
        drip,
    );
    suite.add(
        "hostile_network::a_chunked_body_without_a_length_is_taken",
        chunked,
    );
}

fn form(video: &[u8]) -> Vec<u8> {
    Form::new()
        .text("caption", "cut")
        .file("file", "a.mp4", video)
        .body()
}

/// Sends so many bytes of the body, then resets or closes the connection.
async fn send_and_leave(channel: &Channel, body: &[u8], bytes: usize, reset: bool) -> Result<()> {
    let mut upload = RawUpload::start(channel, Some(body.len())).await?;
    upload.send(&body[..bytes]).await?;
    if reset { upload.reset() } else { Ok(()) }
}

async fn cut(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(1_000)).await?;
    let video = fixtures::mp4(5_000, 400_000, 3);
    let body = form(&video);
    let closing = body.len() - 20;
    let mut places: Vec<usize> = (0..closing).step_by(64 * 1024).collect();
    places.extend([1, 100, closing, body.len() - 3]);
    for (index, place) in places.iter().enumerate() {
        send_and_leave(&channel, &body, *place, index % 2 == 0).await?;
    }
    let waited = channel.until_rows(&Rows::default(), NOTICE).await?;
    println!(
        "cut at {} places: nothing left after {waited:?}",
        places.len()
    );
    ensure!(harness.objects_of_size(video.len())?.is_empty());
    Ok(())
}

async fn cut_large(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(1_000)).await?;
    let _permit = harness.large_uploads(4).await?;
    let video = fixtures::mp4(5_000, 2 * PART + 700_001, 4);
    let body = form(&video);
    for place in [PART - 1, PART + 4_000, 2 * PART, body.len() - 10] {
        send_and_leave(&channel, &body, place, true).await?;
    }
    let waited = channel.until_rows(&Rows::default(), NOTICE).await?;
    let own = harness.count(
        "SELECT count(*) FROM garbage WHERE ?1 > 0 AND multipart_id IS NOT NULL",
        1,
    )?;
    println!(
        "large uploads cut at 4 places: slots back after {waited:?}, {own} unfinished objects left to the sweep"
    );
    ensure!(harness.objects_of_size(video.len())?.is_empty());
    Ok(())
}

async fn stalled(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let body = form(&harness.small_video());
    let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
    let (first, second) = body.split_at(body.len() / 2);
    upload.send(first).await?;
    // The stall itself is what is tried here.
    tokio::time::sleep(Duration::from_secs(3)).await;
    upload.send(second).await?;
    let answer = upload.answer().await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    channel.ensure_rows(&Rows::after(1))
}

async fn drip(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let body = form(&harness.small_video());
    let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
    for byte in body.iter().take(40) {
        upload.send(&[*byte]).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    upload.reset()?;
    channel.until_rows(&Rows::default(), NOTICE).await.map(drop)
}

async fn chunked(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let _permit = harness.large_uploads(1).await?;
    let video = fixtures::mp4(5_000, PART + 123_457, 5);
    let mut upload = RawUpload::start(&channel, None).await?;
    for chunk in form(&video).chunks(100_003) {
        upload.send_chunk(chunk).await?;
    }
    upload.send(b"0\r\n\r\n").await?;
    let answer = upload.answer().await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    ensure!(harness.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&Rows::after(1))
}
