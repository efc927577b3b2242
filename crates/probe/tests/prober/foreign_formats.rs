//! A file that is not a video is identified by its bytes alone and refused.

use crate::support::{ebml, probe_whole};
use probe::{FileRefusal, FileRefusalKind, ForeignClass, ForeignFile};

fn foreign(file: &[u8]) -> ForeignFile {
    match probe_whole(file) {
        Err(FileRefusal::NotAVideo { what }) => what,
        other => panic!("not refused as foreign: {other:?}"),
    }
}

#[test]
fn known_formats_are_refused_with_their_class() {
    let cases: &[(&[u8], ForeignClass)] = &[
        (b"", ForeignClass::Empty),
        (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", ForeignClass::Image),
        (b"\xFF\xD8\xFF\xE0\0\x10JFIF", ForeignClass::Image),
        (b"GIF89a\x01\0\x01\0", ForeignClass::Image),
        (b"RIFF\x24\0\0\0WEBPVP8 ", ForeignClass::Image),
        (b"\0\0\0\x1Cftypavif\0\0\0\0avifmif1", ForeignClass::Image),
        (b"\0\0\0\x18ftypheic\0\0\0\0heicmif1", ForeignClass::Image),
        (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", ForeignClass::Image),
        (b"ID3\x04\0\0\0\0\0\0", ForeignClass::Audio),
        (b"\xFF\xFB\x90\x44\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", ForeignClass::Audio),
        (b"RIFF\x24\0\0\0WAVEfmt ", ForeignClass::Audio),
        (b"fLaC\0\0\0\x22", ForeignClass::Audio),
        (b"#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1/a.ts\n", ForeignClass::Playlist),
        (b"ffconcat version 1.0\nfile '/etc/passwd'\n", ForeignClass::Playlist),
        (b"<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash'></MPD>", ForeignClass::Playlist),
        (b"PK\x03\x04\x14\0\0\0", ForeignClass::Archive),
        (b"\x1F\x8B\x08\0", ForeignClass::Archive),
        (b"\x7FELF\x02\x01\x01", ForeignClass::Executable),
        (b"MZ\x90\0\x03\0\0\0", ForeignClass::Executable),
        (b"#!/bin/sh\necho\n", ForeignClass::Executable),
        (b"%PDF-1.7\n", ForeignClass::Document),
        (b"<!DOCTYPE html><html></html>", ForeignClass::Document),
        (b"{\"json\": true, \"and\": \"more\"}", ForeignClass::Document),
        (b"just some words, nothing more", ForeignClass::Text),
        (b"\x06\x0E\x2B\x34\x02\x05\x01\x01", ForeignClass::Video),
        (b"\0\0\0\x01\x67\x42\0\x1E", ForeignClass::Video),
        (b"\x01\x02\x03\x04\x05", ForeignClass::Unknown),
    ];
    for (file, class) in cases {
        assert_eq!(foreign(file).class, *class, "{:?}", String::from_utf8_lossy(file));
    }
}

#[test]
fn a_tar_archive_is_identified_by_its_inner_magic_number() {
    let mut file = vec![b'a'; 512];
    file[257..262].copy_from_slice(b"ustar");
    assert_eq!(foreign(&file).class, ForeignClass::Archive);
}

#[test]
fn a_foreign_file_is_refused_within_its_first_two_kilobytes() {
    let mut prober = probe::Prober::new();
    prober.feed(&[b'x'; 2048]);
    assert!(prober.refusal().is_some());
    assert_eq!(prober.skippable(), u64::MAX);
}

#[test]
fn a_matroska_file_without_video_is_refused_at_its_first_cluster() {
    let mut prober = probe::Prober::new();
    prober.feed(&ebml::header());
    prober.feed(&ebml::endless(ebml::SEGMENT));
    prober.feed(&ebml::tracks(2));
    assert_eq!(prober.refusal(), None);
    prober.feed(&ebml::endless(ebml::CLUSTER));
    assert_eq!(prober.refusal().map(FileRefusal::kind), Some(FileRefusalKind::AudioOnly));
}

#[test]
fn a_refusal_has_a_text_and_a_kind() {
    let refusal = probe_whole(b"GIF89a\x01\0\x01\0").expect_err("not a video");
    assert_eq!(refusal.to_string(), "not a supported video: GIF (image)");
    assert_eq!(refusal.kind().name(), "not_a_video");
}
