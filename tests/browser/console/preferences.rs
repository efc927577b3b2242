//! The console keeps to what readers have set: less motion, and colours of their own.

use super::{Console, filled_views};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

async fn prefer(browser: &Browser, feature: &str, value: &str) -> Result<()> {
    let features = json!({ "features": [{ "name": feature, "value": value }] });
    browser.devtools("Emulation.setEmulatedMedia", &features).await.map(drop)
}

/// Returns the elements that move, or would after a change. What shows that something works goes on, but slower.
const MOVES: &str = "
    const seconds = (text) => Math.max(...text.split(',').map(parseFloat));
    return [...document.querySelectorAll('body, body *')].filter(one => {
        const style = getComputedStyle(one);
        return seconds(style.transitionDuration) > 0.01
            || style.animationName !== 'none' && seconds(style.animationDuration) > 0.01 && !one.matches('.spinner');
    }).map(one => one.outerHTML.slice(0, 120));";

#[browser]
async fn nothing_moves_for_readers_who_want_less_motion(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    console.show("/console/uploads", "Uploads").await?;
    console.until(super::WITHIN, "a picture", "return !!document.querySelector('.shot > img.loaded')").await?;
    ensure!(console.run(MOVES).await? != json!([]), "nothing moves at all");
    prefer(&browser, "prefers-reduced-motion", "reduce").await?;
    for (view, text) in &filled_views(&stack).await? {
        console.show(view, text).await?;
        let moves = console.run(MOVES).await?;
        ensure!(moves == json!([]), "{view}: {moves:#}");
    }
    Ok(())
}

const UNSEEN: &str = include_str!("forced_colors.js");

#[browser]
async fn states_and_choices_are_seen_in_the_readers_own_colours(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    browser.resize(1280, 800).await?;
    prefer(&browser, "forced-colors", "active").await?;
    for (view, text) in &filled_views(&stack).await? {
        console.show(view, text).await?;
        ensure!(console.run("return matchMedia('(forced-colors: active)').matches").await? == true);
        let faults = console.run(UNSEEN).await.with_context(|| view.clone())?;
        ensure!(faults == json!([]), "{view}: {faults:#}");
    }
    Ok(())
}
