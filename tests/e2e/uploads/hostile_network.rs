//! Connections that are cut, reset, stalled or slowed down, at every place that matters: nothing is stored wrongly, no
//! slot is used up, nothing leaks.

use anyhow::{Context, Result, ensure};
use edge::limits::{LARGEST_PART_BYTES, PART_BYTES, SEGMENT_BYTES};
use fixtures::Form;
use futures_util::stream::{self, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ChannelRows, ConnectionFaults, FaultyNetwork, NetworkFault, RawUpload, ScheduledFaults, TestStack, e2e,
    exchange, until, upload_head,
};

/// The time that the Worker has to notice that a client is gone.
const NOTICE: Duration = Duration::from_secs(30);
/// The distance between two cuts in a small upload.
const STEP: usize = 4 * 1024;
/// Small uploads that are cut at the same time.
const CUTS_AT_ONCE: usize = 8;

/// Returns how long a stalled network stays silent. It has to be long enough for the Worker to read everything that
/// came before.
fn stall() -> Duration {
    Duration::from_millis(fixtures::cases(150, 2_000))
}

/// Returns the pause between two bytes on a slow network. It has to be long enough for each byte to arrive alone.
fn pause_between_bytes() -> Duration {
    Duration::from_millis(fixtures::cases(100, 1_000))
}

/// The bytes of an upload request, and the range of the file among them.
struct UploadMessage {
    bytes: Vec<u8>,
    file_start: usize,
    file_end: usize,
}

impl UploadMessage {
    fn new(channel: &Channel, form: Form, video: &[u8]) -> Result<Self> {
        let body = form.file("file", "a.mp4", video).body();
        let head = upload_head(channel, Some(body.len()));
        let bytes = [head.as_bytes(), &body].concat();
        let mut windows = bytes.windows(video.len());
        let file_start = windows.position(|window| window == video);
        let file_start = file_start.context("the message has no file")?;
        Ok(Self { bytes, file_start, file_end: file_start + video.len() })
    }

    fn with_caption(channel: &Channel, video: &[u8]) -> Result<Self> {
        Self::new(channel, Form::new().text("caption", "cut"), video)
    }

    fn middle(&self) -> usize {
        usize::midpoint(self.file_start, self.file_end)
    }

    /// Sends the request through a network with these faults on the way to the Worker. Returns the part of the answer
    /// that arrived.
    async fn through(&self, stack: &TestStack, request: ScheduledFaults) -> Result<String> {
        let faults = ConnectionFaults { request, ..ConnectionFaults::default() };
        self.exchange(stack, faults).await
    }

    async fn exchange(&self, stack: &TestStack, faults: ConnectionFaults) -> Result<String> {
        let network = FaultyNetwork::to(stack.address(), faults).await?;
        let answer = exchange(&network.address, &self.bytes).await?;
        network.ended().await?;
        Ok(answer)
    }
}

/// Waits until the Worker has noticed the broken connections, then fails if anything is left of these uploads.
async fn ensure_nothing_left(channel: &Channel, video: &[u8]) -> Result<Duration> {
    let stack = &channel.stack;
    let waited = channel.until_rows(&ChannelRows::default(), NOTICE).await?;
    stack.ensure_nothing_leaked().await?;
    ensure!(stack.objects_of_size(video.len())?.is_empty());
    Ok(waited)
}

#[e2e]
async fn an_upload_cut_at_any_place_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1_000)).await?;
    let video = fixtures::mp4(5_000, 250_000, 3);
    let message = UploadMessage::with_caption(&channel, &video)?;
    let end = message.bytes.len();
    // The request's headers with the heads of the form parts, the file, the closing boundary.
    let places = (1..message.file_start).step_by(29);
    let places = places.chain((message.file_start..message.file_end).step_by(STEP));
    let places: Vec<usize> = places.chain((message.file_end..end).step_by(5)).collect();
    let faults = [NetworkFault::Cut, NetworkFault::Reset].into_iter().cycle();
    let cuts = places.iter().zip(faults).map(async |(place, fault)| {
        let answer = message.through(&stack, vec![(*place, fault)]).await?;
        ensure!(answer.is_empty(), "at {place}: {answer}");
        Ok(())
    });
    for result in stream::iter(cuts).buffer_unordered(CUTS_AT_ONCE).collect::<Vec<Result<()>>>().await {
        result?;
    }
    let waited = ensure_nothing_left(&channel, &video).await?;
    println!("an upload of {end} bytes cut at {} places: nothing left after {waited:?}", places.len());
    Ok(())
}

