//! Connections that are cut, reset, stalled or dripping, at every place that matters: nothing is stored wrongly,
//! nothing is charged, nothing leaks.

use crate::channel::{Channel, Rows};
use crate::faulty_network::{Fault, Faults, FaultyNetwork, Trouble};
use crate::harness::{Harness, Suite};
use crate::raw::{RawUpload, exchange, head};
use anyhow::{Context, Result, ensure};
use contract::limits::PART_BYTES;
use fixtures::Form;
use std::sync::Arc;
use std::time::Duration;

/// How long the Worker may take to notice that a client is gone.
const NOTICE: Duration = Duration::from_secs(30);
/// How finely a small upload is cut.
const STEP: usize = 4 * 1024;

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
        "hostile_network::an_upload_that_is_silent_for_its_lease_loses_its_slot_and_leaves_nothing",
        silent,
    );
    suite.add(
        "hostile_network::a_drip_of_single_bytes_is_taken_or_leaves_nothing",
        drip,
    );
    suite.add(
        "hostile_network::an_upload_whose_answer_is_lost_is_told_again_by_its_token",
        lost_answer,
    );
    suite.add(
        "hostile_network::a_chunked_body_without_a_length_is_taken",
        chunked,
    );
}

/// A request as it goes over the network, and where in it the file stands.
struct Message {
    bytes: Vec<u8>,
    file_start: usize,
    file_end: usize,
}

impl Message {
    fn new(channel: &Channel, form: Form, video: &[u8]) -> Result<Self> {
        let body = form.file("file", "a.mp4", video).body();
        let head = head(channel, Some(body.len()));
        let bytes = [head.as_bytes(), &body].concat();
        let mut windows = bytes.windows(video.len());
        let file_start = windows.position(|window| window == video);
        let file_start = file_start.context("the message has no file")?;
        Ok(Self {
            bytes,
            file_start,
            file_end: file_start + video.len(),
        })
    }

    fn captioned(channel: &Channel, video: &[u8]) -> Result<Self> {
        Self::new(channel, Form::new().text("caption", "cut"), video)
    }

    fn middle(&self) -> usize {
        usize::midpoint(self.file_start, self.file_end)
    }

    /// Sends it through a network that has this trouble with requests. What came of the answer.
    async fn through(&self, harness: &Harness, request: Faults) -> Result<String> {
        let trouble = Trouble {
            request,
            ..Trouble::default()
        };
        self.exchange(harness, trouble).await
    }

    async fn exchange(&self, harness: &Harness, trouble: Trouble) -> Result<String> {
        let network = FaultyNetwork::to(harness.address(), trouble).await?;
        let answer = exchange(&network.address, &self.bytes).await?;
        network.ended().await?;
        Ok(answer)
    }
}

/// Once the Worker has noticed, there is nothing of these uploads anywhere.
async fn ensure_nothing_left(channel: &Channel, video: &[u8]) -> Result<Duration> {
    let harness = &channel.harness;
    let waited = channel.until_rows(&Rows::default(), NOTICE).await?;
    harness.ensure_nothing_leaked().await?;
    ensure!(harness.objects_of_size(video.len())?.is_empty());
    Ok(waited)
}

async fn cut(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(1_000)).await?;
    let video = fixtures::mp4(5_000, 250_000, 3);
    let message = Message::captioned(&channel, &video)?;
    let end = message.bytes.len();
    // Headers, the parts' heads, the file, the closing boundary.
    let places = (1..message.file_start).step_by(29);
    let places = places.chain((message.file_start..message.file_end).step_by(STEP));
    let places: Vec<usize> = places.chain((message.file_end..end).step_by(5)).collect();
    for (place, fault) in places.iter().zip([Fault::Cut, Fault::Reset].iter().cycle()) {
        let answer = message.through(&harness, vec![(*place, fault.clone())]);
        let answer = answer.await?;
        ensure!(answer.is_empty(), "at {place}: {answer}");
    }
    let waited = ensure_nothing_left(&channel, &video).await?;
    println!(
        "cut at {} places of {end}: nothing left after {waited:?}",
        places.len()
    );
    Ok(())
}

async fn cut_large(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(1_000)).await?;
    // One at a time, but what is cut holds its memory until its unfinished object is removed.
    let _permit = harness.large_uploads(3).await?;
    let video = fixtures::mp4(5_000, 2 * PART_BYTES + 700_001, 4);
    let message = Message::captioned(&channel, &video)?;
    let borders = [PART_BYTES, 2 * PART_BYTES].map(|border| message.file_start + border);
    let mut places: Vec<usize> = borders
        .iter()
        .flat_map(|at| [at - 1, *at, at + 1, at + 4_000])
        .collect();
    places.extend([message.file_end, message.bytes.len() - 1]);
    for (place, fault) in places.iter().zip([Fault::Cut, Fault::Reset].iter().cycle()) {
        let answer = message.through(&harness, vec![(*place, fault.clone())]);
        let answer = answer.await?;
        ensure!(answer.is_empty(), "at {place}: {answer}");
        channel.until_rows(&Rows::default(), NOTICE).await?;
    }
    let waited = ensure_nothing_left(&channel, &video).await?;
    println!(
        "large uploads cut at {} places: nothing left after {waited:?}",
        places.len()
    );
    Ok(())
}

