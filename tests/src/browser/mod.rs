//! Headless Chromium, and a stack with an origin whose videos it plays.

mod stack;
mod traffic;
mod webdriver;

pub use stack::{BrowserStack, CAPTION, CLIP_SECONDS, PlayableContent};
pub use traffic::{BrowserResponse, BrowserTraffic};
pub use webdriver::Browser;
