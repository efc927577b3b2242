//! At twice its size, nothing of the desk is cut off, overlaps something else, or is out of reach.

use super::super::zoom::{WAYS, enlarge, faults_of};
use super::seeding::three_copies;
use super::{Desk, WITHIN, WaitingVideo, answer, waiting_video};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const REASON: &str = "a hash to enlarge";

#[browser]
async fn every_view_of_the_desk_can_be_used_at_twice_its_size(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "A video to enlarge").await?;
    let [copy, ..] = three_copies(&stack, "Copies to enlarge").await?;
    let hash = "0fadedab".repeat(8);
    let block = json!({ "hash": hash, "reason": REASON });
    answer(stack.moderator_request(Method::POST, paths::MODERATION_HASHES).json(&block)).await?;
    let desk = Desk::sign_in(&stack, &browser, "Zoe", &["look", "decide", "blocklist", "operate"]).await?;
    let [case, case_of_copy] = [&uuid, &copy].map(|uuid| format!("/desk/video/{uuid}"));
    let (found_by_id, blocked) = (format!("/desk/find?q={uuid}"), format!("/desk/blocklist?hash={hash}"));
    let views = [
        ("/desk", "A video to enlarge"),
        (case.as_str(), "Storyboard"),
        (case_of_copy.as_str(), "Copies in the queue"),
        (found_by_id.as_str(), "A video to enlarge"),
        (blocked.as_str(), REASON),
        ("/desk/audit", REASON),
        ("/desk/decisions", REASON),
        ("/desk/statistics", "so far"),
        ("/desk/tokens", "Revoke"),
    ];
    let mut found = Vec::new();
    for how in WAYS {
        enlarge(&browser, how).await?;
        for (view, text) in views {
            desk.show(view, text).await?;
            found.extend(faults_of(&desk, view, how).await?);
        }
        desk.open(&uuid).await?;
        browser.type_keys("r").await?;
        desk.until(WITHIN, "the policies", "return !!document.querySelector('.policies li')").await?;
        let is_in_sight = "const box = document.querySelector('.policies').getBoundingClientRect();
            return box.top < innerHeight && box.bottom > 0";
        desk.until(WITHIN, "the policies in sight", is_in_sight).await?;
        found.extend(faults_of(&desk, "the policies", how).await?);
    }
    ensure!(found.is_empty(), "{}", found.join("\n"));
    desk.ensure_clean().await
}
