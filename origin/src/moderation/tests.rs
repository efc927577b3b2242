//! The chain, on pictures that are drawn here.

use super::*;
use crate::moderation::detectors::{Flashing, Seen, Span};
use contract::blocklist::{Blocked, Search};
use contract::moderation::verdict;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::{FilterType, overlay, resize};
use image::{GrayImage, Luma};
use std::path::Path;

/// A picture like no other seed's: waves of several directions.
fn drawing(seed: u32, width: u32, height: u32) -> GrayImage {
    let wave = |index: u32| f64::from((seed * 7919 + index * 104_729) % 97) / 97.0;
    GrayImage::from_fn(width, height, |x, y| {
        let (across, down) = (
            f64::from(x) / f64::from(width),
            f64::from(y) / f64::from(height),
        );
        let light: f64 = (0..6)
            .map(|index| {
                let (one, two) = (wave(index * 3) - 0.5, wave(index * 3 + 1) - 0.5);
                let angle = 40.0 * (across * one + down * two) + 6.0 * wave(index * 3 + 2);
                angle.sin()
            })
            .sum();
        Luma([shade(128.0 + 30.0 * light)])
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what a pixel holds"
)]
fn shade(light: f64) -> u8 {
    light.clamp(0.0, 255.0) as u8
}

fn jpeg(picture: &GrayImage, quality: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality)
        .encode_image(picture)
        .unwrap();
    bytes
}

fn framed(picture: &GrayImage, across: u32, down: u32, light: u8) -> GrayImage {
    let (width, height) = (picture.width() + 2 * across, picture.height() + 2 * down);
    let mut framed = GrayImage::from_pixel(width, height, Luma([light]));
    overlay(&mut framed, picture, across.into(), down.into());
    framed
}

fn write(folder: &Path, pictures: &[Vec<u8>]) -> Vec<Frame> {
    let write = |(index, bytes): (usize, &Vec<u8>)| {
        let path = folder.join(format!("{index:04}.jpg"));
        std::fs::write(&path, bytes).unwrap();
        let at_ms = index as u64 * 500;
        Frame { path, at_ms }
    };
    pictures.iter().enumerate().map(write).collect()
}

async fn moderated(pictures: &[Vec<u8>], seen: &Seen) -> Result<Moderated, ModerationError> {
    let folder = tempfile::tempdir().unwrap();
    let frames = write(folder.path(), pictures);
    moderate(Input {
        content_uuid: "a-content",
        caption: None,
        duration_ms: 5000,
        frames: &frames,
        seen,
        classifier: None,
    })
    .await
}

async fn hashes(disguise: impl Fn(GrayImage) -> Vec<u8>) -> Vec<FrameHash> {
    let pictures: Vec<_> = (0..5)
        .map(|seed| disguise(drawing(seed, 320, 180)))
        .collect();
    moderated(&pictures, &Seen::default()).await.unwrap().frames
}

#[tokio::test]
async fn a_disguised_copy_of_a_rejected_video_is_rejected() {
    let blocked: Vec<_> = hashes(|picture| jpeg(&picture, 90))
        .await
        .into_iter()
        .map(|frame| Blocked {
            content: 1,
            hash: frame.hash,
        })
        .collect();
    assert_eq!(blocked.len(), 5);
    let copies = [
        hashes(|picture| jpeg(&picture, 10)).await,
        hashes(|picture| jpeg(&resize(&picture, 160, 90, FilterType::Triangle), 60)).await,
        hashes(|picture| jpeg(&framed(&picture, 0, 18, 0), 60)).await,
        hashes(|picture| jpeg(&framed(&picture, 32, 0, 250), 60)).await,
        hashes(|picture| jpeg(&framed(&picture, 32, 18, 90), 60)).await,
    ];
    for (index, copy) in copies.iter().enumerate() {
        let found = against(copy, &blocked).map(|finding| finding.verdict);
        assert_eq!(found, Some(Verdict::Reject), "disguise {index}");
    }
}

