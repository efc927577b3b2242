//! The roles of moderators at the desk, and several people at once.

use super::{Desk, WITHIN, WaitingVideo, case, waiting_video};
use anyhow::{Result, ensure};
use contract::paths;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

#[browser]
async fn a_case_that_another_moderator_reads_is_not_decided_twice(stack: Arc<BrowserStack>) -> Result<()> {
    let (first, second) = (stack.browser().await?, stack.browser().await?);
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "For one of two").await?;
    let ada = Desk::sign_in(&stack, &first, "Ada", &["look", "decide"]).await?;
    let bo = Desk::sign_in(&stack, &second, "Bo", &["look", "decide"]).await?;
    ada.open(&uuid).await?;
    bo.show(&format!("/desk/video/{uuid}"), "Ada is looking at this video").await?;
    second.type_keys("a").await?;
    bo.press("Take over").await?;
    bo.until_text("Hand over").await?;
    // The desk asks again within ten seconds.
    ada.until_text("Bo is looking at this video").await?;
    first.type_keys("a").await?;
    let is_undecided = case(&stack, &uuid).await?["decisions"].as_array().is_some_and(Vec::is_empty);
    ensure!(is_undecided, "a case of another moderator was decided");
    Ok(())
}

#[browser]
async fn whoever_may_only_look_decides_nothing(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "Only to look at").await?;
    let desk = Desk::sign_in(&stack, &browser, "Eve", &["look"]).await?;
    desk.show(&format!("/desk/video/{uuid}"), "Findings").await?;
    let buttons = "return ['Approve', 'Reject', 'Take down'].some(name => !!named('button', name))";
    ensure!(desk.run(buttons).await? == false, "buttons that may not be used are shown");
    browser.type_keys("a4r").await?;
    let is_deciding = "return /Approving|Rejecting/.test(document.body.innerText)";
    ensure!(desk.run(is_deciding).await? == false, "a key decided");
    Ok(())
}

#[browser]
async fn a_label_is_set_and_removed_by_key_and_the_case_stays_open(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "To be labeled").await?;
    let desk = Desk::sign_in(&stack, &browser, "Lin", &["look", "decide"]).await?;
    desk.open(&uuid).await?;
    desk.until_text("Viewers see a warning before the video.").await?;
    browser.type_keys("s").await?;
    desk.until_text("Viewers see a warning before the video. Set by a moderator.").await?;
    ensure!(case(&stack, &uuid).await?["content"]["is_sensitive"] == true);
    desk.until_text("Labels changed").await?;
    browser.type_keys("s").await?;
    desk.until(WITHIN, "no label", "return !document.body.innerText.includes('Set by a moderator')").await?;
    ensure!(case(&stack, &uuid).await?["content"]["moderator_labels"] == serde_json::json!([]));
    desk.until_text("Hand over").await
}

#[browser]
async fn a_wrong_token_and_a_signed_out_moderator_see_nothing(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "decide"]).await?;
    let stored = "return Object.values(localStorage).concat(Object.values(sessionStorage)).join()
        .includes('cgt_') || document.cookie.includes('desk')";
    ensure!(desk.run(stored).await? == false, "a script can read a credential");
    desk.press("Account of Ada").await?;
    desk.press("Sign out").await?;
    desk.until_text("Sign in to the desk").await?;
    let queue = format!("return fetch('{}').then(response => response.status)", paths::MODERATION_QUEUE);
    ensure!(desk.run(&queue).await? == 401);
    desk.fill("Token", "cgt_wrong").await?;
    desk.press("Sign in").await?;
    desk.until_text("This token is not valid").await?;
    desk.until(WITHIN, "an empty field", "return field('Token').value === ''").await
}
