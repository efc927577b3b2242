//! The rule for who may see which file of a content in which state. Only one function decides.

use crate::base::ids::ChannelId;
use contract::{ContentState, MediaFile};

/// The SQL expression for the state that viewers see, from `contents` and `channels`. The published contents of a
/// suspended channel are hidden, as if they had been taken down.
pub(super) const SHOWN_STATE: &str =
    "iif(state = 'published' AND channels.suspended_at_unix IS NOT NULL, 'taken_down', state)";

/// The person or program that asks for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Viewer {
    Anonymous,
    Channel(ChannelId),
    Moderator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everyone may see and cache the file.
    Public,
    /// The viewer may see the file, and it must not be cached.
    Private,
    Denied,
}

/// Returns the access of a viewer to a file. Everyone sees the files of a published content. The owner and moderators
/// see the pictures of a content that will or may be published. Everything else is denied.
pub(crate) fn access_to(file: MediaFile, state: ContentState, owner: ChannelId, viewer: Viewer) -> Access {
    let is_trusted = match viewer {
        Viewer::Anonymous => false,
        Viewer::Channel(channel) => channel == owner,
        Viewer::Moderator => true,
    };
    if state.is_public() {
        Access::Public
    } else if is_trusted && may_be_private(state, file) {
        Access::Private
    } else {
        Access::Denied
    }
}

/// Whether some viewers may see a file that is not public. If not, the viewer need not be identified.
pub(crate) fn may_be_private(state: ContentState, file: MediaFile) -> bool {
    may_become_public(state) && is_picture(file)
}

/// Whether the owner may see the progress of a content on its future public page.
pub(crate) fn may_show_progress(state: ContentState) -> bool {
    may_become_public(state)
}

fn may_become_public(state: ContentState) -> bool {
    matches!(state, ContentState::Processing | ContentState::Scheduled)
}

/// Whether the file holds single frames. The video, its HLS and DASH forms, its subtitles and its animated preview are
/// never private.
const fn is_picture(file: MediaFile) -> bool {
    match file {
        MediaFile::Poster | MediaFile::Thumbnail(_) | MediaFile::Storyboard | MediaFile::StoryboardTrack => true,
        MediaFile::Video
        | MediaFile::MasterPlaylist
        | MediaFile::DashManifest
        | MediaFile::Playlist(_)
        | MediaFile::Segments(_)
        | MediaFile::KeyframePlaylist(_)
        | MediaFile::SoundPlaylist
        | MediaFile::SoundSegments
        | MediaFile::LowSoundPlaylist
        | MediaFile::LowSoundSegments
        | MediaFile::SubtitlePlaylist(_)
        | MediaFile::Subtitles(_)
        | MediaFile::Preview => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: ChannelId = ChannelId(1);
    const VIEWERS: [Viewer; 4] =
        [Viewer::Anonymous, Viewer::Channel(OWNER), Viewer::Channel(ChannelId(2)), Viewer::Moderator];

    fn every_case() -> impl Iterator<Item = (ContentState, MediaFile, Viewer)> {
        let states = ContentState::ALL.iter();
        let files = states.flat_map(|state| MediaFile::all([720], 1).into_iter().map(|file| (*state, file)));
        files.flat_map(|(state, file)| VIEWERS.map(|viewer| (state, file, viewer)))
    }

    #[test]
    fn exactly_the_files_of_a_published_content_are_public() {
        for (state, file, viewer) in every_case() {
            let is_public = access_to(file, state, OWNER, viewer) == Access::Public;
            assert_eq!(is_public, state == ContentState::Published, "{state:?} {file} {viewer:?}");
        }
    }

    #[test]
    fn before_publication_the_owner_and_moderators_see_pictures_only() {
        for (state, file, viewer) in every_case() {
            let is_private = access_to(file, state, OWNER, viewer) == Access::Private;
            let is_trusted = matches!(viewer, Viewer::Channel(OWNER) | Viewer::Moderator);
            assert_eq!(is_private, is_trusted && may_be_private(state, file), "{state:?} {file} {viewer:?}");
        }
        assert!(may_be_private(ContentState::Scheduled, MediaFile::Poster));
        assert!(!may_be_private(ContentState::Scheduled, MediaFile::Video));
        assert!(!may_be_private(ContentState::TakenDown, MediaFile::Poster));
    }
}
