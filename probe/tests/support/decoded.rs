//! What ffmpeg decodes of a file: the frames of picture and sound, and their times. This is the truth that the prober
//! is compared with.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::vectors::{MediaVector, millis};

/// The decoded frames of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecodedFile {
    /// From the start of the first frame to the end of the last one.
    pub span_ms: u64,
    /// How much longer the last frame may be shown, because nothing says how long it lasts.
    pub open_ms: u64,
    pub pictures: u64,
    pub sounds: u64,
    /// Whether the decoders complained.
    pub has_errors: bool,
}

/// Decodes all streams of a file. Returns `None` if ffprobe is not installed.
pub fn decode(path: &Path) -> Option<DecodedFile> {
    let entries = "frame=media_type,stream_index,pts_time,best_effort_timestamp_time,pkt_duration_time";
    let arguments = ["-v", "error", "-threads", "1", "-show_entries", entries, "-of", "compact=p=0"];
    let output = Command::new("ffprobe").args(arguments).arg(path).output().ok()?;
    let mut decoded = DecodedFile { has_errors: !output.stderr.is_empty(), ..DecodedFile::default() };
    let mut streams: BTreeMap<String, StreamTimes> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let fields: BTreeMap<&str, &str> = line.split('|').filter_map(|field| field.split_once('=')).collect();
        match fields.get("media_type") {
            Some(&"video") => decoded.pictures += 1,
            Some(&"audio") => decoded.sounds += 1,
            _ => continue,
        }
        let seconds = |name| fields.get(name).and_then(|text| text.parse::<f64>().ok());
        let Some(start) = seconds("pts_time").or_else(|| seconds("best_effort_timestamp_time")) else { continue };
        let stream = fields.get("stream_index").copied().unwrap_or_default().to_owned();
        streams.entry(stream).or_default().add(start, seconds("pkt_duration_time"));
    }
    let whole = streams.values().map(StreamTimes::span).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1), a.2.max(b.2)));
    decoded.span_ms = whole.map_or(0, |(first, last, _)| millis((last - first).max(0.0)));
    decoded.open_ms = whole.map_or(0, |(_, _, open)| millis(open));
    Some(decoded)
}

/// The times of one stream's frames, in seconds.
#[derive(Default)]
struct StreamTimes {
    starts: Vec<f64>,
    end: f64,
    last_has_duration: bool,
}

impl StreamTimes {
    fn add(&mut self, start: f64, duration: Option<f64>) {
        let end = start + duration.unwrap_or(0.0);
        self.end = if self.starts.is_empty() { end } else { self.end.max(end) };
        self.last_has_duration = duration.is_some_and(|duration| duration > 0.0);
        self.starts.push(start);
    }

    /// Returns the start, the end, and how much longer a last frame without a duration may be shown: as long as the
    /// others are on average.
    #[expect(clippy::cast_precision_loss, reason = "few frames")]
    fn span(&self) -> (f64, f64, f64) {
        let (first, last) =
            self.starts.iter().fold((f64::MAX, f64::MIN), |(a, b), start| (a.min(*start), b.max(*start)));
        let average = (last - first) / (self.starts.len().max(2) - 1) as f64;
        (first, self.end, if self.last_has_duration { 0.0 } else { average })
    }
}

/// The measured frames of all vectors, which `make docs` writes, because decoding them takes a minute.
pub fn of_vectors(vectors: &[MediaVector]) -> BTreeMap<String, DecodedFile> {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let measured: BTreeMap<_, _> =
            vectors.iter().filter_map(|vector| Some((vector.name.clone(), decode(&vector.path)?))).collect();
        let mut text = String::from("span_ms,open_ms,pictures,sounds,has_errors,name\n");
        for (name, file) in &measured {
            let DecodedFile { span_ms, open_ms, pictures, sounds, has_errors } = file;
            writeln!(text, "{span_ms},{open_ms},{pictures},{sounds},{has_errors},{name}")
                .expect("writing to a string succeeds");
        }
        std::fs::write(table(), text).expect("the table can be written");
        return measured;
    }
    std::fs::read_to_string(table()).unwrap_or_default().lines().skip(1).filter_map(read).collect()
}

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/decoded.csv")
}

fn read(line: &str) -> Option<(String, DecodedFile)> {
    let mut fields = line.splitn(6, ',');
    let (span_ms, open_ms) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let (pictures, sounds) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let has_errors = fields.next()? == "true";
    Some((fields.next()?.to_owned(), DecodedFile { span_ms, open_ms, pictures, sounds, has_errors }))
}
