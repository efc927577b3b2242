//! Limits on what a source may cost, which are checked before any of it is decoded, and the decoders and demuxers that
//! may read it.
//!
//! Constants and pure checks. Starts no process.

use std::time::Duration;

use contract::limits::{MAX_PIXELS_PER_SECOND, exceeds_pixel_rate};
use probe::judge::{RefusedFile, counted_duration};
use probe::{Container, Media};

use super::MediaError;
use super::encoders::Encoders;

/// A decoded frame of 36 megapixels takes 54 MB. Without a limit, a file of 2 MB could demand gigabytes.
pub(super) const MAX_PIXELS: u64 = 36_000_000;

/// Cameras write half a dozen streams. Each costs the memory of a decoder.
pub(super) const MAX_STREAMS: usize = 32;

/// In frames per second; slow-motion clips reach 960. Frames above the output's rate are decoded and dropped.
const MAX_FRAME_RATE: f64 = 1000.0;

/// Three times the packets of 120 s of video at the maximum frame rate, with audio in the smallest common packets.
pub(super) const MAX_PACKETS: u64 = 500_000;

/// Two minutes of speech are about 3 kB. More than this in one subtitle track is no text for people, and would fill the
/// disk.
pub(super) const MAX_SUBTITLE_BYTES: u64 = 1 << 17;

/// The time limit of one ffprobe run. It reads headers and lists packets, which takes seconds even on a busy machine.
pub(super) const INSPECTION_TIME: Duration = Duration::from_mins(1);

/// The decoders that an untrusted file may reach: those for what cameras, phones, editors and browsers write.
/// Every other decoder would be attack surface that no real upload needs. Decoders of subtitle pictures are
/// listed although nothing decodes those, because ffprobe fails on a stream whose decoder is not listed.
pub(super) const DECODERS: &str = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,mpeg4,msmpeg4v1,msmpeg4v2,msmpeg4,mpeg1video,\
mpeg2video,mpegvideo,h263,h263p,flv,vp6,vp6f,vp6a,wmv1,wmv2,wmv3,vc1,theora,mjpeg,prores,dnxhd,png,rawvideo,dvvideo,svq1,svq3,\
cinepak,huffyuv,ffv1,rv30,rv40,aac,aac_latm,mp3,mp3float,mp2,mp2float,mp1float,ac3,eac3,opus,libopus,vorbis,libvorbis,flac,alac,\
wmav1,wmav2,wmapro,wmalossless,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_u8,pcm_s8,\
pcm_alaw,pcm_mulaw,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_swf,amrnb,amrwb,nellymoser,speex,libspeex,dca,wmavoice,mss1,mss2,subrip,\
srt,ass,ssa,webvtt,mov_text,text,dvdsub,dvbsub,pgssub,cc_dec,libzvbi_teletextdec,xsub,qdm2,mace3,mace6,qtrle,v210,jpeg2000";

/// Returns the only demuxer that may read a container. A manifest or playlist named like a video therefore finds no
/// demuxer.
pub(super) fn demuxer(container: Container) -> &'static str {
    match container {
        Container::Matroska | Container::Webm => "matroska,webm",
        Container::Avi => "avi",
        Container::Flv => "flv",
        Container::MpegTs => "mpegts",
        Container::MpegPs => "mpeg",
        Container::Asf => "asf",
        Container::Ogg => "ogg",
        // The MP4 family, which is also the default for containers that the prober may support later.
        _ => "mov,mp4,m4a,3gp,3g2,mj2",
    }
}

/// The part of the planned duration that may be undecodable, in seconds. Real recordings end with frames that no
/// decoder returns, or in the middle of a frame.
pub(super) const MAX_MISSING_SECONDS: f64 = 0.3;

/// A picture may stay on screen by this many seconds longer than the packets say, because damage hides the next ones.
pub(super) const MAX_FROZEN_SECONDS: f64 = 1.0;

/// Sound and pictures that are decoded beyond the end of their packets for up to this many seconds are cut off. If
/// there are more, the packets hold something else than they say.
pub(super) const MAX_SURPLUS_SECONDS: f64 = 1.0;

/// Returns the options for the input of a process that decodes up to this end, on the clock of the file.
pub(super) fn decoding_bound(end_seconds: f64) -> [String; 2] {
    ["-t".to_owned(), format!("{:.3}", end_seconds + MAX_SURPLUS_SECONDS)]
}

/// The longest packet of sound in this codec, in bytes, if decoders would go on to decode what follows the first frame
/// in it. A frame of AAC has at most 768 bytes for each channel, and nobody has more than eight.
pub(super) fn max_sound_packet(codec: &str) -> Option<u64> {
    match codec {
        "aac" => Some(8_192),
        "mp3" | "mp2" => Some(4_096),
        _ => None,
    }
}

/// Returns the time limit of one encode: 14 minutes for the longest video. A slower one is stuck, or its source is
/// designed to stall it.
pub(super) fn encode_time(duration_ms: u64) -> Duration {
    Duration::from_mins(2) + Duration::from_millis(duration_ms) * 6
}

/// Returns the time limit of the encode in a second codec, which takes about twice as long as that in H.264
/// (docs/media.md): 26 minutes for the longest video.
pub(super) fn second_encode_time(duration_ms: u64) -> Duration {
    Duration::from_mins(2) + Duration::from_millis(duration_ms) * 12
}

