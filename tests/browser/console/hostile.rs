//! The console shows captions and other fields as text, even if they contain markup.

use super::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

/// Texts that a page would run if it took them for markup. Each sets `pwned`.
pub(crate) const PAYLOADS: [&str; 30] = [
    "<script>window.pwned=1</script>",
    "\"><script>window.pwned=1</script>",
    "'><script>window.pwned=1</script>",
    "</title><script>window.pwned=1</script>",
    "</textarea><script>window.pwned=1</script>",
    "</style><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "\"><img src=x onerror=window.pwned=1>",
    "' onerror='window.pwned=1",
    "\" onfocus=\"window.pwned=1\" autofocus=\"",
    "<svg onload=window.pwned=1>",
    "<svg/onload=window.pwned=1>",
    "<svg><script>window.pwned=1</script></svg>",
    "<svg><animate onbegin=window.pwned=1 attributeName=x dur=1s>",
    "<body onload=window.pwned=1>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "<iframe src=javascript:parent.pwned=1></iframe>",
    "<a href=javascript:window.pwned=1>click</a>",
    "javascript:window.pwned=1",
    "<details open ontoggle=window.pwned=1>",
    "<video><source onerror=window.pwned=1>",
    "<audio src=x onerror=window.pwned=1>",
    "<input onfocus=window.pwned=1 autofocus>",
    "<math><mtext><img src=x onerror=window.pwned=1></mtext></math>",
    "<object data=javascript:window.pwned=1>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "${window.pwned=1}",
];

/// Changes all texts of the user's video. Returns the response.
fn change(uuid: &str, payload: &str) -> String {
    let change = json!({
        "content_uuid": uuid, "caption": payload, "ai_summary_of_content": payload, "external_id": payload,
        "metadata": { "field": payload },
    });
    format!(
        "return fetch('/api/php/developer/update_content', {{
            method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: JSON.stringify({change}),
        }}).then(response => response.json())"
    )
}

#[browser]
async fn markup_in_any_text_is_shown_as_text(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/upload").await?;
    console.until_text("Drop a video here").await?;
    browser.choose_file("input[type=file]", stack.clip()).await?;
    console.fill("Caption", PAYLOADS[0]).await?;
    console.press("Upload video").await?;
    let list = "return fetch('/api/php/developer/uploads').then(response => response.json())";
    let first = async || Ok(console.run(list).await?["uploads"][0]["content_uuid"].as_str().map(str::to_owned));
    let uuid = tests::until(WITHIN, first, || "no upload".to_owned()).await?;
    for payload in PAYLOADS {
        let changed: Value = console.run(&change(&uuid, payload)).await?;
        ensure!(changed["success"] == true, "{payload}: {changed}");
        for view in ["/console", "/console/uploads", &format!("/console/uploads/{uuid}")] {
            console.go(view).await?;
            console.until_text(payload).await.with_context(|| view.to_owned())?;
            let pwned = console.run("return window.pwned ?? null").await?;
            ensure!(pwned.is_null(), "{payload} runs at {view}");
        }
    }
    console.ensure_clean().await
}

/// Sends JSON to a route as the page does. Returns the response.
fn post(path: &str, body: &Value) -> String {
    format!(
        "return fetch('/api/php/{path}', {{
            method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: JSON.stringify({body}),
        }}).then(response => response.json())"
    )
}

/// Creates a webhook with one delivery, and a direct upload. Returns the webhook's id.
async fn make_rows(console: &Console<'_>) -> Result<String> {
    let created = console.run(&post("user_settings/create_api_key", &json!({}))).await?;
    ensure!(created["success"] == true, "{created}");
    let webhook = json!({ "url": "http://127.0.0.1:9/hook" });
    let webhook = console.run(&post("developer/webhooks/create", &webhook)).await?;
    for (path, body) in [
        ("user_settings/rotate_api_key", json!({})),
        ("developer/direct_uploads", json!({ "external_id": "to be replaced" })),
    ] {
        let made = console.run(&post(path, &body)).await?;
        ensure!(made["success"] == true, "{made}");
    }
    let uuid = webhook["webhook"]["webhook_uuid"].as_str().with_context(|| format!("no webhook: {webhook}"))?;
    // Later, nothing is sent that would replace the texts of the test.
    let attempted = format!(
        "return fetch('/api/php/developer/webhooks/deliveries?webhook_uuid={uuid}').then(response => response.json())
             .then(found => found.deliveries[0]?.attempts > 0)"
    );
    console.until(WITHIN, "an attempt", &attempted).await?;
    Ok(uuid.to_owned())
}

/// Puts a text where no request could: into addresses and events, and into what an endpoint has answered.
async fn replace_texts(stack: &BrowserStack, channel_id: u64, payload: &str) -> Result<()> {
    let text = payload.replace('\'', "''");
    for change in [
        format!(
            "UPDATE webhooks SET url = 'http://127.0.0.1:9/{text}', state = 'disabled' WHERE channel_id = {channel_id}"
        ),
        format!(
            "UPDATE webhook_deliveries SET state = 'failed', due_at_unix = NULL, attempts = 1,
                 last_attempt_at_unix = 1700000000, status = 500, failure = NULL, latency_ms = 1, body_start = '{text}'
             WHERE webhook_id IN (SELECT id FROM webhooks WHERE channel_id = {channel_id})"
        ),
        format!("UPDATE events SET data = json_set(data, '$.key_hint', '{text}') WHERE channel_id = {channel_id}"),
        format!(
            "UPDATE direct_uploads SET rules = json_set(rules, '$.fields.external_id', '{text}', '$.allowed_origin', '{text}')
             WHERE channel_id = {channel_id}"
        ),
    ] {
        stack.change_rows(change).await?;
    }
    Ok(())
}

/// Opens each row, and returns whether the page shows the text at least so many times.
fn shows(payload: &str, times: usize) -> String {
    format!(
        "for (const row of document.querySelectorAll('.opener[aria-expanded=false]')) row.click();
         return shown().innerText.split({}).length > {times}",
        json!(payload)
    )
}

#[browser]
async fn markup_in_webhooks_events_and_direct_uploads_is_shown_as_text(stack: Arc<BrowserStack>) -> Result<()> {
    let session = stack.new_session().await?;
    let browser = stack.browser().await?;
    let console = Console::open_as(&stack, &browser, &session.session_cookie, "/console/webhooks").await?;
    let page = format!("/console/webhooks/{}", make_rows(&console).await?);
    for payload in PAYLOADS {
        replace_texts(&stack, session.channel_id, payload).await?;
        let views: [(&str, usize); 4] = [
            ("/console/webhooks", 1),
            // The address, and the response in its row and below it.
            (&page, 3),
            ("/console/webhooks?view=events", 1),
            // The external id as the name and among the facts, and the origin.
            ("/console/direct-uploads", 3),
        ];
        for (view, times) in views {
            console.go(view).await?;
            console.until(WITHIN, payload, &shows(payload, times)).await.with_context(|| view.to_owned())?;
            let pwned = console.run("return window.pwned ?? null").await?;
            ensure!(pwned.is_null(), "{payload} runs at {view}");
        }
    }
    console.ensure_clean().await
}
