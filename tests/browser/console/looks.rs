//! Each view of the console is accessible at both widths, in light and dark, and quick to appear.

use super::super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use super::{Console, empty_views, filled_views};
use anyhow::{Context, Result, ensure};
use fixtures::cases;
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

/// The bytes of the first view as they are sent, and the milliseconds until the browser had all of them.
const FIRST_VIEW: &str = "const all = performance.getEntriesByType('resource');
    const page = performance.getEntriesByType('navigation');
    return [
        [...all, ...page].reduce((sum, one) => sum + one.transferSize, 0),
        all.filter(one => one.initiatorType === 'script' || one.name.endsWith('.js'))
            .reduce((sum, one) => sum + one.encodedBodySize, 0),
        Math.max(...all.map(one => one.responseEnd)),
    ];";
const MAX_BYTES: f64 = 60_000.0;
const MAX_SCRIPT_BYTES: f64 = 30_000.0;

#[browser]
async fn every_view_is_accessible_at_both_widths_in_light_and_dark(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    for (scheme, width) in ["light", "dark"].into_iter().flat_map(|scheme| WIDTHS.map(|width| (scheme, width))) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.devtools("Emulation.setEmulatedMedia", &features).await?;
        browser.resize(width, HEIGHT).await?;
        for (view, text) in &filled_views(&stack).await? {
            console.show(view, text).await?;
            ensure_looks_well(&browser, view).await.with_context(|| format!("{scheme}, {width} px"))?;
        }
    }
    console.ensure_clean().await
}

#[browser]
async fn every_view_without_any_data_is_accessible_at_both_widths(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console").await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        for (view, text) in empty_views() {
            console.show(view, text).await?;
            ensure_looks_well(&browser, view).await.with_context(|| format!("{width} px"))?;
        }
    }
    console.ensure_clean().await
}

async fn ensure_looks_well(browser: &Browser, view: &str) -> Result<()> {
    ensure_no_violations(browser, view).await?;
    ensure_is_as_wide_as_the_window(browser, view).await
}

#[browser]
async fn the_first_view_is_small_and_quick(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console").await?;
    // The quickest of three: other tests keep the machine busy. The long form runs alone.
    let mut quickest = f64::MAX;
    for _ in 0..3 {
        browser.devtools("Network.clearBrowserCache", &json!({})).await?;
        console.go("/console").await?;
        console.until_text("uploads left").await?;
        let measured = console.run(FIRST_VIEW).await?;
        let number = |index: usize| measured[index].as_f64().context("no number");
        let (bytes, scripts, milliseconds) = (number(0)?, number(1)?, number(2)?);
        println!("the console's first view: {bytes} bytes, {scripts} of them scripts, after {milliseconds:.0} ms");
        ensure!(bytes > 10_000.0 && bytes <= MAX_BYTES && scripts <= MAX_SCRIPT_BYTES, "{measured}");
        quickest = quickest.min(milliseconds);
    }
    ensure!(quickest <= f64::from(cases(2_000, 1_000)), "{quickest} ms");
    Ok(())
}
