//! Peak bit rates: pictures that are hard to compress get higher rates than usual, and nothing depends on that.

use crate::clips::{AAC, Clip, tone};
use crate::processed_clip::{ProcessedClip, processed, tools};
use origin::media::plan::{Plan, ThumbnailChoice, plan_rates};
use origin::media::source::inspect;
use origin::media::{CancelFlag, MediaContext, MediaError, Tools};
use std::sync::OnceLock;

/// The usual rates of 640x360 at up to 35 frames per second.
const USUAL: [u32; 2] = [801, 130];

/// Makes a clip of two seconds that an origin encodes and never copies.
fn clip(filters: &str) -> Clip {
    let pictures = format!("-f lavfi -i testsrc2=s=640x360:r=15:d=2,{filters}");
    Clip::new("source.ts", &format!("{pictures} {} -c:v libx264 -preset ultrafast -crf 10 -g 15 {AAC}", tone(2.0)))
}

/// Returns a clip of noise, shared by the tests that only read it.
fn hard_clip() -> &'static Clip {
    static CLIP: OnceLock<Clip> = OnceLock::new();
    CLIP.get_or_init(|| clip("noise=alls=60:allf=t"))
}

/// Returns the outputs of the clip of noise, shared by the tests that only look at them.
pub(crate) fn hard_outputs() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| processed(hard_clip()))
}

#[test]
fn hard_pictures_get_higher_peaks_than_easy_ones_and_the_playlist_says_so() {
    let (easy, hard) = (&processed(&clip("hue=s=0")), hard_outputs());
    let rates = |plan: &Plan| plan.rungs.iter().map(|rung| rung.max_kbps).collect::<Vec<_>>();
    assert_eq!(rates(&easy.plan), USUAL);
    assert_eq!(rates(&hard.plan), [1282, 130]);
    assert_eq!([easy, hard].map(|outputs| outputs.plan.rungs[0].factor_raise_tenths > 0), [false, true]);
    for outputs in [easy, hard] {
        let bytes = std::fs::metadata(outputs.out("hls/360p.mp4")).unwrap().len();
        // Two seconds are one segment, so the peak is the average, and the sound comes on top.
        assert!(outputs.stated_peak("360p.m3u8") > bytes * 8 / 2 * 95 / 100);
        let names = std::fs::read_dir(outputs.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with("look")));
    }
    let peaks = [easy, hard].map(|outputs| outputs.stated_peak("360p.m3u8"));
    assert!(peaks[0] < 1_000_000 && peaks[1] > 1_200_000, "{peaks:?}");
    assert!(hard.stated_peak("240p.m3u8") <= 250_000);
}

/// Returns the rates that a plan gets with these tools.
fn rates(tools: &Tools, cancel: &CancelFlag) -> Result<Vec<u32>, MediaError> {
    let (source, folder) = (hard_clip().path(), tempfile::tempdir().unwrap());
    let never = CancelFlag::default();
    let context = MediaContext { tools, source: &source, folder: folder.path(), cancel: &never };
    let inspection = inspect(&context).unwrap();
    let plan = Plan::new(&inspection, None, &ThumbnailChoice::Best);
    let plan = plan_rates(&MediaContext { cancel, ..context }, &inspection, plan)?;
    Ok(plan.rungs.iter().map(|rung| rung.max_kbps).collect())
}

#[test]
fn the_usual_rates_apply_if_the_pictures_cannot_be_measured() {
    let broken = Tools { ffmpeg: "/bin/false".into(), ..tools() };
    assert_eq!(rates(&broken, &CancelFlag::default()).unwrap(), USUAL);
}

#[test]
fn a_cancelled_job_ends_while_its_pictures_are_measured() {
    let cancelled = CancelFlag::default();
    cancelled.cancel();
    assert!(rates(&tools(), &cancelled).is_err());
}
