//! An owner objects in the console, and a moderator decides at the desk.

use super::super::console::Console;
use super::{Desk, WaitingVideo, answer, until_state, waiting_video};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const TEXT: &str = "It is a scene of our theatre group.";

#[browser]
async fn an_appeal_goes_from_the_console_to_the_desk_and_back(stack: Arc<BrowserStack>) -> Result<()> {
    let (owners, moderators) = (stack.browser().await?, stack.browser().await?);
    let WaitingVideo { uuid, owner } = waiting_video(&stack, "A scene").await?;
    let approve = json!({ "content_uuid": uuid, "reason": "r" });
    answer(stack.moderator_request(Method::POST, paths::MODERATION_APPROVE).json(&approve)).await?;
    let remove = json!({ "content_uuid": uuid, "reason": "r", "policy_code": "violence" });
    answer(stack.moderator_request(Method::POST, paths::MODERATION_TAKE_DOWN).json(&remove)).await?;
    let view = format!("/console/uploads/{uuid}");
    let console = Console::open_as(&stack, &owners, &owner, &view).await?;
    console.until_text("The video shows violence that this site does not allow.").await?;
    console.press("Appeal").await?;
    console.fill("Why is the decision wrong?", TEXT).await?;
    console.press("Send appeal").await?;
    console.until_text("A moderator will review it.").await?;
    let desk = Desk::sign_in(&stack, &moderators, "Bo", &["look", "decide"]).await?;
    desk.show("/desk?show=appeals", TEXT).await?;
    desk.open(&uuid).await?;
    desk.until_text(TEXT).await?;
    moderators.type_keys("o").await?;
    let restored = until_state(&stack, &uuid, "published").await?;
    ensure!(restored["appeal"]["state"] == "granted", "{restored}");
    console.show(&view, "Your appeal was granted.").await.context("the owner does not read the outcome")
}
