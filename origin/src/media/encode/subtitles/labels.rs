//! The number, label and flags with which players present a subtitle track. Pure.
//!
//! The label names the language. The title in the file can hold anything, so it is not used.

use crate::media::source::SubtitleStream;
use contract::subtitles::SubtitleTrack;

/// The label of a track whose language is unknown.
const UNKNOWN_LANGUAGE: &str = "Subtitles";

/// The longest name of a language. The rest of a label has at most 30 characters.
const MAX_NAME_CHARACTERS: usize = 50;

/// Returns the published form of a track that follows these. Labels are distinct, and only the first default is one.
pub(in super::super) fn track(stream: &SubtitleStream, before: &[SubtitleTrack]) -> SubtitleTrack {
    let label = label(stream);
    let is_free = |label: &str| before.iter().all(|track| track.label != label);
    let numbered = (2..).map(|number| format!("{label} {number}"));
    let label = std::iter::once(label.clone()).chain(numbered).find(|label| is_free(label));
    SubtitleTrack {
        number: before.last().map_or(1, |track| track.number + 1),
        language: stream.language.as_ref().map(|language| language.tag.clone()),
        label: label.unwrap_or_default(),
        is_default: stream.is_default && !before.iter().any(|track| track.is_default),
        is_forced: stream.is_forced,
        is_for_hearing_impaired: stream.is_for_hearing_impaired,
    }
}

fn label(stream: &SubtitleStream) -> String {
    let name = stream.language.as_ref().map_or(UNKNOWN_LANGUAGE, |language| language.name.as_str());
    let mut label: String = name.chars().take(MAX_NAME_CHARACTERS).collect();
    if stream.is_forced {
        label += " (forced)";
    }
    if stream.is_for_hearing_impaired {
        label += " (CC)";
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::source::{Language, SubtitleKind};

    fn stream(language: Option<(&str, &str)>, is_default: bool) -> SubtitleStream {
        SubtitleStream {
            stream: 2,
            format: "subrip".to_owned(),
            kind: SubtitleKind::Text,
            language: language.map(|(tag, name)| Language { tag: tag.to_owned(), name: name.to_owned() }),
            is_default,
            is_forced: false,
            is_for_hearing_impaired: false,
        }
    }

    #[test]
    fn tracks_have_consecutive_numbers_distinct_labels_and_one_default() {
        let english = stream(Some(("en", "English")), true);
        let forced = SubtitleStream { is_forced: true, ..english.clone() };
        let mut tracks = Vec::new();
        for stream in [&english, &english, &forced, &stream(None, false), &stream(None, false)] {
            let track = track(stream, &tracks);
            assert!(track.is_valid());
            tracks.push(track);
        }
        let labels: Vec<_> = tracks.iter().map(|track| track.label.as_str()).collect();
        assert_eq!(labels, ["English", "English 2", "English (forced)", "Subtitles", "Subtitles 2"]);
        assert_eq!(tracks.iter().map(|track| track.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(tracks.iter().filter(|track| track.is_default).count(), 1);
    }

    #[test]
    fn the_longest_name_still_makes_a_valid_label() {
        let name = "é".repeat(200);
        let mut stream = stream(Some(("en", &name)), false);
        (stream.is_forced, stream.is_for_hearing_impaired) = (true, true);
        assert!(track(&stream, &[track(&stream, &[])]).is_valid());
    }
}
