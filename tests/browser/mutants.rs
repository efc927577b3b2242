//! Chromium plays no mutant of a clip that the prober accepts for longer or shorter than the service publishes.
//!
//! It plays the files themselves, not what an origin makes of them: a second player beside ffmpeg.

use anyhow::{Context, Result, ensure};
use contract::limits::VIDEO_DURATION_MS;
use fixtures::decoded::{PLAYABLE_MS, millis};
use fixtures::mutants::{ContainerClips, Framing, Mutant, digest};
use probe::Prober;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

/// What Chromium can demux, with codecs of which it can decode at least the sound.
const RECIPES: &[(&str, Framing)] = &[
    ("mp4", Framing::Boxes),
    ("mp4-fragmented-h264", Framing::Boxes),
    ("quicktime", Framing::Boxes),
    ("matroska", Framing::Elements),
    ("webm", Framing::Elements),
    ("webm-live", Framing::Elements),
    ("ogg", Framing::Pages),
];

/// Seeds that no other test tries.
const FIRST_SEED: u64 = 7_000_000;
/// How many videos play at once. More would only wait for each other.
const PLAYERS: usize = 6;

/// Plays files at once, sixteen times as fast, and returns for how many seconds each played and how it ended. `played`
/// counts what the player showed, so it leaves out what precedes the first frame.
const PLAY: &str = "const most = MOST;
    const play = address => new Promise(resolve => {
        const video = document.body.appendChild(document.createElement('video'));
        const played = () => {
            let seconds = 0;
            for (let at = 0; at < video.played.length; at++) seconds += video.played.end(at) - video.played.start(at);
            return seconds;
        };
        const finish = outcome => {
            const result = { outcome, seconds: played(), pictures: video.getVideoPlaybackQuality().totalVideoFrames };
            video.remove();
            video.removeAttribute('src');
            resolve(result);
        };
        video.addEventListener('ended', () => finish('ended'));
        video.addEventListener('error', () => finish('refused'));
        video.addEventListener('timeupdate', () => { if (played() > most) finish('too long'); });
        setTimeout(() => finish('stuck'), 25000);
        video.muted = true;
        video.src = address;
        video.playbackRate = 16;
        video.play().catch(() => {});
    });
    return Promise.all(ADDRESSES.map(play));";

/// How Chromium played one file.
#[derive(Debug, Deserialize)]
struct Playback {
    outcome: String,
    seconds: f64,
    pictures: u64,
}

/// Returns the first mutants of each container that the prober accepts. Each differs from the others and from the clip.
fn accepted_mutants(clips: &[ContainerClips], of_each: usize) -> Vec<Mutant> {
    let mut seen = BTreeSet::new();
    let mut is_new = |mutant: &Mutant| mutant.is_changed && seen.insert(digest(&mutant.file));
    let of = |clips: &ContainerClips| -> Vec<_> {
        let mutants = (FIRST_SEED..).flat_map(|seed| clips.mutants(seed));
        mutants.filter(|mutant| is_accepted(&mutant.file) && is_new(mutant)).take(of_each).collect()
    };
    clips.iter().flat_map(of).collect()
}

fn is_accepted(file: &[u8]) -> bool {
    let mut prober = Prober::new();
    prober.feed(file);
    prober.finish().is_ok_and(|media| VIDEO_DURATION_MS.contains(&media.duration_ms))
}

async fn play(browser: &Browser, folder: &Path, mutants: &[Mutant]) -> Result<Vec<Playback>> {
    let addresses: Vec<_> = mutants.iter().map(|mutant| format!("file://{}", mutant.keep(folder).display())).collect();
    let most = format!("{}", f64::from(u32::try_from(*PLAYABLE_MS.end())?) / 1000.0);
    let script = PLAY.replace("MOST", &most).replace("ADDRESSES", &serde_json::to_string(&addresses)?);
    Ok(serde_json::from_value(browser.run(&script).await?)?)
}

/// Returns what is wrong about a playback. A file that Chromium refuses, or of which it cannot decode the pictures, may
/// seem short.
fn finding(playback: &Playback) -> Option<String> {
    let milliseconds = millis(playback.seconds);
    let is_short = playback.outcome == "ended" && playback.pictures > 1 && milliseconds < *PLAYABLE_MS.start();
    let is_wrong = is_short || milliseconds > *PLAYABLE_MS.end() || playback.outcome == "stuck";
    is_wrong.then(|| format!("{playback:?}"))
}

#[browser]
async fn what_the_prober_accepts_plays_for_a_publishable_time_in_chromium(stack: Arc<BrowserStack>) -> Result<()> {
    let clips = ContainerClips::encode(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips"), RECIPES);
    let mutants = accepted_mutants(&clips.context("ffmpeg is not installed")?, fixtures::cases(5, 100));
    let (browser, folder) = (stack.browser().await?, stack.folder().join("mutants"));
    let page = folder.join("empty.html");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(&page, "<!doctype html><title>Mutants</title>")?;
    browser.open(&format!("file://{}", page.display())).await?;
    let mut outcomes: BTreeMap<(&str, String), u32> = BTreeMap::new();
    let mut findings = Vec::new();
    for some in mutants.chunks(PLAYERS) {
        for (mutant, playback) in some.iter().zip(play(&browser, &folder, some).await?) {
            findings.extend(finding(&playback).map(|finding| format!("{}: {finding}", mutant.name())));
            let pictures = if playback.pictures > 1 { "with pictures" } else { "without pictures" };
            *outcomes.entry((mutant.recipe, format!("{}, {pictures}", playback.outcome))).or_default() += 1;
        }
    }
    println!("{} mutants: {outcomes:#?}", mutants.len());
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    let ended = |(_, outcome): &(&str, String)| outcome == "ended, with pictures";
    let played: u32 = outcomes.iter().filter(|(key, _)| ended(key)).map(|(_, count)| count).sum();
    ensure!(usize::try_from(played)? * 2 >= mutants.len(), "Chromium played only {played} of {}", mutants.len());
    Ok(())
}
