//! The owner of a channel sees the failed requests of its programs, and nobody else's.

use super::resumable::{Upload, creation};
use anyhow::{Context, Result, bail, ensure};
use contract::ObjectKey;
use contract::api::{FailedRequest, FailedRequests, PresentedCredential};
use contract::paths;
use contract::{ErrorCode, FormField};
use fixtures::Form;
use futures_util::future::try_join_all;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ChannelRows, HttpAnswer, RawUpload, StackLimits, TestAccount, TestStack, e2e, ensure_refused, send, until,
};

/// A request shows up within 20 seconds. The machine may be busy.
const SOON: Duration = Duration::from_secs(40);
const UNKNOWN_UUID: &str = "0a6f0f6a-2f43-4d4b-9a53-7d2c9a1be0c4";
const AGENT: &str = "shop/1.0";

async fn read(account: &TestAccount) -> Result<FailedRequests> {
    let answer = account.get(paths::FAILED_REQUESTS).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(serde_json::from_slice(&answer.bytes)?)
}

fn total(failed: &FailedRequests) -> u64 {
    failed.counts.iter().map(|count| count.count).sum()
}

/// Returns the failed requests of a channel once there are this many, and fails if there are more.
async fn until_counted(account: &TestAccount, expected: u64) -> Result<FailedRequests> {
    let look = async || Ok(Some(read(account).await?).filter(|failed| total(failed) >= expected));
    let failed = until(SOON, look, || format!("not {expected} failed requests")).await?;
    ensure!(total(&failed) == expected && failed.is_complete, "{failed:?}");
    Ok(failed)
}

/// A request that fails, and its expected record.
struct Case {
    request: RequestBuilder,
    path: &'static str,
    method: &'static str,
    code: ErrorCode,
    field: Option<&'static str>,
    credential: PresentedCredential,
}

impl Case {
    fn with_key(request: RequestBuilder, path: &'static str, method: &'static str, code: ErrorCode) -> Self {
        Self { request, path, method, code, field: None, credential: PresentedCredential::ApiKey }
    }

    fn of_field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    fn with_token(self) -> Self {
        Self { credential: PresentedCredential::DirectUploadToken, ..self }
    }

    /// Sends the request, and fails unless it fails as expected. Returns the record that its owner should see.
    async fn fail(self) -> Result<FailedRequest> {
        let Self { request, path, method, code, field, credential } = self;
        let answer = send(request.header("User-Agent", AGENT)).await?;
        ensure_refused(&answer, code.status(), code.as_str()).with_context(|| format!("{method} {path}"))?;
        let body = answer.json()?;
        ensure!(body["field"].as_str() == field, "{body}");
        Ok(FailedRequest {
            at_unix: 0,
            request_id: answer.header("x-request-id").to_owned(),
            method: method.to_owned(),
            path: path.to_owned(),
            status: code.status(),
            error_message_code: code,
            field: field.map(str::to_owned),
            detail: body["detail"].as_str().map(str::to_owned),
            user_agent: Some(AGENT.to_owned()),
            credential,
        })
    }
}

fn posting(request: RequestBuilder, form: Form) -> RequestBuilder {
    request.header("Content-Type", Form::content_type()).body(form.body())
}

async fn token_of(channel: &Channel) -> Result<(String, String)> {
    let created = channel.account.post_json(paths::DIRECT_UPLOADS, &json!({})).await?;
    ensure!(created.status == 200, "{created:?}");
    let (created, text) = (created.json()?, |name: &str| created.json().map(|body| body[name].clone()));
    let read = |name: &str| -> Result<String> {
        Ok(text(name)?.as_str().with_context(|| format!("no {name}: {created}"))?.to_owned())
    };
    let (id, token) = (read("direct_upload_id")?, read("token")?);
    channel.stack.remember_secret(&token);
    Ok((id, token))
}