async fn stalled(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let video = harness.small_video();
    let message = Message::captioned(&channel, &video)?;
    let places = [
        20,
        message.file_start,
        message.middle(),
        message.file_end + 3,
    ];
    let trouble = Trouble {
        request: places.map(|place| (place, Fault::Stall)).to_vec(),
        ..Trouble::default()
    };
    let network = FaultyNetwork::to(harness.address(), trouble).await?;
    let release = async {
        for _ in places {
            network.stalled().await;
            // The stall itself is what is tried here.
            tokio::time::sleep(Duration::from_secs(1)).await;
            network.go_on();
        }
    };
    let sent = exchange(&network.address, &message.bytes);
    let (answer, ()) = futures_util::future::join(sent, release).await;
    let answer = answer?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    ensure!(harness.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&Rows::after(1))
}

/// The lease is what bounds silence. It ends here by a route for tests, for nobody wants to wait for it.
async fn silent(harness: Arc<Harness>) -> Result<()> {
    let _permit = harness.large_upload().await?;
    let number = usize::try_from(harness.unique())?;
    let large = fixtures::mp4(5_000, 2 * PART_BYTES + number, 6);
    for video in [harness.small_video(), large] {
        let channel = Channel::with_limit(&harness, Some(1)).await?;
        let message = Message::captioned(&channel, &video)?;
        let place = message.file_end.min(message.middle() + 1_000_000);
        let trouble = Trouble {
            request: vec![(place, Fault::Stall)],
            ..Trouble::default()
        };
        let network = FaultyNetwork::to(harness.address(), trouble).await?;
        let ending = async {
            network.stalled().await;
            lose_slot(&channel).await?;
            network.go_on();
            anyhow::Ok(())
        };
        let sent = exchange(&network.address, &message.bytes);
        let (answer, ended) = futures_util::future::join(sent, ending).await;
        ended?;
        let answer = answer?;
        // In its time the upload finds its lease over before it sends R2 anything. Here no time has passed for it, and
        // of a large one R2 is the first to say that the object is gone.
        let expected = ["upload_too_slow", "internal_error"];
        let expected = &expected[..if video.len() > PART_BYTES { 2 } else { 1 }];
        ensure!(
            expected.iter().any(|code| answer.contains(code)),
            "{answer}"
        );
        ensure_nothing_left(&channel, &video).await?;
    }
    Ok(())
}

/// Waits for the upload's slot, ends its lease and sweeps: the slot is free for another.
async fn lose_slot(channel: &Channel) -> Result<()> {
    let harness = &channel.harness;
    let held = Rows {
        used: 1,
        reserved: 1,
        ..Rows::default()
    };
    channel.until_rows(&held, NOTICE).await?;
    let sql = format!(
        "UPDATE uploads SET lease_ends_at_unix = 0 WHERE channel_id = {} AND state = 'reserved'",
        channel.account.channel_id
    );
    harness.change(sql).await?;
    harness.sweep().await?;
    channel.ensure_rows(&Rows::default())
}

async fn drip(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let video = harness.small_video();
    let message = Message::captioned(&channel, &video)?;
    let slowly = |place| {
        let pause = Duration::from_secs(1);
        (place, Fault::Drip { bytes: 3, pause })
    };
    let places = [
        5,
        message.file_start - 2,
        message.middle(),
        message.bytes.len() - 3,
    ];
    let dripping: Faults = places.into_iter().map(slowly).collect();
    let mut and_reset = dripping[..3].to_vec();
    and_reset.push((message.middle() + 10, Fault::Reset));
    let answer = message.through(&harness, and_reset).await?;
    ensure!(answer.is_empty(), "{answer}");
    ensure_nothing_left(&channel, &video).await?;
    let answer = message.through(&harness, dripping).await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let objects = harness.objects_of_size(video.len())?;
    let [object] = objects.as_slice() else {
        anyhow::bail!("one object is expected: {objects:?}");
    };
    ensure!(harness.object_bytes(&object.key).await? == video);
    channel.ensure_rows(&Rows::after(1))
}

async fn lost_answer(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let ways = [
        (1, Fault::Cut),
        (1, Fault::Reset),
        (20, Fault::Cut),
        (300, Fault::Reset),
    ];
    for (number, way) in (1..).zip(ways) {
        let (token, video) = (harness.token(), harness.small_video());
        let with_token = || Form::new().text("upload_token", &token);
        let message = Message::new(&channel, with_token(), &video)?;
        let trouble = Trouble {
            answer: vec![way],
            ..Trouble::default()
        };
        let answer = message.exchange(&harness, trouble).await?;
        ensure!(!answer.contains("content_uuid"), "{answer}");
        channel.until_rows(&Rows::after(number), NOTICE).await?;
        let again = channel.upload(with_token().file("file", "a.mp4", &video));
        let again = again.await?;
        ensure!(again.header("idempotency-replayed") == "true", "{again:?}");
        let id = again.json()?["content_id"].as_u64().unwrap_or_default();
        let sql = "SELECT count(*) FROM contents WHERE id = ?1 AND size_bytes = ";
        let sql = format!("{sql}{}", video.len());
        ensure!(harness.count(&sql, id)? == 1, "{again:?}");
        ensure!(harness.objects_of_size(video.len())?.len() == 1);
        channel.ensure_rows(&Rows::after(number))?;
    }
    harness.ensure_nothing_leaked().await
}

async fn chunked(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let _permit = harness.large_uploads(1).await?;
    let video = fixtures::mp4(5_000, PART_BYTES + 123_457, 5);
    let mut upload = RawUpload::start(&channel, None).await?;
    let form = Form::new().file("file", "a.mp4", &video);
    for chunk in form.body().chunks(100_003) {
        upload.send_chunk(chunk).await?;
    }
    upload.send(b"0\r\n\r\n").await?;
    let answer = upload.answer().await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    ensure!(harness.objects_of_size(video.len())?.len() == 1);
    channel.ensure_rows(&Rows::after(1))
}
