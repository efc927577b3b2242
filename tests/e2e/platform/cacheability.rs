//! Every response says who may cache it. The cache in front of the Worker would store a response that does not say so,
//! even a 404, and serve it to everyone.

use anyhow::{Result, ensure};
use contract::paths;
use contract::{MediaFile, moderation::Recommendation};
use fixtures::{combinations, combinations_tried};
use futures_util::StreamExt;
use futures_util::stream::iter;
use reqwest::Method;
use std::collections::BTreeSet;
use std::sync::Arc;
use tests::{Channel, TestContent, TestStack, e2e, send};

const PATHS: [&str; 82] = [
    paths::HEALTH,
    paths::OPENAPI,
    paths::CREATE_API_KEY,
    paths::DELETE_API_KEY,
    paths::ROTATE_API_KEY,
    paths::GET_API_KEY,
    paths::CREATE_WEBHOOK,
    paths::UPDATE_WEBHOOK,
    paths::DELETE_WEBHOOK,
    paths::ROTATE_WEBHOOK_SECRET,
    paths::TEST_WEBHOOK,
    paths::WEBHOOK_DELIVERIES,
    paths::SEND_EVENTS_AGAIN,
    paths::WEBHOOKS,
    paths::UPLOAD_VIDEO,
    paths::DIRECT_UPLOADS,
    paths::DIRECT_UPLOAD,
    paths::RESUMABLE_DIRECT_UPLOAD,
    paths::UPLOAD_LIMITS,
    paths::UPLOAD_STATUS,
    paths::UPLOADS,
    paths::FAILED_REQUESTS,
    paths::CATEGORIES,
    paths::DELETE_CONTENT,
    paths::RESCHEDULE_CONTENT,
    paths::RELEASE_CONTENT,
    paths::UPDATE_THUMBNAIL,
    paths::UPDATE_CAPTIONS,
    paths::DELETE_CAPTIONS,
    paths::SESSIONS,
    paths::SWEEP,
    paths::JOB_CLAIM,
    paths::JOB_PROGRESS,
    paths::JOB_RELEASE,
    paths::JOB_REPORT,
    paths::JOB_REQUEUE,
    paths::MODERATION_QUEUE,
    paths::MODERATION_CONTENTS,
    paths::MODERATION_APPROVE,
    paths::MODERATION_REJECT,
    paths::MODERATION_TAKE_DOWN,
    paths::MODERATION_RESTORE,
    paths::MODERATION_LABEL,
    paths::MODERATION_STATISTICS,
    paths::MODERATION_SUSPEND,
    paths::MODERATION_LIFT_SUSPENSION,
    paths::MODERATION_TAKE_DOWN_CHANNEL,
    paths::MODERATION_DECISIONS,
    paths::MODERATION_HASHES,
    paths::MODERATION_HASH_EXPORT,
    paths::MODERATION_HASH_IMPORT,
    paths::METRICS,
    paths::SERVICE_HEALTH,
    paths::FSCK,
    paths::TOKENS,
    paths::ORIGIN_KEYS,
    paths::TRAIL,
    paths::TRAIL_EXPORT,
    paths::ERASE_ACCOUNT,
    paths::EXPORT_ACCOUNT,
    paths::MODERATION_FILE,
    paths::MODERATION_CASE,
    paths::MODERATION_GROUPS,
    paths::MODERATION_MATCHES,
    paths::MODERATION_FRAME,
    paths::REPORT_PAGE,
    paths::MODERATION_APPEALS,
    paths::MODERATION_REJECT_APPEAL,
    paths::APPEAL_CONTENT,
    paths::MODERATION_CLAIM,
    paths::MODERATION_RELEASE_CLAIM,
    paths::MODERATION_POLICIES,
    paths::DESK_ACCOUNT,
    paths::DESK_SIGN_IN,
    paths::DESK_SIGN_OUT,
    paths::MODERATION_EVIDENCE,
    "/",
    "/nothing",
    "/oembed",
    "/scripts/none.js",
    "/sitemaps/0.xml",
    "/openapi.json?a=b",
];
const METHODS: [Method; 6] = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS];

