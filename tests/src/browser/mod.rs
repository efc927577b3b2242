//! Headless Chromium, and a stack with an origin whose videos it plays.

mod libraries;
mod stack;
mod traffic;
mod webdriver;

pub use libraries::{HLS_JS, SHAKA_PLAYER, TUS_JS_CLIENT};
pub use stack::{BorrowedBrowser, BrowserStack, CAPTION, CLIP_SECONDS, PlayableContent};
pub use traffic::{BrowserResponse, BrowserTraffic};
pub use webdriver::{Browser, keys};