fn cases_of_uploads(channel: &Channel) -> Vec<Case> {
    let upload =
        |form: Form, code| Case::with_key(posting(channel.upload_request(), form), paths::UPLOAD_VIDEO, "POST", code);
    let file = |bytes: &[u8]| Form::new().file("file", "a.mp4", bytes);
    let video = channel.stack.small_video();
    let odd = channel.stack.request(Method::POST, &format!("{}?dry=1", paths::UPLOAD_VIDEO)).bearer_auth(&channel.key);
    vec![
        upload(file(b"no video"), ErrorCode::ContentFileInvalidFormat).of_field("file"),
        upload(file(&[b'-'; 20_000]), ErrorCode::ContentFileInvalidFormat).of_field("file"),
        upload(file(&fixtures::mp4(1_000, 20_000, 7)), ErrorCode::ContentVideoDurationInvalid).of_field("file"),
        upload(Form::new().text("caption", "x"), ErrorCode::FileNotFound).of_field("file"),
        upload(file(&video).text("captoin", "x"), ErrorCode::FieldUnknown).of_field("captoin"),
        Case::with_key(posting(odd, file(&video)), paths::UPLOAD_VIDEO, "POST", ErrorCode::RequestMalformed)
            .of_field("dry"),
    ]
}

fn cases_of_other_routes(channel: &Channel) -> Vec<Case> {
    let (stack, key) = (&channel.stack, &channel.key);
    let get = |path: String| stack.request(Method::GET, &path).bearer_auth(key);
    let post = |path: &str| stack.request(Method::POST, path).bearer_auth(key);
    let unknown = json!({ "content_uuid": UNKNOWN_UUID });
    let malformed = ErrorCode::RequestMalformed;
    vec![
        Case::with_key(get(paths::UPLOAD_STATUS.to_owned()), paths::UPLOAD_STATUS, "GET", malformed)
            .of_field("content_uuid"),
        Case::with_key(
            get(format!("{}?content_uuid={UNKNOWN_UUID}", paths::UPLOAD_STATUS)),
            paths::UPLOAD_STATUS,
            "GET",
            ErrorCode::ContentNotFound,
        )
        .of_field("content_uuid"),
        Case::with_key(get(format!("{}?after=x", paths::EVENTS)), paths::EVENTS, "GET", malformed).of_field("after"),
        Case::with_key(get(format!("{}?x=1", paths::CATEGORIES)), paths::CATEGORIES, "GET", malformed).of_field("x"),
        Case::with_key(
            get(paths::DIRECT_UPLOAD_BY_ID.replace("{direct_upload_id}", UNKNOWN_UUID)),
            paths::DIRECT_UPLOAD_BY_ID,
            "GET",
            ErrorCode::DirectUploadNotFound,
        ),
        Case::with_key(
            post(paths::DELETE_CONTENT).json(&unknown),
            paths::DELETE_CONTENT,
            "POST",
            ErrorCode::ContentNotFound,
        )
        .of_field("content_uuid"),
    ]
}

fn cases_of_tus(channel: &Channel, upload: &Upload) -> Vec<Case> {
    let category = creation(channel, 100, &[("super_category_id", "999999")]);
    let request = channel.stack.request(Method::POST, paths::RESUMABLE_UPLOADS).bearer_auth(&channel.key);
    let create = |request, code| Case::with_key(request, paths::RESUMABLE_UPLOADS, "POST", code);
    let offset = upload.appending(500, b"bytes");
    vec![
        create(category, ErrorCode::ContentCategoryInvalid).of_field(FormField::SuperCategoryId.name()),
        create(request, ErrorCode::TusVersionUnsupported),
        Case::with_key(offset, paths::RESUMABLE_UPLOAD, "PATCH", ErrorCode::UploadOffsetMismatch),
    ]
}

