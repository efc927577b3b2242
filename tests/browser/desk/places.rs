//! The blocklist, the audit log, the statistics and the tokens at the desk, and which roles see and change them.

use super::super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use super::{Desk, WITHIN, WaitingVideo, answer, waiting_video};
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

const NO_DIALOG: &str = "return !document.querySelector('dialog[open]')";

/// Returns a script that tells whether the first rows of the list have these texts, each row all of its texts.
fn rows_have(rows: &[&[&str]]) -> String {
    format!(
        "const rows = [...document.querySelectorAll('main .decisions > li')].map(row => row.innerText);
        return {}.every((texts, at) => texts.every(text => rows[at]?.includes(text)))",
        json!(rows)
    )
}

#[browser]
async fn a_hash_is_added_found_and_removed_and_the_audit_log_says_by_whom(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Dora", &["look", "blocklist"]).await?;
    let hash = "0badcafe".repeat(8);
    desk.show("/desk/blocklist", "Add hash").await?;
    desk.press("Add hash").await?;
    desk.fill("PDQ hash", "0badcafe").await?;
    desk.fill("Reason", "known clip").await?;
    desk.press("Add hash").await?;
    desk.until_text("A PDQ hash has 64 digits").await?;
    desk.fill("PDQ hash", &hash.to_uppercase()).await?;
    desk.press("Add hash").await?;
    let row = rows_have(&[&["0badcafe0bad…cafe", "known clip", "Dora"]]);
    desk.until(WITHIN, "the added hash", &row).await?;
    desk.show("/desk/blocklist?hash=0BADCAFE0", "1 hash").await?;
    desk.until(WITHIN, "the found hash", &row).await?;
    desk.press("Remove hash 0badcafe0bad…cafe").await?;
    desk.until_text("Rejected videos stay rejected").await?;
    desk.fill("Reason", "a mistake").await?;
    desk.press("Remove hash").await?;
    desk.until_text("Not on the list").await?;
    desk.show("/desk/audit?by=Dora", "Audit log").await?;
    let route = format!("DELETE {}", paths::MODERATION_HASHES);
    let entries = rows_have(&[
        &["Hash unblocked", "a mistake", &hash, "Dora", &route],
        &["Hash blocked", "known clip", &hash, "Dora"],
    ]);
    desk.until(WITHIN, "the entries of both changes", &entries).await?;
    desk.show(&format!("/desk/blocklist?hash={hash}"), "Not on the list").await?;
    desk.press("Audit log of this hash").await?;
    desk.until_text(&format!("About hash {hash}")).await?;
    desk.until(WITHIN, "the entries about the hash", &entries).await?;
    desk.ensure_clean().await
}

#[browser]
async fn a_wrong_line_stops_an_import_before_anything_is_sent(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Ines", &["look", "blocklist"]).await?;
    let folder = stack.new_folder()?;
    let (good, wrong) = (folder.path().join("good.csv"), folder.path().join("wrong.csv"));
    let (one, two) = ("0c".repeat(32), "0d".repeat(32));
    std::fs::write(&good, format!("hash,quality\n{one},100\n{two},100\n{one},9\n"))?;
    std::fs::write(&wrong, format!("hash\n{one}\n<b>no hash</b>\n"))?;
    desk.show("/desk/blocklist", "Import").await?;
    desk.press("Import").await?;
    desk.until_text("Choose file").await?;
    browser.choose_file("dialog input[type=file]", &wrong).await?;
    desk.until_text("Line 3").await?;
    desk.until_text("Nothing was sent").await?;
    browser.choose_file("dialog input[type=file]", &good).await?;
    desk.until_text("2 hashes, 1 skipped").await?;
    desk.fill("Reason", "the list of October").await?;
    desk.press("Import").await?;
    desk.until_text("2 hashes imported, 2 of them new").await?;
    desk.show(&format!("/desk/blocklist?hash={two}"), "the list of October").await?;
    desk.ensure_clean().await
}

#[browser]
async fn a_moderator_sees_the_numbers_of_the_current_month(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let WaitingVideo { uuid, .. } = waiting_video(&stack, "To be counted").await?;
    let approve = json!({ "content_uuid": uuid, "reason": "r" });
    answer(stack.moderator_request(Method::POST, paths::MODERATION_APPROVE).json(&approve)).await?;
    let desk = Desk::sign_in(&stack, &browser, "Nora", &["look"]).await?;
    desk.press("Statistics").await?;
    for section in ["Decisions by people", "Automatic rejections", "Appeals"] {
        desk.until_text(section).await?;
    }
    let is_current = "const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
        return shown().innerText.includes(`${month.format()} so far: `)
            && document.querySelector('main input').value === new Date().toISOString().slice(0, 7)";
    desk.until(WITHIN, "the current month", is_current).await?;
    let is_counted = "return [...document.querySelectorAll('main tr.total')].map(row => row.innerText)
        .some(text => /^Approved\\s+[1-9]/.test(text))";
    desk.until(WITHIN, "the approval", is_counted).await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        ensure_no_violations(&browser, "the statistics").await?;
        ensure_is_as_wide_as_the_window(&browser, "the statistics").await?;
    }
    desk.ensure_clean().await
}

