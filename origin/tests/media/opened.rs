//! Reads the description that ffmpeg prints of each file that it opens. One ffmpeg process opens many files, but
//! ffprobe opens only one, and starting either program takes longer than reading a small file.

use std::path::PathBuf;
use std::process::Command;

/// A description of one file.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    /// The start and the playing time in seconds, rounded to hundredths.
    pub(crate) start: f64,
    pub(crate) seconds: f64,
    /// One line for each stream.
    streams: Vec<String>,
    /// Whether any stream has side data, such as a display matrix.
    pub(crate) has_side_data: bool,
}

impl OpenedFile {
    /// Whether the file has exactly the expected streams, in this order. Each stream is given as the words that its
    /// line must contain.
    pub(crate) fn has_streams(&self, expected: &[&[&str]]) -> bool {
        let has = |(line, words): (&String, &&[&str])| {
            let found: Vec<_> = line.split([' ', ',', '(', ')']).collect();
            words.iter().all(|word| found.contains(word))
        };
        self.streams.len() == expected.len() && self.streams.iter().zip(expected).all(has)
    }
}

/// Opens files with a single start of ffmpeg.
pub(crate) fn opened(paths: &[PathBuf]) -> Vec<OpenedFile> {
    let inputs = paths.iter().flat_map(|path| ["-i".into(), path.clone().into_os_string()]);
    // It opens all inputs before it notices that there is no output.
    let output = Command::new("ffmpeg").args(["-nostdin", "-hide_banner"]).args(inputs).output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    let files: Option<Vec<_>> = log.split("Input #").skip(1).map(parse).collect();
    files.filter(|files| files.len() == paths.len()).unwrap_or_else(|| panic!("{paths:?}: {log}"))
}

fn parse(text: &str) -> Option<OpenedFile> {
    let (seconds, rest) = text.split_once("Duration: ")?.1.split_once(", start: ")?;
    let streams = text.lines().map(str::trim_start).filter(|line| line.starts_with("Stream #"));
    Some(OpenedFile {
        start: rest.split_once(',')?.0.parse().ok()?,
        seconds: parse_seconds(seconds)?,
        streams: streams.map(str::to_owned).collect(),
        has_side_data: text.contains("Side data:"),
    })
}

/// Parses `00:01:02.34`.
fn parse_seconds(time: &str) -> Option<f64> {
    time.split(':').try_fold(0.0, |total, part| Some(total * 60.0 + part.parse::<f64>().ok()?))
}
