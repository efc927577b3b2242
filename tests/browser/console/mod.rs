//! The console in Chromium, on the real stack.

mod direct_uploads;
mod ended_session;
mod failed_requests;
mod hostile;
mod key;
mod keyboard;
mod life;
mod lists;
mod long_list;
mod looks;
mod preferences;
mod screen_reader;
mod webhooks;
mod zoom;

pub(crate) use hostile::PAYLOADS;

use anyhow::{Context, Result, ensure};
use contract::paths;
use serde_json::{Value, json};
use std::time::Duration;
use tests::browser::{Browser, BrowserStack};
use tests::until;

/// The time for the page to show the result of a step. Videos take longer.
pub(crate) const WITHIN: Duration = Duration::from_secs(20);

/// The views, with a text that each shows once it is complete. `{video}` stands for the id of a published video. A view
/// that is listed here is tried by every test of looks, keyboard, screen reader and zoom.
const VIEWS: [(&str, &str); 13] = [
    ("/console", "uploads left"),
    ("/console/uploads", "Uploads"),
    ("/console/uploads/{video}", "Delete video"),
    ("/console/upload", "Drop a video here"),
    ("/console/direct-uploads", "directly to your channel"),
    ("/console/direct-uploads?view=create", "one user upload one video"),
    ("/console/webhooks", "Notify your server"),
    ("/console/webhooks?view=add", "Only these"),
    ("/console/webhooks?view=events", "in the last 30 days, even if it was not sent"),
    ("/console/failed-requests", "that is not listed"),
    ("/console/failed-requests?code=file_not_found", "About this error"),
    ("/console/key", "in a terminal"),
    ("/console/none", "Page not found"),
];

/// Functions that find elements by their visible names. While a dialog is open, they look only inside it.
const FINDERS: &str = "
    const shown = () => document.querySelector('dialog[open]') ?? document.body;
    const isUsable = (one) => one.checkVisibility() && !one.disabled && one.ariaBusy !== 'true';
    const named = (selector, name) => [...shown().querySelectorAll(selector)].find(one => isUsable(one)
        && (one.textContent.trim() === name || one.getAttribute('aria-label') === name));
    const field = (label) => {
        const found = [...shown().querySelectorAll('label')].find(one => one.textContent.trim().startsWith(label));
        return found?.control;
    };";

/// A signed-in user in front of the console.
pub(crate) struct Console<'a> {
    browser: &'a Browser,
    base: String,
}

impl<'a> Console<'a> {
    /// Opens a view of the console as a new user.
    pub(crate) async fn open(stack: &BrowserStack, browser: &'a Browser, view: &str) -> Result<Self> {
        let session = stack.new_session().await?;
        Self::open_as(stack, browser, &session.session_cookie, view).await
    }

    /// Opens a view of the console with the cookie of a session.
    pub(crate) async fn open_as(stack: &BrowserStack, browser: &'a Browser, cookie: &str, view: &str) -> Result<Self> {
        sign_in(browser, stack.base(), cookie).await?;
        let console = Self { browser, base: stack.base().to_owned() };
        console.go(view).await?;
        Ok(console)
    }

    /// Returns the functions of this page for another page of the base host.
    pub(crate) fn page(stack: &BrowserStack, browser: &'a Browser) -> Self {
        Self { browser, base: stack.base().to_owned() }
    }

    /// Opens the console as the account that all tests share. It has a key, videos, and a request that failed.
    pub(crate) async fn open_filled(stack: &BrowserStack, browser: &'a Browser) -> Result<Self> {
        stack.content().await?;
        let form = reqwest::multipart::Form::new().text("caption", "A form without a file");
        let request = stack.client.post(format!("{}{}", stack.base(), paths::UPLOAD_VIDEO)).multipart(form);
        let failed = request.bearer_auth(stack.key()).send().await?;
        ensure!(failed.status() == 400, "{failed:?}");
        browser.open(stack.sign_in_url()).await?;
        let console = Self { browser, base: stack.base().to_owned() };
        console.until_text("uploads left").await?;
        // The page that signs in is another host's.
        browser.log("performance").await?;
        Ok(console)
    }

    /// Opens a view, and waits until it is complete.
    pub(crate) async fn show(&self, view: &str, text: &str) -> Result<()> {
        self.go(view).await?;
        self.until_text(text).await.with_context(|| view.to_owned())?;
        // The text may be in the list of places, which is there before the view.
        self.until(WITHIN, "the title", "return !!document.querySelector('h1')").await.with_context(|| view.to_owned())
    }

    pub(crate) async fn go(&self, view: &str) -> Result<()> {
        self.browser.open(&format!("{}{view}", self.base)).await
    }

    pub(crate) async fn run(&self, script: &str) -> Result<Value> {
        self.browser.run(&format!("{FINDERS}\n{script}")).await
    }

    /// Waits until a script returns true.
    pub(crate) async fn until(&self, within: Duration, what: &str, script: &str) -> Result<()> {
        let holds = async || Ok(self.run(script).await?.as_bool().filter(|holds| *holds));
        let found = until(within, holds, || format!("not shown: {what}")).await.map(drop);
        if found.is_err() {
            let text = self.run("return shown().innerText").await?;
            return found.with_context(|| format!("the page shows: {text}"));
        }
        Ok(())
    }

