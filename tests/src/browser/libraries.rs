//! Third-party players and uploaders, which `ops/dev/setup` installs.

use super::Browser;
use crate::{project, run_tool};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

pub const HLS_JS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/hls.js/dist/hls.min.js");
pub const SHAKA_PLAYER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/shaka-player/dist/shaka-player.dash.js");
pub const TUS_JS_CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../node_modules/tus-js-client/dist/tus.min.js");

/// Defines `Uppy` and `Tus` for the page. These packages have no scripts for pages, only modules.
const UPPY: &str =
    "import { Uppy } from '@uppy/core'; import Tus from '@uppy/tus'; Object.assign(window, { Uppy, Tus });";

impl Browser {
    /// Makes a library available to the scripts of the open document.
    pub async fn load(&self, library: &str) -> Result<()> {
        let script = std::fs::read_to_string(library);
        self.run(&script.with_context(|| format!("{library} is not installed. Run `ops/dev/setup`."))?).await?;
        Ok(())
    }

    /// Makes Uppy available to the scripts of the open document. It is bundled as a site would do it, in this folder.
    pub async fn load_uppy(&self, folder: &Path) -> Result<()> {
        let bundle = folder.join("uppy.js");
        let entry = project().join("node_modules/.clipgate-uppy.mjs");
        std::fs::write(&entry, UPPY)?;
        let mut esbuild = Command::new(project().join("node_modules/.bin/esbuild"));
        esbuild.arg(entry).args(["--bundle", "--minify", "--log-level=error"]);
        run_tool(esbuild.arg(format!("--outfile={}", bundle.display())).current_dir(project()))?;
        self.load(bundle.to_str().context("the folder is not UTF-8")?).await
    }
}
