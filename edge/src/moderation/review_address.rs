//! Short-lived addresses of files for moderators.
//!
//! A video or image element cannot send a token, so the address itself is the credential: it contains a keyed hash of
//! the content, the file and the expiry, which cannot be guessed. It is below `/internal`, whose responses no cache
//! keeps. An address for a moderator who is signed in at the desk also names the session, and ends with it.

use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::{KeyedHash, Pepper};
use contract::job::StoredMedia;
use contract::{MediaFile, paths};
use serde::Deserialize;

/// Long enough to watch the longest video several times.
pub(crate) const REVIEW_SECONDS: u64 = 15 * 60;

/// The parameters of an address.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ReviewAddress {
    pub content: String,
    /// The name of the file.
    pub file: String,
    /// The time at which the address expires.
    pub until: u64,
    /// The session at the desk that the address ends with.
    pub session: Option<u64>,
    pub signature: String,
}

/// Makes the addresses of one response, which all expire at the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReviewAddresses<'a> {
    pub base: &'a str,
    pub pepper: &'a Pepper,
    pub until: UnixSeconds,
    pub session: Option<u64>,
}

impl ReviewAddresses<'_> {
    pub(crate) fn video_of(&self, content: &ContentUuid) -> String {
        self.file_of(content, MediaFile::Video)
    }

    pub(crate) fn file_of(&self, content: &ContentUuid, file: MediaFile) -> String {
        let Self { base, pepper, until, session } = self;
        let (path, content, file) = (paths::MODERATION_FILE, content.as_str(), file.to_string());
        let signature = sign(pepper, content, &file, until.0, *session);
        let session = session.map(|session| format!("&session={session}")).unwrap_or_default();
        format!("{base}{path}?content={content}&file={file}&until={until}{session}&signature={}", signature.as_str())
    }

    /// Returns the address of the file if it is stored.
    pub(crate) fn stored_file_of(
        &self,
        content: &ContentUuid,
        media: Option<&StoredMedia>,
        file: MediaFile,
    ) -> Option<String> {
        media.filter(|media| media.has(file)).map(|_| self.file_of(content, file))
    }
}

impl ReviewAddress {
    /// Returns the file if the service made this address and its time has not passed. The caller checks the session.
    pub(crate) fn valid_file(&self, pepper: &Pepper, now: UnixSeconds) -> Option<MediaFile> {
        let signature = sign(pepper, &self.content, &self.file, self.until, self.session);
        let is_valid = signature.is(&self.signature) && now.0 < self.until;
        MediaFile::parse(&self.file).filter(|_| is_valid)
    }
}

fn sign(pepper: &Pepper, content: &str, file: &str, until: u64, session: Option<u64>) -> KeyedHash {
    let session = session.map(|session| session.to_string()).unwrap_or_default();
    // Each part is separated by a space, which none of them contains when the service signs. API keys and tokens
    // contain none either, so no keyed hash of one equals a signature.
    pepper.hash(format!("review {content} {file} {until} {session}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTIL: u64 = 1_800_000_000;

    fn pepper(letter: &str) -> Pepper {
        Pepper::new(&letter.repeat(32)).unwrap()
    }

    fn address(session: Option<u64>) -> ReviewAddress {
        ReviewAddress {
            content: "c".to_owned(),
            file: "poster.jpg".to_owned(),
            until: UNTIL,
            session,
            signature: sign(&pepper("a"), "c", "poster.jpg", UNTIL, session).as_str().to_owned(),
        }
    }

    #[test]
    fn an_address_is_valid_until_its_end_and_only_as_it_was_made() {
        let before = UnixSeconds(UNTIL - 1);
        for session in [None, Some(7)] {
            assert_eq!(address(session).valid_file(&pepper("a"), before), Some(MediaFile::Poster));
            assert_eq!(address(session).valid_file(&pepper("a"), UnixSeconds(UNTIL)), None);
            assert_eq!(address(session).valid_file(&pepper("b"), before), None);
        }
        for forged in [
            ReviewAddress { content: "d".to_owned(), ..address(None) },
            ReviewAddress { file: "video.mp4".to_owned(), ..address(None) },
            ReviewAddress { until: UNTIL + 1, ..address(None) },
            ReviewAddress { session: Some(1), ..address(None) },
            ReviewAddress { session: None, ..address(Some(7)) },
            ReviewAddress { session: Some(8), ..address(Some(7)) },
            ReviewAddress { signature: String::new(), ..address(None) },
        ] {
            assert_eq!(forged.valid_file(&pepper("a"), before), None, "{forged:?}");
        }
    }

    #[test]
    fn an_address_contains_its_own_parameters() {
        let pepper = pepper("a");
        for session in [None, Some(7)] {
            let until = UnixSeconds(UNTIL);
            let addresses = ReviewAddresses { base: "https://www.example", pepper: &pepper, until, session };
            let ReviewAddress { content, file, until, signature, .. } = address(session);
            let session = if session.is_some() { "&session=7" } else { "" };
            let expected = format!(
                "https://www.example/internal/moderation/file?content={content}&file={file}&until={until}{session}\
                 &signature={signature}"
            );
            assert_eq!(addresses.file_of(&ContentUuid::new("c"), MediaFile::Poster), expected);
        }
    }
}