fn cases_of_tokens(channel: &Channel, token: &str, revoked: &str) -> Vec<Case> {
    let upload = |token: &str, code| {
        let request = channel.stack.request(Method::POST, paths::DIRECT_UPLOAD).bearer_auth(token);
        let form = Form::new().file("file", "a.mp4", b"no video");
        Case::with_key(posting(request, form), paths::DIRECT_UPLOAD, "POST", code).with_token()
    };
    vec![
        upload(token, ErrorCode::ContentFileInvalidFormat).of_field("file"),
        upload(revoked, ErrorCode::DirectUploadTokenInvalid),
    ]
}

#[e2e]
async fn every_failed_request_of_a_key_or_a_token_shows_up_with_what_the_client_was_told(
    stack: Arc<TestStack>,
) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let upload = Upload::begin(&channel, 1_000, &[]).await?;
    let ((_, token), (id, revoked)) = (token_of(&channel).await?, token_of(&channel).await?);
    let path = paths::DIRECT_UPLOAD_BY_ID.replace("{direct_upload_id}", &id);
    ensure!(send(stack.request(Method::DELETE, &path).bearer_auth(&channel.key)).await?.status == 200);

    let cases = [
        cases_of_uploads(&channel),
        cases_of_other_routes(&channel),
        cases_of_tus(&channel, &upload),
        cases_of_tokens(&channel, &token, &revoked),
    ];
    let mut expected = Vec::new();
    for case in cases.into_iter().flatten() {
        expected.push(case.fail().await?);
    }
    let failed = until_counted(&channel.account, expected.len() as u64).await?;
    expected.reverse();
    let mut listed = failed.requests.clone();
    for request in &mut listed {
        ensure!(request.at_unix >= failed.since_unix + 6 * 86_400, "{request:?}");
        request.at_unix = 0;
    }
    for (listed, expected) in listed.iter().zip(&expected) {
        ensure!(listed == expected, "found {listed:#?}\nexpected {expected:#?}");
    }
    ensure!(listed.len() == expected.len(), "{} of {}", listed.len(), expected.len());

    let mut counts = BTreeMap::new();
    for request in &failed.requests {
        *counts.entry((request.at_unix - request.at_unix % 3_600, request.error_message_code.as_str())).or_insert(0) +=
            1;
    }
    let counted = failed.counts.iter().map(|of| ((of.hour_unix, of.error_message_code.as_str()), of.count));
    ensure!(counted.collect::<BTreeMap<_, _>>() == counts, "{:?}", failed.counts);

    let with_key = stack.get_with_key(paths::FAILED_REQUESTS, &channel.key).await?;
    ensure!(serde_json::from_slice::<FailedRequests>(&with_key.bytes)? == failed, "{with_key:?}");
    ensure!(!with_key.header("ratelimit").is_empty(), "{with_key:?}");
    ensure_refused(&stack.get(paths::FAILED_REQUESTS).await?, 401, "api_key_invalid")
}

#[e2e]
async fn requests_without_a_valid_key_and_of_a_session_belong_to_no_record(stack: Arc<TestStack>) -> Result<()> {
    let (channel, other) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let query = format!("{}?content_uuid={UNKNOWN_UUID}", paths::UPLOAD_STATUS);
    let old_key = channel.key.clone();
    let rotated = channel.account.post(paths::ROTATE_API_KEY).await?.json()?;
    let key = rotated["api_key"].as_str().context("no key")?.to_owned();
    stack.remember_secret(&key);
    ensure_refused(&stack.get_with_key(&query, &old_key).await?, 401, "api_key_invalid")?;
    ensure_refused(&channel.account.get(&query).await?, 404, "content_not_found")?;
    ensure_refused(&channel.account.get(&format!("{}?x=1", paths::EVENTS)).await?, 400, "request_malformed")?;
    ensure_refused(&channel.account.get(&format!("{}?x=1", paths::CATEGORIES)).await?, 400, "request_malformed")?;
    ensure_refused(&stack.get_with_key(&query, &key).await?, 404, "content_not_found")?;
    let failed = until_counted(&channel.account, 1).await?;
    ensure!(failed.requests[0].error_message_code == ErrorCode::ContentNotFound, "{failed:?}");
    let nothing = read(&other.account).await?;
    ensure!(nothing.counts.is_empty() && nothing.requests.is_empty() && nothing.is_complete, "{nothing:?}");
    Ok(())
}

