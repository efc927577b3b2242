//! The player in a page of another site.

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use serde_json::Value;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;
use tokio::net::TcpListener;

/// Waits until the video has played for half a second. Returns its time.
const PLAYED: &str = "const video = document.querySelector('video');
    return new Promise((resolve, reject) => {
        video.addEventListener('error', () => reject(new Error('the video fails')));
        video.addEventListener('timeupdate', () => { if (video.currentTime >= 0.5) resolve(video.currentTime); });
    });";

/// Serves a page on another port, which is another origin, and returns its address.
async fn serve(html: String) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = Router::new().route("/", get(async move || Html(html)));
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(format!("http://{address}/"))
}

#[browser]
async fn the_player_plays_in_a_page_of_another_origin(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let oembed = format!("{}/oembed?url={}", stack.base(), urls.page);
    let oembed: Value = stack.client.get(oembed).send().await?.error_for_status()?.json().await?;
    let code = oembed["html"].as_str().context("no code")?;
    let browser = stack.browser().await?;
    browser
        .open(
            &serve(format!("<!doctype html><title>Another site</title><link rel=\"icon\" href=\"data:,\">{code}"))
                .await?,
        )
        .await?;
    let size = "const frame = document.querySelector('iframe'); return [frame.clientWidth, frame.clientHeight]";
    ensure!(browser.run(size).await? == serde_json::json!([640, 360]));
    browser.enter_frame("iframe").await?;
    browser.click("media-controller").await?;
    let time = browser.run(PLAYED).await?;
    println!("the frame plays: {time}");
    let console = browser.log("browser").await?;
    ensure!(console.is_empty(), "messages on the console: {console:?}");
    Ok(())
}

#[browser]
async fn the_page_itself_cannot_be_framed_and_a_missing_player_can(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    let frame = |url: &str| format!("<!doctype html><title>Another site</title><iframe src=\"{url}\"></iframe>");
    browser.open(&serve(frame(&urls.page)).await?).await?;
    browser.enter_frame("iframe").await?;
    ensure!(browser.run("return document.querySelectorAll('video').length").await? == 0);
    browser.open(&serve(frame(&format!("{}/embed/none", stack.base()))).await?).await?;
    browser.enter_frame("iframe").await?;
    ensure!(browser.run("return document.querySelector('h1').textContent").await? == "Nothing here");
    Ok(())
}
