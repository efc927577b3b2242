//! Tests of the answers to other sites and search engines: the embedded player, the oEmbed answer, and the sitemap.

use anyhow::{Context, Result, ensure};
use contract::{MediaFile, paths};
use fixtures::Form;
use serde_json::json;
use std::sync::Arc;
use tests::{TestContent, TestStack, all_media_files, e2e, ensure_refused};

#[e2e]
async fn another_site_finds_the_player_through_the_page(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "A \"dog\" & more").await?;
    let page = String::from_utf8(stack.get(&content.page()).await?.bytes)?;
    let (_, rest) = page.split_once("type=\"application/json+oembed\" href=\"").context("no discovery link")?;
    let address = rest.split('"').next().context("no end")?.replace("&amp;", "&");
    let site = stack.env().get("SITE_URL");
    let path = address.strip_prefix(site).context("the address is on another site")?;
    let answer = stack.get(&format!("{path}&format=json&maxwidth=320")).await?;
    ensure!(answer.status == 200 && answer.header("access-control-allow-origin") == "*", "{answer:?}");
    let oembed = answer.json()?;
    let player_size = json!([oembed["width"], oembed["height"]]);
    ensure!(
        oembed["type"] == "video" && oembed["title"] == "A \"dog\" & more" && player_size == json!([320, 180]),
        "{oembed}"
    );
    let html = oembed["html"].as_str().context("no html")?;
    ensure!(html.starts_with(&format!("<iframe src=\"{site}{}\"", content.embed())), "{html}");
    let thumbnail = oembed["thumbnail_url"].as_str().and_then(|url| url.strip_prefix(site)).context("no thumbnail")?;
    ensure!(stack.get(thumbnail).await?.status == 200, "{thumbnail}");
    let player = stack.get(&content.embed()).await?;
    ensure!(player.status == 200 && player.header("cross-origin-resource-policy") == "cross-origin", "{player:?}");
    Ok(())
}

#[e2e]
async fn addresses_other_than_public_pages_have_no_player(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let site = stack.env().get("SITE_URL");
    for url in [format!("{site}{}", content.page()), "https://other.example/meme/x".to_owned(), "x".to_owned()] {
        let answer = stack.get(&format!("{}?url={url}", paths::OEMBED)).await?;
        ensure_refused(&answer, 404, "not_found")?;
    }
    ensure_refused(&stack.get(&format!("{}&format=xml", content.oembed())).await?, 501, "format_unsupported")?;
    ensure_refused(&stack.get(&format!("{}&maxwidth=x", content.oembed())).await?, 400, "request_malformed")?;
    ensure_refused(&stack.get(paths::OEMBED).await?, 400, "request_malformed")
}

#[e2e]
async fn the_sitemap_lists_published_pages_only(stack: Arc<TestStack>) -> Result<()> {
    let published = TestContent::published(&stack, "listed").await?;
    let waiting = TestContent::upload(&stack, |form| form.text("caption", "waiting")).await?;
    let site = stack.env().get("SITE_URL");
    let robots = String::from_utf8(stack.get(paths::ROBOTS).await?.bytes)?;
    ensure!(robots.contains(&format!("Sitemap: {site}{}", paths::SITEMAP)), "{robots}");
    let part =
        |content: &TestContent| format!("{}{}.xml", paths::SITEMAP_PARTS, content.job.content_id.div_ceil(1_000));
    // Another test may have filled the cache before these videos existed: a query makes another entry.
    let list = String::from_utf8(stack.get(&format!("{}?sitemap", paths::SITEMAP)).await?.bytes)?;
    ensure!(list.contains(&format!("<loc>{site}{}</loc>", part(&published))), "{list}");
    let listed = async |content: &TestContent, query: &str| {
        let path = format!("{}?{query}", part(content));
        let answer = stack.get(&path).await?;
        ensure!(answer.status == 200 && answer.header("content-type").starts_with("application/xml"), "{answer:?}");
        let text = String::from_utf8(answer.bytes)?;
        Ok(text.contains(&format!("<loc>{site}{}</loc><lastmod>20", content.page())))
    };
    ensure!(listed(&published, "first").await? && !listed(&waiting, "first").await?);
    published.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(!listed(&published, "second").await?);
    Ok(())
}

#[e2e]
async fn a_status_names_every_public_address(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "addresses").await?;
    let status = content.job.status().await?;
    let site = stack.env().get("SITE_URL");
    let urls = status["urls"].as_object().context("no urls")?;
    let mut named: Vec<&str> = urls.values().filter_map(serde_json::Value::as_str).collect();
    named.extend(status["thumbnails"].as_array().into_iter().flatten().filter_map(|one| one["url"].as_str()));
    for url in &named {
        let answer = stack.get(url.strip_prefix(site).context("another site")?).await?;
        ensure!(answer.status == 200, "{url}: {answer:?}");
    }
    // The other files of HLS are named by its first playlist.
    let is_named = |path: &String| !path.contains("/hls/") || *path == content.path(MediaFile::MasterPlaylist);
    for path in all_media_files().into_iter().map(|file| content.path(file)).filter(is_named) {
        let url = format!("{site}{path}");
        ensure!(named.contains(&url.as_str()), "{url} is not in {named:?}");
    }
    ensure!(urls["embed"] == format!("{site}{}", content.embed()), "{urls:?}");
    let waiting = TestContent::upload(&stack, |form: Form| form).await?;
    ensure!(waiting.job.status().await?["urls"].is_null());
    Ok(())
}
