//! The console in Chromium, on the real stack.

mod hostile;
mod key;
mod life;
mod long_list;
mod looks;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::Duration;
use tests::browser::{Browser, BrowserStack};
use tests::until;

/// The time for the page to show the result of a step. Videos take longer.
const WITHIN: Duration = Duration::from_secs(20);

/// Functions that find elements by their visible names. While a dialog is open, they look only inside it.
const FINDERS: &str = "
    const shown = () => document.querySelector('dialog[open]') ?? document.body;
    const named = (selector, name) => [...shown().querySelectorAll(selector)].find(one => one.checkVisibility()
        && !one.disabled && (one.textContent.trim() === name || one.getAttribute('aria-label') === name));
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
            "const found = named('button, a, label', {name});
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
        let errors: Vec<&Value> = log.iter().filter(|entry| !is_expected(entry)).collect();
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

async fn sign_in(browser: &Browser, base: &str, cookie: &str) -> Result<()> {
    let (name, value) = cookie.split_once('=').context("no cookie")?;
    let cookie = json!({ "name": name, "value": value, "url": base, "path": "/", "secure": true, "httpOnly": true });
    let set = browser.devtools("Network.setCookie", &cookie).await?;
    ensure!(set["success"] == true, "the cookie was not set: {set}");
    Ok(())
}
