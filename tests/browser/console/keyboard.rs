//! Everything in the console works with the keyboard alone. The focus is always seen, and never lost.

use super::{Console, WITHIN, filled_views};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tests::browser::BrowserStack;
use tests::browser::keys::{CONTROL, DOWN, END, ENTER, ESCAPE, RIGHT, SHIFT, TAB, UP};
use tests::{browser, until};

const PUBLISHED_WITHIN: Duration = Duration::from_mins(2);
/// No view has as many places for the focus. Whoever presses Tab more often is in a trap.
const MAX_STOPS: usize = 150;

/// Describes the element that has the focus, or null: its name, whether an outline shows that it has the focus, and
/// whether it is in the window. A control may be drawn by the element around it, or have its outline around the whole
/// row.
const FOCUSED: &str = "
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const drawn = at.closest('label.button, .strip') ?? at;
    const styles = [getComputedStyle(drawn), getComputedStyle(drawn, '::after')], box = drawn.getBoundingClientRect();
    const name = at.getAttribute('aria-label') ?? at.labels?.[0]?.innerText ?? at.innerText ?? at.id;
    // The player draws the outlines of its own buttons.
    const isSeen = at instanceof HTMLVideoElement
        || styles.some(one => one.outlineStyle !== 'none' && parseFloat(one.outlineWidth) >= 1);
    const isInside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.width > 0;
    return { name: name.trim(), tag: at.tagName, isSeen, isInside, dialog: !!at.closest('dialog') };";

/// Marks every control that the keyboard has to reach, and returns how many there are.
const MARK_CONTROLS: &str = "
    const all = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]');
    // Tab stops once in a group of radio buttons, at the chosen one.
    const isStop = (one) => one.tabIndex >= 0 && !one.disabled && (one.type !== 'radio' || one.checked);
    const wanted = [...all].filter(one => isStop(one) && !one.hidden && one.checkVisibility());
    for (const one of wanted) one.dataset.unreached = '';
    return wanted.length;";
const NOTE_REACHED: &str = "delete document.activeElement?.dataset?.unreached;";
const UNREACHED: &str =
    "return [...document.querySelectorAll('[data-unreached]')].map(one => one.outerHTML.slice(0, 200))";

/// The keyboard in front of the console.
struct Keyboard<'a> {
    console: &'a Console<'a>,
}

impl Keyboard<'_> {
    async fn focused(&self) -> Result<Value> {
        self.console.run(FOCUSED).await
    }

    async fn type_keys(&self, keys: &str) -> Result<()> {
        self.console.browser.type_keys(keys).await
    }

    async fn press(&self, key: char) -> Result<()> {
        self.type_keys(&key.to_string()).await
    }

    /// Presses Tab until the control with this name has the focus. Each control on the way shows that it has the focus.
    async fn tab_to(&self, name: &str) -> Result<()> {
        self.step_to(name, async || self.press(TAB).await).await
    }

    /// Goes back with Shift and Tab.
    async fn tab_back_to(&self, name: &str) -> Result<()> {
        self.step_to(name, async || self.console.browser.press_with(SHIFT, TAB).await).await
    }

    async fn step_to(&self, name: &str, step: impl AsyncFn() -> Result<()>) -> Result<()> {
        let mut seen = Vec::new();
        for _ in 0..MAX_STOPS {
            step().await?;
            let focused = self.focused().await?;
            ensure_is_seen(&focused)?;
            let found = focused["name"].as_str().unwrap_or("(page)");
            if found.starts_with(name) {
                return Ok(());
            }
            seen.push(found.to_owned());
        }
        bail!("the keyboard does not reach {name:?}, but {seen:?}");
    }

    /// Waits until a control can be used, and then goes there.
    async fn tab_to_coming(&self, name: &str) -> Result<()> {
        let is_there = format!(
            "return [...shown().querySelectorAll('button, a, label, summary')]
            .some(one => one.checkVisibility() && one.innerText.trim().startsWith({}))",
            json!(name)
        );
        self.console.until(PUBLISHED_WITHIN, name, &is_there).await?;
        self.tab_to(name).await
    }

    /// Opens the dialog of the browser in which a file is chosen, and chooses one.
    async fn choose_file(&self, button: &str, file: &Path) -> Result<()> {
        let browser = self.console.browser;
        browser.devtools("Page.setInterceptFileChooserDialog", &json!({ "enabled": true })).await?;
        browser.log("performance").await?;
        self.tab_to_coming(button).await?;
        self.press(ENTER).await?;
        let opened = async || {
            let log = browser.log("performance").await?;
            let events = log.iter().filter_map(|entry| serde_json::from_str::<Value>(entry["message"].as_str()?).ok());
            let mut events = events.map(|event| event["message"].clone());
            Ok(events.find(|event| event["method"] == "Page.fileChooserOpened"))
        };
        let event = until(WITHIN, opened, || format!("{button} opens no dialog")).await?;
        let input = json!({ "files": [file], "backendNodeId": event["params"]["backendNodeId"] });
        browser.devtools("DOM.setFileInputFiles", &input).await?;
        browser.devtools("Page.setInterceptFileChooserDialog", &json!({ "enabled": false })).await.map(drop)
    }

    /// Fails if the keyboard begins at the start of the page again.
    async fn ensure_focus_is_kept(&self) -> Result<()> {
        let is_somewhere = "return !!document.activeElement && document.activeElement !== document.body";
        self.console.until(WITHIN, "an element with the focus", is_somewhere).await
    }

    /// Waits until the dialog is closed, and fails if the focus is lost with it.
    async fn ensure_focus_after_dialog(&self, name: Option<&str>) -> Result<()> {
        self.console.until(WITHIN, "the page behind", "return !document.querySelector('dialog')").await?;
        self.ensure_focus_is_kept().await?;
        let focused = self.focused().await?;
        if let Some(name) = name {
            ensure!(focused["name"].as_str().is_some_and(|found| found.starts_with(name)), "{focused}");
        }
        Ok(())
    }

    async fn until_dialog(&self) -> Result<()> {
        let is_inside = "return !!document.activeElement?.closest('dialog[open]')";
        self.console.until(WITHIN, "the focus in a dialog", is_inside).await
    }
}

