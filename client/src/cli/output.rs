//! Prints results on standard output, for people or as one JSON object per line, and everything else on standard error.

use super::words;
use client::{ClientError, FileError, Refusal, printable};
use indicatif::{MultiProgress, ProgressDrawTarget};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Prints results, notes and progress. Clones print to the same place.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    is_json: bool,
    bars: MultiProgress,
}

impl Output {
    pub(crate) fn new(is_json: bool) -> Self {
        let is_seen = !is_json && io::stderr().is_terminal();
        let target = if is_seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { is_json, bars: MultiProgress::with_draw_target(target) }
    }

    pub(crate) fn bars(&self) -> &MultiProgress {
        &self.bars
    }

    /// Prints a result: the text, or the object with the kind of result in `event`.
    pub(crate) fn result(&self, event: &str, text: &str, object: &impl Serialize) -> io::Result<()> {
        let line = if self.is_json { json_line(event, object)? } else { text.to_owned() };
        self.bars.suspend(|| writeln!(io::stdout().lock(), "{line}"))
    }

    /// Prints a note for people. JSON output has none.
    pub(crate) fn note(&self, text: &str) {
        if !self.is_json {
            self.complain(text);
        }
    }

    /// Prints a failure: a sentence on standard error, or an object on standard output.
    pub(crate) fn failure(&self, path: Option<&Path>, error: &anyhow::Error) {
        let known = error.downcast_ref::<ClientError>();
        let refusal = known.and_then(ClientError::refusal);
        if self.is_json {
            let path = path.map(|path| path.to_string_lossy());
            let text = format!("{error:#}");
            let object = json!({ "path": path, "exit_code": super::exit_code::number(error), "message": text, "refusal": refusal });
            // If writing fails, the failure cannot be reported anywhere else.
            let _ = self.result("failed", "", &object);
            return;
        }
        let names_itself = matches!(error.downcast_ref(), Some(ClientError::File(_))) || error.is::<FileError>();
        let place = path.filter(|_| !names_itself).map(|path| format!("{}: ", client::printable_path(path)));
        let page =
            refusal.and_then(|refusal| refusal.docs_url.as_deref()).map(|url| format!("More: {}", printable(url)));
        let hints = known.and_then(next_step).into_iter().chain(page);
        let hints: String = hints.map(|hint| "\n  ".to_owned() + &hint).collect();
        let words = refusal.and_then(|refusal| Some(format!("{} ({})", words::of_code(&refusal.code)?, refusal.code)));
        let text = words.unwrap_or_else(|| printable(&format!("{error:#}")));
        self.complain(&format!("clipgate: {}{text}{hints}", place.unwrap_or_default()));
    }

    fn complain(&self, text: &str) {
        // If standard error is closed, there is no other place to report it.
        let _ = self.bars.suspend(|| writeln!(io::stderr().lock(), "{text}"));
    }
}

/// Returns what to do in this program, if the error does not say it.
fn next_step(error: &ClientError) -> Option<String> {
    match error {
        ClientError::Refused(refusal) => after_refusal(refusal),
        ClientError::Unanswered { .. } => {
            Some("Check the network, then run the same command again: nothing is posted twice.".to_owned())
        }
        _ => None,
    }
}

fn after_refusal(refusal: &Refusal) -> Option<String> {
    let step = match refusal.code.as_str() {
        "api_key_invalid" => "Run `clipgate login` with a valid key.",
        "upload_token_mismatch" => {
            "`clipgate list` shows the video and `clipgate update` changes it; `--again` uploads the file as another \
             video."
        }
        "upload_token_spent" => "Add `--again` to upload this file as a new video.",
        "content_category_invalid" => "`clipgate categories` lists the IDs.",
        "content_not_found" => "`clipgate list` shows your videos.",
        "content_upload_limit_failure" => {
            let reset = refusal.limit_reset_time_unix.map(super::times::utc);
            return reset.map(|time| format!("Uploads are possible again after {time}."));
        }
        _ => return None,
    };
    Some(step.to_owned())
}

fn json_line(event: &str, object: &impl Serialize) -> io::Result<String> {
    let mut value = serde_json::to_value(object)?;
    if let Value::Object(members) = &mut value {
        members.insert("event".to_owned(), event.into());
    }
    Ok(value.to_string())
}
