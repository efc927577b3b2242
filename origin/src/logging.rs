//! The log: to standard error, as text or as JSON, never through the middle of a progress bar.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write, stderr};
use std::sync::LazyLock;
use tracing::Level;
use tracing_subscriber::fmt::MakeWriter;

/// The bars of all jobs; hidden when nobody is looking.
static BARS: LazyLock<MultiProgress> = LazyLock::new(|| {
    let target = if stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    MultiProgress::with_draw_target(target)
});

pub fn start(as_json: bool) {
    let builder = tracing_subscriber::fmt()
        .with_max_level(Level::INFO)
        .with_writer(BesideBars);
    if as_json {
        builder.json().init();
    } else {
        builder.with_ansi(stderr().is_terminal()).init();
    }
}

/// A bar for one job, from 0 to 100 percent; it vanishes when it is dropped.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    pub fn new(name: &str) -> Self {
        let style = ProgressStyle::with_template("{prefix} {bar:30} {pos:>3} % {msg}");
        let bar = ProgressBar::new(100)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let bar = BARS.add(bar);
        bar.set_prefix(name.to_owned());
        Self(bar)
    }

    pub fn show(&self, percent: u8, doing: &'static str) {
        self.0.set_position(u64::from(percent));
        self.0.set_message(doing);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        BARS.remove(&self.0);
    }
}

/// Standard error, with the bars out of the way for as long as a line is written.
#[derive(Clone, Copy, Debug)]
struct BesideBars;

impl Write for BesideBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        stderr().flush()
    }
}

impl MakeWriter<'_> for BesideBars {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}