#[e2e]
async fn a_large_upload_cut_at_a_part_boundary_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1_000)).await?;
    let video = fixtures::mp4(5_000, LARGEST_PART_BYTES + 700_001, 4);
    let message = UploadMessage::with_caption(&channel, &video)?;
    // Two parts share the file. The boundary between them is less than a segment before its middle.
    let boundary = message.file_start + video.len() / 2;
    let mut places = [SEGMENT_BYTES, SEGMENT_BYTES / 2, 1, 0].map(|before| boundary - before).to_vec();
    places.extend([message.file_end, message.bytes.len() - 1]);
    for (place, fault) in places.iter().zip([NetworkFault::Cut, NetworkFault::Reset].iter().cycle()) {
        let answer = message.through(&stack, vec![(*place, fault.clone())]);
        let answer = answer.await?;
        ensure!(answer.is_empty(), "at {place}: {answer}");
        channel.until_rows(&ChannelRows::default(), NOTICE).await?;
    }
    let waited = ensure_nothing_left(&channel, &video).await?;
    println!("large uploads cut at {} places: nothing left after {waited:?}", places.len());
    Ok(())
}

#[e2e]
async fn a_stalled_upload_continues_when_the_network_does(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    let message = UploadMessage::with_caption(&channel, &video)?;
    let places = [20, message.file_start, message.middle(), message.file_end + 3];
    let faults = ConnectionFaults {
        request: places.map(|place| (place, NetworkFault::Stall)).to_vec(),
        ..ConnectionFaults::default()
    };
    let network = FaultyNetwork::to(stack.address(), faults).await?;
    let release = async {
        for _ in places {
            network.stalled().await;
            // The test needs a connection that stays silent for this long.
            tokio::time::sleep(stall()).await;
            network.resume();
        }
    };
    let sent = exchange(&network.address, &message.bytes);
    let (answer, ()) = futures_util::future::join(sent, release).await;
    let answer = answer?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    ensure!(stack.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&ChannelRows::after(1))
}

/// The lease limits silence. The test ends the lease in the database instead of waiting.
#[e2e]
async fn an_upload_that_is_silent_for_its_lease_loses_its_slot_and_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let number = usize::try_from(stack.unique())?;
    let large = fixtures::mp4(5_000, 2 * PART_BYTES + number, 6);
    for video in [stack.small_video(), large] {
        let channel = Channel::with_limit(&stack, Some(1)).await?;
        let message = UploadMessage::with_caption(&channel, &video)?;
        let place = message.file_end.min(message.middle() + 1_000_000);
        let faults = ConnectionFaults { request: vec![(place, NetworkFault::Stall)], ..ConnectionFaults::default() };
        let network = FaultyNetwork::to(stack.address(), faults).await?;
        let ending = async {
            network.stalled().await;
            until_stored_in_parts(&channel, video.len() > PART_BYTES).await?;
            end_lease_and_sweep(&channel).await?;
            network.resume();
            anyhow::Ok(())
        };
        let sent = exchange(&network.address, &message.bytes);
        let (answer, ended) = futures_util::future::join(sent, ending).await;
        ended?;
        let answer = answer?;
        // In production the upload notices the end of its lease before it sends anything to R2. Here its own clock has
        // not advanced, so in a large upload R2 is the first to report that the object is gone.
        let expected = ["upload_too_slow", "internal_error"];
        let expected = &expected[..if video.len() > PART_BYTES { 2 } else { 1 }];
        ensure!(expected.iter().any(|code| answer.contains(code)), "{answer}");
        ensure_nothing_left(&channel, &video).await?;
    }
    Ok(())
}

