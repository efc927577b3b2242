//! Captions that an owner sends are in the player's menu, and Chromium shows their text at the right time.

use anyhow::{Result, ensure};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tests::browser::BrowserStack;
use tests::{browser, until};

const WITHIN: Duration = Duration::from_secs(30);

const FILE: &str = "WEBVTT\n\nNOTE hidden\n\n00:00.500 --> 00:01.500\n<b>Gr\u{fc}\u{df}e</b> &amp; 1 &lt; 2\n";

/// Turns on the first subtitle track, and returns it once its cues are loaded.
const TRACK: &str = "const track = [...document.querySelector('video').textTracks].find(track => track.kind === 'subtitles');
    if (!track) return null;
    track.mode = 'showing';
    const { language, label, cues } = track;
    return cues?.length ? { language, label, cues: [...cues].map(cue => [cue.startTime, cue.endTime, cue.text]) } : null;";

#[browser]
async fn captions_of_the_owner_are_shown_in_the_page(stack: Arc<BrowserStack>) -> Result<()> {
    let content = stack.publish().await?;
    let status = stack.send_captions(&content, "de", FILE).await?;
    ensure!(status.content.captions_change.is_none(), "{status:?}");
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    let look = async || Ok(Some(browser.run(TRACK).await?).filter(|value| !value.is_null()));
    let track = until(WITHIN, look, || "the page shows no captions".to_owned()).await?;
    // A cue is markup, so the signs are escaped.
    let cue = json!([0.5, 1.5, "Gr\u{fc}\u{df}e &amp; 1 &lt; 2"]);
    ensure!(track == json!({ "language": "de", "label": "Deutsch", "cues": [cue] }), "{track:#}");
    stack.delete(&content).await
}