/// Returns the time limit of an encode with a graphics card, which is faster than x264. After that time, x264 takes its
/// place.
pub(super) fn hardware_encode_time(duration_ms: u64) -> Duration {
    encode_time(duration_ms) / 2
}

/// The time limit of copying the encoded pictures and the sound into one file.
pub(super) const JOIN_TIME: Duration = Duration::from_mins(1);

/// Added to the time of the encodes for everything else that a job does with a plan.
const OTHER_WORK: Duration = Duration::from_mins(3);

/// Returns how long a job may take once its plan is known.
pub fn time_after_inspection(duration_ms: u64, encoders: Encoders) -> Duration {
    let hardware = encoders.h264.hardware.map(|_| hardware_encode_time(duration_ms));
    let second = encoders.second_codec.map(|_| second_encode_time(duration_ms));
    encode_time(duration_ms) + hardware.unwrap_or_default() + second.unwrap_or_default() + OTHER_WORK
}

/// Returns the duration that counts by the rule of the public contract, with the function that the edge uses.
pub(super) fn check_duration(media: &Media) -> Result<u64, MediaError> {
    counted_duration(media).map_err(|RefusedFile { code, detail }| MediaError::Rejected { code, detail, cause: None })
}

pub(super) fn check_pixels(width: u32, height: u32) -> Result<(), MediaError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXELS {
        let detail = format!("{width}x{height} exceeds {MAX_PIXELS} pixels");
        return Err(MediaError::invalid_format(detail));
    }
    Ok(())
}

pub(super) fn check_streams(count: usize) -> Result<(), MediaError> {
    if count > MAX_STREAMS {
        return Err(MediaError::invalid_format(format!("{count} streams exceed the maximum of {MAX_STREAMS}")));
    }
    Ok(())
}

pub(super) fn check_pixel_rate(width: u32, height: u32, fps: f64) -> Result<(), MediaError> {
    if exceeds_pixel_rate(width, height, fps) {
        let detail = format!(
            "{width}x{height} at {fps:.0} frames per second exceeds {} million pixels per second",
            MAX_PIXELS_PER_SECOND / 1_000_000
        );
        return Err(MediaError::invalid_format(detail));
    }
    Ok(())
}

pub(super) fn check_frame_rate(fps: f64) -> Result<(), MediaError> {
    if fps > MAX_FRAME_RATE * 1.01 {
        let detail = format!("{fps:.0} frames per second exceed the maximum of {MAX_FRAME_RATE}");
        return Err(MediaError::invalid_format(detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Hardware;
    use crate::media::encoders::{Encoder, SecondCodec};

    #[test]
    fn both_bounds_of_the_duration_are_accepted() {
        for (duration_ms, valid) in [(1999, false), (2000, true), (120_000, true), (120_001, false)] {
            let media = Media {
                container: Container::Mp4,
                duration_ms,
                duration_source: probe::DurationSource::SampleTable,
                least_ms: duration_ms,
                longest_track: None,
                shortest_video_ms: None,
                tracks: Vec::new(),
                metadata_first: true,
            };
            assert_eq!(check_duration(&media).ok(), valid.then_some(duration_ms));
        }
    }

    #[test]
    fn a_short_video_gets_less_time_than_a_long_one_and_every_job_more_than_its_encode() {
        let plain = Encoders::default();
        let second = Encoders { second_codec: Some(SecondCodec::Av1), ..plain };
        let h264 = Encoder { hardware: Some(Hardware::Nvenc), ..plain.h264 };
        let (hardware, both) = (Encoders { h264, ..plain }, Encoders { h264, ..second });
        for duration_ms in [2_000, 120_000] {
            let [plain, second, hardware, both] =
                [plain, second, hardware, both].map(|encoders| time_after_inspection(duration_ms, encoders));
            assert_eq!(plain, encode_time(duration_ms) + OTHER_WORK);
            assert_eq!(second, plain + second_encode_time(duration_ms));
            assert_eq!(hardware, plain + hardware_encode_time(duration_ms));
            assert_eq!(both + plain, second + hardware);
        }
        assert!(time_after_inspection(2_000, plain) < Duration::from_mins(6));
        // The defaults of `--job-timeout-seconds`.
        assert!(encode_time(120_000) < Duration::from_mins(15));
        assert!(time_after_inspection(120_000, hardware) <= Duration::from_mins(25));
        assert!(time_after_inspection(120_000, both) <= Duration::from_mins(50));
    }

    #[test]
    fn caption_decoders_of_every_kind_are_listed() {
        let listed: Vec<&str> = DECODERS.split(',').collect();
        for captions in ["mov_text", "cc_dec", "libzvbi_teletextdec", "xsub"] {
            assert!(listed.contains(&captions), "{captions}");
        }
    }

    #[test]
    fn a_decompression_bomb_is_rejected_and_an_8k_frame_is_accepted() {
        assert!(check_pixels(15_872, 15_872).is_err());
        assert!(check_pixels(u32::MAX, u32::MAX).is_err());
        assert!(check_pixels(7680, 4320).is_ok());
    }

    #[test]
    fn a_thousand_frames_per_second_are_accepted_and_more_are_rejected() {
        assert!(check_frame_rate(1000.0).is_ok());
        assert!(check_frame_rate(2000.0).is_err());
    }
}
