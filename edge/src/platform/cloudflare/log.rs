//! Structured logs: one JSON object per line on the platform's console.

use std::io::{self, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use worker::{console_error, console_log, console_warn};

/// Sends logs and panics to the console. The platform adds the time.
pub(crate) fn install() {
    let subscriber = tracing_subscriber::fmt().json().flatten_event(true).with_current_span(true);
    let subscriber = subscriber.with_span_list(false).without_time().with_writer(Console).finish();
    // If the runtime resets the instance and this runs again, the first subscriber stays in place.
    let _ = tracing::subscriber::set_global_default(subscriber);
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        tracing::error!(location, "a handler panicked");
    }));
}

struct Console;

impl<'a> MakeWriter<'a> for Console {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { level: Level::INFO, text: Vec::new() }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line {
        Line { level: *metadata.level(), text: Vec::new() }
    }
}

/// Collects one event and prints it as one line, with the console's own level: the platform filters by that.
struct Line {
    level: Level,
    text: Vec<u8>,
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let Ok(text) = std::str::from_utf8(&self.text) else { return };
        match self.level {
            Level::ERROR => console_error!("{}", text.trim_end()),
            Level::WARN => console_warn!("{}", text.trim_end()),
            _ => console_log!("{}", text.trim_end()),
        }
    }
}
