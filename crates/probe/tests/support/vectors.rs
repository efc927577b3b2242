//! Real clips with ffprobe's answers, which are stored outside the checkout.

use std::path::PathBuf;

use fixtures::decoded::millis;

/// One row of the vectors' index.
#[derive(Debug, Clone)]
pub struct MediaVector {
    pub name: String,
    pub path: PathBuf,
    pub format: String,
    /// ffprobe's `format.duration`, or the span of its packets if that is absent.
    pub duration_ms: Option<u64>,
    pub has_video: bool,
    pub width: u32,
    pub height: u32,
}

impl MediaVector {
    pub fn read(&self) -> Vec<u8> {
        std::fs::read(&self.path).expect("every vector in the index exists")
    }

    /// Whether the file is a still picture, which ffprobe reads as a video.
    pub fn is_image(&self) -> bool {
        let by_name = ["png", "jpg", "gif", "webp", "avif", "heif"];
        by_name.iter().any(|ending| self.name.ends_with(&format!(".{ending}")))
    }
}

/// Returns all vectors, or prints a line and returns `None` if they are not installed.
pub fn all() -> Option<Vec<MediaVector>> {
    let folder = folder().join("media");
    let Ok(index) = std::fs::read_to_string(folder.join("index.csv")) else {
        println!("SKIPPED: no vectors found (set CLIPGATE_VECTORS, or put them in ../shared/vectors)");
        return None;
    };
    Some(index.lines().skip(1).map(|line| vector(&folder, line)).collect())
}

fn folder() -> PathBuf {
    std::env::var_os("CLIPGATE_VECTORS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"), PathBuf::from)
}

fn vector(folder: &std::path::Path, line: &str) -> MediaVector {
    let fields = fields(line);
    let field = |index: usize| fields.get(index).map_or("", String::as_str);
    let seconds = |index| field(index).parse::<f64>().ok();
    MediaVector {
        name: field(0).to_owned(),
        path: folder.join(field(0)),
        format: field(5).to_owned(),
        duration_ms: seconds(6).or(seconds(12)).map(millis),
        has_video: field(7) == "1",
        width: field(9).parse().unwrap_or(0),
        height: field(10).parse().unwrap_or(0),
    }
}

/// Splits a line of CSV. Quoted fields may contain commas.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().expect("never empty").push(other),
        }
    }
    fields
}
