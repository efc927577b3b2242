//! The page of a content, and the page for everything that is not published.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use std::sync::Arc;
use tests::{Channel, TestContent, TestStack, e2e, send};

#[e2e]
async fn a_published_video_has_a_page_that_plays_it(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "A dog on a surfboard #fun").await?;
    let page = stack.get(&content.page()).await?;
    ensure!(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8", "{page:?}");
    let html = String::from_utf8(page.bytes)?;
    let (site, stem, slug) = (stack.env().get("SITE_URL"), content.stem(), &content.slug_url);
    for part in [
        format!("<source src=\"/media/{stem}/hls/master.m3u8\" type=\"application/vnd.apple.mpegurl\">"),
        format!("<source src=\"/media/{stem}.mp4\" type=\"video/mp4\">"),
        format!("poster=\"/media/{stem}/poster.jpg\""),
        format!("<link rel=\"canonical\" href=\"{site}/meme/{slug}\">"),
        format!("<meta property=\"og:url\" content=\"{site}/meme/{slug}\">"),
        format!("<meta property=\"og:image\" content=\"{site}/media/{stem}/poster.jpg\">"),
        format!("<meta property=\"og:video\" content=\"{site}/media/{stem}.mp4\">"),
        "<meta property=\"og:title\" content=\"A dog on a surfboard #fun\">".to_owned(),
        "<meta name=\"twitter:card\" content=\"player\">".to_owned(),
        "<h1 dir=\"auto\">A dog on a surfboard <b>#fun</b></h1>".to_owned(),
        format!("<track default kind=\"metadata\" label=\"thumbnails\" src=\"/media/{stem}/storyboard.vtt\">"),
        "<time datetime=\"".to_owned(),
    ] {
        ensure!(html.contains(&part), "{part} is missing in\n{html}");
    }
    // Every address in it is served.
    for (_, rest) in html.match_indices("src=\"").map(|(at, found)| html.split_at(at + found.len())) {
        let path = rest.split('"').next().context("no end")?;
        ensure!(stack.get(path).await?.status == 200, "{path}");
    }
    println!("a page of {} bytes", html.len());
    ensure!(html.len() < 12_000);
    Ok(())
}

#[e2e]
async fn every_page_has_a_strict_content_security_policy(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "policy").await?;
    for path in [content.page(), content.embed(), "/meme/nothing-here".to_owned(), "/".to_owned()] {
        let page = send(stack.request(Method::GET, &path).header("Accept", "text/html")).await?;
        let policy = page.header("content-security-policy");
        ensure!(policy.starts_with("default-src 'none'; base-uri 'none';"), "{policy}");
        ensure!(policy.contains("style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
        ensure!(page.header("x-content-type-options") == "nosniff");
        let may_be_framed = policy.contains("frame-ancestors *;");
        ensure!(may_be_framed == (path == content.embed()), "{path}: {policy}");
        ensure!(may_be_framed || policy.contains("frame-ancestors 'none';"), "{path}: {policy}");
    }
    Ok(())
}

#[e2e]
async fn a_caption_is_escaped_on_its_page(stack: Arc<TestStack>) -> Result<()> {
    let caption = "</p><script>alert(1)</script> \"' &lt; #<b>";
    let content = TestContent::published(&stack, caption).await?;
    let page = stack.get(&content.page()).await?;
    let html = String::from_utf8(page.bytes)?;
    ensure!(!html.contains("<script>") && !html.contains("</p><script"), "{html}");
    ensure!(html.contains("&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;&#39; &amp;lt; #&lt;b&gt;"), "{html}");
    Ok(())
}

#[e2e]
async fn every_unpublished_video_gets_the_same_404_page(stack: Arc<TestStack>) -> Result<()> {
    let waiting = TestContent::upload(&stack, |form| form).await?;
    let gone = TestContent::published(&stack, "gone").await?;
    gone.owner_request(contract::paths::DELETE_CONTENT, serde_json::json!({})).await?;
    let mut pages = Vec::new();
    for path in [
        waiting.page(),
        gone.page(),
        "/meme/unknown".to_owned(),
        "/meme/%FF".to_owned(),
        format!("/meme/{}", "x".repeat(500)),
    ] {
        let page = stack.get(&path).await?;
        ensure!(page.status == 404 && page.header("cache-control") == "no-store", "{page:?}");
        ensure!(page.header("content-type").starts_with("text/html"));
        pages.push(page.bytes);
    }
    ensure!(pages.iter().all(|page| *page == pages[0]));
    Ok(())
}

#[e2e]
async fn a_browser_gets_a_page_at_the_sites_address_and_where_nothing_is(stack: Arc<TestStack>) -> Result<()> {
    let as_browser = |path: &str| send(stack.request(Method::GET, path).header("Accept", "text/html,*/*;q=0.8"));
    let front = as_browser("/").await?;
    ensure!(front.status == 200 && String::from_utf8_lossy(&front.bytes).contains("/openapi.json"), "{front:?}");
    let nothing = stack.get("/meme/nothing").await?;
    for path in ["/nothing", "/a/b/c", "/scripts/none.js"] {
        let page = as_browser(path).await?;
        ensure!(page.status == 404 && page.bytes == nothing.bytes, "{path}: {page:?}");
        ensure!(page.header("cache-control") == "no-store", "{page:?}");
        let program = stack.get(path).await?;
        ensure!(program.status == 404 && program.json()?["error_message_code"] == "not_found", "{program:?}");
    }
    ensure!(as_browser(contract::paths::UPLOADS).await?.json()?["error_message_code"] == "api_key_invalid");
    Ok(())
}

#[e2e]
async fn only_the_owner_is_told_that_a_video_is_still_processing(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form.text("caption", "Soon <here>")).await?;
    let stranger = Channel::new(&stack).await?;
    let nothing = stack.get("/meme/nothing").await?.bytes;
    let owner = &content.job.channel;
    let page = || stack.request(Method::GET, &content.page());
    for request in [page().bearer_auth(&owner.key), page().header("Cookie", &owner.account.cookie)] {
        let answer = send(request).await?;
        let html = String::from_utf8_lossy(&answer.bytes);
        ensure!(answer.status == 200 && html.contains("Soon &lt;here&gt;"), "{html}");
        ensure!(html.contains("Waiting to be processed.") && html.contains("data-check-after="), "{html}");
    }
    let admin = stack.env().get("ADMIN_TOKEN");
    let others = [
        page(),
        page().bearer_auth(&stranger.key),
        page().header("Cookie", &stranger.account.cookie),
        page().bearer_auth(admin),
        page().bearer_auth("wrong"),
    ];
    for request in others {
        let answer = send(request).await?;
        ensure!(answer.status == 404 && answer.bytes == nothing, "{answer:?}");
        ensure!(answer.header("cache-control") == "no-store", "{answer:?}");
    }
    content.owner_request(contract::paths::DELETE_CONTENT, serde_json::json!({})).await?;
    let gone = send(page().bearer_auth(&owner.key)).await?;
    ensure!(gone.status == 404 && gone.bytes == nothing, "{gone:?}");
    Ok(())
}
