//! The pages are accessible: axe finds no fault, the layout does not shift, and nothing is read out twice.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::browser;
use tests::browser::{Browser, BrowserStack, CAPTION};
use tests::{project, until};

/// A phone and a desktop.
pub(super) const WIDTHS: [u32; 2] = [390, 1280];
pub(super) const HEIGHT: u32 = 800;

const PLAYER_IS_READY: &str = "const bar = document.querySelector('media-control-bar media-play-button');
    return !!(bar && bar.shadowRoot && document.querySelector('video').readyState >= 2);";

/// Returns what axe finds, shortened to the rules and the elements.
const VIOLATIONS: &str = "return axe.run(document, { resultTypes: ['violations'] }).then(found =>
    found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html).join(' ')));";

/// The layout shift that the knob of the timeline causes while the video plays, with a margin. Up to 0.1 counts as
/// good.
const MOVES_AT_MOST: f64 = 0.001;

/// Returns all shifts since the page was opened, and their sources.
const SHIFTS: &str = "return new Promise(resolve => {
    const seen = [];
    new PerformanceObserver(list => seen.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => resolve(seen.map(one => [one.value,
        ...one.sources.map(source => source.node && source.node.nodeName)])), 50));
});";

const GZIPPED_SCRIPT_CEILING: usize = 60_000;

async fn until_player_is_ready(browser: &Browser) -> Result<()> {
    let is_ready = async || Ok(browser.run(PLAYER_IS_READY).await?.as_bool().filter(|ready| *ready));
    until(Duration::from_secs(30), is_ready, || "the player is not ready".to_owned()).await.map(drop)
}

pub(super) async fn ensure_no_violations(browser: &Browser, url: &str) -> Result<()> {
    let axe = std::fs::read_to_string(project().join("node_modules/axe-core/axe.min.js"))?;
    let violations = browser.run(&format!("{axe}\n{VIOLATIONS}")).await?;
    ensure!(violations == json!([]), "{url}: {violations:#}");
    Ok(())
}

pub(super) async fn ensure_is_as_wide_as_the_window(browser: &Browser, url: &str) -> Result<()> {
    let overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    ensure!(browser.run(overflow).await? == 0, "{url} is wider than the window");
    Ok(())
}

#[browser]
async fn no_page_violates_a_rule_for_accessibility_at_any_width(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        for url in
            [urls.page.clone(), urls.embed.clone(), format!("{}/", stack.base()), format!("{}/none", stack.base())]
        {
            browser.open(&url).await?;
            if url == urls.page || url == urls.embed {
                until_player_is_ready(&browser).await?;
            }
            ensure_no_violations(&browser, &url).await?;
            ensure_is_as_wide_as_the_window(&browser, &url).await?;
        }
    }
    Ok(())
}

#[browser]
async fn nothing_moves_while_the_page_loads_and_plays(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        browser.open(&urls.page).await?;
        until_player_is_ready(&browser).await?;
        browser.click("media-controller").await?;
        let is_playing = async || {
            Ok(browser
                .run("return document.querySelector('video').currentTime > 0.3")
                .await?
                .as_bool()
                .filter(|yes| *yes))
        };
        until(Duration::from_secs(30), is_playing, || "the video does not play".to_owned()).await?;
        let shifts = browser.run(SHIFTS).await?;
        let all = shifts.as_array().context("no list")?.iter();
        let total: f64 = all.filter_map(|shift| shift[0].as_f64()).sum();
        println!("at a width of {width}, {total} of the page moved");
        ensure!(total < MOVES_AT_MOST, "at a width of {width}: {shifts}");
    }
    Ok(())
}

#[browser]
async fn a_screen_reader_hears_the_caption_once(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    browser.open(&urls.page).await?;
    until_player_is_ready(&browser).await?;
    let tree = browser.devtools("Accessibility.getFullAXTree", &json!({})).await?;
    let nodes = tree["nodes"].as_array().context("no tree")?;
    let name = |node: &Value| node["name"]["value"].as_str().unwrap_or_default().to_owned();
    // A name is read out once, at its node, without the texts inside it or the window's title.
    let roles = ["RootWebArea", "StaticText", "InlineTextBox"];
    let is_read = |node: &&Value| !roles.iter().any(|role| node["role"]["value"] == *role) && node["ignored"] != true;
    let read: Vec<_> = nodes.iter().filter(is_read).filter(|node| name(node).contains("test</b> picture")).collect();
    ensure!(read.len() == 1 && read[0]["role"]["value"] == "heading" && name(read[0]) == CAPTION, "{read:#?}");
    Ok(())
}

#[browser]
async fn the_script_is_small(stack: Arc<BrowserStack>) -> Result<()> {
    let urls = &stack.content().await?.urls;
    let browser = stack.browser().await?;
    browser.open(&urls.page).await?;
    let source = browser.run("return document.querySelector('script[src]').src").await?;
    let source = source.as_str().context("no script")?;
    let script = stack.client.get(source).send().await?.error_for_status()?.bytes().await?;
    let gzipped = gzipped_length(&script)?;
    println!("the script has {} bytes, {gzipped} gzipped", script.len());
    ensure!(gzipped <= GZIPPED_SCRIPT_CEILING, "{gzipped}");
    Ok(())
}

fn gzipped_length(bytes: &[u8]) -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("script.js");
    std::fs::write(&path, bytes)?;
    let output = std::process::Command::new("gzip").args(["-9", "-c"]).arg(path).output()?;
    ensure!(output.status.success() && !output.stdout.is_empty());
    Ok(output.stdout.len())
}
