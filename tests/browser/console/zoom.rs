//! At twice the size nothing is cut off, lies over something else, or is out of reach.

use super::{Console, filled_views};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

/// A way to enlarge the page.
#[derive(Clone, Copy, Debug)]
enum Enlarged {
    /// The browser's zoom: half as many pixels, each twice as large.
    Page { width: u32, height: u32 },
    /// Larger letters in a window of the same size, as a reader sets them in the browser.
    Letters,
}

/// Returns what is wrong with the page as it is: text that is cut off, things that lie over each other, and controls
/// that cannot be reached.
const FAULTS: &str = "
    const faults = [], page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) faults.push(`${page.scrollWidth - page.clientWidth} px too wide`);
    const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.unseen, [aria-hidden=true], .skip');
    const scrolls = (one) => { for (; one && one !== document.body; one = one.parentElement)
        if (/auto|scroll/.test(getComputedStyle(one).overflowX + getComputedStyle(one).overflowY)) return true;
        return false; };
    const isCut = (one) => !!one.closest('.cut') || getComputedStyle(one).textOverflow === 'ellipsis';
    const about = (one) => one.outerHTML.slice(0, 120);
    const all = [...document.querySelectorAll('body *')].filter(one => !(one instanceof SVGElement) && isShown(one));

    // Titles in one line end with an ellipsis, and can be read elsewhere.
    for (const one of all) {
        const style = getComputedStyle(one), hides = style.overflowX !== 'visible' && style.overflowX !== 'auto';
        const isMeant = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || one.matches('select, input, textarea, video, dialog');
        const isEmpty = !one.innerText?.trim() || one.matches('.shot, .picture, .screen, .progress, .strip');
        const isTooSmall = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
        if (hides && !isMeant && !isEmpty && isTooSmall) faults.push(`cut off: ${about(one)}`);
    }
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        if (!node.data.trim() || !isShown(parent) || parent.closest('option, script, .toasts, .side, .length, .save')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            if (box.width < 2) continue;
            if (!scrolls(parent) && !isCut(parent) && (box.left < -1 || box.right > innerWidth + 1)) faults.push(`outside: ${node.data}`);
            texts.push({ node, box, isCut: isCut(parent), scrolls: scrolls(parent) });
        }
    }
    // Letters of neighbouring lines may touch, so that a third of the height is let through.
    texts.forEach((one, at) => { for (const other of texts.slice(at + 1)) {
        if (one.node === other.node || one.isCut || other.isCut || one.scrolls || other.scrolls) continue;
        const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (width > 2 && height > Math.min(one.box.height, other.box.height) / 3)
            faults.push(`over each other: ${one.node.data} | ${other.node.data}`);
    } });
    const controls = all.filter(one => one.matches('a[href], button, input, select, textarea, summary') && !one.disabled);
    for (const one of controls) {
        const drawn = one.closest('label.button') ?? one;
        drawn.scrollIntoView({ block: 'center', behavior: 'instant' });
        const box = drawn.getBoundingClientRect();
        // The middle of a link in two lines may lie between its words.
        const boxes = [box, ...drawn.getClientRects()];
        const isHit = boxes.some(box => { const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return hit && (drawn.contains(hit) || hit.contains(drawn) && getComputedStyle(drawn).display === 'inline' || hit.closest('label')?.control === one); });
        if (!isHit) faults.push(`not reached: ${about(one)}`);
    }
    scrollTo(0, 0);
    return [...new Set(faults)].slice(0, 20);";

async fn enlarge(browser: &Browser, how: Enlarged) -> Result<()> {
    let (width, height, density) = match how {
        Enlarged::Page { width, height } => (width, height, 2),
        Enlarged::Letters => (1280, 800, 1),
    };
    let points = if matches!(how, Enlarged::Letters) { 32 } else { 16 };
    let sizes = json!({ "fontSizes": { "standard": points, "fixed": points } });
    browser.devtools("Page.setFontSizes", &sizes).await?;
    let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": density, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", &metrics).await.map(drop)
}

/// Half of a desktop, half of a small laptop beside another window, and the narrowest window of all.
const WAYS: [Enlarged; 4] = [
    Enlarged::Page { width: 640, height: 400 },
    Enlarged::Page { width: 512, height: 384 },
    Enlarged::Page { width: 320, height: 256 },
    Enlarged::Letters,
];

#[browser]
async fn every_view_can_be_used_at_twice_its_size(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    let mut found = Vec::new();
    for how in WAYS {
        enlarge(&browser, how).await?;
        for (view, text) in &filled_views(&stack).await? {
            console.show(view, text).await?;
            if matches!(how, Enlarged::Letters) {
                ensure!(console.run("return getComputedStyle(document.documentElement).fontSize").await? == "30px");
            }
            let faults = console.run(FAULTS).await.with_context(|| format!("{view}, {how:?}"))?;
            let faults = faults.as_array().context("no list")?;
            found.extend(faults.iter().map(|fault| format!("{view}, {how:?}: {}", fault.as_str().unwrap_or_default())));
        }
    }
    ensure!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

/// Shows that the faults are found at all.
#[browser]
async fn a_view_that_is_broken_on_purpose_has_all_faults(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    enlarge(&browser, Enlarged::Page { width: 640, height: 400 }).await?;
    console.show("/console/key", "in a terminal").await?;
    ensure!(console.run(FAULTS).await? == json!([]));
    let breaks = [
        ("document.querySelector('h1').style.width = '900px'", "px too wide"),
        (
            "Object.assign(document.querySelector('h1').style, { width: '2em', overflow: 'hidden', whiteSpace: 'nowrap' })",
            "cut off",
        ),
        ("document.querySelector('.head-of-page p').style.marginTop = '-2rem'", "over each other"),
        ("document.querySelector('.panel .button').style.pointerEvents = 'none'", "not reached"),
    ];
    for (script, fault) in breaks {
        console.show("/console/key", "in a terminal").await?;
        console.run(script).await?;
        let faults: Value = console.run(FAULTS).await?;
        let is_found = faults.as_array().context("no list")?.iter().any(|one| one.to_string().contains(fault));
        ensure!(is_found, "{script}: {faults}");
    }
    Ok(())
}
