//! Copies of a file in several channels are one row of the queue, and one decision is made about all that are checked.

use super::seeding::three_copies;
use super::{Desk, WITHIN, case, until_state};
use anyhow::{Result, ensure};
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

/// Returns a script that tells whether the queue has exactly one row with this name, and whether it has the text.
fn is_one_row(name: &str, text: &str) -> String {
    let (name, text) = (json!(name), json!(text));
    format!(
        "const rows = [...document.querySelectorAll('.queue-row')].filter(row => row.innerText.includes({name}));
        return rows.length === 1 && rows[0].innerText.includes({text})"
    )
}

#[browser]
async fn copies_are_one_row_and_one_decision_rejects_them_all(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let copies = three_copies(&stack, "Thrice rejected").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    desk.until(WITHIN, "one row for three copies", &is_one_row("Thrice rejected", "+2 copies")).await?;
    desk.open(&copies[0]).await?;
    desk.until_text("Copies in the queue").await?;
    desk.until_text("Reject 3").await?;
    browser.type_keys("4r").await?;
    desk.until_text("Rejecting 3 videos").await?;
    for uuid in &copies {
        let rejected = until_state(&stack, uuid, "rejected").await?;
        let decision = &rejected["decisions"][0];
        ensure!(decision["by"] == "Ada" && decision["policy_code"] == "violence", "{rejected}");
    }
    desk.ensure_clean().await
}

#[browser]
async fn an_unchecked_copy_is_not_decided_and_takes_the_row(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let copies = three_copies(&stack, "Partly rejected").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    // The case of any copy has the others.
    desk.open(&copies[1]).await?;
    let uncheck = "const box = named('input', 'Include Partly rejected 3');
        if (box?.checked) box.click();
        return !!box && !box.checked";
    desk.until(WITHIN, "the unchecked copy", uncheck).await?;
    desk.until_text("Reject 2").await?;
    browser.type_keys("4r").await?;
    desk.until_text("Rejecting 2 videos").await?;
    until_state(&stack, &copies[0], "rejected").await?;
    until_state(&stack, &copies[1], "rejected").await?;
    let left = case(&stack, &copies[2]).await?;
    let is_undecided = left["decisions"].as_array().is_some_and(Vec::is_empty);
    ensure!(is_undecided && left["content"]["waits_for"] == "person", "{left}");
    desk.show("/desk", "To decide").await?;
    desk.until(WITHIN, "the row of the third copy", &is_one_row("Partly rejected", "Partly rejected 3")).await
}

#[browser]
async fn undo_takes_back_the_decision_about_all_copies_and_an_approval_is_about_one(
    stack: Arc<BrowserStack>,
) -> Result<()> {
    let browser = stack.browser().await?;
    let copies = three_copies(&stack, "Undone for all").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    desk.open(&copies[0]).await?;
    desk.until_text("Reject 3").await?;
    browser.type_keys("4r").await?;
    desk.until_text("Rejecting 3 videos").await?;
    browser.type_keys("u").await?;
    desk.until_text("Undone").await?;
    // The case in which it was made is open again.
    desk.until_text("Reject 3").await?;
    // A copy may have another thumbnail or other texts, so nobody approves what they have not opened.
    browser.type_keys("a").await?;
    desk.until_text("Approving “").await?;
    browser.open("about:blank").await?;
    let published = until_state(&stack, &copies[0], "published").await?;
    let decisions = published["decisions"].as_array().map_or(0, Vec::len);
    ensure!(decisions == 1 && published["decisions"][0]["action"] == "approve", "{published}");
    for uuid in &copies[1..] {
        let left = case(&stack, uuid).await?;
        ensure!(left["decisions"] == json!([]) && left["content"]["waits_for"] == "person", "{left}");
    }
    Ok(())
}
