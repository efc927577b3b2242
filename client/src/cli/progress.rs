//! One progress line per file, with its rate and remaining time. Nothing is drawn unless the output is a terminal.

use super::output::Output;
use client::{printable, printable_path};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const NAME_CHARACTERS: usize = 18;
/// Fits a terminal of 80 columns.
const BAR: &str = "{prefix:18!} {msg:9!} [{bar:8}] {percent:>3}% {total_bytes:>10} {bytes_per_sec:>12} {eta:>3} left";
const SPINNER: &str = "{prefix:18!} {spinner} {wide_msg}";

/// The progress of one file.
#[derive(Debug)]
pub(crate) struct FileProgress {
    bar: ProgressBar,
    step: Mutex<StepState>,
}

/// The state of the line.
#[derive(Clone, Copy, Debug)]
enum StepState {
    /// A step of unknown length.
    Unknown,
    Running {
        name: &'static str,
        bytes: u64,
    },
    /// A step that is interrupted by a wait.
    Waiting {
        name: &'static str,
        bytes: u64,
    },
}

impl FileProgress {
    pub(crate) fn new(output: &Output, path: &Path) -> Self {
        let name = path.file_name().map_or_else(|| printable_path(path), |name| printable(&name.to_string_lossy()));
        Self::named(output, &shortened(&name))
    }

    pub(crate) fn named(output: &Output, name: &str) -> Self {
        let bar = output.bars().add(ProgressBar::new(0));
        bar.set_style(style(SPINNER));
        bar.set_prefix(name.to_owned());
        Self { bar, step: Mutex::new(StepState::Unknown) }
    }

    /// Begins a step of known length.
    pub(crate) fn begin(&self, name: &'static str, bytes: u64) {
        *self.step() = StepState::Running { name, bytes };
        self.draw(name, bytes);
    }

    /// Continues the step, which a wait may have interrupted.
    pub(crate) fn set_position(&self, position: u64) {
        let mut step = self.step();
        if let StepState::Waiting { name, bytes } = *step {
            *step = StepState::Running { name, bytes };
            self.draw(name, bytes);
        }
        self.bar.set_position(position);
    }

    /// Shows the reason for waiting.
    pub(crate) fn wait(&self, text: &str) {
        let mut step = self.step();
        if let StepState::Running { name, bytes } = *step {
            *step = StepState::Waiting { name, bytes };
        }
        self.bar.set_style(style(SPINNER));
        self.bar.set_message(text.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(120));
    }

    fn draw(&self, name: &'static str, bytes: u64) {
        self.bar.disable_steady_tick();
        self.bar.set_style(style(BAR));
        self.bar.set_message(name);
        self.bar.set_length(bytes);
        self.bar.set_position(0);
        self.bar.reset_eta();
    }

    fn step(&self) -> MutexGuard<'_, StepState> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FileProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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
        assert!(short.chars().count() == NAME_CHARACTERS && short.ends_with("0001.mp4") && short.contains('…'));
    }

    #[test]
    fn the_templates_are_valid() {
        assert!([BAR, SPINNER].iter().all(|template| ProgressStyle::with_template(template).is_ok()));
    }
}
