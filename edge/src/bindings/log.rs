//! Structured logs: one JSON object per line on the platform's console.

use std::io::{self, Write};
use tracing_subscriber::fmt::MakeWriter;
use worker::console_log;

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
        Line(Vec::new())
    }
}

/// Collects one event and prints it as one line.
struct Line(Vec<u8>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            console_log!("{}", text.trim_end());
        }
    }
}