#[browser]
async fn an_operator_makes_a_token_that_is_shown_once_and_revokes_it(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Olga", &["look", "operate"]).await?;
    desk.show("/desk/tokens", "Create token").await?;
    desk.press("Create token").await?;
    desk.fill("Name", "Cleo").await?;
    desk.press("Create token").await?;
    desk.until_text("You cannot see it again").await?;
    let secret = desk.run("return field('Token').value").await?;
    let secret = secret.as_str().context("no token")?;
    ensure!(secret.starts_with("cgt_"), "{secret}");
    desk.press("I have saved it").await?;
    desk.press("Done").await?;
    desk.until(WITHIN, "the list", NO_DIALOG).await?;
    let is_kept = format!(
        "return [document.documentElement.outerHTML, location.href, document.cookie,
            ...Object.values(localStorage), ...Object.values(sessionStorage)].some(text => text.includes({}))",
        json!(secret)
    );
    ensure!(desk.run(&is_kept).await? == false, "the page keeps the token");
    let account = format!("{}{}", stack.base(), paths::DESK_ACCOUNT);
    let status = async || Ok::<_, anyhow::Error>(stack.client.get(&account).bearer_auth(secret).send().await?.status());
    ensure!(status().await? == 200, "the token is not valid");
    let revoke = "const found = [...document.querySelectorAll('main button')]
            .find(button => button.ariaLabel?.startsWith('Revoke token') && button.ariaLabel.endsWith(' of Cleo'));
        found?.click();
        return !!found;";
    desk.until(WITHIN, "the button that revokes the token", revoke).await?;
    desk.until_text("every desk session").await?;
    desk.press("Revoke token").await?;
    desk.until(WITHIN, "the list", NO_DIALOG).await?;
    ensure!(status().await? == 401, "the token is still valid");
    let ended = "return [...document.querySelectorAll('main .decisions > li')].map(row => row.innerText)
        .some(text => text.includes('Cleo') && text.includes('Ended'))";
    desk.until(WITHIN, "the token that has ended", ended).await?;
    desk.ensure_clean().await
}

#[browser]
async fn whoever_may_only_look_sees_no_tokens_and_changes_no_hash(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let hash = "0e".repeat(32);
    let change = json!({ "hash": hash, "reason": "to look at" });
    answer(stack.moderator_request(Method::POST, paths::MODERATION_HASHES).json(&change)).await?;
    let desk = Desk::sign_in(&stack, &browser, "Lena", &["look"]).await?;
    desk.show(&format!("/desk/blocklist?hash={hash}"), "to look at").await?;
    let buttons = "return !!named('a', 'Tokens') || ['Add hash', 'Import'].some(name => !!named('button', name))
        || !!document.querySelector('[aria-label^=\"Remove hash\"]')";
    ensure!(desk.run(buttons).await? == false, "something that may not be used is shown");
    desk.show("/desk/tokens", "needs the role operate").await?;
    ensure!(desk.run("return !!named('button', 'Create token')").await? == false, "a token could be made");
    desk.ensure_clean().await
}

#[browser]
async fn the_places_are_accessible_at_both_widths_in_light_and_dark(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let desk = Desk::sign_in(&stack, &browser, "Ada", &["look", "blocklist", "operate"]).await?;
    let views = [
        ("/desk/blocklist", "Add hash", Some("Add hash")),
        ("/desk/blocklist?hash=x", "A hash has at most 64 digits", Some("Import")),
        ("/desk/audit", "Export", None),
        ("/desk/audit?action=restore&by=Ada", "All entries", None),
        ("/desk/audit?subject=channel%3A1&by=Ada", "About channel 1", None),
        ("/desk/statistics", "so far", None),
        ("/desk/statistics?month=2025-01", "Nothing in this month", None),
        ("/desk/statistics?month=x", "Choose a month", None),
        ("/desk/tokens", "Revoke", Some("Create token")),
    ];
    for (scheme, width) in ["light", "dark"].into_iter().flat_map(|scheme| WIDTHS.map(|width| (scheme, width))) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.devtools("Emulation.setEmulatedMedia", &features).await?;
        browser.resize(width, HEIGHT).await?;
        for (view, text, dialog) in views {
            let place = || format!("{view}, {scheme}, {width} px");
            desk.show(view, text).await.with_context(place)?;
            ensure_no_violations(&browser, view).await.with_context(place)?;
            ensure_is_as_wide_as_the_window(&browser, view).await.with_context(place)?;
            if let Some(button) = dialog {
                desk.press(button).await.with_context(place)?;
                desk.until_text("Cancel").await.with_context(place)?;
                ensure_no_violations(&browser, view).await.with_context(place)?;
            }
        }
    }
    desk.ensure_clean().await
}
