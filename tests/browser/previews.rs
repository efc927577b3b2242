//! What other sites show of a link to the page: its tags are true, and lead to what they say.

use crate::Suite;
use crate::scene::Scene;
use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;

const TAGS: &str = "const tags = {};
    for (const tag of document.querySelectorAll('meta[content]'))
        tags[tag.getAttribute('property') || tag.name] = tag.content;
    tags.canonical = document.querySelector('link[rel=canonical]').href;
    return tags;";

pub fn register(suite: &mut Suite) {
    suite.add(
        "previews::the_tags_lead_to_what_they_say",
        the_tags_lead_to_what_they_say,
    );
}

async fn the_tags_lead_to_what_they_say(scene: Arc<Scene>) -> Result<()> {
    let content = scene.content().await?;
    let browser = scene.browser().await?;
    browser.open(&content.urls.page).await?;
    let tags = browser.run(TAGS).await?;
    for (name, expected) in [
        ("og:type", "video.other"),
        ("og:url", &content.urls.page),
        ("canonical", &content.urls.page),
        ("og:video", &content.urls.video),
        ("og:video:type", "video/mp4"),
        ("og:video:width", "640"),
        ("og:video:height", "360"),
        ("og:image", &content.urls.poster),
        ("twitter:image", &content.urls.poster),
        ("twitter:card", "summary_large_image"),
        ("video:duration", "3"),
    ] {
        ensure!(tags[name] == expected, "{name} in {tags}");
    }
    for name in ["og:title", "twitter:title", "og:description"] {
        let text = tags[name].as_str().unwrap_or_default();
        // As text again, as it was written: marks that were doubly escaped would show.
        ensure!(text.contains("<b>test</b> picture & a \"tone\""), "{tags}");
    }
    ensure_answers(&scene, &tags, "og:url", "text/html; charset=utf-8").await?;
    ensure_answers(&scene, &tags, "og:video", "video/mp4").await?;
    ensure_answers(&scene, &tags, "og:image", "image/jpeg").await
}

async fn ensure_answers(scene: &Scene, tags: &Value, name: &str, expected: &str) -> Result<()> {
    let url = tags[name].as_str().context("no such tag")?;
    ensure!(url.starts_with(scene.base()), "{name} is absolute: {url}");
    for method in [Method::HEAD, Method::GET] {
        let answer = scene.client.request(method, url).send().await?;
        let found = answer.headers().get("content-type");
        ensure!(
            answer.status() == 200 && found.is_some_and(|found| found == expected),
            "{url}: {answer:?}"
        );
    }
    Ok(())
}
