//! `probe FILE`: inspects a video file as the service does.

use super::setup::media_tools;
use crate::cli::arguments::ProbeArguments;
use crate::media::source::Inspection;
use crate::media::{self, CancelFlag, MediaContext, MediaError};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) fn inspect_file(arguments: &ProbeArguments) -> Result<ExitCode> {
    let tools = media_tools(&arguments.tools, 1)?;
    let path = arguments.file.display();
    let source = arguments.file.canonicalize().with_context(|| format!("cannot read {path}"))?;
    let folder = tempfile::tempdir()?;
    let context =
        MediaContext { tools: &tools, source: &source, folder: folder.path(), cancel: &CancelFlag::default() };
    let (answer, code) = match media::source::inspect(&context) {
        Ok(inspection) => (properties(&inspection), ExitCode::SUCCESS),
        Err(MediaError::Rejected { code, detail, cause }) => {
            let answer = json!({ "accepted": false, "error_message_code": code, "detail": detail, "cause": cause });
            (answer, ExitCode::FAILURE)
        }
        Err(error) => return Err(error.into()),
    };
    if arguments.json {
        println!("{answer}");
    } else {
        print!("{}", as_text(&answer));
    }
    Ok(code)
}

fn properties(inspection: &Inspection) -> Value {
    let Inspection { container, duration_ms, video, audio, lead_in_seconds: _, subtitles, closed_captions_from: _ } =
        inspection;
    json!({
        "accepted": true,
        "container": container.name(),
        "duration_ms": duration_ms,
        "width": video.width,
        "height": video.height,
        "video_codec": video.codec,
        "audio_codec": audio.as_ref().map(|audio| &audio.codec),
        "subtitles": subtitles.iter().map(|track| &track.format).collect::<Vec<_>>(),
    })
}

/// Returns one `name: value` line per property.
fn as_text(answer: &Value) -> String {
    let properties = answer.as_object().into_iter().flatten();
    properties.fold(String::new(), |text, (name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{text}{name}: {value}\n")
    })
}
