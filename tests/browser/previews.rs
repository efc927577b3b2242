//! The preview that other sites show for a link to the page: its tags are correct and their addresses work.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const TAGS: &str = "const tags = {};
    for (const tag of document.querySelectorAll('meta[content]'))
        tags[tag.getAttribute('property') || tag.name] = tag.content;
    tags.canonical = document.querySelector('link[rel=canonical]').href;
    return tags;";

#[browser]
async fn the_preview_tags_are_correct_and_their_addresses_work(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.content().await?;
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    let tags = browser.run(TAGS).await?;
    for (name, expected) in [
        ("og:type", "video.other"),
        ("og:url", &content.urls.page),
        ("canonical", &content.urls.page),
        ("og:video", &content.urls.video),
        ("og:video:type", "video/mp4"),
        ("og:video:width", "1280"),
        ("og:video:height", "720"),
        ("og:image", &content.urls.poster),
        ("twitter:image", &content.urls.poster),
        ("twitter:card", "player"),
        ("twitter:player", &content.urls.embed),
        ("twitter:player:width", "640"),
        ("og:image:width", "1280"),
        ("og:image:height", "720"),
        ("video:duration", "3"),
    ] {
        ensure!(tags[name] == expected, "{name} in {tags}");
    }
    for name in ["og:title", "twitter:title", "og:description"] {
        let text = tags[name].as_str().unwrap_or_default();
        // The browser has unescaped the text. If the page had escaped it twice, these characters would differ.
        ensure!(text.contains("<b>test</b> picture & a \"tone\""), "{tags}");
    }
    ensure_answers(&stack, &tags, "og:url", "text/html; charset=utf-8").await?;
    ensure_answers(&stack, &tags, "twitter:player", "text/html; charset=utf-8").await?;
    ensure_answers(&stack, &tags, "og:video", "video/mp4").await?;
    // The stated size is the picture's size.
    let size =
        "const picture = new Image(); picture.src = document.querySelector('meta[property=\"og:image\"]').content;
        return picture.decode().then(() => [picture.naturalWidth, picture.naturalHeight]);";
    ensure!(browser.run(size).await? == serde_json::json!([1280, 720]));
    ensure_answers(&stack, &tags, "og:image", "image/jpeg").await
}

async fn ensure_answers(stack: &BrowserStack, tags: &Value, name: &str, expected: &str) -> Result<()> {
    let url = tags[name].as_str().with_context(|| format!("no tag {name}"))?;
    ensure!(url.starts_with(stack.base()), "{name} is not an absolute URL of the site: {url}");
    for method in [Method::HEAD, Method::GET] {
        let answer = stack.client.request(method, url).send().await?;
        let content_type = answer.headers().get("content-type");
        ensure!(
            answer.status() == 200 && content_type.is_some_and(|content_type| content_type == expected),
            "{url}: {answer:?}"
        );
    }
    Ok(())
}
