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
    let mut all = BTreeSet::new();
    let mut found = BTreeSet::from([paths::DOCS.to_owned()]);
    while !found.is_empty() {
        let pages = try_join_all(found.iter().map(|path| page(&stack, path))).await?;
        all.append(&mut found);
        found = pages.iter().flat_map(|html| links(html)).filter(|path| !all.contains(path)).collect();
    }
    ensure!(all.contains("/docs/publish/quick-start") && all.contains("/docs/style.css"), "{all:?}");
    println!("{} pages and files of the documentation", all.len());
    try_join_all(["/docs/search.js", "/docs/search-index.json"].map(|path| page(&stack, path))).await.map(drop)
}

#[e2e]
async fn each_page_is_markdown_too(stack: Arc<TestStack>) -> Result<()> {
    for (path, start) in [
        ("/docs/index.md", "# Clipgate documentation\n"),
        ("/docs/publish/upload.md", "# Upload a video\n"),
        ("/docs/errors/rate_limited.md", "# rate_limited\n"),
        ("/docs/reference/uploads.md", "# Uploads\n"),
        ("/docs/reference/uploads/upload_video.md", "# Upload video\n"),
    ] {
        let answer = stack.get(path).await?;
        ensure!(answer.header("content-type").starts_with("text/markdown"), "{path}: {answer:?}");
        ensure!(String::from_utf8_lossy(&answer.bytes).starts_with(start), "{path}: {answer:?}");
    }
    let list = stack.get("/docs/llms.txt").await?;
    ensure!(list.header("content-type").starts_with("text/plain"), "{list:?}");
    let text = String::from_utf8_lossy(&list.bytes).into_owned();
    let listed: Vec<&str> = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    ensure!(listed.len() > 60 && listed.iter().all(|path| path.strip_suffix(".md").is_some()), "{text}");
    try_join_all(listed.into_iter().map(|path| page(&stack, path))).await.map(drop)
}

#[e2e]
async fn an_api_user_is_led_to_no_internal_page(stack: Arc<TestStack>) -> Result<()> {
    let menu = page(&stack, "/docs/publish/upload").await?;
    for path in ["/docs/internal-reference/", "/docs/internal-errors", "/docs/decisions"] {
        ensure!(!menu.contains(path), "the menu of API users has {path}");
    }
    let public = page(&stack, "/docs/errors").await?;
    let internal = page(&stack, "/docs/internal-errors").await?;
    for code in ["origin_key_not_found", "admin_token_invalid"] {
        ensure!(!public.contains(code) && internal.contains(code), "{code}");
    }
    ensure!(public.contains("rate_limited") && !internal.contains("rate_limited"));
    Ok(())
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
    let list = page(&stack, "/docs/reference/webhook_events").await?;
    for kind in EventType::ALL {
        let name = serde_json::to_string(&kind)?;
        let id = format!("on_{}", name.trim_matches('"').replace('.', "_"));
        ensure!(list.contains(&format!("id=\"{id}\"")), "{name} is not in the list");
        let html = page(&stack, &format!("/docs/reference/webhook_events/{id}")).await?;
        let quoted = name.replace('"', "&quot;");
        for text in [quoted.as_str(), "webhook-signature", "410"] {
            ensure!(html.contains(text), "the page of {name} does not mention {text}");
        }
    }
    let published = page(&stack, "/docs/reference/webhook_events/on_content_published").await?;
    ensure!(published.contains("<wbr>content_<wbr>uuid"), "the page of content.published has no data.content_uuid");
    Ok(())
}

#[e2e]
async fn each_operation_has_a_page_to_which_its_old_address_leads(stack: Arc<TestStack>) -> Result<()> {
    let list = page(&stack, "/docs/reference/uploads").await?;
    for id in ["upload_video", "get_upload_status", "append_to_resumable_upload"] {
        let address = format!("/docs/reference/uploads/{id}");
        ensure!(list.contains(&format!("<li id=\"{id}\"><a href=\"{address}\">")), "{id} is not in the list");
        let html = page(&stack, &address).await?;
        ensure!(html.contains("data-tab=\"curl\"") && html.contains("data-tab=\"Python\""), "{id} has no samples");
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
