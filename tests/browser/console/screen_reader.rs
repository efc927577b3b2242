//! A screen reader finds its way through every view, and hears what happens: by Chromium's accessibility tree.

use super::super::accessibility::{HEIGHT, WIDTHS};
use super::{Console, WITHIN, empty_views, filled_views};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::browser;
use tests::browser::{Browser, BrowserStack};

const PUBLISHED_WITHIN: Duration = Duration::from_mins(2);

/// The roles of controls.
const CONTROLS: [&str; 14] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "slider",
    "tab",
    "menuitem",
    "menuitemradio",
    "Date",
    "DateTime",
    "DisclosureTriangle",
];
/// The roles of what surrounds controls, within which a name has to be unique.
const REGIONS: [&str; 14] = [
    "region",
    "main",
    "navigation",
    "banner",
    "article",
    "form",
    "search",
    "dialog",
    "group",
    "listitem",
    "tabpanel",
    // The browser puts a button into a field for a date.
    "Date",
    "DateTime",
    "RootWebArea",
];

/// Records everything that live regions say from now on.
const LISTEN: &str = "window.heard = [];
    new MutationObserver(() => {
        for (const region of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
            const text = region.innerText.trim();
            if (text && window.heard.at(-1) !== text) window.heard.push(text);
        }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });";

/// The accessibility tree of a page.
struct Tree(BTreeMap<String, Value>);

impl Tree {
    async fn read(browser: &Browser) -> Result<Self> {
        let tree = browser.devtools("Accessibility.getFullAXTree", &json!({})).await?;
        let nodes = tree["nodes"].as_array().context("no tree")?;
        Ok(Self(nodes.iter().map(|node| (id_of(&node["nodeId"]), node.clone())).collect()))
    }

    /// Returns the nodes that a screen reader has, with their roles and names.
    fn read_out(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.0.values().filter(|node| node["ignored"] != true).map(|node| (role(node), name(node), node))
    }

    fn count(&self, wanted: &str) -> usize {
        self.read_out().filter(|(role, ..)| *role == wanted).count()
    }

    /// Returns the nearest node around another one that is a region.
    fn region_of(&self, node: &Value) -> String {
        let mut at = self.0.get(&id_of(&node["parentId"]));
        while let Some(parent) = at {
            if REGIONS.contains(&role(parent)) {
                return format!("{} {:?} {}", role(parent), name(parent), id_of(&parent["nodeId"]));
            }
            at = self.0.get(&id_of(&parent["parentId"]));
        }
        "the page".to_owned()
    }

    fn ensure_is_clear(&self) -> Result<()> {
        let controls: Vec<_> = self.read_out().filter(|(role, ..)| CONTROLS.contains(role)).collect();
        ensure!(controls.len() > 2, "{} controls", controls.len());
        let mut named = BTreeMap::new();
        for (role, name, node) in controls {
            ensure!(!name.trim().is_empty(), "a {role} has no name: {node:#}");
            // Links with one name may lead to one address.
            let target = property(node, "url").as_str().unwrap_or_default().to_owned();
            let others: &mut Vec<_> = named.entry((self.region_of(node), role, name)).or_default();
            ensure!(
                others.is_empty() || role == "link" && others.contains(&target),
                "two of {role} {name:?} in {}",
                self.region_of(node)
            );
            others.push(target);
        }
        let titles: Vec<_> = self
            .read_out()
            .filter(|(role, _, node)| *role == "heading" && property(node, "level") == 1)
            .map(|(_, name, _)| name)
            .collect();
        ensure!(titles.len() == 1 && !titles.iter().any(|name| name.is_empty()), "the titles: {titles:?}");
        for landmark in ["main", "banner"] {
            ensure!(self.count(landmark) == 1, "{} of {landmark}", self.count(landmark));
        }
        ensure!(self.count("status") > 0, "no region says what happens");
        Ok(())
    }
}

fn id_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn role(node: &Value) -> &str {
    node["role"]["value"].as_str().unwrap_or_default()
}

fn name(node: &Value) -> &str {
    node["name"]["value"].as_str().unwrap_or_default()
}

fn property(node: &Value, wanted: &str) -> Value {
    let mut properties = node["properties"].as_array().into_iter().flatten();
    properties.find(|one| one["name"] == wanted).map_or(Value::Null, |one| one["value"]["value"].clone())
}

#[browser]
async fn every_view_has_one_title_landmarks_and_controls_with_names_of_their_own(
    stack: Arc<BrowserStack>,
) -> Result<()> {
    let browser = stack.browser().await?;
    let filled = Console::open_filled(&stack, &browser).await?;
    for width in WIDTHS {
        browser.resize(width, HEIGHT).await?;
        for (view, text) in &filled_views(&stack).await? {
            filled.show(view, text).await?;
            Tree::read(&browser).await?.ensure_is_clear().with_context(|| format!("{view} at {width} px"))?;
        }
    }
    let empty = Console::open(&stack, &browser, "/console").await?;
    for (view, text) in empty_views() {
        empty.show(view, text).await?;
        Tree::read(&browser).await?.ensure_is_clear().with_context(|| format!("{view} of a new user"))?;
    }
    Ok(())
}

