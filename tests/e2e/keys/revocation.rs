//! A deleted key is invalid at once: no request that starts after the deletion returned is accepted, and no upload in
//! progress becomes a content.

use anyhow::{Result, ensure};
use contract::paths;
use edge::limits::PART_BYTES;
use fixtures::Form;
use futures_util::future::{join, join_all};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, ChannelRows, RawUpload, TestAccount, TestStack, e2e, until};
use tokio::sync::Notify;

const CLIENTS: u32 = 16;
/// The time that the Worker has to admit an upload, and to undo it.
const NOTICE: Duration = Duration::from_secs(30);

struct TimedKeyUse {
    started: Instant,
    accepted: bool,
}

#[e2e]
async fn no_request_that_starts_after_the_deletion_was_answered_is_accepted(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let (mut uses, mut accepted, mut accepted_after) = (0, 0, 0);
    let rounds = fixtures::cases(8, 200);
    for round in 0..rounds {
        let key = account.create_key().await?;
        let answered = Notify::new();
        let clients = join_all((0..CLIENTS).map(|_| use_until_refused(&stack, &key, &answered)));
        let deletion = async {
            // However slow the machine is, the key is used before it is deleted.
            answered.notified().await;
            delete_after(&account, round).await
        };
        let (round_uses, deleted) = join(clients, deletion).await;
        let deleted = deleted?;
        for client in round_uses {
            let client = client?;
            uses += client.len();
            accepted += client.iter().filter(|one| one.accepted).count();
            accepted_after += client.iter().filter(|one| one.accepted && one.started > deleted).count();
        }
    }
    let summary = format!(
        "revocation: {rounds} rounds, {CLIENTS} clients, {uses} requests, {accepted} accepted, \
         {accepted_after} of them started after the deletion was answered"
    );
    println!("{summary}");
    ensure!(accepted_after == 0 && accepted > 0, "{summary}");
    Ok(())
}

/// Uses the key without a pause until it is refused. Notifies about every answer.
async fn use_until_refused(stack: &TestStack, key: &str, answered: &Notify) -> Result<Vec<TimedKeyUse>> {
    let mut uses = Vec::new();
    loop {
        let started = Instant::now();
        let accepted = stack.get_with_key(paths::UPLOAD_LIMITS, key).await?.status == 200;
        uses.push(TimedKeyUse { started, accepted });
        answered.notify_one();
        if !accepted {
            return Ok(uses);
        }
    }
}

/// Deletes the key after a time that differs from round to round. Returns when the answer arrived.
async fn delete_after(account: &TestAccount, round: u32) -> Result<Instant> {
    tokio::time::sleep(Duration::from_millis(u64::from(round * 7 % 40))).await;
    ensure!(account.post(paths::DELETE_API_KEY).await?.status == 200);
    Ok(Instant::now())
}

/// The part of an upload that has been sent when its key becomes invalid.
#[derive(Clone, Copy, Debug)]
enum Stage {
    BeforeTheFile,
    MidFile,
    AllButTheLastByte,
}

impl Stage {
    const ALL: [Self; 3] = [Self::BeforeTheFile, Self::MidFile, Self::AllButTheLastByte];

    /// Returns how many bytes of the body are sent before the key becomes invalid.
    fn bytes(self, body: &[u8]) -> usize {
        match self {
            Self::BeforeTheFile => 60,
            Self::MidFile => body.len() / 2,
            Self::AllButTheLastByte => body.len() - 1,
        }
    }
}

#[e2e]
async fn an_upload_under_way_ends_with_its_key_at_every_stage(stack: Arc<TestStack>) -> Result<()> {
    let mut uploads = 0;
    for stage in Stage::ALL {
        for path in [paths::DELETE_API_KEY, paths::ROTATE_API_KEY] {
            let size = 2 * PART_BYTES + usize::try_from(stack.unique())?;
            for video in [stack.small_video(), fixtures::mp4(5_000, size, 8)] {
                ensure_ends_with_its_key(&stack, &video, stage, path).await?;
                uploads += 1;
            }
        }
    }
    println!("revocation: {uploads} uploads under way, 0 became contents");
    stack.ensure_nothing_leaked().await
}

/// Sends part of an upload, deletes or rotates its key, sends the rest, and fails unless the upload is refused and
/// leaves nothing.
async fn ensure_ends_with_its_key(stack: &Arc<TestStack>, video: &[u8], stage: Stage, path: &str) -> Result<()> {
    let channel = Channel::new(stack).await?;
    let body = Form::new().text("caption", "under way").file("file", "a.mp4", video).body();
    let (first, rest) = body.split_at(stage.bytes(&body));
    let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
    upload.send(first).await?;
    let under_way = ChannelRows { used: 1, reserved: 1, ..ChannelRows::default() };
    channel.until_rows(&under_way, NOTICE).await?;
    ensure!(channel.account.post(path).await?.status == 200);
    let answer = upload.finish(rest).await?;
    let is_refused = answer.starts_with("HTTP/1.1 401") && answer.contains("api_key_invalid");
    ensure!(is_refused && !answer.to_lowercase().contains("ratelimit"), "{stage:?}, {path}: {answer}");
    channel.until_rows(&ChannelRows::default(), NOTICE).await?;
    // The upload deletes what it has stored after it has given its slot back.
    let look = async || Ok(stack.objects_of_size(video.len())?.is_empty().then_some(()));
    until(NOTICE, look, || format!("{stage:?}, {path}: the video is stored")).await
}
