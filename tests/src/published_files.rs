//! The files of a published content, fetched as a viewer would and inspected with ffprobe and with our own prober.

use crate::clips::{ffmpeg, run_to_end};
use crate::http::HttpAnswer;
use crate::origin_fleet::{AcceptedUpload, OriginFleet};
use anyhow::{Context, Result, ensure};
use contract::paths;
use image::ImageFormat;
use probe::{Container, Media, Prober};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One frame at 25 frames per second, and a little for rounding.
const FRAME_MS: u32 = 41;
/// A playlist declares the duration of the pictures. Sound may last one audio frame longer.
const SOUND_FRAME_MS: u32 = 22;

/// The properties that a published content must have.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedMedia {
    pub size: (u32, u32),
    pub milliseconds: u32,
    pub has_sound: bool,
}

/// A published content.
#[derive(Debug)]
pub struct PublishedFiles<'a> {
    pub fleet: &'a OriginFleet,
    pub upload: &'a AcceptedUpload,
    pub status: &'a Value,
}

impl PublishedFiles<'_> {
    /// Fails unless the status and every file are as expected.
    pub async fn verify(&self, expected: ExpectedMedia) -> Result<()> {
        self.verify_status(expected)?;
        self.verify_video(expected).await.context("video.mp4")?;
        self.verify_stream(expected).await.context("HLS")?;
        self.verify_manifest(expected).context("DASH")?;
        self.verify_pictures(expected).await.context("pictures")?;
        self.verify_storyboard().await.context("storyboard")?;
        let preview = self.file("preview.webp").await?;
        ensure!(preview.starts_with(b"RIFF") && preview[8..16] == *b"WEBPVP8X");
        ensure!(preview.windows(4).any(|name| name == b"ANMF"), "the preview is not animated");
        Ok(())
    }

    fn verify_status(&self, expected: ExpectedMedia) -> Result<()> {
        let number = |name: &str| self.status[name].as_u64().context("no number");
        let (width, height) = expected.size;
        ensure!((number("width")?, number("height")?) == (u64::from(width), u64::from(height)), "{:#}", self.status);
        ensure_duration(number("duration_ms")?, expected)
    }

    async fn verify_video(&self, expected: ExpectedMedia) -> Result<()> {
        let bytes = self.video().await?;
        let path = self.save("video.mp4", &bytes)?;
        let probed = ffprobe(&path)?;
        verify_streams(&probed, expected, expected.size)?;
        verify_length(&probed, expected, FRAME_MS)?;
        let media = probe(&bytes)?;
        ensure!(media.container == Container::Mp4 && media.metadata_first, "{media:?}");
        let video = media.video().context("no video")?;
        ensure!((video.width, video.height) == (Some(expected.size.0), Some(expected.size.1)));
        ensure_duration(media.duration_ms, expected)
    }

    /// Reads each rendition of the master playlist over the network, in byte ranges.
    async fn verify_stream(&self, expected: ExpectedMedia) -> Result<()> {
        let master = String::from_utf8(self.file("hls/master.m3u8").await?)?;
        ensure_peaks(&master)?;
        let mut sizes = Vec::new();
        for name in master.lines().filter(|line| !line.starts_with('#')) {
            let playlist = String::from_utf8(self.file(&format!("hls/{name}")).await?)?;
            ensure!(playlist.contains("#EXT-X-MAP") && playlist.contains("#EXT-X-ENDLIST"));
            let url = self.fleet.stack.url(&self.path(&format!("hls/{name}")));
            let probed = ffprobe(Path::new(&url))?;
            let size = size(&probed)?;
            verify_streams(&probed, ExpectedMedia { has_sound: false, ..expected }, size)?;
            verify_length(&probed, expected, FRAME_MS + SOUND_FRAME_MS)?;
            let (width, height) = expected.size;
            let skew = i64::from(size.0) * i64::from(height) - i64::from(size.1) * i64::from(width);
            ensure!(skew.abs() <= 2 * i64::from(width.max(height)), "{size:?}");
            sizes.push(size);
        }
        self.verify_sound(&master, expected)?;
        sizes.sort_unstable();
        ensure!(sizes.last() == Some(&expected.size), "{sizes:?}: {master}");
        ensure!(sizes.is_sorted_by(|below, above| below < above), "{sizes:?}");
        Ok(())
    }

    /// Checks that the renditions share the sound, which a player finds in the master playlist.
    fn verify_sound(&self, master: &str, expected: ExpectedMedia) -> Result<()> {
        ensure!(master.contains("TYPE=AUDIO") == expected.has_sound, "{master}");
        if expected.has_sound {
            ensure!(master.contains("URI=\"sound.m3u8\""), "{master}");
            let probed = ffprobe(Path::new(&self.fleet.stack.url(&self.path("hls/sound.m3u8"))))?;
            ensure!(probed["streams"][0]["codec_name"] == "aac", "{probed:#}");
        }
        Ok(())
    }

    /// Reads the DASH manifest and the first segments of each rendition over the network.
    fn verify_manifest(&self, expected: ExpectedMedia) -> Result<()> {
        let probed = ffprobe(Path::new(&self.fleet.stack.url(&self.path("manifest.mpd"))))?;
        let streams = probed["streams"].as_array().context("no streams")?;
        ensure!(size(&probed)? == expected.size, "{probed:#}");
        let has_sound = streams.iter().any(|stream| stream["codec_name"] == "aac");
        ensure!(has_sound == expected.has_sound, "{probed:#}");
        Ok(())
    }

    async fn verify_pictures(&self, expected: ExpectedMedia) -> Result<()> {
        let thumbnails = self.status["thumbnails"].as_array();
        let thumbnails = thumbnails.context("no thumbnails")?;
        ensure!(!thumbnails.is_empty());
        let mut names = vec!["poster.jpg".to_owned()];
        for thumbnail in thumbnails {
            let url = thumbnail["url"].as_str().context("no address")?;
            let (_, name) = url.rsplit_once('/').context("no name")?;
            names.push(name.to_owned());
        }
        for name in names {
            let (width, height) = self.jpeg_size(&name).await.context(name.clone())?;
            ensure!(width <= expected.size.0 && height <= expected.size.1, "{name}: {width}x{height}");
        }
        Ok(())
    }

    async fn verify_storyboard(&self) -> Result<()> {
        let track = String::from_utf8(self.file("storyboard.vtt").await?)?;
        ensure!(track.starts_with("WEBVTT") && track.contains("storyboard.jpg#xywh="), "{track}");
        self.jpeg_size("storyboard.jpg").await.map(drop)
    }

    /// Returns the size of a picture. Fails unless it is a JPEG file that can be decoded. This process decodes it,
    /// because starting ffprobe would take longer.
    async fn jpeg_size(&self, name: &str) -> Result<(u32, u32)> {
        let picture = image::load_from_memory_with_format(&self.file(name).await?, ImageFormat::Jpeg)?;
        Ok((picture.width(), picture.height()))
    }

    pub async fn video(&self) -> Result<Vec<u8>> {
        let path = format!("{}{}", paths::MEDIA, self.upload.media_name);
        Ok(self.get(&path).await?.bytes)
    }

    pub async fn file(&self, name: &str) -> Result<Vec<u8>> {
        Ok(self.get(&self.path(name)).await?.bytes)
    }

    /// Returns the colour in the middle of the left half of the poster.
    pub async fn colour(&self) -> Result<[u8; 3]> {
        let path = self.save("poster.jpg", &self.file("poster.jpg").await?)?;
        let mut ffmpeg = ffmpeg();
        ffmpeg.arg("-i").arg(path);
        ffmpeg.args(["-vf", "crop=iw/4:ih/4:iw/8:ih*3/8,scale=1:1"]);
        ffmpeg.args(["-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]);
        let pixel = run_to_end(ffmpeg)?;
        pixel.try_into().ok().context("the output is not one pixel")
    }

    /// Returns the loudness of the video in LUFS.
    pub async fn loudness(&self) -> Result<f64> {
        let path = self.save("video.mp4", &self.video().await?)?;
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.args(["-hide_banner", "-nostdin", "-i"]).arg(path);
        ffmpeg.args(["-vn", "-af", "ebur128", "-f", "null", "-"]);
        let output = ffmpeg.output()?;
        let log = String::from_utf8(output.stderr)?;
        ensure!(output.status.success(), "{log}");
        // The summary comes last.
        let (_, summary) = log.rsplit_once(" I: ").context("no loudness")?;
        let number = summary.split_whitespace().next().context("no number")?;
        Ok(number.parse()?)
    }

    fn path(&self, name: &str) -> String {
        let stem = self.upload.media_name.trim_end_matches(".mp4");
        format!("{}{stem}/{name}", paths::MEDIA)
    }

    async fn get(&self, path: &str) -> Result<HttpAnswer> {
        let answer = self.fleet.stack.get(path).await?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        Ok(answer)
    }

    fn save(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let name = format!("{}-{name}", self.upload.content_uuid);
        let path = self.fleet.folder.join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}

/// Players choose a rendition by its peak bandwidth, so each one declares it, and never below the average.
fn ensure_peaks(master: &str) -> Result<()> {
    let number = |line: &str, name: &str| {
        let (_, rest) = line.split_once(name).with_context(|| format!("no {name} in {line}"))?;
        let digits = rest.split(',').next().context("no number")?;
        anyhow::Ok(digits.parse::<u64>()?)
    };
    for line in master.lines().filter(|line| line.contains("STREAM-INF")) {
        let peak = number(line, ":BANDWIDTH=")?;
        ensure!(peak >= number(line, "AVERAGE-BANDWIDTH=")?, "{line}");
    }
    Ok(())
}

fn verify_streams(probed: &Value, expected: ExpectedMedia, expected_size: (u32, u32)) -> Result<()> {
    let streams = probed["streams"].as_array().context("no streams")?;
    let codecs: Vec<_> = streams.iter().filter_map(|stream| stream["codec_name"].as_str()).collect();
    let expected_codecs: &[&str] = if expected.has_sound { &["h264", "aac"] } else { &["h264"] };
    ensure!(codecs == expected_codecs, "{probed:#}");
    ensure!(streams[0]["pix_fmt"] == "yuv420p", "{probed:#}");
    ensure!(size(probed)? == expected_size, "{expected_size:?}: {probed:#}");
    Ok(())
}

fn verify_length(probed: &Value, expected: ExpectedMedia, tolerance_ms: u32) -> Result<()> {
    let seconds: f64 = probed["format"]["duration"].as_str().context("no duration")?.parse()?;
    ensure!(
        (seconds * 1000.0 - f64::from(expected.milliseconds)).abs() <= f64::from(tolerance_ms),
        "{expected:?}: {probed:#}"
    );
    Ok(())
}

fn ensure_duration(duration_ms: u64, expected: ExpectedMedia) -> Result<()> {
    let difference = duration_ms.abs_diff(expected.milliseconds.into());
    ensure!(difference <= u64::from(FRAME_MS), "{duration_ms} ms: {expected:?}");
    Ok(())
}

fn size(probed: &Value) -> Result<(u32, u32)> {
    let side = |name: &str| {
        let side = probed["streams"][0][name].as_u64();
        anyhow::Ok(u32::try_from(side.context("no size")?)?)
    };
    Ok((side("width")?, side("height")?))
}

/// Probes a file, or a URL: ffprobe takes both as a path.
fn ffprobe(input: &Path) -> Result<Value> {
    let mut ffprobe = Command::new("ffprobe");
    ffprobe.args(["-loglevel", "error", "-show_streams", "-show_format"]);
    ffprobe.args(["-print_format", "json"]).arg(input);
    Ok(serde_json::from_slice(&run_to_end(ffprobe)?)?)
}

fn probe(bytes: &[u8]) -> Result<Media> {
    let mut prober = Prober::new();
    prober.feed(bytes);
    prober.finish().map_err(|refusal| anyhow::anyhow!("{refusal}"))
}
