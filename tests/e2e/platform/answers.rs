//! Every response to an API request is JSON in the right envelope and carries a request id.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use tests::{TestStack, e2e, ensure_refused, exchange, send};

#[e2e]
async fn the_health_route_and_the_log_name_the_build(stack: Arc<TestStack>) -> Result<()> {
    let answer = stack.get(paths::HEALTH).await?;
    ensure!(answer.status == 200);
    let health = answer.json()?;
    ensure!(health["success"] == true && health["version"] == env!("CARGO_PKG_VERSION"), "{health}");
    let commit = health["commit"].as_str().context("no commit")?;
    let is_hash = commit.get(..12).is_some_and(|hash| hash.chars().all(|digit| digit.is_ascii_hexdigit()));
    ensure!(is_hash || commit == "unknown", "{commit}");
    let logged = stack.logged(answer.header("x-request-id")).await?;
    ensure!(logged["span"]["commit"] == commit && logged["span"]["version"] == health["version"], "{logged}");
    Ok(())
}

/// A header whose value is not valid counts as not sent.
#[e2e]
async fn a_header_with_unusual_bytes_is_answered(stack: Arc<TestStack>) -> Result<()> {
    for odd in ["é", "\u{7f}", "a\tb", "\u{fffd}"] {
        for name in ["X-Odd", "Authorization", "Cookie", "Content-Type"] {
            let request = format!(
                "GET {} HTTP/1.1\r\nHost: {}\r\n{name}: {odd}\r\nConnection: close\r\n\r\n",
                paths::UPLOAD_LIMITS,
                stack.address()
            );
            let answer = exchange(stack.address(), request.as_bytes()).await?;
            let is_json = answer.contains("\"success\":false") && answer.contains("x-request-id");
            // The runtime may refuse such a request before it reaches the Worker.
            ensure!(is_json || answer.starts_with("HTTP/1.1 400"), "{name}: {odd:?}: {answer}");
        }
    }
    Ok(())
}

#[e2e]
async fn an_unknown_path_is_refused_in_json_with_a_request_id(stack: Arc<TestStack>) -> Result<()> {
    let mut ids = HashSet::new();
    for path in ["/", "/nothing", "/api/php/developer/nothing", "/%ff", "/api/php/user_settings"] {
        let answer = stack.get(path).await?;
        ensure_refused(&answer, 404, "not_found")?;
        ensure!(answer.header("content-type") == "application/json", "{answer:?}");
        ensure!(answer.json()?["detail"].is_string(), "{answer:?}");
        ensure!(ids.insert(answer.header("x-request-id").to_owned()), "a request id was used twice");
        ensure!(answer.header("x-request-id").len() == 36, "{answer:?}");
    }
    Ok(())
}

#[e2e]
async fn a_wrong_method_is_refused_with_the_allowed_methods(stack: Arc<TestStack>) -> Result<()> {
    let cases = [
        (Method::GET, paths::CREATE_API_KEY, "POST"),
        (Method::PATCH, paths::SESSIONS, "POST,DELETE"),
        (Method::POST, paths::UPLOAD_LIMITS, "GET,HEAD"),
        (Method::OPTIONS, paths::DELETE_API_KEY, "POST"),
        (Method::POST, paths::OPENAPI, "GET,HEAD"),
    ];
    for (method, path, allowed) in cases {
        let answer = send(stack.request(method.clone(), path)).await?;
        ensure_refused(&answer, 405, "method_not_allowed")?;
        let allow: HashSet<&str> = answer.header("allow").split(',').map(str::trim).collect();
        ensure!(allow == allowed.split(',').collect(), "{method} {path}: {answer:?}");
        ensure!(!answer.header("x-request-id").is_empty());
    }
    Ok(())
}

