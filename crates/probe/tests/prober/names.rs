//! The names used in logs and JSON follow from the names of the variants.

use probe::{Codec, Container, DurationSource, FileRefusalKind, ForeignClass};
use std::fmt::Debug;

/// `MpegTs` becomes `mpeg_ts`.
fn snake_case(variant: &impl Debug) -> String {
    let mut name = String::new();
    for character in format!("{variant:?}").chars() {
        if character.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}

#[test]
fn codec_names_are_those_of_ffprobe() {
    for codec in [
        Codec::H264,
        Codec::Hevc,
        Codec::Vvc,
        Codec::Av1,
        Codec::Vp6,
        Codec::Vp8,
        Codec::Vp9,
        Codec::Mpeg1video,
        Codec::Mpeg2video,
        Codec::Mpeg4,
        Codec::Msmpeg4,
        Codec::H263,
        Codec::Flv1,
        Codec::Mjpeg,
        Codec::Png,
        Codec::Theora,
        Codec::Dirac,
        Codec::Prores,
        Codec::Dnxhd,
        Codec::Dvvideo,
        Codec::Wmv,
        Codec::Vc1,
        Codec::Rawvideo,
        Codec::Aac,
        Codec::Mp2,
        Codec::Mp3,
        Codec::Opus,
        Codec::Vorbis,
        Codec::Flac,
        Codec::Alac,
        Codec::Ac3,
        Codec::Eac3,
        Codec::Dts,
        Codec::Truehd,
        Codec::Amr,
        Codec::Wma,
        Codec::Speex,
        Codec::Adpcm,
        Codec::Pcm,
        Codec::Unknown,
    ] {
        assert_eq!(codec.name(), format!("{codec:?}").to_lowercase());
    }
}

#[test]
fn container_and_duration_source_names_are_in_snake_case() {
    for container in [
        Container::Mp4,
        Container::Quicktime,
        Container::ThreeGp,
        Container::Matroska,
        Container::Webm,
        Container::Avi,
        Container::Flv,
        Container::MpegTs,
        Container::MpegPs,
        Container::Asf,
        Container::Ogg,
    ] {
        assert_eq!(container.name(), snake_case(&container));
    }
    for source in [
        DurationSource::Declared,
        DurationSource::Confirmed,
        DurationSource::EditList,
        DurationSource::SampleTable,
        DurationSource::Fragments,
        DurationSource::Timestamps,
        DurationSource::FrameCount,
        DurationSource::GranulePositions,
    ] {
        assert_eq!(source.name(), snake_case(&source));
    }
}

#[test]
fn refusal_and_class_names_are_in_snake_case() {
    for kind in [
        FileRefusalKind::NotAVideo,
        FileRefusalKind::AudioOnly,
        FileRefusalKind::NoTracks,
        FileRefusalKind::Truncated,
        FileRefusalKind::DurationUnknown,
        FileRefusalKind::Malformed,
        FileRefusalKind::MetadataTooLarge,
        FileRefusalKind::Unsupported,
    ] {
        assert_eq!(kind.name(), snake_case(&kind));
    }
    for class in [
        ForeignClass::Empty,
        ForeignClass::Image,
        ForeignClass::Audio,
        ForeignClass::Playlist,
        ForeignClass::Video,
        ForeignClass::Archive,
        ForeignClass::Executable,
        ForeignClass::Document,
        ForeignClass::Text,
        ForeignClass::Unknown,
    ] {
        assert_eq!(class.name(), snake_case(&class));
    }
}
