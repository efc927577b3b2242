//! Who may see which file of a content, in which state: one function, and everything else follows it.

use contract::{ContentState, MediaFile};

/// Who asks, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    Anybody,
    Channel(u64),
    Moderator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody may see and keep it.
    Public,
    /// This one may see it, and nobody may keep it.
    Private,
    Denied,
}

/// The whole rule: what is published, everybody sees; pictures of what will or may be published, its owner sees and
/// whoever has to decide about it. Nothing else, ever.
pub fn access(state: ContentState, owner: u64, file: MediaFile, asker: Asker) -> Access {
    let is_trusted = match asker {
        Asker::Anybody => false,
        Asker::Channel(channel) => channel == owner,
        Asker::Moderator => true,
    };
    if state.is_public() {
        Access::Public
    } else if is_trusted && may_become_public(state) && is_picture(file) {
        Access::Private
    } else {
        Access::Denied
    }
}

/// Whether somebody may have a right to see the file though it is not public: what else is asked, costs nothing.
pub fn may_be_private(state: ContentState, file: MediaFile) -> bool {
    may_become_public(state) && is_picture(file)
}

fn may_become_public(state: ContentState) -> bool {
    matches!(state, ContentState::Processing | ContentState::Scheduled)
}

/// Single frames. The video itself, also as HLS and as the animated preview, is for everybody or nobody.
const fn is_picture(file: MediaFile) -> bool {
    match file {
        MediaFile::Poster
        | MediaFile::Thumbnail(_)
        | MediaFile::Storyboard
        | MediaFile::StoryboardTrack => true,
        MediaFile::Video
        | MediaFile::MasterPlaylist
        | MediaFile::Playlist(_)
        | MediaFile::Segments(_)
        | MediaFile::Preview => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [MediaFile; 9] = [
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Playlist(720),
        MediaFile::Segments(720),
        MediaFile::Poster,
        MediaFile::Thumbnail(320),
        MediaFile::Storyboard,
        MediaFile::StoryboardTrack,
        MediaFile::Preview,
    ];
    const ASKERS: [Asker; 4] = [
        Asker::Anybody,
        Asker::Channel(1),
        Asker::Channel(2),
        Asker::Moderator,
    ];

    #[test]
    fn only_what_is_published_is_public() {
        for state in ContentState::ALL {
            for (file, asker) in FILES
                .into_iter()
                .flat_map(|file| ASKERS.map(|asker| (file, asker)))
            {
                let is_public = access(*state, 1, file, asker) == Access::Public;
                assert_eq!(is_public, *state == ContentState::Published);
            }
        }
    }

    #[test]
    fn before_that_its_owner_and_a_moderator_see_pictures_alone() {
        for state in ContentState::ALL {
            for (file, asker) in FILES
                .into_iter()
                .flat_map(|file| ASKERS.map(|asker| (file, asker)))
            {
                let is_private = access(*state, 1, file, asker) == Access::Private;
                let knows = matches!(asker, Asker::Channel(1) | Asker::Moderator);
                assert_eq!(is_private, knows && may_be_private(*state, file));
            }
        }
        assert!(may_be_private(ContentState::Scheduled, MediaFile::Poster));
        assert!(!may_be_private(ContentState::Scheduled, MediaFile::Video));
        assert!(!may_be_private(ContentState::TakenDown, MediaFile::Poster));
    }
}
