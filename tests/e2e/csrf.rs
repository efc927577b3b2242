//! Key management takes same-origin JSON POSTs alone, in the whole matrix of what a browser may send.

use crate::harness::{Harness, Suite, send};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("csrf::only_same_origin_json_posts_pass", matrix);
    suite.add("csrf::reading_a_key_is_for_the_site_alone_too", reading);
    suite.add("csrf::no_answer_opens_itself_to_other_origins", no_cors);
}

const SITES: [Option<&str>; 5] = [
    None,
    Some("same-origin"),
    Some("same-site"),
    Some("cross-site"),
    Some("none"),
];
const TYPES: [Option<&str>; 4] = [
    None,
    Some("application/json"),
    Some("text/plain"),
    Some("application/x-www-form-urlencoded"),
];

async fn matrix(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let own = harness.env().get("BASE_URL").to_owned();
    let origins = [
        None,
        Some(own.as_str()),
        Some("https://evil.example"),
        Some("null"),
    ];
    let (mut cells, mut passed) = (0, 0);
    for method in [Method::POST, Method::GET, Method::PUT] {
        for (site, origin, content_type) in combinations(&origins) {
            let mut request = harness
                .request(method.clone(), paths::DELETE_API_KEY)
                .header("Cookie", &account.cookie);
            let headers = [
                ("Sec-Fetch-Site", site),
                ("Origin", origin),
                ("Content-Type", content_type),
            ];
            for (name, value) in headers
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
            {
                request = request.header(name, value);
            }
            let answer = send(request.body("{}")).await?;
            let ours = matches!(site, None | Some("same-origin"))
                && (origin.is_none() || origin == Some(&own));
            let expected = match method {
                Method::POST if ours && content_type == Some("application/json") => {
                    "api_key_not_found"
                }
                Method::POST => "csrf_rejected",
                _ => "method_not_allowed",
            };
            ensure!(
                answer.code()? == expected,
                "{method} {site:?} {origin:?} {content_type:?}: {answer:?}"
            );
            cells += 1;
            passed += u32::from(expected == "api_key_not_found");
        }
    }
    println!("csrf: {cells} cells, {passed} pass, all others refused");
    ensure!((cells, passed) == (240, 4));
    Ok(())
}

fn combinations<'a>(
    origins: &'a [Option<&'a str>],
) -> impl Iterator<Item = (Option<&'static str>, Option<&'a str>, Option<&'static str>)> {
    SITES.into_iter().flat_map(move |site| {
        let pairs = origins
            .iter()
            .flat_map(|origin| TYPES.into_iter().map(move |kind| (*origin, kind)));
        pairs.map(move |(origin, content_type)| (site, origin, content_type))
    })
}

async fn reading(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let get = |site: &'static str| {
        let request = harness
            .request(Method::GET, paths::GET_API_KEY)
            .header("Cookie", &account.cookie);
        send(request.header("Sec-Fetch-Site", site))
    };
    ensure!(get("same-origin").await?.code()? == "api_key_not_found");
    ensure!(get("cross-site").await?.code()? == "csrf_rejected");
    Ok(())
}

async fn no_cors(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let request = harness
        .request(Method::GET, paths::GET_API_KEY)
        .header("Cookie", &account.cookie);
    let answer = send(request.header("Origin", "https://evil.example")).await?;
    ensure!(answer.code()? == "csrf_rejected");
    ensure!(
        answer
            .headers
            .keys()
            .all(|name| !name.as_str().starts_with("access-control-")),
        "{answer:?}"
    );
    Ok(())
}
