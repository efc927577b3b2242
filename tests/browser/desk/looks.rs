//! Every view of the desk is accessible at both widths, in light and dark, and the first view loads few bytes.

use super::super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use super::seeding::three_copies;
use super::{Desk, WaitingVideo, waiting_video};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const MAX_BYTES: f64 = 45_000.0;

#[browser]
async fn every_view_of_the_desk_is_accessible_at_both_widths_in_light_and_dark(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "A video to look at").await?;
    let [copy, ..] = three_copies(&stack, "Copies to look at").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    let [case, case_of_copy] = [uuid, copy].map(|uuid| format!("/desk/video/{uuid}"));
    let views = [
        ("/desk", "To decide"),
        ("/desk?show=flagged", "Flagged"),
        ("/desk?show=appeals", "Appeals"),
        (case.as_str(), "Hand over"),
        (case_of_copy.as_str(), "Copies in the queue"),
        ("/desk/find", "Find"),
        ("/desk/find?q=1&by=channel", "Open channel 1"),
        ("/desk/channel/1", "Suspend"),
        ("/desk/decisions", "Decisions"),
    ];
    for (scheme, width) in ["light", "dark"].into_iter().flat_map(|scheme| WIDTHS.map(|width| (scheme, width))) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.devtools("Emulation.setEmulatedMedia", &features).await?;
        browser.resize(width, HEIGHT).await?;
        for (view, text) in views {
            let place = || format!("{view}, {scheme}, {width} px");
            desk.show(view, text).await.with_context(place)?;
            ensure_no_violations(&browser, view).await.with_context(place)?;
            ensure_is_as_wide_as_the_window(&browser, view).await.with_context(place)?;
        }
    }
    desk.ensure_clean().await
}

#[browser]
async fn the_first_view_of_the_desk_is_small(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look"]).await?;
    browser.devtools("Network.clearBrowserCache", &json!({})).await?;
    desk.show("/desk", "To decide").await?;
    let sizes = "return performance.getEntriesByType('resource').filter(one => /\\.(js|css)$/.test(one.name))
        .reduce((sum, one) => sum + one.encodedBodySize, 0)";
    let bytes = desk.run(sizes).await?.as_f64().context("no number")?;
    println!("the desk's first view: {bytes} bytes of scripts and styles");
    ensure!(bytes > 10_000.0 && bytes <= MAX_BYTES, "{bytes} bytes");
    Ok(())
}