/// Fails if there is no open dialog that has a name and keeps everything else away.
async fn ensure_dialog(console: &Console<'_>, title: &str) -> Result<()> {
    console.until(WITHIN, title, "return !!document.querySelector('dialog[open]')").await?;
    let tree = Tree::read(console.browser).await?;
    let dialogs: Vec<_> = tree.read_out().filter(|(role, ..)| *role == "dialog").collect();
    ensure!(dialogs.len() == 1, "{} dialogs", dialogs.len());
    let (_, name, dialog) = dialogs.first().context("no dialog")?;
    ensure!(name.starts_with(title) && property(dialog, "modal") == true, "{dialog:#}");
    // Nothing behind a modal dialog is read out.
    let links = tree.read_out().filter(|(role, ..)| *role == "link").count();
    ensure!(links == 0, "{links} links behind the dialog");
    let buttons: Vec<_> = tree.read_out().filter(|(role, ..)| *role == "button").map(|(_, name, _)| name).collect();
    ensure!(!buttons.is_empty() && buttons.iter().all(|name| !name.is_empty()), "{buttons:?}");
    Ok(())
}

#[browser]
async fn dialogs_are_named_and_modal(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/key").await?;
    console.press("Create key").await?;
    ensure_dialog(&console, "Save your key now").await?;
    console.press("I have saved it").await?;
    console.press("Done").await?;
    console.until_text("Rotate key").await?;
    console.press("Rotate key").await?;
    ensure_dialog(&console, "Rotate the key?").await?;
    console.press("Cancel").await?;
    console.press("Delete key").await?;
    ensure_dialog(&console, "Delete the key?").await?;
    let filled = Console::open_filled(&stack, &browser).await?;
    let views = filled_views(&stack).await?;
    let (video, text) = views.iter().find(|(view, _)| view.starts_with("/console/uploads/")).context("no video")?;
    filled.show(video, text).await?;
    filled.press("Delete video").await?;
    ensure_dialog(&filled, "Delete “").await
}

/// Waits until a live region has said this.
async fn until_heard(console: &Console<'_>, text: &str) -> Result<()> {
    let text = json!(text);
    let is_heard = format!("return window.heard.some(one => one.includes({text}))");
    let heard = console.until(PUBLISHED_WITHIN, &text.to_string(), &is_heard).await;
    if heard.is_err() {
        let all = console.run("return window.heard").await?;
        return heard.with_context(|| format!("heard: {all}"));
    }
    Ok(())
}

#[browser]
async fn an_upload_its_progress_its_states_and_its_failure_are_announced(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/upload").await?;
    console.until_text("Drop a video here").await?;
    console.run(LISTEN).await?;
    browser.choose_file("input[type=file]", stack.clip()).await?;
    console.press("Upload video").await?;
    let name = stack.clip().file_name().context("no name")?.to_string_lossy().into_owned();
    until_heard(&console, &format!("Starting: {name}")).await?;
    // A small file may arrive before the page says that it is checked, or be checked before it says that it is sent.
    let is_followed = format!(
        "return window.heard.some(one => ['Uploading: ', 'Checking the file: '].some(step => one === step + {}))",
        json!(name)
    );
    console.until(WITHIN, "a step of the upload that is announced", &is_followed).await?;
    until_heard(&console, "Published").await?;
    console.press("Upload another").await?;
    console.until_text("Drop a video here").await?;
    let folder = stack.new_folder()?;
    let file = folder.path().join("notes.mp4");
    std::fs::write(&file, "no video at all".repeat(1_000))?;
    browser.choose_file("input[type=file]", &file).await?;
    // The page may already know that the file is no video.
    let send = "const button = named('button', 'Upload video') ?? named('button', 'Upload anyway');
        button?.click();
        return !!button;";
    console.until(WITHIN, "a button", send).await?;
    until_heard(&console, "Not uploaded: notes.mp4").await?;
    until_heard(&console, "content_file_invalid_format").await?;
    console.ensure_clean_but_for(Some(415)).await
}

#[browser]
async fn the_progress_of_an_upload_is_announced_and_can_be_read(stack: Arc<BrowserStack>) -> Result<()> {
    let browser = stack.browser().await?;
    let console = Console::open(&stack, &browser, "/console/upload").await?;
    console.until_text("Drop a video here").await?;
    console.run(LISTEN).await?;
    browser.choose_file("input[type=file]", stack.clip()).await?;
    console.until_text("Caption").await?;
    let bytes = std::fs::metadata(stack.clip())?.len();
    let limit =
        |upload: i64| json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": upload });
    // The upload takes about eight seconds.
    browser.devtools("Network.emulateNetworkConditions", &limit(i64::try_from(bytes / 8)?)).await?;
    console.press("Upload video").await?;
    until_heard(&console, "% uploaded").await?;
    let tree = Tree::read(&browser).await?;
    let bars: Vec<_> = tree.read_out().filter(|(role, ..)| *role == "progressbar").collect();
    ensure!(bars.len() == 1, "{bars:#?}");
    let (_, name, bar) = bars.first().context("no bar")?;
    ensure!(*name == "Uploaded" && bar["value"]["value"].as_u64() > Some(0), "{bar:#}");
    let text = console.run("return document.querySelector('[role=progressbar]').ariaValueText").await?;
    ensure!(text.as_str().is_some_and(|text| text.ends_with('%')), "{text}");
    browser.devtools("Network.emulateNetworkConditions", &limit(-1)).await.map(drop)
}
