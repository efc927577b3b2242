//! Validates and hashes a file that arrives in several requests, and saves its state between them.
//!
//! SHA-256 is computed here, and not by the platform as for an upload in one request, because the platform's hash
//! cannot be saved.

use crate::base::refusal::Refusal;
use crate::uploads::file::refused_file;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use probe::Media;
use probe::judge::FileJudge;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};

#[derive(Default)]
pub(super) struct Checker {
    judge: FileJudge,
    hash: Sha256,
}

impl Checker {
    /// Checks the next bytes. Returns a refusal as soon as they prove that the file is invalid.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.hash.update(bytes);
        self.judge.feed(bytes).map_err(refused_file)
    }

    /// Returns the verdict and the SHA-256 of the whole file.
    pub(super) fn finish(self) -> Result<(Media, String), Refusal> {
        let media = self.judge.finish().map_err(refused_file)?;
        Ok((media, contract::hexadecimal(&self.hash.finalize())))
    }

    /// Saves the state as text: the hash's, which has a fixed length, and then the judge's. Returns `None` if it is too
    /// large.
    pub(super) fn save(&self) -> Option<String> {
        let mut state = self.hash.serialize().to_vec();
        state.extend(self.judge.save()?);
        Some(STANDARD.encode(state))
    }

    /// Restores a saved state. Returns `None` if this version did not save it.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let state = STANDARD.decode(saved).ok()?;
        let (hash, judge) = state.split_at_checked(size_of::<SerializedState<Sha256>>())?;
        let hash = SerializedState::<Sha256>::try_from(hash).ok()?;
        Some(Self { judge: FileJudge::restore(judge)?, hash: Sha256::deserialize(&hash).ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::mp4;
    use proptest::prelude::*;

    fn outcome(checker: Checker) -> Result<(Media, String), contract::ErrorCode> {
        checker.finish().map_err(|refusal| refusal.code)
    }

    proptest! {
        #[test]
        fn a_checker_that_is_saved_anywhere_finds_the_same(cuts in prop::collection::vec(0..30_000_usize, 0..6)) {
            let file = mp4(5_000, 30_000, 1);
            let mut whole = Checker::default();
            whole.feed(&file).unwrap();
            let mut cuts = cuts;
            cuts.extend([0, file.len()]);
            cuts.sort_unstable();
            let mut pieces = Checker::default();
            for pair in cuts.windows(2) {
                pieces = Checker::restore(&pieces.save().unwrap()).unwrap();
                pieces.feed(&file[pair[0]..pair[1]]).unwrap();
            }
            prop_assert_eq!(outcome(pieces), outcome(whole));
        }

        #[test]
        fn any_text_is_restored_or_not_without_a_panic(text in "[A-Za-z0-9+/=]{0,300}") {
            let _ = Checker::restore(&text);
        }
    }
}
