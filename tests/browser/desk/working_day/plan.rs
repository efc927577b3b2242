//! The videos of the day. Instead of its pictures, the caption of each video says what is right.

use super::super::seeding::BLACK;
use contract::paths;

/// The policies in captions. They are among the first nine of a new service, in the order of their keys.
const POLICIES: [(&str, char); 3] = [("violence", '4'), ("copyright", '8'), ("spam", '9')];

/// The beginning of a caption, the key of the decision that it asks for, and the path of the same decision in the API.
const DECISIONS: [(&str, char, &str); 6] = [
    ("approve", 'a', paths::MODERATION_APPROVE),
    ("reject for", 'r', paths::MODERATION_REJECT),
    ("take down for", 't', paths::MODERATION_TAKE_DOWN),
    ("dismiss", 'd', paths::MODERATION_DISMISS),
    ("restore", 'o', paths::MODERATION_RESTORE),
    ("uphold", 'e', paths::MODERATION_REJECT_APPEAL),
];

/// The reason for which moderators see a video, or do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Waits for a person.
    Harmless,
    /// Waits for a person, and breaks a rule.
    Bad,
    /// Was published and reported, and breaks a rule.
    ReportedBad,
    /// Was published and reported for nothing.
    ReportedHarmless,
    /// Was taken down by mistake, and its owner appeals.
    WronglyRemoved,
    /// Was rightly taken down, and its owner appeals.
    RightlyRemoved,
    /// Shows the video that a moderator has removed before, in another size.
    Copy,
    /// Shows the same in a mirror.
    Mirrored,
    /// Shows the same in other colours.
    Recoloured,
    /// Is published, and nobody objects.
    Clean,
}

/// The share of each kind.
const ROUND: [Kind; 15] = [
    Kind::Harmless,
    Kind::Harmless,
    Kind::Harmless,
    Kind::Harmless,
    Kind::Bad,
    Kind::Bad,
    Kind::Bad,
    Kind::ReportedBad,
    Kind::ReportedHarmless,
    Kind::WronglyRemoved,
    Kind::RightlyRemoved,
    Kind::Copy,
    Kind::Mirrored,
    Kind::Recoloured,
    Kind::Clean,
];

/// A video that is not uploaded yet.
#[derive(Clone, Debug)]
pub(super) struct PlannedVideo {
    pub(super) number: usize,
    pub(super) kind: Kind,
    pub(super) caption: String,
}

/// The case of a video at the end of the day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) state: &'static str,
    /// The decisions about it, newest first.
    pub(super) decisions: &'static [&'static str],
}

/// The decision that a caption asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RightDecision {
    pub(super) key: char,
    pub(super) path: &'static str,
    /// The code of the policy and its key.
    pub(super) policy: Option<(&'static str, char)>,
}

impl Ending {
    const fn new(state: &'static str, decisions: &'static [&'static str]) -> Self {
        Self { state, decisions }
    }
}

impl RightDecision {
    /// Returns none if nobody should decide.
    pub(super) fn of_caption(caption: &str) -> Option<Self> {
        let (_, key, path) = DECISIONS.into_iter().find(|(beginning, ..)| caption.starts_with(beginning))?;
        let policy = POLICIES.into_iter().find(|(code, _)| caption.contains(code));
        Some(Self { key, path, policy })
    }
}

impl Kind {
    /// Whether a moderator finds it in the queue.
    pub(super) const fn needs_person(self) -> bool {
        !matches!(self, Self::Clean | Self::Copy | Self::Mirrored | Self::Recoloured)
    }

    /// Whether a person may have to look at it, if the service is not certain.
    pub(super) const fn is_disguised(self) -> bool {
        matches!(self, Self::Mirrored | Self::Recoloured)
    }

    pub(super) const fn ending(self) -> Ending {
        match self {
            Self::Harmless => Ending::new("published", &["approve"]),
            Self::Bad => Ending::new("rejected", &["reject"]),
            Self::ReportedBad => Ending::new("taken_down", &["take_down"]),
            // Only the trail records that a flag was dismissed.
            Self::ReportedHarmless | Self::Clean => Ending::new("published", &[]),
            Self::WronglyRemoved => Ending::new("published", &["restore", "take_down"]),
            Self::RightlyRemoved => Ending::new("taken_down", &["reject_appeal", "take_down"]),
            Self::Copy | Self::Mirrored | Self::Recoloured => Ending::new("rejected", &[]),
        }
    }

    fn caption(self, number: usize) -> String {
        let (policy, _) = POLICIES[number % POLICIES.len()];
        match self {
            Self::Harmless => format!("approve {number:02}"),
            Self::Bad | Self::Copy | Self::Mirrored | Self::Recoloured => format!("reject for {policy} {number:02}"),
            Self::ReportedBad => format!("take down for {policy} {number:02}"),
            Self::ReportedHarmless => format!("dismiss {number:02}"),
            Self::WronglyRemoved => format!("restore {number:02}"),
            Self::RightlyRemoved => format!("uphold {number:02}"),
            Self::Clean => format!("leave {number:02}"),
        }
    }
}

impl PlannedVideo {
    fn new(number: usize, kind: Kind) -> Self {
        Self { number, kind, caption: kind.caption(number) }
    }

    /// The video that a moderator removes before the day begins.
    pub(super) fn original() -> Self {
        Self::new(0, Kind::Clean)
    }

    /// Returns the ffmpeg filter graph of its picture.
    pub(super) fn picture(&self) -> String {
        match self.kind {
            Kind::Harmless | Kind::Bad => BLACK.to_owned(),
            Kind::Copy => format!("{},scale=256:144", mosaic(0)),
            Kind::Mirrored => format!("{},hflip", mosaic(0)),
            Kind::Recoloured => format!("{},hue=h=120", mosaic(0)),
            _ => mosaic(self.number),
        }
    }
}

/// Returns the videos of a day, numbered from 1.
pub(super) fn day(rounds: usize) -> Vec<PlannedVideo> {
    let kinds = std::iter::repeat_n(ROUND, rounds).flatten();
    (1..).zip(kinds).map(|(number, kind)| PlannedVideo::new(number, kind)).collect()
}

/// Returns further videos that wait for a person, with numbers after those of the day.
pub(super) fn waiting_after(day: &[PlannedVideo], count: usize) -> Vec<PlannedVideo> {
    let waiting = day.iter().map(|video| video.kind).filter(|kind| matches!(kind, Kind::Harmless | Kind::Bad));
    (day.len() + 1..).zip(waiting.cycle().take(count)).map(|(number, kind)| PlannedVideo::new(number, kind)).collect()
}

/// Returns a picture of 144 coloured squares. The hashes of the numbers up to 60 differ in more bits than those of
/// similar pictures, also in a mirror, turned, or with inverted colours.
fn mosaic(number: usize) -> String {
    let colour = |across: f64, down: f64, turn: f64, spread: f64| {
        format!("mod(abs(sin((X+1)*{across}+(Y+1)*{down}+{number}*{turn}))*{spread}\\,1)*255")
    };
    let red = colour(12.9898, 78.233, 37.719, 43_758.545_3);
    let green = colour(39.346, 11.135, 83.155, 24_634.634_5);
    let blue = colour(73.156, 52.235, 9.151, 56_445.234_5);
    format!("nullsrc=size=16x9:rate=25,format=rgb24,geq=r='{red}':g='{green}':b='{blue}',scale=320:180:flags=neighbor")
}
