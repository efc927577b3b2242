//! Tests behind a cache with Cloudflare's rules: it serves only public responses without the Worker, and drops removed
//! contents.

use super::access::{remove_in_both_ways, visit_every_state};
use anyhow::{Context, Result, ensure};
use contract::api::MintSession;
use contract::{MediaFile, paths};
use futures_util::future::{join_all, try_join_all};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{HttpAnswer, TestContent, TestStack, all_media_files, bytes_of, e2e, ensure_refused, send, until};

/// The longest time that the cache keeps a removed content if every purge fails. `SLACK` allows for the last requests.
const TIME_TO_LIVE: Duration = Duration::from_mins(1);
const SLACK: Duration = Duration::from_secs(20);
/// The interval at which each viewer of a removed content requests it.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// The time limit of a purge on a busy machine. It is much shorter than `TIME_TO_LIVE`: a page that only expired must
/// not count as purged.
const AFTER_A_PURGE: Duration = Duration::from_secs(10);
/// The interval between two checks of all files of a content.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

fn is_hit(answer: &HttpAnswer) -> bool {
    answer.header("cf-cache-status") == "HIT"
}

/// Requests the page, the player, its oEmbed answer and every file.
async fn request_everything(content: &TestContent) -> Result<Vec<HttpAnswer>> {
    let documents = content.documents().map(|path| content.stack().request(Method::GET, &path));
    let files = all_media_files().into_iter().map(|file| content.get(file));
    try_join_all(documents.into_iter().chain(files).map(send)).await
}

async fn ensure_everything_is_cached(content: &TestContent) -> Result<()> {
    request_everything(content).await?;
    for answer in request_everything(content).await? {
        ensure!(answer.status == 200 && is_hit(&answer), "{answer:?}");
        ensure!(answer.header("cache-tag").is_empty(), "the cache must keep its tags: {answer:?}");
        // A browser subtracts the age, so that the minute is not counted twice.
        ensure!(!answer.header("age").is_empty(), "{answer:?}");
    }
    Ok(())
}

#[e2e(Cached)]
async fn behind_the_cache_each_viewer_sees_only_what_is_allowed(stack: Arc<TestStack>) -> Result<()> {
    visit_every_state(stack).await
}

#[e2e(Cached)]
async fn behind_the_cache_removing_stops_serving_at_once(stack: Arc<TestStack>) -> Result<()> {
    remove_in_both_ways(stack).await
}

#[e2e(Cached)]
async fn a_hit_runs_no_worker_whoever_asks(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "cached").await?;
    let first = send(content.get(MediaFile::Poster)).await?;
    ensure!(first.header("cf-cache-status") == "MISS", "{first:?}");
    let owner = &content.job.channel;
    let askers: [&dyn Fn(RequestBuilder) -> RequestBuilder; 3] =
        [&|request| request, &|request| request.bearer_auth(&owner.key), &|request| {
            request.header("Cookie", &owner.account.cookie)
        }];
    for ask in askers {
        let answer = send(ask(content.get(MediaFile::Poster))).await?;
        ensure!(is_hit(&answer) && answer.bytes == bytes_of(MediaFile::Poster), "{answer:?}");
        // The id belongs to the request that ran the Worker.
        ensure!(answer.header("x-request-id") == first.header("x-request-id"), "{answer:?}");
    }
    Ok(())
}

#[e2e(Cached)]
async fn the_owners_page_is_never_in_the_cache(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let owner = &content.job.channel;
    for _ in 0..2 {
        let page = || stack.request(Method::GET, &content.page());
        for request in [page().bearer_auth(&owner.key), page().header("Cookie", &owner.account.cookie)] {
            let answer = send(request).await?;
            ensure!(answer.status == 200 && !is_hit(&answer), "{answer:?}");
        }
        // Other viewers come after the owner, and must not get the owner's response.
        let answer = send(page()).await?;
        ensure!(answer.status == 404 && !is_hit(&answer), "{answer:?}");
    }
    content.finish(&[contract::moderation::Recommendation::Pass]).await?;
    content.ensure_public(true).await
}

