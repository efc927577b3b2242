//! Processes files without a sandbox and prints one line about each. Use it on trusted files only.
//!
//! `cargo run --release -p origin --example media -- FILE…`. Set `KEEP=FOLDER` to keep the outputs.
//! `PRESET`, `QUALITY` and `SECOND_CODEC` set the encoders, as for an origin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;

use origin::media::all_stages::{ProcessedFile, process_file};
use origin::media::encoders::{Encoder, Encoders, Quality, SecondCodec};
use origin::media::plan::ThumbnailChoice;
use origin::media::{CancelFlag, MediaContext, MediaError, NoConfinement, Tools};

fn main() -> anyhow::Result<()> {
    let tools = Tools {
        ffmpeg: PathBuf::from("ffmpeg"),
        ffprobe: PathBuf::from("ffprobe"),
        confinement: Arc::new(NoConfinement),
        threads: std::thread::available_parallelism()?.get(),
        encoders: Encoders { h264: encoder()?, second_codec: second_codec()? },
    };
    let keep = std::env::var_os("KEEP").map(PathBuf::from);
    for file in std::env::args_os().skip(1) {
        let folder = tempfile::tempdir()?;
        let folder = keep.as_deref().unwrap_or(folder.path());
        let source = std::fs::canonicalize(&file)?;
        println!("{}\t{}", describe(&tools, &source, folder), Path::new(&file).display());
    }
    Ok(())
}

/// Returns the encoder that `PRESET` and `QUALITY` name, as for an origin.
fn encoder() -> anyhow::Result<Encoder> {
    let variable = |name| std::env::var(name).ok();
    let preset = variable("PRESET").map(|name| name.parse().map_err(anyhow::Error::msg)).transpose()?;
    let quality = variable("QUALITY").map(|factor| factor.parse()).transpose()?;
    let quality = quality.map(|factor| Quality::new(factor).context("QUALITY is out of range")).transpose()?;
    Ok(Encoder { preset: preset.unwrap_or_default(), quality: quality.unwrap_or_default(), hardware: None })
}

fn second_codec() -> anyhow::Result<Option<SecondCodec>> {
    match std::env::var("SECOND_CODEC").as_deref() {
        Err(_) | Ok("none") => Ok(None),
        Ok("av1") => Ok(Some(SecondCodec::Av1)),
        Ok("hevc") => Ok(Some(SecondCodec::Hevc)),
        Ok(other) => anyhow::bail!("{other} is no codec"),
    }
}

fn describe(tools: &Tools, source: &Path, folder: &Path) -> String {
    let context = MediaContext { tools, source, folder, cancel: &CancelFlag::default() };
    let start = Instant::now();
    let result = process_file(&context, &ThumbnailChoice::Best, |_| ());
    let seconds = start.elapsed().as_secs_f64();
    match result {
        Ok(ProcessedFile { plan, verified, .. }) => {
            let rungs: Vec<_> = plan.rungs.iter().map(|rung| rung.name.to_string()).collect();
            let copied = if plan.copy_video { "copied" } else { "encoded" };
            let loudness = verified.loudness.map_or("none".to_owned(), |loudness| {
                format!("{:.1} LUFS, {:.1} dBTP", loudness.integrated_lufs, loudness.true_peak_dbtp)
            });
            format!(
                "done\t{seconds:.1} s\t{} ms\t{}x{}\t{}\t{copied}\t{loudness}",
                verified.duration_ms,
                verified.width,
                verified.height,
                rungs.join("+"),
            )
        }
        Err(MediaError::Rejected { code, detail, .. }) => {
            format!("rejected\t{seconds:.1} s\t{}\t{detail}", code.as_str())
        }
        Err(error) => format!("ERROR\t{seconds:.1} s\t{error:?}"),
    }
}
