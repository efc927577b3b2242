//! The files that are accepted, and the texts with which others are refused.

use contract::ErrorCode;
use fixtures::boxes::Video;
use probe::judge::{FileJudge, RefusedFile};
use proptest::prelude::*;

fn verdict(file: &[u8], chunk_bytes: usize) -> Result<u64, RefusedFile> {
    let mut judge = FileJudge::default();
    file.chunks(chunk_bytes).try_for_each(|chunk| judge.feed(chunk))?;
    judge.finish().map(|media| media.duration_ms)
}

fn of_length(milliseconds: u32) -> Result<u64, RefusedFile> {
    verdict(&fixtures::mp4(milliseconds, 2_000, 1), usize::MAX)
}

#[test]
fn both_ends_of_the_duration_are_accepted() {
    assert_eq!(of_length(2_000).unwrap(), 2_000);
    assert_eq!(of_length(120_000).unwrap(), 120_000);
}

#[test]
fn a_wrong_duration_is_named_to_the_millisecond_with_the_limits() {
    for (milliseconds, length) in [(1_999, "1.999"), (120_001, "120.001"), (121_050, "121.050")] {
        let refused = of_length(milliseconds).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ContentVideoDurationInvalid);
        let expected = format!("The video is {length} seconds long. It must be 2 to 120 seconds long.");
        assert_eq!(refused.detail, expected);
    }
}

#[test]
fn a_declared_duration_beyond_the_limit_is_refused_before_the_media() {
    let file = fixtures::mp4(121_000, 100_000, 1);
    assert!(FileJudge::default().feed(&file[..1_000]).is_err());
}

/// Returns a movie of 2 s with pictures of this size at this rate.
fn pictures([width, height]: [u16; 2], rate: u32) -> Vec<u8> {
    let ticks = 1_000_000;
    let video = Video { timescale: ticks, times: vec![[2 * rate, ticks / rate]], claimed: 2_000, ..Video::default() };
    let mut file = video.file();
    let size = file.windows(4).position(|bytes| bytes == [1, 64, 0, 180]).unwrap();
    file[size..size + 2].copy_from_slice(&width.to_be_bytes());
    file[size + 2..size + 4].copy_from_slice(&height.to_be_bytes());
    file
}

#[test]
fn the_pictures_of_a_phone_are_accepted_at_any_rate_and_more_pixels_are_refused_in_a_sentence() {
    for (size, rate) in [([3840, 2160], 60), ([1920, 1080], 240), ([3840, 2160], 120), ([7680, 4320], 30)] {
        assert!(verdict(&pictures(size, rate), usize::MAX).is_ok(), "{size:?} at {rate}");
    }
    let refused = verdict(&pictures([5000, 4000], 1000), usize::MAX).unwrap_err();
    assert_eq!(refused.code, ErrorCode::ContentFileInvalidFormat);
    assert!(refused.detail.contains("1100 million pixels per second. Export it"), "{}", refused.detail);
}

#[test]
fn a_file_that_is_not_a_video_is_refused_in_a_sentence() {
    let refused = FileJudge::default().feed(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR").unwrap_err();
    assert_eq!(refused.code, ErrorCode::ContentFileInvalidFormat);
    assert_eq!(refused.detail, "Not a supported video: PNG (image).");
}

proptest! {
    #[test]
    fn the_chunks_of_a_file_do_not_change_its_verdict(milliseconds in 1_000_u32..125_000, chunk_bytes in 1_usize..4_000) {
        let file = fixtures::mp4(milliseconds, 2_000, 1);
        prop_assert_eq!(verdict(&file, chunk_bytes), verdict(&file, usize::MAX));
    }
}