#[e2e]
async fn of_sixty_failed_requests_all_are_counted_and_the_last_fifty_are_listed(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut ids = Vec::new();
    for number in 0..60 {
        let path = if number % 2 == 0 { paths::UPLOAD_STATUS } else { "/api/php/developer/events?after=x" };
        let answer = stack.get_with_key(path, &channel.key).await?;
        ensure!(answer.status == 400, "{answer:?}");
        ids.push(answer.header("x-request-id").to_owned());
    }
    let failed = until_counted(&channel.account, 60).await?;
    let listed: Vec<_> = failed.requests.iter().map(|request| request.request_id.clone()).collect();
    ids.reverse();
    ensure!(listed == ids[..50], "{listed:?}\n{ids:?}");
    let prefix = format!("/{}/", channel.account.channel_id);
    let objects = stack
        .objects()?
        .into_iter()
        .filter(|object| object.key.starts_with(ObjectKey::FAILED_REQUESTS_FOLDER) && object.key.contains(&prefix));
    let writes = objects.count();
    println!("60 failed requests were stored with {writes} writes");
    ensure!(writes < 10, "{writes} writes");
    Ok(())
}

/// Returns the refusal of the first of these requests that is refused.
fn first_refused(answers: Vec<HttpAnswer>) -> Result<HttpAnswer> {
    answers.into_iter().find(|answer| answer.status == 429).context("every request was accepted")
}

#[e2e(Limited(StackLimits::FEW_PER_KEY))]
async fn a_key_over_its_rate_shows_up(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let requests =
        (0..StackLimits::FEW_PER_KEY.key_rate * 3).map(|_| stack.get_with_key(paths::CATEGORIES, &channel.key));
    first_refused(try_join_all(requests).await?)?;
    let look = async || Ok(Some(read(&channel.account).await?).filter(|failed| total(failed) > 0));
    let failed = until(SOON, look, || "no failed request".to_owned()).await?;
    let of_rate = |request: &FailedRequest| {
        request.error_message_code == ErrorCode::RateLimited && request.path == paths::CATEGORIES
    };
    ensure!(failed.requests.iter().all(of_rate), "{failed:?}");
    Ok(())
}

#[e2e]
async fn the_daily_limit_and_the_allowance_of_an_hour_show_up(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let form = || Form::new().file("file", "a.mp4", &stack.small_video());
    channel.upload_accepted(form()).await?;
    ensure_refused(&channel.upload(form()).await?, 429, "content_upload_limit_failure")?;
    let spend = format!(
        "UPDATE api_keys SET refused_hour = unixepoch() / 3600, refused_uploads = 300 WHERE channel_id = {}",
        channel.account.channel_id
    );
    stack.change_rows(spend).await?;
    ensure_refused(&channel.upload(form()).await?, 429, "rate_limited")?;
    let failed = until_counted(&channel.account, 2).await?;
    let codes: Vec<_> = failed.requests.iter().map(|request| request.error_message_code).collect();
    ensure!(codes == [ErrorCode::RateLimited, ErrorCode::ContentUploadLimitFailure], "{failed:?}");
    ensure!(failed.requests[0].detail.as_deref().is_some_and(|detail| detail.contains("within an hour")), "{failed:?}");
    Ok(())
}

