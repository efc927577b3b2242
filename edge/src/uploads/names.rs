//! The names of an upload: random where they must not be guessable, readable where people see them.

use crate::base::ids::{ContentUuid, UploadUuid};
use crate::base::slug;
use crate::platform::entropy::{Entropy, random_base62};
use contract::subtitles::MAX_SUBTITLE_TRACKS;
use serde::{Deserialize, Serialize};
use std::array;
use uuid::{Builder, Uuid};

/// The random names that are chosen before the body is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UploadNames {
    /// Identifies the reservation and the source objects.
    pub upload_uuid: UploadUuid,
    pub content_uuid: ContentUuid,
    pub media_name: String,
    /// The names of the captions, which owners replace one by one.
    pub captions: [UploadUuid; MAX_SUBTITLE_TRACKS as usize],
    /// Makes the slug unique.
    slug_id: String,
}

impl UploadNames {
    pub(crate) fn generate(entropy: &mut impl Entropy, now_ms: u64) -> Self {
        Self {
            upload_uuid: UploadUuid::new(time_ordered_uuid(entropy, now_ms).to_string()),
            content_uuid: ContentUuid::new(time_ordered_uuid(entropy, now_ms).to_string()),
            media_name: random_base62::<24>(entropy) + ".mp4",
            slug_id: random_base62::<{ slug::ID_LENGTH }>(entropy),
            captions: array::from_fn(|_| UploadUuid::new(time_ordered_uuid(entropy, now_ms).to_string())),
        }
    }

    pub(crate) fn slug(&self, caption: Option<&str>) -> String {
        slug::slug(caption, &self.slug_id)
    }
}

/// Returns a version 7 UUID, which sorts by time and so keeps related rows close together.
pub(crate) fn time_ordered_uuid(entropy: &mut impl Entropy, now_ms: u64) -> Uuid {
    let mut random = [0; 10];
    entropy.fill(&mut random);
    Builder::from_unix_timestamp_millis(now_ms, &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::entropy::testing::Seeded;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_well_formed() {
        let names = UploadNames::generate(&mut Seeded::new(1), 1_700_000_000_000);
        let uuids = names.captions.iter().chain([&names.upload_uuid]).map(UploadUuid::as_str);
        let distinct: BTreeSet<&str> = uuids.chain([names.content_uuid.as_str()]).collect();
        assert_eq!(distinct.len(), 10);
        assert_eq!(Uuid::parse_str(names.content_uuid.as_str()).unwrap().get_version_num(), 7);
        assert_eq!(names.media_name.find(".mp4"), Some(24));
        assert_eq!(names.slug(None).len(), slug::ID_LENGTH);
    }
}
