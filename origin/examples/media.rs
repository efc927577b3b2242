//! Processes files without a sandbox and prints one line about each. Use it on trusted files only.
//!
//! `cargo run --release -p origin --example media -- FILE…`. Set `KEEP=FOLDER` to keep the outputs, and
//! `SECOND_CODEC` as for an origin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use origin::media::{
    CancelFlag, Encoders, MediaContext, MediaError, NoConfinement, SecondCodec, ThumbnailChoice, Tools, process_file,
};

fn main() -> anyhow::Result<()> {
    let tools = Tools {
        ffmpeg: PathBuf::from("ffmpeg"),
        ffprobe: PathBuf::from("ffprobe"),
        confinement: Arc::new(NoConfinement),
        threads: std::thread::available_parallelism()?.get(),
        encoders: Encoders { second_codec: second_codec()? },
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
        Ok((plan, _, verified)) => {
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
        Err(MediaError::Rejected { code, detail }) => {
            format!("rejected\t{seconds:.1} s\t{}\t{detail}", code.as_str())
        }
        Err(error) => format!("ERROR\t{seconds:.1} s\t{error:?}"),
    }
}