/// Between the last and the first control, the focus is in the browser's toolbar.
fn ensure_is_seen(focused: &Value) -> Result<()> {
    let is_seen = focused.is_null() || focused["isSeen"] == true && focused["isInside"] == true;
    ensure!(is_seen, "the focus is not seen: {focused}");
    Ok(())
}

#[browser]
async fn a_key_and_a_video_live_by_the_keyboard_alone(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/key").await?;
    let keyboard = Keyboard { console: &console };

    keyboard.tab_to_coming("Create key").await?;
    keyboard.press(ENTER).await?;
    keyboard.until_dialog().await?;
    // The key cannot be lost by a key that is pressed too much.
    keyboard.press(ESCAPE).await?;
    keyboard.tab_to("I have saved it").await?;
    keyboard.press(' ').await?;
    keyboard.tab_to("Done").await?;
    keyboard.press(ENTER).await?;
    keyboard.ensure_focus_after_dialog(None).await?;
    keyboard.tab_to_coming("Delete key").await?;
    keyboard.press(ENTER).await?;
    keyboard.until_dialog().await?;
    keyboard.press(ESCAPE).await?;
    keyboard.ensure_focus_after_dialog(Some("Delete key")).await?;

    keyboard.tab_back_to("Menu").await?;
    keyboard.press(ENTER).await?;
    keyboard.tab_to("Upload a video").await?;
    keyboard.press(ENTER).await?;
    keyboard.choose_file("Choose a video", stack.clip()).await?;
    console.until_text("Caption").await?;
    keyboard.ensure_focus_is_kept().await?;
    keyboard.tab_to("Caption").await?;
    keyboard.type_keys("From the keyboard").await?;
    keyboard.tab_to_coming("Upload video").await?;
    keyboard.press(ENTER).await?;
    console.until(PUBLISHED_WITHIN, "Published", "return shown().innerText.includes('Published')").await?;
    keyboard.ensure_focus_is_kept().await?;
    keyboard.tab_to("Open in Uploads").await?;
    keyboard.press(ENTER).await?;
    console.until_text("Delete video").await?;

    keyboard.tab_to("Caption").await?;
    browser.press_with(CONTROL, END).await?;
    keyboard.type_keys(", edited").await?;
    keyboard.tab_to("Save changes").await?;
    keyboard.press(ENTER).await?;
    let is_saved = "return document.querySelector('h1').innerText === 'From the keyboard, edited'";
    console.until(WITHIN, "the new title", is_saved).await?;
    keyboard.ensure_focus_is_kept().await?;

    keyboard.tab_to_coming("Choose a frame").await?;
    keyboard.press(ENTER).await?;
    console.until_text("Use the frame at").await?;
    keyboard.ensure_focus_is_kept().await?;
    keyboard.tab_to("Frame time").await?;
    keyboard.press(RIGHT).await?;
    keyboard.tab_to("Use the frame at 0:02").await?;
    keyboard.press(ENTER).await?;
    let is_chosen = "return fetch('/api/php/developer/uploads').then(response => response.json())
        .then(({ uploads }) => uploads[0].thumbnail_change !== 'pending' && !named('button', 'Use the frame at 0:02'))";
    console.until(PUBLISHED_WITHIN, "the thumbnail", is_chosen).await?;

    keyboard.tab_to_coming("Delete video").await?;
    keyboard.press(ENTER).await?;
    keyboard.until_dialog().await?;
    keyboard.press(ESCAPE).await?;
    keyboard.ensure_focus_after_dialog(Some("Delete video")).await?;
    keyboard.press(ENTER).await?;
    keyboard.until_dialog().await?;
    keyboard.tab_to("Delete video").await?;
    keyboard.press(ENTER).await?;
    console.until_text("No uploads yet").await?;
    keyboard.ensure_focus_after_dialog(None).await?;
    console.ensure_clean().await
}

