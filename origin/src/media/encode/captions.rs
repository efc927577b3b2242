//! Writes the subtitle tracks of a video that was processed earlier: the captions that its owner sent, and the tracks
//! of its source in other languages.
//!
//! Every file is a stranger's, wherever it was stored: it is parsed, bounded and written anew. Must not judge whether
//! the text may be shown.

use super::folders;
use super::subtitles::{labels, write_files};
use crate::media::source::{Language, SubtitleKind, SubtitleStream};
use crate::media::{MediaError, units};
use contract::subtitles::{MAX_SUBTITLE_TRACKS, SubtitleTrack};
use std::path::Path;
use subtitles::{Cue, parse, plain_text, tidy};

/// The files from which the tracks are made.
#[derive(Clone, Debug, Default)]
pub struct CaptionFiles {
    /// The tracks of the source, with their WebVTT files.
    pub source: Vec<(SubtitleTrack, Vec<u8>)>,
    /// The language of each file that the owner sent.
    pub sent: Vec<(String, Vec<u8>)>,
}

/// The tracks whose files are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeCaptions {
    pub tracks: Vec<SubtitleTrack>,
    /// The text that the owner sent, for moderation.
    pub text: String,
}

/// Writes the files of all tracks.
pub fn write_captions(folder: &Path, files: &CaptionFiles, duration_ms: u64) -> Result<MadeCaptions, MediaError> {
    folders::create(folder)?;
    let sent: Vec<_> = files.sent.iter().map(|(tag, file)| (language(tag), file)).collect();
    let is_replaced = |track: &SubtitleTrack| sent.iter().any(|(sent, _)| track.language.as_ref() == Some(&sent.tag));
    let mut made = MadeCaptions::default();
    let room = (MAX_SUBTITLE_TRACKS as usize).saturating_sub(sent.len());
    for (track, file) in files.source.iter().filter(|(track, _)| !is_replaced(track)).take(room) {
        let cues = read(file, duration_ms).ok_or_else(|| unreadable(track))?;
        let track = SubtitleTrack { number: next_number(&made.tracks), ..track.clone() };
        write_files(folder, track.number, &cues, units::seconds(duration_ms))?;
        made.tracks.push(track);
    }
    for (language, file) in sent {
        let cues = read(file, duration_ms).ok_or_else(|| MediaError::invalid_captions(&language.tag))?;
        let is_of_language = |track: &SubtitleTrack| track.language.as_ref() == Some(&language.tag);
        let is_default = files.source.iter().any(|(track, _)| track.is_default && is_of_language(track));
        let track = labels::track(&stream(language, is_default), &made.tracks);
        write_files(folder, track.number, &cues, units::seconds(duration_ms))?;
        made.text += &plain_text(&cues);
        made.tracks.push(track);
    }
    Ok(made)
}

fn read(file: &[u8], duration_ms: u64) -> Option<Vec<Cue>> {
    tidy(parse(file)?, duration_ms).ok()
}

/// A file that an earlier job verified is always readable.
fn unreadable(track: &SubtitleTrack) -> MediaError {
    MediaError::Permanent(format!("subtitle track {} of the source is unreadable", track.number))
}

fn next_number(before: &[SubtitleTrack]) -> u32 {
    before.last().map_or(1, |track| track.number + 1)
}

/// A tag that names no known language is its own name.
fn language(tag: &str) -> Language {
    Language::parse(tag).unwrap_or_else(|| Language { tag: tag.to_owned(), name: tag.to_owned() })
}

/// Returns the facts about a sent file, as if it were a track of the source.
fn stream(language: Language, is_default: bool) -> SubtitleStream {
    SubtitleStream {
        stream: 0,
        format: "webvtt".to_owned(),
        kind: SubtitleKind::Text,
        language: Some(language),
        is_default,
        is_forced: false,
        is_for_hearing_impaired: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{ErrorCode, MediaFile};

    fn webvtt(text: &str) -> Vec<u8> {
        format!("WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n{text}\n").into_bytes()
    }

    fn source(number: u32, language: &str, is_default: bool) -> (SubtitleTrack, Vec<u8>) {
        let label = Language::parse(language).unwrap().name;
        let track = SubtitleTrack {
            number,
            language: Some(language.to_owned()),
            label,
            is_default,
            is_forced: false,
            is_for_hearing_impaired: false,
        };
        (track, webvtt("source"))
    }

    fn sent(language: &str) -> (String, Vec<u8>) {
        (language.to_owned(), webvtt(&format!("<b>{language}</b> sent")))
    }

    fn made(source: Vec<(SubtitleTrack, Vec<u8>)>, sent: Vec<(String, Vec<u8>)>) -> (MadeCaptions, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let made = write_captions(folder.path(), &CaptionFiles { source, sent }, 5_000).unwrap();
        let file =
            |track: &SubtitleTrack| crate::media::files::output(folder.path(), MediaFile::Subtitles(track.number));
        let texts = made.tracks.iter().map(|track| std::fs::read_to_string(file(track)).unwrap()).collect();
        (made, texts)
    }

    #[test]
    fn sent_captions_replace_the_tracks_of_their_language_and_stand_beside_the_others() {
        let (made, texts) = made(vec![source(1, "en", true), source(2, "fr", false)], vec![sent("en"), sent("pt-BR")]);
        let tracks: Vec<_> =
            made.tracks.iter().map(|track| (track.number, track.label.as_str(), track.is_default)).collect();
        assert_eq!(tracks, [(1, "Français", false), (2, "English", true), (3, "Português (BR)", false)]);
        assert_eq!(made.text, "en sent\npt-BR sent\n");
        assert!(texts[0].ends_with("source\n") && texts[1].ends_with("\nen sent\n"), "{texts:?}");
        assert!(made.tracks.iter().all(SubtitleTrack::is_valid));
    }

    #[test]
    fn without_sent_captions_the_tracks_of_the_source_are_shown() {
        let tracks = vec![source(1, "en", true), source(2, "fr", false)];
        let expected: Vec<_> = tracks.iter().map(|(track, _)| track.clone()).collect();
        assert_eq!(made(tracks, Vec::new()).0, MadeCaptions { tracks: expected, text: String::new() });
    }

    #[test]
    fn a_video_never_has_more_tracks_than_players_show_and_sent_ones_go_first() {
        let tags = ["de", "es", "it", "nl", "pl", "sv", "tr"];
        let of_source = ["en", "fr"].into_iter().zip(1..).map(|(tag, number)| source(number, tag, false)).collect();
        let (made, _) = made(of_source, tags.iter().map(|tag| sent(tag)).collect());
        let labels: Vec<_> = made.tracks.iter().map(|track| track.language.clone().unwrap()).collect();
        assert_eq!(labels, ["en", "de", "es", "it", "nl", "pl", "sv", "tr"]);
    }

    #[test]
    fn a_language_that_nobody_knows_is_its_own_name() {
        let (made, _) = made(Vec::new(), vec![sent("xx-YY")]);
        assert_eq!((made.tracks[0].label.as_str(), made.tracks[0].is_valid()), ("xx-YY", true));
    }

    #[test]
    fn captions_after_the_end_of_the_video_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let files = CaptionFiles { source: Vec::new(), sent: vec![sent("en")] };
        let error = write_captions(folder.path(), &files, 1_000).unwrap_err();
        assert!(matches!(error, MediaError::Rejected { code: ErrorCode::ContentCaptionsInvalid, .. }), "{error}");
    }
}
