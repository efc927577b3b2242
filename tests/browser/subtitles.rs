//! The subtitles of a file are in the player's menu, in the page, in HLS and in DASH, and show the right text at any
//! time.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tests::browser::{Browser, BrowserStack, HLS_JS, SHAKA_PLAYER};
use tests::{browser, until};

const WITHIN: Duration = Duration::from_secs(30);

const ENGLISH: &str = "1\n00:00:00,500 --> 00:00:01,500\nHello <b>world</b>\n";
const GERMAN: &str = "1\n00:00:01,000 --> 00:00:02,000\nGrüße\n";

/// Returns the subtitle tracks of the page's player, once the shown one has its cues.
const TRACKS: &str =
    "const tracks = [...document.querySelector('video').textTracks].filter(track => track.kind === 'subtitles');
    const texts = track => [...track.cues ?? []].map(cue => [cue.startTime, cue.endTime, cue.text]);
    const list = tracks.map(({ language, label, mode }, index) =>
        ({ language, label, mode, cues: texts(tracks[index]) }));
    return list.some(track => track.cues.length) ? list : null;";

const BUTTON: &str = "const button = document.querySelector('media-captions-button');
    return button && button.checkVisibility() ? button.getAttribute('aria-checked') : null;";

/// Plays the stream in hls.js with its German subtitles, and returns the parser's and the player's results.
const IN_HLS_JS: &str = "const video = document.createElement('video');
    document.body.append(video);
    const hls = new Hls({ enableWorker: false });
    const listed = new Promise((resolve, reject) => {
        hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, (_, data) => resolve(data.subtitleTracks));
        hls.on(Hls.Events.ERROR, (_, error) => error.fatal && reject(new Error(error.details)));
    });
    hls.loadSource(MASTER);
    hls.attachMedia(video);
    const tracks = await listed;
    hls.subtitleTrack = tracks.findIndex(track => track.lang === 'de');
    hls.subtitleDisplay = true;
    const shown = () => [...video.textTracks].find(track => track.language === 'de' && track.cues?.length);
    for (let tries = 0; tries < 200 && !shown(); tries++) await new Promise(resolve => setTimeout(resolve, 100));
    return { tracks: tracks.map(({ lang, name, default: isDefault }) => ({ lang, name, isDefault })),
        cues: [...shown()?.cues ?? []].map(cue => [cue.startTime, cue.endTime, cue.text]) };";

/// Plays the DASH form in shaka-player with its German subtitles, and returns the player's results.
const IN_SHAKA_PLAYER: &str = "const video = document.createElement('video');
    document.body.append(video);
    const player = new shaka.Player();
    await player.attach(video);
    await player.load(MANIFEST);
    const tracks = player.getTextTracks();
    player.selectTextTrack(tracks.find(track => track.language === 'de'));
    const shown = () => [...video.textTracks].flatMap(track => [...track.cues ?? []]);
    for (let tries = 0; tries < 200 && !shown().length; tries++) await new Promise(resolve => setTimeout(resolve, 100));
    return { tracks: tracks.map(({ language, label, roles }) => ({ language, label, roles })),
        cues: shown().map(cue => [cue.startTime, cue.endTime, cue.text]) };";

async fn wait_for(browser: &Browser, script: &str, what: &str) -> Result<Value> {
    let look = async || Ok(Some(browser.run(script).await?).filter(|value| !value.is_null()));
    until(WITHIN, look, || what.to_owned()).await
}

#[browser]
async fn subtitles_are_shown_in_the_page_in_hls_and_in_dash(stack: Arc<BrowserStack>) -> Result<()> {
    let folder = stack.new_folder()?;
    let content = stack.publish_file(&make_clip(folder.path())?).await?;
    let listed: Vec<_> = content.status.content.subtitles.iter().map(|track| track.label.as_str()).collect();
    ensure!(listed == ["English", "Deutsch"], "{listed:?}");
    let browser = stack.browser().await?;
    browser.open(&content.urls.page).await?;
    let tracks = wait_for(&browser, TRACKS, "the page shows no subtitles").await?;
    ensure!(
        tracks
            == json!([
                { "language": "en", "label": "English", "mode": "showing", "cues": [[0.5, 1.5, "Hello world"]] },
                { "language": "de", "label": "Deutsch", "mode": "disabled", "cues": [] },
            ]),
        "{tracks:#}"
    );
    ensure!(wait_for(&browser, BUTTON, "there is no button for subtitles").await? == "true");
    browser.open(&content.urls.poster).await?;
    browser.load(HLS_JS).await?;
    let script = IN_HLS_JS.replace("MASTER", &json!(content.urls.hls).to_string());
    let played = browser.run(&script).await?;
    ensure!(
        played
            == json!({
                "tracks": [
                    { "lang": "en", "name": "English", "isDefault": true },
                    { "lang": "de", "name": "Deutsch", "isDefault": false },
                ],
                "cues": [[1, 2, "Grüße"]],
            }),
        "{played:#}"
    );
    browser.load(SHAKA_PLAYER).await?;
    let played = browser.run(&IN_SHAKA_PLAYER.replace("MANIFEST", &json!(content.urls.dash).to_string())).await?;
    ensure!(
        played
            == json!({
                "tracks": [
                    { "language": "en", "label": "English", "roles": ["subtitle", "main"] },
                    { "language": "de", "label": "Deutsch", "roles": ["subtitle"] },
                ],
                "cues": [[1, 2, "Grüße"]],
            }),
        "{played:#}"
    );
    stack.delete(&content).await?;
    for track in &content.status.content.subtitles {
        let url = track.url.as_deref().context("no address")?;
        ensure!(stack.client.get(url).send().await?.status() == 404, "{url}");
    }
    Ok(())
}

#[browser]
async fn a_page_without_subtitles_has_no_button_for_them(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    browser.open(&stack.content().await?.urls.page).await?;
    wait_for(&browser, "return document.querySelector('media-play-button')", "there is no player").await?;
    ensure!(browser.run(BUTTON).await?.is_null());
    Ok(())
}

/// Makes a clip with an English track, which is the default, and a German one.
fn make_clip(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("subtitles.mkv");
    let (english, german) = (folder.join("en.srt"), folder.join("de.srt"));
    std::fs::write(&english, ENGLISH)?;
    std::fs::write(&german, GERMAN)?;
    let status = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=2.5"])
        .args(["-f", "lavfi", "-i", "sine=f=440:r=48000:d=2.5"])
        .arg("-i")
        .arg(&english)
        .arg("-i")
        .arg(&german)
        .args(
            "-map 0 -map 1 -map 2 -map 3 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -c:s copy".split(' '),
        )
        .args(
            "-metadata:s:s:0 language=eng -metadata:s:s:1 language=ger -disposition:s:0 default -disposition:s:1 0"
                .split(' '),
        )
        .arg(&path)
        .status()
        .context("starting ffmpeg")?;
    ensure!(status.success(), "ffmpeg: {status}");
    Ok(path)
}