/// Returns a header for each kind of client.
async fn askers(stack: &Arc<TestStack>) -> Result<Vec<(&'static str, String)>> {
    let channel = Channel::new(stack).await?;
    let bearer = |token: &str| ("authorization", format!("Bearer {token}"));
    Ok(vec![
        ("x-nobody", String::new()),
        bearer("wrong"),
        bearer(&channel.key),
        bearer(stack.env().get("SERVICE_TOKEN")),
        bearer(stack.env().get("ADMIN_TOKEN")),
        ("cookie", channel.account.cookie),
    ])
}

#[e2e]
async fn no_answer_but_a_published_content_may_be_kept(stack: Arc<TestStack>) -> Result<()> {
    let waiting = TestContent::upload(&stack, |form| form).await?;
    let mut paths: Vec<String> = PATHS.map(str::to_owned).into();
    paths.extend(waiting.documents().into_iter().skip(1));
    paths.extend([waiting.path(MediaFile::Video), "/media/none.mp4".to_owned(), "/meme/no".to_owned()]);
    let askers = askers(&stack).await?;
    let sizes = [paths.len(), METHODS.len(), askers.len()];
    let mut tried: BTreeSet<_> = combinations(sizes).into_iter().collect();
    let not_kept = async |[path, method, asker]: [usize; 3]| {
        let (path, method, (name, value)) = (&paths[path], &METHODS[method], &askers[asker]);
        let answer = send(stack.request(method.clone(), path).header(*name, value)).await?;
        let kept = answer.header("cache-control") != "no-store" || !answer.header("cache-tag").is_empty();
        ensure!(!kept, "{method} {path} as {name}: {answer:?}");
        Ok(answer.status)
    };
    let mut accepted = BTreeSet::new();
    let mut answers = iter(tried.clone()).map(async |one| anyhow::Ok((one, not_kept(one).await?))).buffer_unordered(8);
    while let Some(answer) = answers.next().await {
        let ([path, method, _], status) = answer?;
        accepted.extend((status != 405).then_some((path, method)));
    }
    // A method that a path does not have is refused for every client. All other methods are tried as every client.
    let of_everybody = |(path, method)| (0..askers.len()).map(move |asker| [path, method, asker]);
    let more: Vec<_> = accepted.into_iter().flat_map(of_everybody).filter(|one| tried.insert(*one)).collect();
    let outcomes: Vec<Result<_>> = iter(more).map(not_kept).buffer_unordered(8).collect().await;
    outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    println!("the answers to {} of path, method and asker are kept by nobody", combinations_tried(sizes, tried.len()));
    Ok(())
}

#[e2e]
async fn a_published_content_may_be_kept_for_a_minute_whoever_asks(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "kept").await?;
    for (name, value) in askers(&stack).await? {
        for path in [content.page(), content.embed(), content.path(MediaFile::Video), content.path(MediaFile::Poster)] {
            let first = send(stack.request(Method::GET, &path).header(name, &value)).await?;
            let tag = first.header("etag");
            let again = stack.request(Method::GET, &path).header(name, &value).header("If-None-Match", tag);
            let again = send(again).await?;
            ensure!(first.status == 200 && again.status == 304, "{path}: {again:?}");
            for answer in [&first, &again] {
                let control = answer.header("cache-control");
                ensure!(control == "public, max-age=60, must-revalidate", "{path} as {name}: {answer:?}");
                ensure!(answer.header("set-cookie").is_empty() && answer.header("vary").is_empty(), "{answer:?}");
            }
        }
    }
    Ok(())
}

#[e2e]
async fn unpublished_contents_may_not_be_cached(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    for path in [content.path(MediaFile::Poster), content.page()] {
        let owner = || stack.request(Method::GET, &path).bearer_auth(&content.job.channel.key);
        let first = send(owner()).await?;
        let again = send(owner().header("If-None-Match", first.header("etag"))).await?;
        ensure!(first.status == 200 && again.status == 304, "{again:?}");
        for answer in [first, again] {
            ensure!(answer.header("cache-control") == "private, no-store", "{answer:?}");
            ensure!(answer.header("cache-tag").is_empty() && !answer.header("vary").is_empty(), "{answer:?}");
        }
    }
    Ok(())
}

#[e2e]
async fn the_answer_to_another_site_may_be_kept_for_a_minute(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "embedded").await?;
    for (name, value) in askers(&stack).await? {
        let answer = send(stack.request(Method::GET, &content.oembed()).header(name, &value)).await?;
        ensure!(answer.header("cache-control") == "public, max-age=60, must-revalidate", "as {name}: {answer:?}");
    }
    Ok(())
}