    pub(crate) async fn until_text(&self, text: &str) -> Result<()> {
        let text = json!(text);
        self.until(WITHIN, &text.to_string(), &format!("return shown().innerText.includes({text})")).await
    }

    /// Presses the button or follows the link with this name, as soon as it can be used.
    pub(crate) async fn press(&self, name: &str) -> Result<()> {
        let name = json!(name);
        let press = format!(
            "const found = named('button, a, label, summary', {name});
            found?.scrollIntoView({{ block: 'center' }});
            found?.click();
            return !!found;"
        );
        self.until(WITHIN, &format!("the button {name}"), &press).await
    }

    /// Replaces the text of the field that has this label.
    pub(crate) async fn fill(&self, label: &str, text: &str) -> Result<()> {
        let (label, text) = (json!(label), json!(text));
        let fill = format!(
            "const found = field({label});
            if (!found) return false;
            const kind = found instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
            Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(found, {text});
            found.dispatchEvent(new Event('input', {{ bubbles: true }}));
            found.dispatchEvent(new Event('change', {{ bubbles: true }}));
            return true;"
        );
        self.until(WITHIN, &format!("the field {label}"), &fill).await
    }

    /// Chooses an option of the list with this name.
    pub(crate) async fn choose(&self, name: &str, option: &str) -> Result<()> {
        let (name, option) = (json!(name), json!(option));
        let choose = format!(
            "const found = named('select', {name}) ?? field({name});
            const option = [...found?.options ?? []].find(option => option.textContent === {option});
            if (!option) return false;
            found.value = option.value;
            found.dispatchEvent(new Event('input', {{ bubbles: true }}));
            return true;"
        );
        self.until(WITHIN, &format!("the option {option} of {name}"), &choose).await
    }

    /// Fails if the browser has logged an error, such as a refused request, or sent a request to another host.
    pub(crate) async fn ensure_clean(&self) -> Result<()> {
        self.ensure_clean_but_for(None).await
    }

    /// Like `ensure_clean`, but the browser may have logged refusals with this status, which the page handles.
    pub(crate) async fn ensure_clean_but_for(&self, status: Option<u16>) -> Result<()> {
        let log = self.browser.log("browser").await?;
        let refusal = status.map(|status| format!("the server responded with a status of {status} "));
        let is_expected = |entry: &&Value| {
            refusal.as_ref().is_some_and(|refusal| entry["message"].as_str().is_some_and(|text| text.contains(refusal)))
        };
        // Chromium also notes, as information, that a dialog took the focus from the page.
        let is_fault = |entry: &&Value| entry["level"] != "INFO" && !is_expected(entry);
        let errors: Vec<&Value> = log.iter().filter(is_fault).collect();
        ensure!(errors.is_empty(), "{errors:#?}");
        let traffic = tests::browser::BrowserTraffic::from_log(&self.browser.log("performance").await?)?;
        let is_own = |url: &&String| {
            url.starts_with(&format!("{}/", self.base))
                || ["data:", "blob:", "chrome:"].iter().any(|scheme| url.starts_with(scheme))
        };
        let foreign: Vec<&String> = traffic.requested.iter().filter(|url| !is_own(url)).collect();
        ensure!(foreign.is_empty(), "requests to other hosts: {foreign:?}");
        Ok(())
    }
}

/// Returns the views of the account that all tests share.
async fn filled_views(stack: &BrowserStack) -> Result<Vec<(String, &'static str)>> {
    let video = &stack.content().await?.status.content.content_uuid;
    Ok(VIEWS.iter().map(|(view, text)| (view.replace("{video}", video), *text)).collect())
}

/// Returns the views of an account without videos.
fn empty_views() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    VIEWS.iter().filter(|(view, _)| !view.contains('{'))
}

/// Returns the secret in the dialog with this title and field, and closes the dialog, which wants to hear that it is
/// saved.
async fn save_shown_secret(console: &Console<'_>, title: &str, label: &str) -> Result<String> {
    console.until_text(title).await?;
    let secret = console.run(&format!("return field({}).value", json!(label))).await?;
    let is_locked = "return !named('button', 'Done') && !!shown().closest('dialog')";
    ensure!(console.run(is_locked).await? == true, "the secret can be closed before it is saved");
    console.press("I have saved it").await?;
    console.press("Done").await?;
    console.until(WITHIN, "the page behind", "return !document.querySelector('dialog[open]')").await?;
    Ok(secret.as_str().context("no secret")?.to_owned())
}

async fn sign_in(browser: &Browser, base: &str, cookie: &str) -> Result<()> {
    let (name, value) = cookie.split_once('=').context("no cookie")?;
    let cookie = json!({ "name": name, "value": value, "url": base, "path": "/", "secure": true, "httpOnly": true });
    let set = browser.devtools("Network.setCookie", &cookie).await?;
    ensure!(set["success"] == true, "the cookie was not set: {set}");
    Ok(())
}
