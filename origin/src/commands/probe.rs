//! `probe FILE`: what production would say of it.

use super::setup::tools;
use crate::arguments::ProbeArguments;
use crate::media::{self, Inspection, MediaError, Stop, Workshop};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::process::ExitCode;

pub fn probe(arguments: &ProbeArguments) -> Result<ExitCode> {
    let tools = tools(&arguments.tools, 1)?;
    let source = arguments
        .file
        .canonicalize()
        .with_context(|| format!("reading {}", arguments.file.display()))?;
    let folder = tempfile::tempdir()?;
    let shop = Workshop {
        tools: &tools,
        source: &source,
        folder: folder.path(),
        stop: &Stop::default(),
    };
    let (answer, code) = match media::inspect(&shop) {
        Ok(inspection) => (facts(&inspection), ExitCode::SUCCESS),
        Err(MediaError::Rejected { code, detail }) => {
            let answer = json!({ "accepted": false, "error_message_code": code, "detail": detail });
            (answer, ExitCode::FAILURE)
        }
        Err(error) => return Err(error.into()),
    };
    if arguments.json {
        println!("{answer}");
    } else {
        print!("{}", lines(&answer));
    }
    Ok(code)
}

fn facts(inspection: &Inspection) -> Value {
    let Inspection {
        container,
        duration_ms,
        video,
        audio,
        ahead: _,
    } = inspection;
    json!({
        "accepted": true,
        "container": container.name(),
        "duration_ms": duration_ms,
        "width": video.width,
        "height": video.height,
        "video_codec": video.codec,
        "audio_codec": audio.as_ref().map(|audio| &audio.codec),
    })
}

/// One fact a line, for people.
fn lines(answer: &Value) -> String {
    let facts = answer.as_object().into_iter().flatten();
    facts.fold(String::new(), |text, (name, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        format!("{text}{name}: {value}\n")
    })
}
