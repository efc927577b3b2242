//! The page of a content, in a browser's eyes, and of what is none.

use crate::harness::{Harness, Suite};
use crate::shown::Shown;
use anyhow::{Context, Result, ensure};
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("pages::a_published_content_has_a_page_that_plays_it", plays);
    suite.add("pages::a_page_is_under_a_strict_policy", policy);
    suite.add("pages::what_a_caption_holds_stays_text", text);
    suite.add(
        "pages::what_is_not_published_is_one_and_the_same_page",
        nothing,
    );
}

async fn plays(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "A dog on a surfboard #fun").await?;
    let page = harness.get(&shown.page()).await?;
    ensure!(
        page.status == 200 && page.header("content-type") == "text/html; charset=utf-8",
        "{page:?}"
    );
    let html = String::from_utf8(page.bytes)?;
    let (site, stem, slug) = (harness.env().get("SITE_URL"), shown.stem(), &shown.slug_url);
    for part in [
        format!(
            "<source src=\"/media/{stem}/hls/master.m3u8\" type=\"application/vnd.apple.mpegurl\">"
        ),
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
        ensure!(html.contains(&part), "{part} is not in\n{html}");
    }
    // Each address that it names is served.
    for (_, rest) in html
        .match_indices("src=\"")
        .map(|(at, found)| html.split_at(at + found.len()))
    {
        let path = rest.split('"').next().context("no end")?;
        ensure!(harness.get(path).await?.status == 200, "{path}");
    }
    println!("a page has {} bytes", html.len());
    ensure!(html.len() < 8_000);
    Ok(())
}

async fn policy(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "policy").await?;
    for path in [shown.page(), "/meme/nothing-here".to_owned()] {
        let page = harness.get(&path).await?;
        let policy = page.header("content-security-policy");
        ensure!(
            policy.starts_with("default-src 'none'; base-uri 'none';"),
            "{policy}"
        );
        ensure!(
            policy.contains("style-src 'sha256-") && !policy.contains("unsafe"),
            "{policy}"
        );
        ensure!(page.header("x-content-type-options") == "nosniff");
        ensure!(page.header("cross-origin-opener-policy") == "same-origin");
        ensure!(!String::from_utf8_lossy(&page.bytes).contains("<script"));
    }
    Ok(())
}

async fn text(harness: Arc<Harness>) -> Result<()> {
    let caption = "</p><script>alert(1)</script> \"' &lt; #<b>";
    let shown = Shown::published(&harness, caption).await?;
    let page = harness.get(&shown.page()).await?;
    let html = String::from_utf8(page.bytes)?;
    ensure!(!html.contains("<script"), "{html}");
    ensure!(
        html.contains(
            "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;&#39; &amp;lt; #&lt;b&gt;"
        ),
        "{html}"
    );
    Ok(())
}

async fn nothing(harness: Arc<Harness>) -> Result<()> {
    let waiting = Shown::upload(&harness, |form| form).await?;
    let gone = Shown::published(&harness, "gone").await?;
    gone.wish(contract::paths::DELETE_CONTENT, serde_json::json!({}))
        .await?;
    let mut pages = Vec::new();
    for path in [
        waiting.page(),
        gone.page(),
        "/meme/unknown".to_owned(),
        "/meme/%FF".to_owned(),
        format!("/meme/{}", "x".repeat(500)),
    ] {
        let page = harness.get(&path).await?;
        ensure!(
            page.status == 404 && page.header("cache-control") == "no-store",
            "{page:?}"
        );
        ensure!(page.header("content-type").starts_with("text/html"));
        pages.push(page.bytes);
    }
    ensure!(pages.iter().all(|page| *page == pages[0]));
    Ok(())
}
