//! A line per file with its rate and the time that is left. Nothing is drawn where the output is no terminal.

use super::output::Output;
use client::{printable, printable_path};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::time::Duration;

const NAME_CHARACTERS: usize = 28;
const BAR: &str =
    "{prefix:28!} {msg:10!} [{bar:20}] {bytes:>10} of {total_bytes:<10} {bytes_per_sec:>12} {eta:>4} left";
const SPINNER: &str = "{prefix:28!} {spinner} {msg}";

/// The progress of one file.
#[derive(Debug)]
pub(crate) struct FileProgress(ProgressBar);

impl FileProgress {
    pub(crate) fn new(output: &Output, path: &Path) -> Self {
        let name = path.file_name().map_or_else(|| printable_path(path), |name| printable(&name.to_string_lossy()));
        Self::named(output, &shortened(&name))
    }

    pub(crate) fn named(output: &Output, name: &str) -> Self {
        let bar = output.bars().add(ProgressBar::new(0));
        bar.set_style(style(SPINNER));
        bar.set_prefix(name.to_owned());
        Self(bar)
    }

    /// Begins a step whose amount is known.
    pub(crate) fn begin(&self, step: &'static str, bytes: u64) {
        self.0.disable_steady_tick();
        self.0.set_style(style(BAR));
        self.0.set_message(step);
        self.0.set_length(bytes);
        self.0.set_position(0);
        self.0.reset_eta();
    }

    pub(crate) fn set_position(&self, bytes: u64) {
        self.0.set_position(bytes);
    }

    /// Shows what is being waited for.
    pub(crate) fn wait(&self, text: &str) {
        self.0.set_style(style(SPINNER));
        self.0.set_message(text.to_owned());
        self.0.enable_steady_tick(Duration::from_millis(120));
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shortens a name in its middle, because the beginning and the end tell files apart.
fn shortened(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= NAME_CHARACTERS {
        return name.to_owned();
    }
    let (begin, end) = (NAME_CHARACTERS / 2, NAME_CHARACTERS - NAME_CHARACTERS / 2 - 1);
    let ends = [&characters[..begin], &['…'], &characters[characters.len() - end..]].concat();
    ends.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_ends() {
        assert_eq!(shortened("clip.mp4"), "clip.mp4");
        let long = format!("{}-0001.mp4", "é".repeat(50));
        let short = shortened(&long);
        assert!(short.chars().count() == NAME_CHARACTERS && short.ends_with("-0001.mp4") && short.contains('…'));
    }

    #[test]
    fn the_templates_are_valid() {
        assert!([BAR, SPINNER].iter().all(|template| ProgressStyle::with_template(template).is_ok()));
    }
}
