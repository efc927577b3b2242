//! Tests each accepted format, from the upload to the published files.

use anyhow::{Context, Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{
    AcceptedUpload, Clip, ExpectedMedia, H264, OriginFleet, Packaging, PublishedFiles, TestStack, e2e, picture,
    with_jpeg_comment,
};

/// For all clips together.
const TIMEOUT: Duration = Duration::from_mins(3);
/// ffmpeg's ASF files begin their picture this many milliseconds after their sound. The outputs begin with the picture.
const LATE_PICTURE: (&str, u32) = ("wmv2.wmv", 70);
/// Two jobs at once.
const TWO_JOBS: [(&str, &str); 1] = [("JOBS", "2")];

/// Returns each clip with the size at which it is published.
fn clips() -> Vec<(Clip, (u32, u32))> {
    let basic = Clip::mp4;
    let vp8 = "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 500k -c:a libvorbis";
    let small = [
        basic("moov_last.mp4"),
        Clip { has_sound: false, ..basic("moov_last_silent.mp4") },
        Clip {
            encoding: "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -movflags +faststart",
            ..basic("moov_first.mp4")
        },
        Clip {
            encoding: "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -c:a aac -movflags frag_keyframe+empty_moov+default_base_moof",
            ..basic("fragmented.mp4")
        },
        Clip { packaging: Packaging::Rotated, ..basic("rotated_phone.mov") },
        Clip {
            packaging: Packaging::Piped,
            encoding: "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 500k -c:a libvorbis -f webm",
            ..basic("without_duration.webm")
        },
        Clip { encoding: vp8, ..basic("vp8.mkv") },
        Clip { has_sound: false, ..basic("silent.mkv") },
        Clip { encoding: "-c:v mpeg4 -b:v 800k -c:a libmp3lame", ..basic("mpeg4.avi") },
        Clip { encoding: H264, ..basic("h264.flv") },
        Clip { encoding: H264, ..basic("h264.ts") },
        Clip { encoding: "-c:v mpeg2video -b:v 800k -c:a mp2", ..basic("mpeg2.mpg") },
        Clip { encoding: "-c:v wmv2 -b:v 800k -c:a wmav2", ..basic("wmv2.wmv") },
        Clip { encoding: "-c:v libtheora -b:v 800k -c:a libvorbis", ..basic("theora.ogv") },
        Clip { size: (180, 320), ..basic("portrait.mp4") },
        Clip { size: (16, 16), has_sound: false, ..basic("tiny.mp4") },
    ];
    let mut all: Vec<_> = small.map(|clip| (clip, clip.displayed_size())).into();
    let odd = Clip { size: (321, 181), encoding: vp8, ..basic("odd.webm") };
    // Few frames, because each takes as long as a hundred of the others.
    let few_frames = "-r 5 -c:v libx264 -preset ultrafast -pix_fmt yuv420p";
    let uhd =
        Clip { size: (3840, 2160), milliseconds: 2_000, has_sound: false, encoding: few_frames, ..basic("uhd.mp4") };
    all.extend([(odd, (320, 180)), (uhd, (1920, 1080))]);
    all
}

#[e2e(Own)]
async fn each_format_is_published_with_valid_renditions(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("formats", &TWO_JOBS).await?;
    let started = Instant::now();
    let mut uploads = Vec::new();
    for (clip, size) in clips() {
        let bytes = clip.make(&fleet.folder)?;
        let upload = fleet.upload(&bytes).await.context(clip.name)?;
        uploads.push((clip, size, upload));
    }
    let loud = upload_loud_clip(&fleet).await?;
    let mut errors = Vec::new();
    for (clip, size, upload) in &uploads {
        let (late_clip, cut_ms) = LATE_PICTURE;
        let cut_ms = if clip.name == late_clip { cut_ms } else { 0 };
        let milliseconds = clip.duration_ms(&fleet.folder)? - cut_ms;
        let expected = ExpectedMedia { size: *size, milliseconds, has_sound: clip.has_sound };
        if let Err(error) = verify(&fleet, upload, expected).await {
            errors.push(format!("{}: {error:#}", clip.name));
        }
    }
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    let status = fleet.until_published(&loud, TIMEOUT).await?;
    let (upload, status, fleet) = (&loud, &status, &fleet);
    let published = PublishedFiles { fleet, upload, status };
    let lufs = published.loudness().await?;
    ensure!((lufs + 14.0).abs() <= 1.0, "{lufs} LUFS");
    println!(
        "formats: {} clips from upload to verified files in {:.1} s; the loud one was normalized to {lufs} LUFS",
        uploads.len() + 1,
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

async fn verify(fleet: &OriginFleet, upload: &AcceptedUpload, expected: ExpectedMedia) -> Result<()> {
    let status = &fleet.until_published(upload, TIMEOUT).await?;
    let published = PublishedFiles { fleet, upload, status };
    published.verify(expected).await
}

async fn upload_loud_clip(fleet: &OriginFleet) -> Result<AcceptedUpload> {
    let clip = Clip {
        milliseconds: 4_000,
        encoding: "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -af volume=6 -c:a aac",
        ..Clip::mp4("loud.mp4")
    };
    fleet.upload(&clip.make(&fleet.folder)?).await
}

/// The left half of the clip is red from second 1 to 2, and the uploaded picture is green.
#[e2e(Own)]
async fn the_poster_is_the_requested_frame_or_the_uploaded_picture(stack: Arc<TestStack>) -> Result<()> {
    const RED: &str = "-vf drawbox=w=iw/2:h=ih:t=fill:c=red:enable='gte(t,1)*lt(t,2)' -c:v libx264 -preset ultrafast -pix_fmt yuv420p";
    let mut fleet = OriginFleet::new(&stack).await?;
    fleet.start("posters", &TWO_JOBS).await?;
    let clip = Clip { encoding: RED, has_sound: false, milliseconds: 3_000, ..Clip::mp4("red.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let requested = fleet.upload_with(&clip, |form| form.text("thumbnail_time", "00:00:01"));
    let requested = requested.await?;
    let comment = "taken at home";
    let picture = picture(&fleet.folder, "green.jpg", "green")?;
    let picture = with_jpeg_comment(&picture, comment)?;
    let uploaded = fleet.upload_with(&clip, |form| form.file("thumbnail_file", "a.jpg", &picture));
    let uploaded = uploaded.await?;
    for (upload, is_expected) in [
        (&requested, (|[red, green, blue]| red > 180 && green < 80 && blue < 80) as fn([u8; 3]) -> bool),
        (&uploaded, |[red, green, blue]| green > 100 && red < 60 && blue < 60),
    ] {
        let (fleet, status) = (&fleet, &fleet.until_published(upload, TIMEOUT).await?);
        let published = PublishedFiles { fleet, upload, status };
        let colour = published.colour().await?;
        ensure!(is_expected(colour), "{colour:?}");
        ensure!(!contains(&published.file("poster.jpg").await?, comment));
    }
    Ok(())
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
