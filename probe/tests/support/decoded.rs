//! The frames of picture and sound that ffmpeg decodes from a file, and their times. The prober is compared with them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::vectors::{MediaVector, millis};

/// The decoded frames of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecodedFile {
    /// From the start of the first frame to the end of the last one.
    pub span_ms: u64,
    /// The most time that the last frame may add, because its duration is not declared.
    pub open_ms: u64,
    pub pictures: u64,
    pub sounds: u64,
    /// Whether the decoders complained.
    pub has_errors: bool,
}

/// Decodes all streams of a file. Returns `None` if ffprobe is not installed.
pub fn decode(path: &Path) -> Option<DecodedFile> {
    let entries = "frame=media_type,stream_index,pts_time,best_effort_timestamp_time,pkt_duration_time,nb_samples:\
                   stream=index,sample_rate";
    let arguments = ["-v", "level+warning", "-threads", "1", "-show_entries", entries, "-of", "compact=p=0"];
    let output = match Command::new("ffprobe").args(arguments).arg(path).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.expect("ffprobe can be started"),
    };
    let has_errors = String::from_utf8_lossy(&output.stderr).lines().any(is_error);
    let mut decoded = DecodedFile { has_errors, ..DecodedFile::default() };
    let mut streams: BTreeMap<String, StreamTimes> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let fields: BTreeMap<&str, &str> = line.split('|').filter_map(|field| field.split_once('=')).collect();
        let number = |name| fields.get(name).and_then(|text| text.parse::<f64>().ok());
        if let (Some(index), Some(rate)) = (fields.get("index"), number("sample_rate")) {
            streams.entry((*index).to_owned()).or_default().replace_negative_durations(rate);
        }
        match fields.get("media_type") {
            Some(&"video") => decoded.pictures += 1,
            Some(&"audio") => decoded.sounds += 1,
            _ => continue,
        }
        let Some(start) = number("pts_time").or_else(|| number("best_effort_timestamp_time")) else { continue };
        let stream = fields.get("stream_index").copied().unwrap_or_default().to_owned();
        let frame = DecodedFrame { start, duration: number("pkt_duration_time"), samples: number("nb_samples") };
        streams.entry(stream).or_default().frames.push(frame);
    }
    let whole = streams.values().filter(|stream| !stream.frames.is_empty()).map(StreamTimes::span);
    let whole = whole.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1), a.2.max(b.2)));
    decoded.span_ms = whole.map_or(0, |(first, last, _)| millis((last - first).max(0.0)));
    decoded.open_ms = whole.map_or(0, |(_, _, open)| millis(open));
    Some(decoded)
}

/// Whether a line of ffprobe's log reports that something could not be decoded. A damaged packet is only a warning
/// there.
fn is_error(line: &str) -> bool {
    ["[error]", "[fatal]", "[panic]", "Packet corrupt"].iter().any(|mark| line.contains(mark))
}

/// A decoded frame. Times are in seconds.
#[derive(Debug, Clone, Copy)]
struct DecodedFrame {
    start: f64,
    duration: Option<f64>,
    samples: Option<f64>,
}

impl DecodedFrame {
    fn end(&self) -> f64 {
        self.start + self.duration.unwrap_or(0.0)
    }
}

/// The frames of one stream.
#[derive(Default)]
struct StreamTimes {
    frames: Vec<DecodedFrame>,
}

impl StreamTimes {
    /// Replaces negative durations of sound by the duration of its samples. ffprobe repeats the duration of the packet,
    /// which is negative for the last packet of some Ogg files, and prints it as an unsigned number.
    fn replace_negative_durations(&mut self, sample_rate: f64) {
        let is_negative = |seconds: f64| seconds * sample_rate >= f64::from(1_u32 << 31);
        for frame in self.frames.iter_mut().filter(|frame| frame.duration.is_some_and(is_negative)) {
            frame.duration = frame.samples.map(|samples| samples / sample_rate);
        }
    }

    /// Returns the start, the end, and how much longer a last frame without a duration may be shown: as long as the
    /// others are on average.
    #[expect(clippy::cast_precision_loss, reason = "few frames")]
    fn span(&self) -> (f64, f64, f64) {
        let starts = || self.frames.iter().map(|frame| frame.start);
        let (first, last) = (starts().fold(f64::MAX, f64::min), starts().fold(f64::MIN, f64::max));
        let end = self.frames.iter().map(DecodedFrame::end).fold(f64::MIN, f64::max);
        let average = (last - first) / (self.frames.len().max(2) - 1) as f64;
        let last_has_duration = self.frames.last().is_some_and(|frame| frame.duration.is_some_and(|time| time > 0.0));
        (first, end, if last_has_duration { 0.0 } else { average })
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
