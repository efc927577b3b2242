//! The console shows captions and other fields as text, even if they contain markup.

use super::{Console, WITHIN};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::BrowserStack;

/// Texts that a page would run if it took them for markup. Each sets `pwned`.
const PAYLOADS: [&str; 30] = [
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
