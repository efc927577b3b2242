//! Pages at twice their size: the ways to enlarge them, and the search for what is cut off, overlaps something else, or
//! is out of reach.

use super::console::Console;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::browser::Browser;

/// A way to enlarge the page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Enlarged {
    /// The browser's zoom: half as many pixels, each twice as large.
    Page { width: u32, height: u32 },
    /// Larger letters in a window of the same size, as a reader sets them in the browser.
    Letters,
}

/// Half of a desktop, half of a small laptop beside another window, and the narrowest window of all.
pub(super) const WAYS: [Enlarged; 4] = [
    Enlarged::Page { width: 640, height: 400 },
    Enlarged::Page { width: 512, height: 384 },
    Enlarged::Page { width: 320, height: 256 },
    Enlarged::Letters,
];

pub(super) const FAULTS: &str = include_str!("zoom.js");

pub(super) async fn enlarge(browser: &Browser, how: Enlarged) -> Result<()> {
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

/// Returns the faults of what is shown, each with its view and the way to enlarge it.
pub(super) async fn faults_of(page: &Console<'_>, view: &str, how: Enlarged) -> Result<Vec<String>> {
    if matches!(how, Enlarged::Letters) {
        ensure!(page.run("return getComputedStyle(document.documentElement).fontSize").await? == "30px");
    }
    let faults = page.run(FAULTS).await.with_context(|| format!("{view}, {how:?}"))?;
    let faults = faults.as_array().context("no list")?;
    Ok(faults.iter().map(|fault| format!("{view}, {how:?}: {}", fault.as_str().unwrap_or_default())).collect())
}
