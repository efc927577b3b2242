//! A user who is signed in to the site calls the routes of programs with the session, without an API key.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{HttpAnswer, TestAccount, TestStack, e2e, ensure_refused, send};

/// The routes of the Worker, with who may call them.
const ROUTES: &str = include_str!("../../../docs/routes.txt");

/// Returns the method and path of each route that a key and a session open. Parameters of paths have a value.
fn routes_of_owners() -> Vec<(Method, String)> {
    let of_owners = ROUTES.lines().filter_map(|line| line.strip_suffix(" base|upload api_key|session"));
    let routes = of_owners.filter_map(|line| line.split_once(' '));
    routes.filter_map(|(method, path)| Some((method.parse().ok()?, path.replace("{direct_upload_id}", "x")))).collect()
}

fn request(account: &TestAccount, method: Method, path: &str) -> RequestBuilder {
    account.stack.request(method, path).header("Cookie", &account.cookie)
}

/// Sends a form as a page of the site does.
async fn post_form(account: &TestAccount, path: &str, form: Form) -> Result<HttpAnswer> {
    let request = request(account, Method::POST, path).header("Sec-Fetch-Site", "same-origin");
    send(request.header("Content-Type", Form::content_type()).body(form.body())).await
}

fn succeeded(answer: &HttpAnswer) -> Result<Value> {
    ensure!(answer.status == 200 && !answer.header("ratelimit").is_empty(), "{answer:?}");
    answer.json()
}

/// Uploads a video with a token that the session has created. Returns its UUID.
async fn upload(account: &TestAccount, caption: &str) -> Result<String> {
    let request = json!({ "user_may_set": ["caption"] });
    let minted = succeeded(&account.post_json(paths::DIRECT_UPLOADS, &request).await?)?;
    let token = minted["token"].as_str().context("no token")?;
    account.stack.remember_secret(token);
    let form = Form::new().text("caption", caption).file("file", "a.mp4", &account.stack.small_video());
    let request = account.stack.request(Method::POST, paths::DIRECT_UPLOAD).bearer_auth(token);
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(answer.json()?["content_uuid"].as_str().context("no uuid")?.to_owned())
}

#[e2e]
async fn a_user_without_a_key_uploads_follows_changes_and_deletes_a_video(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let uuid = upload(&account, "By a page").await?;
    let status_path = format!("{}?content_uuid={uuid}", paths::UPLOAD_STATUS);
    ensure!(succeeded(&account.get(&status_path).await?)?["caption"] == "By a page");
    let listed = succeeded(&account.get(paths::UPLOADS).await?)?;
    ensure!(listed["uploads"][0]["content_uuid"] == uuid.as_str(), "{listed}");
    let changed = json!({ "content_uuid": uuid, "caption": "Changed" });
    ensure!(succeeded(&account.post_json(paths::UPDATE_CONTENT, &changed).await?)?["caption"] == "Changed");
    let subtitles = b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n";
    let captions =
        Form::new().text("content_uuid", &uuid).text("language", "en").file("captions_file", "a.vtt", subtitles);
    let changed = succeeded(&post_form(&account, paths::UPDATE_CAPTIONS, captions).await?)?;
    ensure!(changed["captions"] == json!(["en"]), "{changed}");
    let picture = Form::new().text("content_uuid", &uuid).file("thumbnail_file", "a.png", b"\x89PNG\r\n\x1a\n picture");
    let changed = succeeded(&post_form(&account, paths::UPDATE_THUMBNAIL, picture).await?)?;
    ensure!(changed["thumbnail_change"] == "pending", "{changed}");
    ensure!(succeeded(&account.get(paths::EVENTS).await?)?["events"].as_array().is_some_and(|all| !all.is_empty()));
    for path in [paths::UPLOAD_LIMITS, paths::CATEGORIES, paths::WEBHOOKS, paths::DIRECT_UPLOADS] {
        succeeded(&account.get(path).await?).with_context(|| path)?;
    }
    let deleted = account.post_json(paths::DELETE_CONTENT, &json!({ "content_uuid": uuid })).await?;
    ensure!(succeeded(&deleted)?["state"] == "deleted");
    let key = account.get(paths::GET_API_KEY).await?;
    ensure!(key.status == 200 && key.json()?["key"].is_null(), "{key:?}");
    Ok(())
}

#[e2e]
async fn a_session_sees_only_its_own_channel_and_is_no_use_of_the_key(stack: Arc<TestStack>) -> Result<()> {
    let (owner, stranger) = (stack.account().await?, stack.account().await?);
    owner.create_key().await?;
    let uuid = upload(&owner, "Mine").await?;
    let status_path = format!("{}?content_uuid={uuid}", paths::UPLOAD_STATUS);
    ensure_refused(&stranger.get(&status_path).await?, 404, "content_not_found")?;
    for path in [paths::UPDATE_CONTENT, paths::DELETE_CONTENT] {
        let change = json!({ "content_uuid": uuid, "caption": "x" });
        let change = if path == paths::DELETE_CONTENT { json!({ "content_uuid": uuid }) } else { change };
        ensure_refused(&stranger.post_json(path, &change).await?, 404, "content_not_found")?;
    }
    ensure!(succeeded(&stranger.get(paths::UPLOADS).await?)?["uploads"] == json!([]));
    let key = owner.get(paths::GET_API_KEY).await?.json()?;
    ensure!(key["key"]["uses_count"] == 0 && key["key"]["last_used_at_unix"].is_null(), "{key}");
    Ok(())
}

#[e2e]
async fn no_page_of_another_site_can_use_the_session(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let routes = routes_of_owners();
    ensure!(routes.len() == 26, "{routes:?}");
    for (method, path) in routes {
        for (name, value) in [
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
            ("Origin", "https://evil.example"),
            ("Origin", "null"),
        ] {
            let answer = send(request(&account, method.clone(), &path).header(name, value).json(&json!({}))).await?;
            ensure_refused(&answer, 403, "csrf_rejected")
                .with_context(|| format!("{method} {path} {name}: {value}"))?;
        }
        // Forms of browsers that do not say which page has sent them.
        if method == Method::POST {
            for kind in [&Form::content_type(), "text/plain", "application/x-www-form-urlencoded"] {
                let answer =
                    send(request(&account, method.clone(), &path).header("Content-Type", kind).body("{}")).await?;
                ensure_refused(&answer, 415, "json_content_type_required").with_context(|| format!("{path} {kind}"))?;
            }
        }
    }
    Ok(())
}

#[e2e]
async fn whoever_is_signed_out_is_told_so_and_programs_are_told_of_their_key(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let ended = json!({ "session_cookie": account.cookie });
    ensure!(send(stack.service_request(Method::DELETE, paths::SESSIONS).json(&ended)).await?.status == 200);
    let signed_in = stack.account().await?;
    let wrong_key = "cgk_0000000000000000000000000000000000000000000000";
    for (method, path) in routes_of_owners() {
        let plain = || stack.request(method.clone(), &path).json(&json!({}));
        for (request, code) in [
            (plain().header("Cookie", &account.cookie), "session_required"),
            (plain().header("Sec-Fetch-Site", "same-origin"), "session_required"),
            (plain(), "api_key_invalid"),
            (plain().header("Cookie", &signed_in.cookie).bearer_auth(wrong_key), "api_key_invalid"),
        ] {
            ensure_refused(&send(request).await?, 401, code).with_context(|| format!("{method} {path}"))?;
        }
    }
    Ok(())
}
