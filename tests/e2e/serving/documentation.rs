//! Tests of the documentation site, and of the links to it in refusals.

use anyhow::{Context, Result, ensure};
use contract::api::EventType;
use contract::{ErrorCode, paths};
use futures_util::future::try_join_all;
use reqwest::Method;
use std::collections::BTreeSet;
use std::sync::Arc;
use tests::{TestStack, e2e, send};

/// Returns the addresses below the documentation that a page links to.
fn links(html: &str) -> BTreeSet<String> {
    let targets = html.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
    targets.filter(|target| target.starts_with(paths::DOCS)).map(str::to_owned).collect()
}

async fn page(stack: &TestStack, path: &str) -> Result<String> {
    let answer = stack.get(path).await?;
    ensure!(answer.status == 200, "{path}: {answer:?}");
    ensure!(answer.header("cache-control").starts_with("public, max-age=60"), "{path}: {answer:?}");
    let policy = answer.header("content-security-policy");
    ensure!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
    Ok(String::from_utf8_lossy(&answer.bytes).into_owned())
}

#[e2e]
async fn every_page_and_file_of_the_documentation_is_served(stack: Arc<TestStack>) -> Result<()> {
    let menu = links(&page(&stack, paths::DOCS).await?);
    ensure!(menu.contains("/docs/quick-start") && menu.contains("/docs/style.css"), "{menu:?}");
    let pages = try_join_all(menu.iter().map(|path| page(&stack, path))).await?;
    let all: BTreeSet<String> = pages.iter().flat_map(|html| links(html)).collect();
    println!("{} pages and files of the documentation", all.len());
    try_join_all(all.difference(&menu).map(|path| page(&stack, path))).await?;
    try_join_all(["/docs/search.js", "/docs/search-index.json"].map(|path| page(&stack, path))).await.map(drop)
}

#[e2e]
async fn each_refusal_links_to_the_page_about_its_code(stack: Arc<TestStack>) -> Result<()> {
    let address = |code: &str| format!("{}{code}", paths::DOCS_ERRORS);
    for code in ErrorCode::ALL {
        let html = page(&stack, &address(code.as_str())).await?;
        ensure!(html.contains(&format!("<h1><code>{}</code></h1>", code.as_str())), "{html}");
    }
    let body = stack.get(paths::UPLOAD_STATUS).await?.json()?;
    let code = body["error_message_code"].as_str().context("no code")?;
    let site = stack.env().get("SITE_URL");
    ensure!(body["docs_url"] == format!("{site}{}", address(code)), "{body}");
    Ok(())
}

#[e2e]
async fn the_reference_shows_the_request_of_each_event(stack: Arc<TestStack>) -> Result<()> {
    let html = page(&stack, "/docs/reference/webhook_events").await?;
    for kind in EventType::ALL {
        let name = serde_json::to_string(&kind)?;
        ensure!(html.contains(&name.replace('"', "&quot;")), "{name} has no request");
    }
    for text in ["webhook-signature", "data.content_uuid", "410"] {
        ensure!(html.contains(text), "the reference does not mention {text}");
    }
    Ok(())
}

#[e2e]
async fn an_unknown_page_of_the_documentation_leads_to_the_first_one(stack: Arc<TestStack>) -> Result<()> {
    for path in ["/docs/none", "/docs/errors/none", "/docs/..%2fpage.css"] {
        let answer = send(stack.request(Method::GET, path).header("Accept", "text/html")).await?;
        ensure!(answer.status == 404 && answer.header("cache-control") == "no-store", "{path}: {answer:?}");
        let html = String::from_utf8_lossy(&answer.bytes);
        ensure!(html.contains("href=\"/docs\""), "{path}: {html}");
    }
    Ok(())
}
