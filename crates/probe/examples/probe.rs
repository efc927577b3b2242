//! Prints the verdict on each file as one line of JSON.
//!
//! `cargo run --release -p probe --example probe -- FILE…`

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use probe::{FileRefusal, Media, Prober};
use serde_json::{Value, json};

const CHUNK: usize = 64 * 1024;

fn main() {
    for path in std::env::args_os().skip(1) {
        let path = path.to_string_lossy();
        match probe_file(&path) {
            Ok(line) => println!("{line}"),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}

fn probe_file(path: &str) -> io::Result<Value> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut prober = Prober::new();
    let mut chunk = vec![0; CHUNK];
    let mut verdict_at = None;
    loop {
        let left = length.saturating_sub(prober.bytes_seen());
        let skippable = prober.skippable().min(left);
        if skippable > 0 {
            file.seek(SeekFrom::Start(prober.bytes_seen() + skippable))?;
            prober.skip(skippable);
        }
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        prober.feed(&chunk[..read]);
        verdict_at = prober.bytes_until_verdict();
    }
    let verdict_at = verdict_at.unwrap_or(length);
    Ok(match prober.finish() {
        Ok(media) => video_json(path, &media, verdict_at),
        Err(refusal) => refusal_json(path, &refusal, verdict_at),
    })
}

fn video_json(path: &str, media: &Media, verdict_at: u64) -> Value {
    let video = media.video();
    json!({
        "path": path,
        "verdict": "video",
        "container": media.container.name(),
        "duration_ms": media.duration_ms,
        "source": media.duration_source.name(),
        "width": video.and_then(|track| track.width),
        "height": video.and_then(|track| track.height),
        "video_codec": video.map(|track| track.codec.name()),
        "bytes_until_verdict": verdict_at,
        "reason": null,
    })
}

fn refusal_json(path: &str, refusal: &FileRefusal, verdict_at: u64) -> Value {
    json!({
        "path": path,
        "verdict": "refused",
        "container": refusal.container().map(probe::Container::name),
        "duration_ms": null,
        "source": null,
        "width": null,
        "height": null,
        "video_codec": null,
        "bytes_until_verdict": verdict_at,
        "reason": { "kind": refusal.kind().name(), "text": refusal.to_string() },
    })
}
