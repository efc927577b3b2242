//! The reasons why players would read a movie differently.
//!
//! A contradiction is recorded when it is detected. The file is refused when the movie is judged. This module must not
//! detect contradictions itself.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Contradiction {
    SurplusEdits,
    LongestTrackForSome,
    SamplesThatDoNotExist,
    SamplesInNoChunk,
    SurplusInChunks,
    SamplesInHeader,
    EmptyRun,
    DisorderedChunks,
    EndlessEdit,
    UnknownVersion,
    PictureAndSound,
    ShownLongBefore,
    NoClock,
    FastClock,
    FastTrackClock,
    SameNumber,
    DisorderedFragments,
    SeveralDefaults,
    EditsBeforeClock,
    SlowSound,
    OnlyPauses,
    EarlyEdit,
    LatePause,
    LongEdit,
    ShortFragmentHeader,
    FragmentOfNoTrack,
    IndexOfNoFragments,
    UnknownDescription,
    SeveralFormats,
    NegativeDuration,
}

impl Contradiction {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::SurplusEdits => "an edit list has more edits than it declares",
            Self::LongestTrackForSome => "only some players would play its longest track",
            Self::SamplesThatDoNotExist => "its tables give times to samples that do not exist",
            Self::SamplesInNoChunk => "its tables list samples that are in no chunk",
            Self::SurplusInChunks => "its chunks hold more samples than it lists, so some players ignore its edits",
            Self::SamplesInHeader => "it says that its samples are where its header is",
            Self::EmptyRun => "its table of times has a run without samples",
            Self::DisorderedChunks => "its table of chunks is out of order, or lists chunks that do not exist",
            Self::EndlessEdit => "an edit is longer than any video",
            Self::UnknownVersion => "a header has an unknown version",
            Self::PictureAndSound => "a track is picture by one box and sound by another",
            Self::ShownLongBefore => "its samples are shown long before they are stored",
            Self::NoClock => "its clock does not tick, and players use another one",
            Self::FastClock => "its clock is so fast that players use another one",
            Self::FastTrackClock => "a track's clock is so fast that players use another one",
            Self::SameNumber => "several tracks have the same number",
            Self::DisorderedFragments => "its fragments are out of order",
            Self::SeveralDefaults => "its tracks have several defaults for fragments",
            Self::EditsBeforeClock => "an edit list precedes the clock that it uses",
            Self::SlowSound => "its sound is stored in samples of many seconds",
            Self::ShortFragmentHeader => "the header of a fragment is shorter than its flags say",
            Self::FragmentOfNoTrack => "a fragment belongs to a track that does not exist, or that has no defaults",
            Self::IndexOfNoFragments => "its index lists fragments, but it has none",
            Self::UnknownDescription => "its samples have a description that does not exist",
            Self::SeveralFormats => "its samples have several formats, of which players play only one",
            Self::NegativeDuration => "a sample lasts for so long that some players take its duration for negative",
            Self::EarlyEdit => "an edit begins before its media",
            Self::LatePause => "only some players keep a pause between or behind its edits",
            Self::LongEdit => "an edit has no length, or is longer than its media and not the last one",
            Self::OnlyPauses => "an edit list has only pauses",
        }
    }
}
