//! At 200 % zoom, nothing is cut off, overlaps something else, or is out of reach.

use super::super::zoom::{Enlarged, FAULTS, WAYS, enlarge, faults_of};
use super::{Console, filled_views};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

#[browser]
async fn every_view_can_be_used_at_twice_its_size(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    let mut found = Vec::new();
    for how in WAYS {
        enlarge(&browser, how).await?;
        for (view, text) in &filled_views(&stack).await? {
            console.show(view, text).await?;
            found.extend(faults_of(&console, view, how).await?);
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
