//! The log on standard error, as text or JSON, and the progress bars of running jobs on a terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write, stderr};
use std::sync::LazyLock;
use tracing::Level;
use tracing_subscriber::fmt::MakeWriter;

/// The progress bars of all jobs. They are hidden if standard error is not a terminal.
static BARS: LazyLock<MultiProgress> = LazyLock::new(|| {
    let target = if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    MultiProgress::with_draw_target(target)
});

/// Starts the log, with one JSON object per line if `as_json` is set.
pub fn start(as_json: bool) {
    let builder = tracing_subscriber::fmt().with_max_level(Level::INFO).with_writer(LogWriter);
    if as_json {
        builder.json().init();
    } else {
        builder.with_ansi(stderr().is_terminal()).init();
    }
}

/// The progress bar of one job, from 0 to 100 percent. It disappears when this value is dropped.
#[derive(Debug)]
pub struct JobBar(ProgressBar);

impl JobBar {
    pub fn new(name: &str) -> Self {
        let style = ProgressStyle::with_template("{prefix} {bar:30} {pos:>3} % {msg}");
        let bar = ProgressBar::new(100).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let bar = BARS.add(bar);
        bar.set_prefix(name.to_owned());
        Self(bar)
    }

    pub fn show(&self, percent: u8, stage: &'static str) {
        self.0.set_position(u64::from(percent));
        self.0.set_message(stage);
    }
}

impl Drop for JobBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        BARS.remove(&self.0);
    }
}

/// Hides the progress bars while it writes to standard error, so that a log line never appears inside a bar.
#[derive(Clone, Copy, Debug)]
struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        stderr().flush()
    }
}

impl MakeWriter<'_> for LogWriter {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}
