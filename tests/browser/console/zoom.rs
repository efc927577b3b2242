//! At 200 % zoom, nothing is cut off, overlaps something else, or is out of reach.

use super::{Console, filled_views};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

/// A way to enlarge the page.
#[derive(Clone, Copy, Debug)]
enum Enlarged {
    /// The browser's zoom: half as many pixels, each twice as large.
    Page { width: u32, height: u32 },
    /// Larger letters in a window of the same size, as a reader sets them in the browser.
    Letters,
}

const FAULTS: &str = include_str!("zoom.js");

async fn enlarge(browser: &Browser, how: Enlarged) -> Result<()> {
    let (width, height, density) = match how {
        Enlarged::Page { width, height } => (width, height, 2),
        Enlarged::Letters => (1280, 800, 1),
    };
    let points = if matches!(how, Enlarged::Letters) { 32 } else { 16 };
    let sizes = json!({ "fontSizes": { "standard": points, "fixed": points } });
    browser.devtools("Page.setFontSizes", &sizes).await?;
    let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": density, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", &metrics).await.map(drop)
}

/// Half of a desktop, half of a small laptop beside another window, and the narrowest window of all.
const WAYS: [Enlarged; 4] = [
    Enlarged::Page { width: 640, height: 400 },
    Enlarged::Page { width: 512, height: 384 },
    Enlarged::Page { width: 320, height: 256 },
    Enlarged::Letters,
];

#[browser]
async fn every_view_can_be_used_at_twice_its_size(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    let mut found = Vec::new();
    for how in WAYS {
        enlarge(&browser, how).await?;
        for (view, text) in &filled_views(&stack).await? {
            console.show(view, text).await?;
            if matches!(how, Enlarged::Letters) {
                ensure!(console.run("return getComputedStyle(document.documentElement).fontSize").await? == "30px");
            }
            let faults = console.run(FAULTS).await.with_context(|| format!("{view}, {how:?}"))?;
            let faults = faults.as_array().context("no list")?;
            found.extend(faults.iter().map(|fault| format!("{view}, {how:?}: {}", fault.as_str().unwrap_or_default())));
        }
    }
    ensure!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

/// Shows that the faults are found at all.
#[browser]
async fn a_view_that_is_broken_on_purpose_has_all_faults(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    enlarge(&browser, Enlarged::Page { width: 640, height: 400 }).await?;
    console.show("/console/key", "in a terminal").await?;
    ensure!(console.run(FAULTS).await? == json!([]));
    let breaks = [
        ("document.querySelector('h1').style.width = '900px'", "px too wide"),
        (
            "Object.assign(document.querySelector('h1').style, { width: '2em', overflow: 'hidden', whiteSpace: 'nowrap' })",
            "cut off",
        ),
        ("document.querySelector('.head-of-page p').style.marginTop = '-2rem'", "over each other"),
        ("document.querySelector('.panel .button').style.pointerEvents = 'none'", "not reached"),
    ];
    for (script, fault) in breaks {
        console.show("/console/key", "in a terminal").await?;
        console.run(script).await?;
        let faults: Value = console.run(FAULTS).await?;
        let is_found = faults.as_array().context("no list")?.iter().any(|one| one.to_string().contains(fault));
        ensure!(is_found, "{script}: {faults}");
    }
    Ok(())
}
