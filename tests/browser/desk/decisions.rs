//! A decision is a key and a policy, takes effect after ten seconds, and is made once.

use super::{Desk, WITHIN, WaitingVideo, case, until_state, waiting_video};
use anyhow::{Result, ensure};
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

#[browser]
async fn a_decision_by_keys_is_undone_or_made_once(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "A black video").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    desk.until_text("A black video").await?;
    desk.open(&uuid).await?;
    let evidence = desk.run("return document.querySelector('article.case').innerText").await?.to_string();
    ensure!(evidence.contains("Findings") && evidence.contains("Black"), "{evidence}");
    let video = "const video = document.querySelector('video');
        return !!video && video.muted && video.paused && document.documentElement.dataset.pictures === 'blurred'";
    desk.until(WITHIN, "the video, muted and not playing", video).await?;
    // The policy may be chosen before the decision, or after it.
    browser.type_keys("4r").await?;
    desk.until_text("Rejecting").await?;
    browser.type_keys("u").await?;
    desk.until_text("Undone").await?;
    desk.open(&uuid).await?;
    browser.type_keys("r").await?;
    desk.until(WITHIN, "the policies", "return !!document.querySelector('.policies')").await?;
    browser.type_keys("4").await?;
    desk.until_text("Rejecting").await?;
    ensure!(case(&stack, &uuid).await?["content"]["state"] == "processing", "the undone decision was made");
    let rejected = until_state(&stack, &uuid, "rejected").await?;
    let decisions = rejected["decisions"].as_array().map_or(0, Vec::len);
    let decision = &rejected["decisions"][0];
    ensure!(decisions == 1 && decision["by"] == "Ada" && decision["policy_code"] == "violence", "{rejected}");
    desk.ensure_clean().await
}

#[browser]
async fn whoever_leaves_the_page_has_decided(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "Left at once").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    desk.open(&uuid).await?;
    browser.type_keys("a").await?;
    desk.until_text("Approving").await?;
    browser.open("about:blank").await?;
    until_state(&stack, &uuid, "published").await.map(drop)
}

#[browser]
async fn keys_in_a_text_field_decide_nothing(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "With a note").await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    desk.open(&uuid).await?;
    desk.press("Add a note").await?;
    let focus = "const note = named('input', 'Note for colleagues'); note?.focus(); return !!note;";
    desk.until(WITHIN, "the note", focus).await?;
    browser.type_keys("a 4 r t u n").await?;
    let typed = desk.run("return named('input', 'Note for colleagues').value").await?;
    ensure!(typed == "a 4 r t u n", "{typed}");
    let toasts = desk.run("return /Approving|Rejecting|Taking down/.test(document.body.innerText)").await?;
    ensure!(toasts == false, "a key in the field decided");
    Ok(())
}