#[e2e(Cached)]
async fn a_new_channel_name_is_on_the_pages_after_the_next_sweep(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "of a channel").await?;
    ensure_everything_is_cached(&content).await?;
    let channel_name = Some("Surfing dogs".to_owned());
    let request = MintSession {
        account_id: content.job.channel.account.id,
        daily_upload_limit: None,
        channel_name,
        ttl_seconds: None,
    };
    stack.create_session(&request).await?;
    stack.sweep().await?;
    for path in content.documents() {
        // A request of another test may have begun this purge. Then the sweep does not repeat it, and may end first.
        let fresh = async || Ok(Some(stack.get(&path).await?).filter(|answer| !is_hit(answer)));
        let answer = until(AFTER_A_PURGE, fresh, || format!("{path} is still in the cache")).await?;
        let has_name = String::from_utf8_lossy(&answer.bytes).contains("Surfing dogs");
        // The player alone does not show the name.
        ensure!(has_name == (path != content.embed()), "{path}: {answer:?}");
    }
    Ok(())
}

#[e2e(Cached)]
async fn the_files_of_the_site_are_served_from_the_cache(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "with a script").await?;
    let page = String::from_utf8(stack.get(&content.page()).await?.bytes)?;
    let (_, rest) = page.split_once("<script type=\"module\" src=\"").context("no script")?;
    let script = rest.split('"').next().context("no end")?;
    for path in [script, paths::ROBOTS, paths::SITEMAP, "/sitemaps/1.xml", paths::ICON, paths::OLD_ICON] {
        let first = stack.get(path).await?;
        let again = stack.get(path).await?;
        ensure!(first.status == 200 && is_hit(&again) && first.bytes == again.bytes, "{path}: {again:?}");
        let expected =
            if path == script { "public, max-age=31536000, immutable" } else { "public, max-age=60, must-revalidate" };
        ensure!(again.header("cache-control") == expected, "{path}: {again:?}");
    }
    Ok(())
}

#[e2e(Cached)]
async fn ranges_are_taken_from_the_whole_file_in_the_cache(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "ranges in the cache").await?;
    let video = bytes_of(MediaFile::Video);
    // The very first request is for a range, and the cache fetches the whole file from the Worker.
    for (range, expected) in [("bytes=100-199", &video[100..200]), ("bytes=-500", &video[299_500..])] {
        let answer = send(content.get(MediaFile::Video).header("Range", range)).await?;
        ensure!(answer.status == 206 && answer.bytes == expected, "{range}: {}", answer.status);
    }
    let beyond = send(content.get(MediaFile::Video).header("Range", "bytes=300000-")).await?;
    ensure!(beyond.status == 416, "{beyond:?}");
    let whole = send(content.get(MediaFile::Video)).await?;
    ensure!(is_hit(&whole) && whole.bytes == video, "{}", whole.status);
    let known = content.get(MediaFile::Video).header("If-None-Match", whole.header("etag"));
    ensure!(send(known).await?.status == 304);
    Ok(())
}

#[e2e(Cached)]
async fn many_first_requests_for_a_file_are_one_for_the_worker(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a crowd").await?;
    let crowd = (0..40).map(|_| send(content.get(MediaFile::Video)));
    let answers: Vec<HttpAnswer> = join_all(crowd).await.into_iter().collect::<Result<_>>()?;
    let ids: std::collections::HashSet<&str> = answers.iter().map(|answer| answer.header("x-request-id")).collect();
    ensure!(ids.len() == 1, "the Worker ran {} times", ids.len());
    ensure!(answers.iter().all(|answer| answer.bytes == bytes_of(MediaFile::Video)));
    Ok(())
}

#[e2e(Cached)]
async fn a_removed_content_is_gone_from_the_cache_when_its_removal_is_answered(stack: Arc<TestStack>) -> Result<()> {
    for path in [paths::DELETE_CONTENT, paths::MODERATION_TAKE_DOWN] {
        let content = TestContent::published(&stack, "cached and removed").await?;
        let other = TestContent::published(&stack, "cached and kept").await?;
        ensure_everything_is_cached(&content).await?;
        ensure_everything_is_cached(&other).await?;
        let started = Instant::now();
        let answer = match path {
            paths::DELETE_CONTENT => content.owner_request(path, json!({})).await?,
            _ => content.decide(path).await?,
        };
        ensure!(answer.status == 200, "{answer:?}");
        for answer in request_everything(&content).await? {
            ensure!(answer.status == 404 && !is_hit(&answer), "{answer:?}");
        }
        println!("gone for everybody after {:?}", started.elapsed());
        for answer in request_everything(&other).await? {
            ensure!(answer.status == 200 && is_hit(&answer), "another content was purged too: {answer:?}");
        }
        // The second purge follows after the answer, without the sweep.
        let sql = "SELECT count(*) AS number FROM cache_purges
            WHERE tag = (SELECT 'content-' || uuid FROM contents WHERE id = ?1)";
        let is_done = async || Ok((stack.count(sql, content.job.content_id)? == 0).then_some(()));
        until(Duration::from_secs(20), is_done, || "there was no second purge".to_owned()).await?;
    }
    Ok(())
}