#[browser]
async fn every_control_of_every_view_is_reached_and_seen_in_both_directions(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    let keyboard = Keyboard { console: &console };
    for width in super::super::accessibility::WIDTHS {
        browser.resize(width, super::super::accessibility::HEIGHT).await?;
        for (view, text) in &filled_views(&stack).await? {
            console.show(view, text).await?;
            for is_forward in [true, false] {
                let walk = walk(&keyboard, is_forward).await;
                walk.with_context(|| format!("{view} at {width} px, forward: {is_forward}"))?;
            }
        }
    }
    Ok(())
}

/// Moves the focus through the page, in at most two rounds, until it has reached every control. If the view moves the
/// focus itself after the first round has begun, that round misses the controls before this place. The second round
/// starts in the browser's toolbar.
async fn walk(keyboard: &Keyboard<'_>, is_forward: bool) -> Result<()> {
    let console = keyboard.console;
    console.run("document.activeElement?.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)").await?;
    let wanted = console.run(MARK_CONTROLS).await?;
    ensure!(wanted.as_u64() > Some(2), "{wanted} controls");
    walk_to_toolbar(keyboard, is_forward).await?;
    if console.run(UNREACHED).await? != json!([]) {
        walk_to_toolbar(keyboard, is_forward).await?;
    }
    let unreached = console.run(UNREACHED).await?;
    ensure!(unreached == json!([]), "not reached: {unreached:#}");
    Ok(())
}

/// Presses Tab, or Shift and Tab, until the focus leaves the page for the browser's toolbar.
async fn walk_to_toolbar(keyboard: &Keyboard<'_>, is_forward: bool) -> Result<()> {
    let console = keyboard.console;
    for stops in 0..MAX_STOPS {
        if is_forward {
            keyboard.press(TAB).await?;
        } else {
            console.browser.press_with(SHIFT, TAB).await?;
        }
        let focused = keyboard.focused().await?;
        console.run(NOTE_REACHED).await?;
        if focused.is_null() && stops > 0 {
            return Ok(());
        }
        ensure_is_seen(&focused)?;
    }
    bail!("a trap at {}", keyboard.focused().await?);
}

#[browser]
async fn a_menu_a_group_and_a_row_give_the_focus_back(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open_filled(&stack, &browser).await?;
    browser.resize(1280, 800).await?;
    let keyboard = Keyboard { console: &console };
    console.show("/console", "uploads left").await?;
    keyboard.tab_to("Theme").await?;
    keyboard.press(ENTER).await?;
    console.until(WITHIN, "the menu", "return document.activeElement.role === 'menuitemradio'").await?;
    keyboard.type_keys(&format!("{DOWN}{DOWN}{UP}")).await?;
    ensure!(keyboard.focused().await?["name"] == "Light");
    keyboard.press(ESCAPE).await?;
    ensure!(keyboard.focused().await?["name"] == "Theme");

    for (width, is_beside) in [(1280, true), (390, false)] {
        browser.resize(width, 800).await?;
        for (view, row) in [("/console/uploads", "[data-uuid]"), ("/console/failed-requests", "[data-code]")] {
            let tried = open_and_close(&keyboard, view, row, is_beside).await;
            tried.with_context(|| format!("{view} at {width} px"))?;
        }
    }
    Ok(())
}

/// Opens what a row leads to, and goes back to the row.
async fn open_and_close(keyboard: &Keyboard<'_>, view: &str, row: &str, is_beside: bool) -> Result<()> {
    let console = keyboard.console;
    console.go(view).await?;
    let has_focus = format!("return document.activeElement.matches('{row}') && !document.querySelector('article')");
    console.until(WITHIN, row, &format!("document.querySelector('{row}')?.focus(); {has_focus}")).await?;
    keyboard.press(ENTER).await?;
    console
        .until(WITHIN, "what it leads to", "return !!document.activeElement.closest('article, main:has(article)')")
        .await?;
    if is_beside {
        console.until(WITHIN, "the focus beside", "return document.activeElement.matches('article')").await?;
        keyboard.press(ESCAPE).await?;
    } else {
        console.run("history.back()").await?;
    }
    console.until(WITHIN, "the row", &has_focus).await
}
