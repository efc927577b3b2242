//! The page of a content, and the page for everything that is not published.

use anyhow::{Context, Result, ensure};
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e};

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
        "<meta name=\"twitter:card\" content=\"summary_large_image\">".to_owned(),
        "A dog on a surfboard <b>#fun</b>".to_owned(),
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
    ensure!(html.len() < 8_000);
    Ok(())
}

#[e2e]
async fn every_page_has_a_strict_content_security_policy(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "policy").await?;
    for path in [content.page(), "/meme/nothing-here".to_owned()] {
        let page = stack.get(&path).await?;
        let policy = page.header("content-security-policy");
        ensure!(policy.starts_with("default-src 'none'; base-uri 'none';"), "{policy}");
        ensure!(policy.contains("style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
        ensure!(page.header("x-content-type-options") == "nosniff");
        ensure!(page.header("cross-origin-opener-policy") == "same-origin");
        ensure!(!String::from_utf8_lossy(&page.bytes).contains("<script"));
    }
    Ok(())
}

#[e2e]
async fn a_caption_is_escaped_on_its_page(stack: Arc<TestStack>) -> Result<()> {
    let caption = "</p><script>alert(1)</script> \"' &lt; #<b>";
    let content = TestContent::published(&stack, caption).await?;
    let page = stack.get(&content.page()).await?;
    let html = String::from_utf8(page.bytes)?;
    ensure!(!html.contains("<script"), "{html}");
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