/// Viewers keep requesting, even while the content is removed and purged.
#[e2e(Cached)]
async fn a_content_that_is_removed_while_it_is_watched_does_not_come_back(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "watched and removed").await?;
    let removed = std::cell::Cell::new(false);
    let last_seen = std::cell::Cell::new(None);
    let started = Instant::now();
    let watch = async |number: usize| {
        let file = all_media_files()[number % all_media_files().len()];
        while !removed.get() || started.elapsed() < Duration::from_secs(12) {
            let answer = send(content.get(file)).await?;
            if answer.status == 200 {
                last_seen.set(Some(started.elapsed()));
            } else if removed.get() {
                tokio::time::sleep(fixtures::cases(ASK_AGAIN, Duration::ZERO)).await;
            }
        }
        anyhow::Ok(())
    };
    let remove = async {
        let is_watched = async || Ok(last_seen.get().filter(|time| *time > Duration::from_millis(500)));
        until(SLACK, is_watched, || "nobody watches".to_owned()).await?;
        let answer = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
        ensure!(answer.status == 200, "{answer:?}");
        let at = started.elapsed();
        removed.set(true);
        anyhow::Ok(at)
    };
    let (watched, removed_at) = futures_util::future::join(try_join_all((0..8).map(watch)), remove).await;
    watched?;
    let (last, removed_at) = (last_seen.get().context("nobody saw it")?, removed_at?);
    println!("removed at {removed_at:?}, last seen at {last:?}");
    ensure!(last < removed_at + Duration::from_secs(8), "removed at {removed_at:?}, last seen at {last:?}");
    for answer in request_everything(&content).await? {
        ensure!(answer.status == 404, "{answer:?}");
    }
    Ok(())
}

#[e2e(CachedForGood)]
async fn a_removed_content_is_gone_within_a_minute_even_if_every_purge_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "cannot be purged").await?;
    ensure_everything_is_cached(&content).await?;
    let started = Instant::now();
    ensure!(content.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    let still = send(content.get(MediaFile::Poster)).await?;
    ensure!(is_hit(&still), "the purge was not refused, so this test shows nothing: {still:?}");
    let waiting = || stack.count("SELECT count(*) AS number FROM cache_purges WHERE attempts > ?1", 0);
    ensure!(waiting()? == 1, "the refused purge must stay in the outbox");
    // Viewers keep requesting: a hit must not extend a response's lifetime.
    let is_gone = async || {
        tokio::time::sleep(LOOK_AGAIN).await;
        let answers = request_everything(&content).await?;
        Ok(answers.iter().all(|answer| answer.status == 404).then_some(()))
    };
    until(TIME_TO_LIVE + SLACK, is_gone, || "it is still served".to_owned()).await?;
    println!("gone after {:?}", started.elapsed());
    ensure!(waiting()? == 1);
    content.ensure_public(false).await
}

#[e2e(Cached)]
async fn a_refusal_and_a_status_are_never_served_from_the_cache(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let key = &content.job.channel.key;
    for path in [paths::UPLOADS.to_owned(), paths::UPLOAD_LIMITS.to_owned(), paths::CATEGORIES.to_owned()] {
        ensure!(stack.get_with_key(&path, key).await?.status == 200);
        let stranger = stack.get(&path).await?;
        ensure_refused(&stranger, 401, "api_key_invalid")?;
        ensure!(stack.get_with_key(&path, key).await?.status == 200);
    }
    let others =
        ["/openapi.json", "/healthz", "/", "/nothing", "/scripts/none.js", "/sitemaps/0.xml"].map(str::to_owned);
    for path in content.documents().into_iter().chain([content.path(MediaFile::Poster)]).chain(others) {
        for accept in ["*/*", "text/html", "*/*"] {
            let answer = send(stack.request(Method::GET, &path).header("Accept", accept)).await?;
            ensure!(!is_hit(&answer), "{path}: {answer:?}");
        }
    }
    content.finish(&[contract::moderation::Recommendation::Pass]).await?;
    content.ensure_public(true).await
}