#[e2e]
async fn no_secret_and_no_markup_harms_the_record(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    // Not the channel's own, because the runtime itself logs addresses and this header.
    let key = format!("cgk_{}", "0c4Rk2v9Qx7Lm3Tz8Wp5Yb1N".repeat(2));
    let agents = [
        format!("app/1.0 ({key})"),
        "<script>alert(\"\u{1f4f1}\")</script> \u{e9}".to_owned(),
        "\u{1f4f1}".repeat(1_000),
    ];
    for agent in &agents {
        let path = format!("{}?{key}=1", paths::CATEGORIES);
        let agent = reqwest::header::HeaderValue::from_bytes(agent.as_bytes())?;
        let request = stack.request(Method::GET, &path).bearer_auth(&channel.key).header("User-Agent", agent);
        ensure_refused(&send(request).await?, 400, "request_malformed")?;
    }
    let failed = until_counted(&channel.account, 3).await?;
    let text = serde_json::to_string(&failed)?;
    ensure!(!text.contains(&key[4..12]), "{text}");
    let shown: Vec<_> = failed.requests.iter().rev().filter_map(|request| request.user_agent.clone()).collect();
    let [hidden, markup, long] = shown.as_slice() else { bail!("{text}") };
    ensure!(hidden == "app/1.0 (hidden)" && *markup == agents[1], "{shown:?}");
    ensure!(long.chars().count() == 100 && long.ends_with("\u{1f4f1}…"), "{long}");
    Ok(())
}

#[e2e(Own)]
async fn a_refused_upload_costs_no_more_than_before(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let cases = [("small", b"no video".to_vec(), 1, 4), ("large", vec![b'-'; 20_000], 2, 20)];
    for (name, file, write_batches, most_rows) in cases {
        let answer = channel.upload(Form::new().file("file", "a.mp4", &file)).await?;
        ensure_refused(&answer, 415, "content_file_invalid_format")?;
        let logged = stack.logged(answer.header("x-request-id")).await?;
        let number = |name: &str| logged[name].as_u64().unwrap_or(u64::MAX);
        let rows = number("d1_rows_written");
        println!("a refused upload, {name}: {} write batches, {rows} rows written", number("d1_write_batches"));
        ensure!(number("d1_write_batches") == write_batches && rows <= most_rows, "{name}: {logged}");
        ensure!(number("d1_batches") == write_batches && number("r2_operations") == 0, "{name}: {logged}");
    }
    until_counted(&channel.account, 2).await.map(drop)
}

#[e2e]
async fn an_upload_whose_client_disconnects_shows_up(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut upload = RawUpload::start(&channel, Some(200_000)).await?;
    let mut start = Form::new().file("file", "a.mp4", &fixtures::mp4(5_000, 100_000, 7)).body();
    start.truncate(50_000);
    upload.send(&start).await?;
    channel.until_rows(&ChannelRows { used: 1, reserved: 1, ..ChannelRows::default() }, SOON).await?;
    drop(upload);
    let failed = until_counted(&channel.account, 1).await?;
    ensure!(failed.requests[0].path == paths::UPLOAD_VIDEO, "{failed:?}");
    Ok(())
}

#[e2e]
async fn an_erased_account_leaves_no_failed_request(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let answer = stack.get_with_key(paths::UPLOAD_STATUS, &channel.key).await?;
    ensure_refused(&answer, 400, "request_malformed")?;
    until_counted(&channel.account, 1).await?;
    let prefix = format!("/{}/", channel.account.channel_id);
    let stored = || -> Result<usize> {
        let keys = stack.objects()?.into_iter().map(|object| object.key);
        let is_own = |key: &String| key.starts_with(ObjectKey::FAILED_REQUESTS_FOLDER) && key.contains(&prefix);
        Ok(keys.filter(is_own).count())
    };
    ensure!(stored()? == 1);
    let request = stack.request(Method::POST, paths::ERASE_ACCOUNT).bearer_auth(stack.env().get("ADMIN_TOKEN"));
    let erasure = json!({ "account_id": channel.account.id, "reason": "a ticket" });
    let erased = send(request.json(&erasure)).await?;
    ensure!(erased.status == 200 && erased.json()?["is_finished"] == true, "{erased:?}");
    ensure!(stored()? == 0);
    Ok(())
}
