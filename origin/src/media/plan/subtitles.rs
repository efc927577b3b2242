//! Decides which subtitle tracks of a source are converted to WebVTT. Pure.

use crate::media::source::{SubtitleKind, SubtitleStream};
use contract::subtitles::{DropReason, DroppedSubtitles, MAX_SUBTITLE_TRACKS};

/// The subtitle tracks to convert, and those to drop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubtitlePlan {
    pub converted: Vec<SubtitleStream>,
    pub dropped: Vec<DroppedSubtitles>,
    /// The start of the outputs by the source's clock, if the pictures may carry closed captions.
    pub closed_captions_from: Option<f64>,
}

impl SubtitlePlan {
    pub(super) fn new(streams: &[SubtitleStream], closed_captions_from: Option<f64>) -> Self {
        let mut plan = Self { closed_captions_from, ..Self::default() };
        for stream in streams {
            let is_full = plan.converted.len() >= MAX_SUBTITLE_TRACKS as usize;
            match stream.kind {
                SubtitleKind::Text if is_full => plan.dropped.push(dropped(stream, DropReason::TooMany)),
                SubtitleKind::Text => plan.converted.push(stream.clone()),
                SubtitleKind::Pictures => plan.dropped.push(dropped(stream, DropReason::Pictures)),
                SubtitleKind::Unknown => plan.dropped.push(dropped(stream, DropReason::Unreadable)),
            }
        }
        plan
    }
}

/// Returns the entry of a track that is not published.
pub(crate) fn dropped(stream: &SubtitleStream, reason: DropReason) -> DroppedSubtitles {
    let language = stream.language.as_ref().map(|language| language.tag.clone());
    DroppedSubtitles { format: stream.format.clone(), language, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(number: usize, kind: SubtitleKind) -> SubtitleStream {
        SubtitleStream {
            stream: number,
            format: "subrip".to_owned(),
            kind,
            language: None,
            is_default: false,
            is_forced: false,
            is_for_hearing_impaired: false,
        }
    }

    #[test]
    fn every_track_is_converted_or_named_as_dropped() {
        let kinds = [SubtitleKind::Pictures, SubtitleKind::Unknown].into_iter();
        let streams = kinds.chain(std::iter::repeat_n(SubtitleKind::Text, 9)).enumerate();
        let streams: Vec<_> = streams.map(|(number, kind)| stream(number, kind)).collect();
        let plan = SubtitlePlan::new(&streams, None);
        assert_eq!(plan.converted.iter().map(|stream| stream.stream).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 8, 9]);
        let reasons = plan.dropped.iter().map(|dropped| dropped.reason);
        let expected = [DropReason::Pictures, DropReason::Unreadable, DropReason::TooMany];
        assert_eq!(reasons.collect::<Vec<_>>(), expected);
    }
}