/// Waits until the upload has recorded its unfinished object, which renews the lease, if it has one.
async fn until_stored_in_parts(channel: &Channel, in_parts: bool) -> Result<()> {
    let sql = "SELECT count(*) FROM uploads WHERE channel_id = ?1 AND multipart_id IS NOT NULL";
    let look = async || {
        let recorded = channel.stack.count(sql, channel.account.channel_id)? > 0;
        Ok((recorded == in_parts).then_some(()))
    };
    until(NOTICE, look, || "the upload records no unfinished object".to_owned()).await
}

/// Waits until the upload has its slot, ends its lease and sweeps. Then the slot is free.
async fn end_lease_and_sweep(channel: &Channel) -> Result<()> {
    let stack = &channel.stack;
    let held = ChannelRows { used: 1, reserved: 1, ..ChannelRows::default() };
    channel.until_rows(&held, NOTICE).await?;
    let sql = format!(
        "UPDATE uploads SET lease_ends_at_unix = 0 WHERE channel_id = {} AND state = 'reserved'",
        channel.account.channel_id
    );
    stack.change_rows(sql).await?;
    stack.sweep().await?;
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn single_bytes_arriving_slowly_are_accepted_or_leave_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    let message = UploadMessage::with_caption(&channel, &video)?;
    let slowly = |place| (place, NetworkFault::Drip { bytes: 3, pause: pause_between_bytes() });
    let places = [5, message.file_start - 2, message.middle(), message.bytes.len() - 3];
    let dripping: ScheduledFaults = places.into_iter().map(slowly).collect();
    let mut reset_later = dripping[..3].to_vec();
    reset_later.push((message.middle() + 10, NetworkFault::Reset));
    let answer = message.through(&stack, reset_later).await?;
    ensure!(answer.is_empty(), "{answer}");
    ensure_nothing_left(&channel, &video).await?;
    let answer = message.through(&stack, dripping).await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let objects = stack.objects_of_size(video.len())?;
    let [object] = objects.as_slice() else {
        anyhow::bail!("expected one object: {objects:?}");
    };
    ensure!(stack.object_bytes(&object.key).await? == video);
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn an_upload_whose_answer_was_lost_is_answered_again_by_its_token(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let faults =
        [(1, NetworkFault::Cut), (1, NetworkFault::Reset), (20, NetworkFault::Cut), (300, NetworkFault::Reset)];
    for (number, fault) in (1..).zip(faults) {
        let (token, video) = (stack.token(), stack.small_video());
        let with_token = || Form::new().text("upload_token", &token);
        let message = UploadMessage::new(&channel, with_token(), &video)?;
        let faults = ConnectionFaults { answer: vec![fault], ..ConnectionFaults::default() };
        let answer = message.exchange(&stack, faults).await?;
        ensure!(!answer.contains("content_uuid"), "{answer}");
        channel.until_rows(&ChannelRows::after(number), NOTICE).await?;
        let again = channel.upload(with_token().file("file", "a.mp4", &video));
        let again = again.await?;
        ensure!(again.header("idempotency-replayed") == "true", "{again:?}");
        let id = again.json()?["content_id"].as_u64().unwrap_or_default();
        let sql = "SELECT count(*) FROM contents WHERE id = ?1 AND source ->> '$.size_bytes' = ";
        let sql = format!("{sql}{}", video.len());
        ensure!(stack.count(&sql, id)? == 1, "{again:?}");
        ensure!(stack.objects_of_size(video.len())?.len() == 1);
        channel.ensure_rows(&ChannelRows::after(number))?;
    }
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn a_chunked_body_without_a_length_is_accepted(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = fixtures::mp4(5_000, PART_BYTES + 123_457, 5);
    let mut upload = RawUpload::start(&channel, None).await?;
    let form = Form::new().file("file", "a.mp4", &video);
    for chunk in form.body().chunks(100_003) {
        upload.send_chunk(chunk).await?;
    }
    upload.send(b"0\r\n\r\n").await?;
    let answer = upload.answer().await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    ensure!(stack.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&ChannelRows::after(1))
}
