//! What a source may ask of the machine, checked before anything of it is decoded; and what ffmpeg may use to read it.
//!
//! Constants and pure checks. Knows no process.

use std::time::Duration;

use contract::ErrorCode;
use contract::limits::VIDEO_DURATION_MS;
use probe::Container;

use super::MediaError;

/// A frame of 36 megapixels takes 54 MB decoded; without a limit a 2 MB file asks for gigabytes.
pub const MAX_PIXELS: u64 = 36_000_000;

/// Cameras write half a dozen streams; a decoder's set-up costs memory for each.
pub const MAX_STREAMS: usize = 32;

/// Slow-motion clips reach 960; frames above the output's rate are decoded and thrown away.
pub const MAX_FRAME_RATE: f64 = 1000.0;

/// 120 s of video at that rate, and of audio in the smallest usual packets, fit three times over.
pub const MAX_PACKETS: u64 = 500_000;

/// ffprobe reads headers and walks packets; seconds at most, on a busy machine.
pub const INSPECTION: Duration = Duration::from_mins(1);

/// The decoders that a stranger's file may reach: what cameras, phones, editors and browsers write.
/// Each of the others would be a way into the machine that no real upload needs. ffprobe gives up at a stream whose decoder
/// is not here, so subtitles are, though nothing decodes them.
pub const DECODERS: &str = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,mpeg4,msmpeg4v1,msmpeg4v2,msmpeg4,mpeg1video,\
mpeg2video,mpegvideo,h263,h263p,flv,vp6,vp6f,vp6a,wmv1,wmv2,wmv3,vc1,theora,mjpeg,prores,dnxhd,png,rawvideo,dvvideo,svq1,svq3,\
cinepak,huffyuv,ffv1,rv30,rv40,aac,aac_latm,mp3,mp3float,mp2,mp2float,mp1float,ac3,eac3,opus,libopus,vorbis,libvorbis,flac,alac,\
wmav1,wmav2,wmapro,wmalossless,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_u8,pcm_s8,\
pcm_alaw,pcm_mulaw,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_swf,amrnb,amrwb,nellymoser,speex,libspeex,dca,wmavoice,mss1,mss2,subrip,\
srt,ass,ssa,webvtt,mov_text,text,dvdsub,dvbsub,pgssub,cc_dec,libzvbi_teletextdec,xsub,qdm2,mace3,mace6";

/// The one demuxer that may read a container: a manifest or playlist with a video's name meets none.
pub fn demuxer(container: Container) -> &'static str {
    match container {
        Container::Matroska | Container::Webm => "matroska,webm",
        Container::Avi => "avi",
        Container::Flv => "flv",
        Container::MpegTs => "mpegts",
        Container::MpegPs => "mpeg",
        Container::Asf => "asf",
        Container::Ogg => "ogg",
        // The family of MP4, which is also the prober's default for what it may learn to read later.
        _ => "mov,mp4,m4a,3gp,3g2,mj2",
    }
}

/// Real recordings end with frames that no decoder gives out, or in the middle of one; nobody misses a blink.
pub const MOST_MISSING: f64 = 0.3;

/// A transcode that is slower than this is stuck, or its file is made to be.
pub fn transcode_time(duration_ms: u64) -> Duration {
    Duration::from_mins(2) + Duration::from_millis(duration_ms) * 12
}

/// The rule of the public contract, both ends included.
pub fn check_duration(duration_ms: u64) -> Result<(), MediaError> {
    if VIDEO_DURATION_MS.contains(&duration_ms) {
        return Ok(());
    }
    Err(MediaError::Rejected {
        code: ErrorCode::ContentVideoDurationInvalid,
        detail: format!("the video plays for {duration_ms} ms"),
    })
}

pub fn check_pixels(width: u32, height: u32) -> Result<(), MediaError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXELS {
        let detail = format!("{width}x{height} is more than {MAX_PIXELS} pixels");
        return Err(MediaError::format(detail));
    }
    Ok(())
}

pub fn check_streams(count: usize) -> Result<(), MediaError> {
    if count > MAX_STREAMS {
        return Err(MediaError::format(format!(
            "{count} streams are more than {MAX_STREAMS}"
        )));
    }
    Ok(())
}

pub fn check_frame_rate(fps: f64) -> Result<(), MediaError> {
    if fps > MAX_FRAME_RATE * 1.01 {
        let detail = format!("{fps:.0} frames a second are more than {MAX_FRAME_RATE}");
        return Err(MediaError::format(detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_the_duration_rule_are_included() {
        for (duration, valid) in [
            (1999, false),
            (2000, true),
            (120_000, true),
            (120_001, false),
        ] {
            assert_eq!(check_duration(duration).is_ok(), valid, "{duration}");
        }
    }

    #[test]
    fn captions_of_every_kind_can_be_named() {
        let known: Vec<&str> = DECODERS.split(',').collect();
        for captions in ["mov_text", "cc_dec", "libzvbi_teletextdec", "xsub"] {
            assert!(known.contains(&captions), "{captions}");
        }
    }

    #[test]
    fn a_picture_bomb_is_refused_and_an_8k_frame_is_not() {
        assert!(check_pixels(15_872, 15_872).is_err());
        assert!(check_pixels(u32::MAX, u32::MAX).is_err());
        assert!(check_pixels(7680, 4320).is_ok());
    }

    #[test]
    fn a_thousand_frames_a_second_pass_and_more_do_not() {
        assert!(check_frame_rate(1000.0).is_ok());
        assert!(check_frame_rate(2000.0).is_err());
    }
}
