//! The views of webhooks, events and direct uploads are accessible at both widths, in light and dark: empty, and with
//! rows, open rows and dialogs.

use super::super::accessibility::{HEIGHT, WIDTHS, ensure_is_as_wide_as_the_window, ensure_no_violations};
use super::Console;
use anyhow::{Context, Result};
use serde_json::json;
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

/// The address of a view, what it shows at first, the buttons to press then, and what it shows afterwards.
type View<'a> = (&'a str, &'a str, &'a [&'a str], &'a str);

const EMPTY: [View<'_>; 5] = [
    ("/console/direct-uploads", "No direct uploads yet", &["Create direct upload"], "Upload fields"),
    ("/console/direct-uploads?state=open", "No open direct uploads", &[], "Show all states"),
    ("/console/webhooks", "No webhooks yet", &[], "Try it on your machine first"),
    ("/console/webhooks?view=add", "Only these", &["Only these"], "limit.reached"),
    ("/console/webhooks?view=events", "No events yet", &[], "Upload video"),
];

/// Fills the lists of a user: webhooks, an event with a delivery, and direct uploads.
const FILL: &str = "const post = (path, body) => fetch('/api/php/' + path, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    }).then(response => response.json());
    return (async () => {
        await post('user_settings/create_api_key', {});
        const types = ['key.rotated', 'content.published', 'content.rejected'];
        const { webhook } = await post('developer/webhooks/create', {
            url: `http://127.0.0.1:9/${'long-'.repeat(60)}`, event_types: types,
        });
        await post('user_settings/rotate_api_key', {});
        for (const external_id of ['user-7', 'long-'.repeat(25)]) {
            const fields = { caption: 'A caption that the owner has set' };
            await post('developer/direct_uploads', { external_id, fields, max_bytes: 7000000, requires_release: true });
        }
        return webhook.webhook_uuid;
    })()";
const OPEN_ROWS: &str = "for (const row of document.querySelectorAll('.opener[aria-expanded=false]')) row.click();";

#[browser]
async fn lists_are_accessible_when_empty_and_with_rows_and_dialogs(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console").await?;
    look_at(&browser, &console, &EMPTY).await?;
    let uuid = console.run(FILL).await?;
    let webhook = format!("/console/webhooks/{}", uuid.as_str().context("no webhook")?);
    let views: [View<'_>; 7] = [
        ("/console/webhooks", "long-", &[], "long-"),
        ("/console/webhooks?view=events", "key.rotated", &[], "key.rotated"),
        ("/console/direct-uploads", "user-7", &[], "A caption that the owner has set"),
        (&webhook, "Retrying", &[], "Unreachable"),
        (&webhook, "Retrying", &["More", "Edit webhook"], "Save changes"),
        (&webhook, "Retrying", &["More", "Delete webhook"], "This cannot be undone"),
        (&webhook, "Retrying", &["Send events again"], "At most"),
    ];
    look_at(&browser, &console, &views).await?;
    console.ensure_clean().await
}

async fn look_at(browser: &Browser, console: &Console<'_>, views: &[View<'_>]) -> Result<()> {
    for (scheme, width) in ["light", "dark"].into_iter().flat_map(|scheme| WIDTHS.map(|width| (scheme, width))) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.devtools("Emulation.setEmulatedMedia", &features).await?;
        browser.resize(width, HEIGHT).await?;
        for (view, first, buttons, last) in views {
            console.go(view).await?;
            console.until_text(first).await?;
            console.run(OPEN_ROWS).await?;
            for button in *buttons {
                console.press(button).await?;
            }
            console.until_text(last).await?;
            ensure_no_violations(browser, view).await.with_context(|| format!("{scheme}, {width} px, {last}"))?;
            ensure_is_as_wide_as_the_window(browser, view).await?;
        }
    }
    Ok(())
}
