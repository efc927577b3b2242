//! Players that are not ours, which `dev/setup` installs.

use super::Browser;
use anyhow::{Context, Result};

pub const HLS_JS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/hls.js/dist/hls.min.js");
pub const SHAKA_PLAYER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/shaka-player/dist/shaka-player.dash.js");

impl Browser {
    /// Makes a library available to the scripts of the open document.
    pub async fn load(&self, library: &str) -> Result<()> {
        let script = std::fs::read_to_string(library);
        self.run(&script.with_context(|| format!("{library} is not installed. Run `dev/setup`."))?).await?;
        Ok(())
    }
}
