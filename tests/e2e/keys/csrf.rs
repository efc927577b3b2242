//! Key management accepts only same-origin JSON POSTs, and nothing else that a browser may send.

use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use std::sync::Arc;
use tests::{TestStack, e2e, ensure_refused, send};

const SITES: [Option<&str>; 5] = [None, Some("same-origin"), Some("same-site"), Some("cross-site"), Some("none")];
const TYPES: [Option<&str>; 4] =
    [None, Some("application/json"), Some("text/plain"), Some("application/x-www-form-urlencoded")];

#[e2e]
async fn only_same_origin_json_posts_are_accepted(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let own = stack.env().get("BASE_URL").to_owned();
    let origins = [None, Some(own.as_str()), Some("https://evil.example"), Some("null")];
    let (mut requests, mut accepted) = (0, 0);
    for method in [Method::POST, Method::GET, Method::PUT] {
        for (site, origin, content_type) in combinations(&origins) {
            let mut request = stack.request(method.clone(), paths::DELETE_API_KEY).header("Cookie", &account.cookie);
            let headers = [("Sec-Fetch-Site", site), ("Origin", origin), ("Content-Type", content_type)];
            for (name, value) in headers.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                request = request.header(name, value);
            }
            let answer = send(request.body("{}")).await?;
            let is_same_origin =
                matches!(site, None | Some("same-origin")) && (origin.is_none() || origin == Some(&own));
            let expected = match method {
                Method::POST if is_same_origin && content_type == Some("application/json") => "api_key_not_found",
                Method::POST if is_same_origin => "json_content_type_required",
                Method::POST => "csrf_rejected",
                _ => "method_not_allowed",
            };
            ensure!(answer.code()? == expected, "{method} {site:?} {origin:?} {content_type:?}: {answer:?}");
            requests += 1;
            accepted += u32::from(expected == "api_key_not_found");
        }
    }
    println!("csrf: {requests} requests, {accepted} accepted, all others refused");
    ensure!((requests, accepted) == (240, 4));
    Ok(())
}

fn combinations<'a>(
    origins: &'a [Option<&'a str>],
) -> impl Iterator<Item = (Option<&'static str>, Option<&'a str>, Option<&'static str>)> {
    SITES.into_iter().flat_map(move |site| {
        let pairs = origins.iter().flat_map(|origin| TYPES.into_iter().map(move |kind| (*origin, kind)));
        pairs.map(move |(origin, content_type)| (site, origin, content_type))
    })
}

/// The envelope of key management has no room for an explanation, so the code and a header say what to send.
#[e2e]
async fn a_missing_json_type_is_refused_with_the_type_to_send(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let request = stack.request(Method::POST, paths::CREATE_API_KEY).header("Cookie", &account.cookie);
    let answer = send(request.body("{}")).await?;
    ensure_refused(&answer, 415, "json_content_type_required")?;
    ensure!(answer.header("accept") == "application/json", "{answer:?}");
    let read = stack.request(Method::GET, paths::GET_API_KEY).header("Cookie", &account.cookie);
    ensure!(send(read).await?.status == 200);
    Ok(())
}

#[e2e]
async fn reading_key_metadata_must_be_same_origin(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let get = |site: &'static str| {
        let request = stack.request(Method::GET, paths::GET_API_KEY).header("Cookie", &account.cookie);
        send(request.header("Sec-Fetch-Site", site))
    };
    ensure!(get("same-origin").await?.status == 200);
    ensure!(get("cross-site").await?.code()? == "csrf_rejected");
    Ok(())
}

#[e2e]
async fn no_key_route_answers_with_cors_headers(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let request = stack.request(Method::GET, paths::GET_API_KEY).header("Cookie", &account.cookie);
    let answer = send(request.header("Origin", "https://evil.example")).await?;
    ensure!(answer.code()? == "csrf_rejected");
    ensure!(answer.headers.keys().all(|name| !name.as_str().starts_with("access-control-")), "{answer:?}");
    Ok(())
}
