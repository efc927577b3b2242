//! Chromium plays no mutant of a clip that the prober accepts for longer or shorter than the service publishes.
//!
//! It plays the files themselves, not an origin's outputs: a second player besides ffmpeg.

use anyhow::{Context, Result, ensure};
use contract::limits::VIDEO_DURATION_MS;
use fixtures::decoded::{PLAYABLE_MS, millis};
use fixtures::mutants::{ContainerClips, Framing, Mutant, digest};
use probe::Prober;
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tests::browser;
use tests::browser::{BorrowedBrowser, BrowserStack};

const PLAY: &str = include_str!("mutants.js");

/// The containers and codecs that Chromium plays.
const RECIPES: &[(&str, Framing)] = &[
    ("mp4", Framing::Boxes),
    ("mp4-fragmented-h264", Framing::Boxes),
    ("quicktime", Framing::Boxes),
    ("matroska", Framing::Elements),
    ("webm", Framing::Elements),
    ("webm-live", Framing::Elements),
];

/// Seeds that no other test tries.
const FIRST_SEED: u64 = 7_000_000;
/// The number of videos that play at once. More would only wait for each other.
const PLAYERS: usize = 6;
/// The time after which a player that shows nothing new is stuck, in milliseconds.
const PATIENCE_MS: u64 = 10_000;

/// The speed at which files play.
#[derive(Clone, Copy)]
enum Pace {
    /// Fast, for many files. The player's clock is then less exact: short files may seem shorter than they are.
    Fast,
    Usual,
}

impl Pace {
    /// Returns the playback rate, and how many seconds the player's clock may run ahead.
    fn options(self) -> (f64, f64) {
        match self {
            Self::Fast => (16.0, 1.0),
            Self::Usual => (1.0, 0.1),
        }
    }
}

/// The result of playing one file in Chromium.
#[derive(Debug, Deserialize)]
struct Playback {
    outcome: String,
    seconds: f64,
    pictures: u64,
}

impl Playback {
    fn is_too_long(&self) -> bool {
        millis(self.seconds) > *PLAYABLE_MS.end()
    }

    /// Whether the file plays too short. A file that Chromium refuses or cannot decode may only seem short.
    fn is_too_short(&self) -> bool {
        self.is_whole() && millis(self.seconds) < *PLAYABLE_MS.start()
    }

    fn is_whole(&self) -> bool {
        self.outcome == "ended" && self.pictures > 1
    }
}

/// Files in one folder, and the browser that plays them.
struct Player<'a> {
    browser: BorrowedBrowser<'a>,
    folder: TempDir,
}

impl<'a> Player<'a> {
    async fn start(stack: &'a BrowserStack) -> Result<Self> {
        let (browser, folder) = (stack.browser().await?, stack.new_folder()?);
        // Only a document that is itself a file may play files.
        let page = folder.path().join("empty.html");
        std::fs::write(&page, "<!doctype html><title>Mutants</title>")?;
        browser.open(&format!("file://{}", page.display())).await?;
        Ok(Self { browser, folder })
    }

    /// Plays the files in batches.
    async fn play(&self, files: &[&[u8]], pace: Pace) -> Result<Vec<Playback>> {
        let (rate, slack) = pace.options();
        let mut playbacks = Vec::new();
        for some in files.chunks(PLAYERS) {
            let names = (0..).map(|number| self.folder.path().join(format!("file-{number}")));
            let mut addresses = Vec::new();
            for (path, file) in names.zip(some) {
                std::fs::write(&path, file)?;
                addresses.push(format!("file://{}", path.display()));
            }
            let most = f64::from(u32::try_from(*PLAYABLE_MS.end())?) / 1000.0;
            let options = json!({
                "addresses": addresses, "rate": rate, "slack": slack, "most": most, "patience": PATIENCE_MS
            });
            let played = self.browser.run(&PLAY.replace("OPTIONS;", &format!("{options};"))).await?;
            playbacks.extend(serde_json::from_value::<Vec<Playback>>(played)?);
        }
        Ok(playbacks)
    }

    /// Plays the mutants fast, and repeats seemingly short ones at their usual pace.
    async fn play_mutants(&self, mutants: &[Mutant]) -> Result<Vec<Playback>> {
        let files: Vec<_> = mutants.iter().map(|mutant| &*mutant.file).collect();
        let mut playbacks = self.play(&files, Pace::Fast).await?;
        let is_short = |(_, playback): &(&[u8], &mut Playback)| playback.is_too_short();
        let (short, seeming): (Vec<_>, Vec<_>) = files.into_iter().zip(&mut playbacks).filter(is_short).unzip();
        for (playback, usual) in seeming.into_iter().zip(self.play(&short, Pace::Usual).await?) {
            *playback = usual;
        }
        Ok(playbacks)
    }

