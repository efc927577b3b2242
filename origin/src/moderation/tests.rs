//! The whole module on generated pictures.

use super::*;
use crate::moderation::detectors::{Detections, FlashingSpan, MillisecondSpan};
use contract::moderation::strictest_recommendation;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::{FilterType, overlay, resize};
use image::{GrayImage, Luma};
use similar_hashes::{BlockedFrame, BlocklistSearch};
use std::path::Path;
use std::sync::LazyLock;

/// Waves in several directions, different for each seed.
fn draw_waves(seed: u32, width: u32, height: u32) -> GrayImage {
    let wave = |index: u32| f64::from((seed * 7919 + index * 104_729) % 97) / 97.0;
    GrayImage::from_fn(width, height, |x, y| {
        let (across, down) = (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
        let light: f64 = (0..6)
            .map(|index| {
                let (one, two) = (wave(index * 3) - 0.5, wave(index * 3 + 1) - 0.5);
                let angle = 60.0 * (across * one + down * two) + 6.0 * wave(index * 3 + 2);
                angle.sin()
            })
            .sum();
        Luma([shade(128.0 + 30.0 * light)])
    })
}

/// Blocks of pseudo-random shades, in rows of a different length for each size.
fn draw_blocks(size: u32, width: u32, height: u32) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| {
        let cell = (x * (size + 5) / width + 97 * (y * size / height) + 7919 * size).wrapping_mul(0x9E37_79B1);
        Luma([(cell ^ (cell >> 15)).wrapping_mul(0x85EB_CA6B).to_be_bytes()[0]])
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range of a pixel")]
fn shade(light: f64) -> u8 {
    light.clamp(0.0, 255.0) as u8
}

fn encode(picture: &GrayImage, quality: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(picture).unwrap();
    bytes
}

fn with_border(picture: &GrayImage, horizontal: u32, vertical: u32, light: u8) -> GrayImage {
    let (width, height) = (picture.width() + 2 * horizontal, picture.height() + 2 * vertical);
    let mut bordered = GrayImage::from_pixel(width, height, Luma([light]));
    overlay(&mut bordered, picture, horizontal.into(), vertical.into());
    bordered
}

fn write_frames(folder: &Path, pictures: &[Vec<u8>]) -> Vec<FrameFile> {
    let write = |(index, bytes): (usize, &Vec<u8>)| {
        let path = folder.join(format!("{index:04}.jpg"));
        std::fs::write(&path, bytes).unwrap();
        let at_ms = index as u64 * 500;
        FrameFile { path, at_ms }
    };
    pictures.iter().enumerate().map(write).collect()
}

async fn evidence(pictures: &[Vec<u8>], detections: &Detections) -> Result<ModerationEvidence, ModerationError> {
    let folder = tempfile::tempdir().unwrap();
    let frames = write_frames(folder.path(), pictures);
    collect_evidence(ModerationInput {
        content_uuid: "a-content",
        caption: None,
        summary: None,
        subtitles: "",
        duration_ms: 5000,
        sound: None,
        frames: &frames,
        unexamined_from_ms: None,
        detections,
        classifier: None,
    })
    .await
}

/// The frames of one video, generated once for all tests.
static FRAMES: LazyLock<Vec<GrayImage>> = LazyLock::new(|| (0..5).map(|seed| draw_waves(seed, 320, 180)).collect());

/// Returns the hashes of the frames after `disguise` has changed and encoded them.
async fn hashes(disguise: impl Fn(&GrayImage) -> Vec<u8>) -> Vec<FrameHash> {
    let pictures: Vec<_> = FRAMES.iter().map(disguise).collect();
    evidence(&pictures, &Detections::default()).await.unwrap().frames
}

/// Returns a blocklist with the undisguised frames.
async fn blocklist() -> Vec<BlockedFrame> {
    let hashes = hashes(|picture| encode(picture, 90)).await;
    hashes.into_iter().map(|frame| BlockedFrame { content: 1, hash: frame.hash }).collect()
}

#[tokio::test]
async fn a_disguised_copy_of_a_rejected_video_is_rejected() {
    let blocked = blocklist().await;
    assert_eq!(blocked.len(), 5);
    let copies = [
        hashes(|picture| encode(picture, 10)).await,
        hashes(|picture| encode(&resize(picture, 160, 90, FilterType::Triangle), 60)).await,
        hashes(|picture| encode(&with_border(picture, 0, 18, 0), 60)).await,
        hashes(|picture| encode(&with_border(picture, 32, 0, 250), 60)).await,
        hashes(|picture| encode(&with_border(picture, 32, 18, 90), 60)).await,
    ];
    for (index, copy) in copies.iter().enumerate() {
        let recommendation = blocklist_finding(copy, &blocked).map(|finding| finding.recommendation);
        assert_eq!(recommendation, Some(Recommendation::Reject), "disguise {index}");
    }
}

fn blocklist_finding(frames: &[FrameHash], blocked: &[BlockedFrame]) -> Option<Finding> {
    let mut search = BlocklistSearch::new(frames);
    search.add_page(blocked);
    search.finding()
}

#[tokio::test]
async fn different_pictures_do_not_match() {
    let blocked = blocklist().await;
    let others: Vec<_> = (2..7).map(|size| encode(&draw_blocks(size, 320, 180), 90)).collect();
    let others = evidence(&others, &Detections::default()).await.unwrap().frames;
    assert_eq!(blocklist_finding(&others, &blocked), None);
}

#[tokio::test]
async fn a_frame_without_detail_has_no_hash_and_the_other_frames_keep_their_times() {
    let black = encode(&GrayImage::new(320, 180), 90);
    let pictures = [black.clone(), encode(&draw_waves(1, 320, 180), 90), black.clone()];
    let mixed = evidence(&pictures, &Detections::default()).await.unwrap();
    let times: Vec<_> = mixed.frames.iter().map(|frame| frame.at_ms).collect();
    assert_eq!((times, mixed.findings), (vec![500], vec![]));
    assert_eq!(mixed.examination.plain_frames_at_ms, [0, 1000]);
    assert_eq!(mixed.examination.checks, Check::OF_EVERY_JOB);
    let black_only = evidence(&[black], &Detections::default()).await.unwrap();
    assert_eq!(black_only.frames, []);
    assert_eq!(black_only.findings.len(), 1);
    assert_eq!(strictest_recommendation(&black_only.findings), Recommendation::Pass);
}

#[tokio::test]
async fn detections_are_among_the_findings() {
    let span = MillisecondSpan { from_ms: 0, until_ms: 900 };
    let flashing = vec![FlashingSpan { span, score: 2.0 }];
    let detections = Detections { silent: vec![span], flashing, ..Detections::default() };
    let evidence = evidence(&[encode(&draw_waves(1, 320, 180), 90)], &detections).await.unwrap();
    assert_eq!(strictest_recommendation(&evidence.findings), Recommendation::Review);
    assert_eq!(evidence.findings.len(), 2);
}

/// Returns the findings of a classifier that cannot be reached.
async fn findings_without_answer(sound: Option<&Path>) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let frames = write_frames(folder.path(), &[encode(&draw_waves(1, 320, 180), 90)]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let classifier = ClassifierClient::new(
        crate::clients::http::client_builder(std::time::Duration::from_secs(30)).build().unwrap(),
        crate::clients::classifier::ClassifierSettings { url, token: None },
        crate::clients::classifier::RetryTiming { first_pause: std::time::Duration::ZERO, ..Default::default() },
    );
    let detections = Detections::default();
    let evidence = collect_evidence(ModerationInput {
        content_uuid: "a-content",
        caption: None,
        summary: None,
        subtitles: "",
        duration_ms: 5000,
        sound,
        frames: &frames,
        unexamined_from_ms: None,
        detections: &detections,
        classifier: Some(&classifier),
    });
    evidence.await.unwrap().findings
}

#[tokio::test]
async fn an_unreachable_classifier_makes_the_video_wait() {
    let findings = findings_without_answer(None).await;
    assert_eq!(strictest_recommendation(&findings), Recommendation::Wait);
}

#[tokio::test]
async fn sound_that_is_too_long_for_the_classifier_needs_a_person() {
    let sound = tempfile::NamedTempFile::new().unwrap();
    sound.as_file().set_len(MAX_SOUND_BYTES as u64).unwrap();
    let recommendation = async || strictest_recommendation(&findings_without_answer(Some(sound.path())).await);
    assert_eq!(recommendation().await, Recommendation::Wait);
    sound.as_file().set_len(MAX_SOUND_BYTES as u64 + 1).unwrap();
    assert_eq!(recommendation().await, Recommendation::Review);
}

#[tokio::test]
async fn no_frames_too_many_frames_and_invalid_frames_are_errors() {
    let detections = Detections::default();
    let good = encode(&draw_waves(1, 32, 32), 50);
    assert!(matches!(evidence(&[], &detections).await, Err(ModerationError::FrameCount(0))));
    let many = vec![good.clone(); MAX_FRAMES + 1];
    assert!(
        matches!(evidence(&many, &detections).await, Err(ModerationError::FrameCount(count)) if count == MAX_FRAMES + 1)
    );
    let broken = [good, b"not a picture".to_vec()];
    assert!(matches!(evidence(&broken, &detections).await, Err(ModerationError::InvalidImage { at_ms: 500, .. })));
    let huge = encode(&GrayImage::new(5000, 8), 50);
    assert!(matches!(evidence(&[huge], &detections).await, Err(ModerationError::InvalidImage { .. })));
    let long = vec![0; 2_000_001];
    assert!(matches!(evidence(&[long], &detections).await, Err(ModerationError::Unreadable(_))));
}