fn against(frames: &[FrameHash], blocked: &[Blocked]) -> Option<Finding> {
    let mut search = Search::new(frames);
    search.look_through(blocked);
    search.finding()
}

#[tokio::test]
async fn other_pictures_are_strangers() {
    let blocked: Vec<_> = hashes(|picture| jpeg(&picture, 90))
        .await
        .into_iter()
        .map(|frame| Blocked {
            content: 1,
            hash: frame.hash,
        })
        .collect();
    let others: Vec<_> = (40..45)
        .map(|seed| jpeg(&drawing(seed, 320, 180), 90))
        .collect();
    let others = moderated(&others, &Seen::default()).await.unwrap().frames;
    assert_eq!(against(&others, &blocked), None);
}

#[tokio::test]
async fn a_frame_without_anything_to_see_has_no_hash_and_the_others_keep_their_times() {
    let black = jpeg(&GrayImage::new(320, 180), 90);
    let pictures = [
        black.clone(),
        jpeg(&drawing(1, 320, 180), 90),
        black.clone(),
    ];
    let moderated_some = moderated(&pictures, &Seen::default()).await.unwrap();
    let times: Vec<_> = moderated_some
        .frames
        .iter()
        .map(|frame| frame.at_ms)
        .collect();
    assert_eq!((times, moderated_some.findings), (vec![500], vec![]));
    let moderated_none = moderated(&[black], &Seen::default()).await.unwrap();
    assert_eq!(moderated_none.frames, []);
    assert_eq!(moderated_none.findings.len(), 1);
    assert_eq!(verdict(&moderated_none.findings), Verdict::Pass);
}

#[tokio::test]
async fn what_the_detectors_saw_is_among_the_findings() {
    let span = Span {
        from_ms: 0,
        until_ms: 900,
    };
    let seen = Seen {
        silent: vec![span],
        flashing: vec![Flashing { span, score: 2.0 }],
        ..Seen::default()
    };
    let found = moderated(&[jpeg(&drawing(1, 320, 180), 90)], &seen)
        .await
        .unwrap();
    assert_eq!(verdict(&found.findings), Verdict::Review);
    assert_eq!(found.findings.len(), 2);
}

#[tokio::test]
async fn a_classifier_that_is_away_makes_the_content_wait() {
    let folder = tempfile::tempdir().unwrap();
    let frames = write(folder.path(), &[jpeg(&drawing(1, 320, 180), 90)]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let classifier = ClassifierClient::new(
        crate::http::builder(std::time::Duration::from_secs(30))
            .build()
            .unwrap(),
        crate::configuration::Classifier { url, token: None },
        classifier::Patience {
            pause: std::time::Duration::ZERO,
            ..Default::default()
        },
    );
    let seen = Seen::default();
    let found = moderate(Input {
        content_uuid: "a-content",
        caption: None,
        duration_ms: 5000,
        frames: &frames,
        seen: &seen,
        classifier: Some(&classifier),
    });
    assert_eq!(verdict(&found.await.unwrap().findings), Verdict::Wait);
}

#[tokio::test]
async fn frames_that_are_none_too_many_or_no_pictures_are_an_error() {
    let seen = Seen::default();
    let good = jpeg(&drawing(1, 32, 32), 50);
    assert!(matches!(
        moderated(&[], &seen).await,
        Err(ModerationError::FrameCount(0))
    ));
    let many = vec![good.clone(); 65];
    assert!(matches!(
        moderated(&many, &seen).await,
        Err(ModerationError::FrameCount(65))
    ));
    let broken = [good, b"no picture".to_vec()];
    assert!(matches!(
        moderated(&broken, &seen).await,
        Err(ModerationError::NoPicture { at_ms: 500, .. })
    ));
    let huge = jpeg(&GrayImage::new(5000, 8), 50);
    assert!(matches!(
        moderated(&[huge], &seen).await,
        Err(ModerationError::NoPicture { .. })
    ));
    let long = vec![0; 2_000_001];
    assert!(matches!(
        moderated(&[long], &seen).await,
        Err(ModerationError::Unreadable(_))
    ));
}