    /// Prints how files play that the prober refuses. It may refuse files that Chromium plays, because players differ.
    async fn show_refused(&self, clips: &[ContainerClips], of_each: usize) -> Result<()> {
        let mutants = mutants(clips, of_each, false);
        let mut outcomes = Outcomes::default();
        for (mutant, playback) in mutants.iter().zip(self.play_mutants(&mutants).await?) {
            outcomes.count(mutant, &playback);
        }
        println!("{} refused mutants:\n{outcomes}", mutants.len());
        Ok(())
    }
}

/// The number of mutants by recipe and by how they played.
#[derive(Default)]
struct Outcomes(BTreeMap<(&'static str, String), usize>);

impl Outcomes {
    fn count(&mut self, mutant: &Mutant, playback: &Playback) {
        let pictures = if playback.pictures > 1 { "with pictures" } else { "without pictures" };
        let is_short = playback.is_too_short();
        let outcome = if is_short { "too short" } else { &playback.outcome };
        let outcome = format!("{outcome}, {pictures}");
        *self.0.entry((mutant.recipe, outcome)).or_default() += 1;
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|((recipe, outcome), count)| writeln!(formatter, "{count:6} {recipe}: {outcome}"))
    }
}

fn clips() -> Result<Vec<ContainerClips>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips");
    ContainerClips::encode(&folder, RECIPES).context("ffmpeg is not installed")
}

/// Returns the first mutants of each container that the prober accepts, or that it refuses for another reason than its
/// duration. Each differs from the others and from the clip.
fn mutants(clips: &[ContainerClips], of_each: usize, are_accepted: bool) -> Vec<Mutant> {
    let mut seen = BTreeSet::new();
    let mut is_new = |mutant: &Mutant| mutant.is_changed && seen.insert(digest(&mutant.file));
    let of = |clips: &ContainerClips| -> Vec<_> {
        let mutants = (FIRST_SEED..).flat_map(|seed| clips.mutants(seed));
        mutants
            .filter(|mutant| is_accepted(&mutant.file) == Some(are_accepted) && is_new(mutant))
            .take(of_each)
            .collect()
    };
    clips.iter().flat_map(of).collect()
}

/// Returns `None` if the file is a video of a wrong duration.
fn is_accepted(file: &[u8]) -> Option<bool> {
    let mut prober = Prober::new();
    prober.feed(file);
    prober.finish().map_or(Some(false), |media| VIDEO_DURATION_MS.contains(&media.duration_ms).then_some(true))
}

/// Shows that the measurement detects short and long videos.
#[browser]
async fn chromium_plays_clips_for_as_long_as_they_are(stack: Arc<BrowserStack>) -> Result<()> {
    let clips = clips()?;
    let mut originals: Vec<_> = clips.iter().flat_map(ContainerClips::originals).collect();
    // Long ones play at the same time.
    originals.sort_by_key(|(_, length)| *length);
    let (files, lengths): (Vec<_>, Vec<_>) = originals.into_iter().unzip();
    let playbacks = Player::start(&stack).await?.play(&files, Pace::Fast).await?;
    for (playback, length) in playbacks.iter().zip(lengths) {
        ensure!(playback.is_too_long() == (length > *PLAYABLE_MS.end()), "{playback:?} of {length} ms");
        ensure!(playback.is_too_short() == (length < *PLAYABLE_MS.start()), "{playback:?} of {length} ms");
    }
    Ok(())
}

#[browser]
async fn what_the_prober_accepts_plays_for_a_publishable_time_in_chromium(stack: Arc<BrowserStack>) -> Result<()> {
    let (clips, player) = (clips()?, Player::start(&stack).await?);
    let mutants = mutants(&clips, fixtures::cases(5, 200), true);
    let playbacks = player.play_mutants(&mutants).await?;
    let (mut outcomes, mut findings, mut whole) = (Outcomes::default(), Vec::new(), 0);
    for (mutant, playback) in mutants.iter().zip(&playbacks) {
        outcomes.count(mutant, playback);
        whole += usize::from(playback.is_whole());
        if playback.is_too_long() || playback.is_too_short() {
            let kept = mutant.keep(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings"));
            findings.push(format!("{}: {playback:?} ({})", mutant.name(), kept.display()));
        }
    }
    println!("{} accepted mutants:\n{outcomes}", mutants.len());
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    ensure!(whole * 2 >= mutants.len(), "Chromium played only {whole} of {} to their ends", mutants.len());
    player.show_refused(&clips, fixtures::cases(0, 50)).await
}