#[e2e]
async fn key_management_errors_have_their_own_envelope(stack: Arc<TestStack>) -> Result<()> {
    let nulls = |code: &str| json!({ "success": false, "error_message_code": code, "api_key": null, "key": null });
    let unknown = stack.get("/api/php/user_settings/nothing").await?;
    ensure!(unknown.status == 404 && unknown.json()? == nulls("not_found"), "{unknown:?}");
    let wrong_method = stack.get(paths::CREATE_API_KEY).await?;
    ensure!(wrong_method.status == 405 && wrong_method.json()? == nulls("method_not_allowed"), "{wrong_method:?}");
    let no_session = send(stack.request(Method::POST, paths::CREATE_API_KEY).json(&json!({}))).await?;
    ensure!(no_session.status == 401 && no_session.json()? == nulls("session_required"), "{no_session:?}");
    // The envelope has no room for more, so the link to the code's page is in a header.
    for (answer, code) in
        [(unknown, "not_found"), (wrong_method, "method_not_allowed"), (no_session, "session_required")]
    {
        let page = stack.url(&format!("{}{code}", paths::DOCS_ERRORS));
        ensure!(answer.header("link") == format!("<{page}>; rel=\"help\""), "{answer:?}");
        let page = stack.get(&format!("{}{code}", paths::DOCS_ERRORS)).await?;
        ensure!(page.status == 200 && String::from_utf8_lossy(&page.bytes).contains(code), "{page:?}");
    }
    Ok(())
}

#[e2e]
async fn a_body_that_is_not_a_json_object_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let post = |body: Vec<u8>| {
        let request = stack.request(Method::POST, paths::DELETE_API_KEY).header("Cookie", &account.cookie);
        send(request.header("Content-Type", "application/json").body(body))
    };
    for broken in [
        "[]",
        "null",
        "\"text\"",
        "1",
        "{",
        "{}{}",
        "{} x",
        "{},",
        "{'a': 1}",
        "{\"a\": 1,}",
        "\u{feff}{}",
        "{\"a\":}",
        "\0",
    ] {
        ensure_refused(&post(broken.into()).await?, 400, "request_malformed")?;
    }
    ensure_refused(&post(vec![b'['; 300_000]).await?, 400, "request_malformed")?;
    // These bodies are valid, so the missing key is the next error. A duplicate member does not matter here, because
    // this route ignores all members.
    for valid in ["", " \r\n", "{}", " {} ", "{\"unknown\": 1}", "{\"twice\": 1, \"twice\": 2}"] {
        ensure_refused(&post(valid.into()).await?, 404, "api_key_not_found")?;
    }
    Ok(())
}

#[e2e]
async fn the_openapi_document_is_served(stack: Arc<TestStack>) -> Result<()> {
    let answer = stack.get("/openapi.json").await?;
    ensure!(answer.status == 200);
    ensure!(answer.header("content-type").starts_with("application/json"), "{:?}", answer.headers);
    ensure!(answer.json()?["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")));
    Ok(())
}

/// A program that knows only the document calls each server as listed there.
#[e2e]
async fn the_openapi_document_names_the_addresses_of_the_system_that_serves_it(stack: Arc<TestStack>) -> Result<()> {
    let answer = stack.get(paths::OPENAPI).await?;
    let (text, document) = (String::from_utf8_lossy(&answer.bytes).into_owned(), answer.json()?);
    ensure!(!text.contains("https://clipgate.example") && !text.contains(".clipgate.example"), "{text}");
    for (path, method, status) in [
        (paths::UPLOAD_LIMITS, Method::GET, 401),
        (paths::CREATE_API_KEY, Method::POST, 415),
        (paths::ROBOTS, Method::GET, 200),
    ] {
        let operation = &document["paths"][path][method.as_str().to_lowercase()];
        let url = operation["servers"][0]["url"].as_str().context("no server")?;
        let answer = reqwest::Client::new().request(method, format!("{url}{path}")).send().await?;
        ensure!(answer.status().as_u16() == status, "{path}: {answer:?}");
    }
    let (_, form) = text.split_once("\n      \"UploadForm\": {").context("no form")?;
    let fields = ["upload_token", "caption", "thumbnail_file", "file"];
    let order = fields.map(|field| form.find(&format!("\n          \"{field}\": {{")));
    ensure!(order.iter().all(Option::is_some) && order.is_sorted(), "{order:?}");
    Ok(())
}

#[e2e]
async fn an_unknown_path_is_not_logged(stack: Arc<TestStack>) -> Result<()> {
    let secret = "cgk_0123456789abcdefghijABCDEFGHIJ0123456789zzzzzz";
    let answer = stack.get(&format!("/nothing/{secret}")).await?;
    let logged = stack.logged(answer.header("x-request-id")).await?;
    ensure!(!logged.to_string().contains(secret), "{logged}");
    Ok(())
}
