//! Tests that a moderator finds a content by the details in a viewer's report.

use anyhow::{Result, ensure};
use contract::moderation::Recommendation;
use contract::{MediaFile, paths};
use reqwest::{Method, Url};
use serde_json::Value;
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

/// Returns the contents that match a query.
async fn find(stack: &TestStack, name: &str, value: &str) -> Result<Vec<Value>> {
    let url = Url::parse_with_params("http://any.example", [(name, value)])?;
    let path = format!("{}?{}", paths::MODERATION_CONTENTS, url.query().unwrap_or_default());
    let answer = send(moderator_request(stack, Method::GET, &path)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(answer.json()?["contents"].as_array().cloned().unwrap_or_default())
}

#[e2e]
async fn the_address_of_a_page_leads_to_its_content_even_after_it_was_taken_down(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "reported").await?;
    let site = stack.env().get("SITE_URL");
    for state in ["published", "taken_down"] {
        for (name, value) in [
            ("page", format!("{site}{}?from=a-report", content.page())),
            ("page", format!("{site}{}", content.embed())),
            ("page", format!("{site}{}", content.path(MediaFile::Video))),
            ("slug", content.slug_url.clone()),
            ("media_name", content.media_name.clone()),
        ] {
            let found = find(&stack, name, &value).await?;
            ensure!(found.len() == 1, "{value}: {found:?}");
            ensure!(found[0]["content_uuid"] == content.job.content_uuid.as_str(), "{found:?}");
            ensure!(found[0]["state"] == state, "{found:?}");
        }
        content.decide(paths::MODERATION_TAKE_DOWN).await?;
    }
    Ok(())
}

#[e2e]
async fn the_contents_of_a_channel_are_listed_newest_first(stack: Arc<TestStack>) -> Result<()> {
    let first = TestContent::upload(&stack, |form| form).await?;
    let row = first.job.row()?;
    let channel_id = row["channel_id"].to_string();
    let second =
        first.job.channel.upload_accepted(fixtures::Form::new().file("file", "b.mp4", &stack.small_video())).await?;
    first.finish(&[Recommendation::Pass]).await?;
    let found = find(&stack, "channel", &channel_id).await?;
    let ids: Vec<_> = found.iter().map(|content| &content["content_id"]).collect();
    ensure!(ids == [&second["content_id"], &row["id"]], "{found:?}");
    Ok(())
}

#[e2e]
async fn a_search_names_exactly_one_thing(stack: Arc<TestStack>) -> Result<()> {
    for query in [
        "",
        "?slug=a&media_name=b",
        "?page=https://elsewhere.example/",
        "?channel=x",
        "?channel=9007199254740992",
        "?sha256=abc",
        "?blocked_hash=ABC",
    ] {
        let path = format!("{}{query}", paths::MODERATION_CONTENTS);
        let answer = send(moderator_request(&stack, Method::GET, &path)).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
    }
    ensure!(find(&stack, "slug", "no-such-slug").await?.is_empty());
    Ok(())
}
