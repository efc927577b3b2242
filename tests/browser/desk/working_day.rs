//! A working day: two moderators decide about many videos at once, by keyboard only, and the same is done with the API.
//! Every video ends as it should, and is decided once.

mod by_api;
mod plan;
mod seed;
mod shift;

use super::seeding::ApiModerator;
use super::{SENT_WITHIN, answer, case};
use anyhow::{Context, Result, ensure};
use contract::paths;
use plan::{Ending, Kind};
use reqwest::Method;
use seed::{SeededVideo, remove_the_original, seed};
use serde_json::Value;
use shift::{Shift, Undecided, WorkDone};
use std::collections::BTreeSet;
use std::sync::Arc;
use tests::browser::BrowserStack;
use tests::{browser, until};

const NAMES: [&str; 2] = ["Ada", "Bo"];

/// The lists of the API that make up the queue of the desk.
const LISTS: [&str; 3] =
    ["/internal/moderation/queue?waits_for=person", paths::MODERATION_FLAGGED, paths::MODERATION_APPEALS];

#[browser]
async fn two_moderators_decide_each_video_of_a_day_once_and_rightly(_: Arc<BrowserStack>) -> Result<()> {
    // The moderators open whatever waits, and block pictures, so no other test may use this stack.
    let stack = BrowserStack::boot_with(&[("JOBS", "2")]).await?;
    let [ada, bo] = NAMES.map(|name| ApiModerator::new(&stack, name, &["look", "decide"]));
    let moderators = [ada.await?, bo.await?];
    let plan = plan::day(fixtures::cases(1, 4));
    remove_the_original(&stack, &moderators[0]).await?;
    let videos = seed(&stack, &moderators, &plan).await?;
    let queued: BTreeSet<String> = videos.iter().filter(|video| video.is_queued).map(uuid_of).collect();
    ensure!(listed(&stack).await? == queued, "the queue has other videos than those that need a person");
    work_at_the_desk(&stack, &videos, queued).await?;
    ensure!(listed(&stack).await?.is_empty(), "something is left in the queue");
    let waiting = plan::waiting_after(&plan, fixtures::cases(5, 20));
    let waiting = seed(&stack, &moderators, &waiting).await?;
    by_api::decide_all(&moderators[1], &waiting).await?;
    for video in &waiting {
        ensure_ended_right(&stack, video).await?;
    }
    Ok(())
}

/// Lets both moderators work until nothing is left, and checks the result.
async fn work_at_the_desk(stack: &BrowserStack, videos: &[SeededVideo], queued: BTreeSet<String>) -> Result<()> {
    let (first, second) = (stack.browser().await?, stack.browser().await?);
    let undecided = Undecided::new(queued.into_iter());
    let mut ada = Shift::sign_in(stack, &first, NAMES[0], &undecided).await?;
    let mut bo = Shift::sign_in(stack, &second, NAMES[1], &undecided).await?;
    tokio::try_join!(ada.work('j'), bo.work('k'))?;
    // The pages stay open, because the last decisions are sent ten seconds later.
    for video in videos {
        ensure_ended_right(stack, video).await.with_context(|| video.plan.caption.clone())?;
    }
    for shift in [&ada, &bo] {
        // If both open a case at the same moment, one of the two claims is refused with 409, and Chromium logs that.
        shift.desk.ensure_clean_but_for(Some(409)).await?;
    }
    print_work(videos.len(), &ada.done, &bo.done);
    Ok(())
}

fn uuid_of(video: &SeededVideo) -> String {
    video.uploaded.uuid.clone()
}

/// Returns the videos that moderators find in the queue.
async fn listed(stack: &BrowserStack) -> Result<BTreeSet<String>> {
    let mut uuids = BTreeSet::new();
    for path in LISTS {
        let list = answer(stack.moderator_request(Method::GET, path)).await?;
        let is_whole = list["next_cursor"].is_null() && list["has_more"] != true;
        ensure!(is_whole, "{path} has more than one page");
        for entry in list["contents"].as_array().context("no list")? {
            // In the list of appeals, the video is a member.
            let content = entry.get("content").unwrap_or(entry);
            uuids.insert(content["content_uuid"].as_str().context("no id")?.to_owned());
        }
    }
    Ok(uuids)
}

/// Waits until the last decision about a video has been sent, and fails unless it is the right one and the only one.
async fn ensure_ended_right(stack: &BrowserStack, video: &SeededVideo) -> Result<()> {
    let Ending { state, decisions } = video.plan.kind.ending();
    let ended = async || {
        let found = case(stack, &video.uploaded.uuid).await?;
        let is_open = !found["flag"].is_null() || found["appeal"]["state"] == "pending";
        Ok((found["content"]["state"] == state && !is_open).then_some(found))
    };
    let case = until(SENT_WITHIN, ended, || format!("it is not {state}")).await?;
    let made = case["decisions"].as_array().context("no decisions")?;
    let actions: Vec<&str> = made.iter().filter_map(|decision| decision["action"].as_str()).collect();
    // A person looks at a disguised copy only if the service is not certain.
    let expected: &[&str] = if video.plan.kind.is_disguised() && video.is_queued { &["reject"] } else { decisions };
    ensure!(actions == expected, "{actions:?} instead of {expected:?}");
    ensure!(made.iter().all(|decision| NAMES.iter().any(|name| decision["by"] == *name)), "{case}");
    if let [appeal, first] = made.as_slice() {
        ensure!(appeal["by"] != first["by"], "a moderator decided on an appeal against their own decision: {case}");
    }
    let dismissals = usize::from(video.plan.kind == Kind::ReportedHarmless);
    ensure!(dismissals_of(stack, &video.uploaded.uuid).await? == dismissals, "the flag was not dismissed once");
    Ok(())
}

/// Returns how often the flag of a video was dismissed. That is no decision about the video, and only in the trail.
async fn dismissals_of(stack: &BrowserStack, uuid: &str) -> Result<usize> {
    let trail = stack.moderator_request(Method::GET, paths::TRAIL_EXPORT).send().await?.error_for_status()?;
    let entries: Vec<Value> = trail.text().await?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let is_dismissal = |entry: &&Value| {
        entry["action"] == "flag_dismissed" && entry["subject"].as_str().is_some_and(|subject| subject.ends_with(uuid))
    };
    Ok(entries.iter().filter(is_dismissal).count())
}

fn print_work(videos: usize, ada: &WorkDone, bo: &WorkDone) {
    let mut seconds = [ada.seconds.as_slice(), bo.seconds.as_slice()].concat();
    let (count, keys, moves) = (seconds.len(), ada.keys + bo.keys, ada.moves + bo.moves);
    println!(
        "desk: {videos} videos, {count} decisions by two moderators; {} from opening a case to the key; {keys} keys of \
         decisions, {}, and {moves} keys to reach other cases",
        times(&mut seconds),
        per_decision(keys, count)
    );
}

/// Returns the median and the longest of some times in words.
fn times(seconds: &mut [f64]) -> String {
    seconds.sort_by(f64::total_cmp);
    let median = seconds.get(seconds.len() / 2).copied().unwrap_or_default();
    let longest = seconds.last().copied().unwrap_or_default();
    format!("median {median:.2} s, worst {longest:.2} s")
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn per_decision(number: usize, decisions: usize) -> String {
    format!("{:.1} per decision", number as f64 / decisions.max(1) as f64)
}
