//! Counts the open uploads of each channel in this isolate, for kinds of uploads that the database does not count.
//!
//! Isolates do not share their counts. The platform cancels requests without notice, so an upload that sends nothing
//! for a while is no longer counted.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::isolate::{Holding, Holdings};

pub(super) struct OpenInIsolate(Holdings<ChannelId>);

/// The place of an open upload. Dropping it frees the place.
pub(super) type Place<'a> = Holding<'a, ChannelId>;

impl OpenInIsolate {
    /// An upload that is silent for this many seconds is no longer counted.
    pub(super) const fn new(silent_seconds: u64) -> Self {
        Self(Holdings::new(silent_seconds))
    }

    /// Counts one more upload of the channel, or returns `None` if `at_most` are open already.
    pub(super) fn open(&self, channel_id: ChannelId, at_most: u32, now: UnixSeconds) -> Option<Place<'_>> {
        self.0.add(channel_id, now, |open| {
            let open = open.filter(|other| *other == channel_id).count();
            u32::try_from(open).is_ok_and(|open| open < at_most)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: ChannelId = ChannelId(1);
    const START: UnixSeconds = UnixSeconds(1_000);
    const SILENT_SECONDS: u64 = 60;

    #[test]
    fn a_channel_has_at_most_its_number_open_and_other_channels_have_their_own() {
        let uploads = OpenInIsolate::new(SILENT_SECONDS);
        let (first, second) = (uploads.open(ONE, 2, START), uploads.open(ONE, 2, START));
        assert!(first.is_some() && second.is_some() && uploads.open(ONE, 2, START).is_none());
        assert!(uploads.open(ChannelId(2), 2, START).is_some());
        drop(first);
        assert!(uploads.open(ONE, 2, START).is_some());
    }

    #[test]
    fn a_channel_whose_slots_leave_nothing_has_none_open() {
        assert!(OpenInIsolate::new(SILENT_SECONDS).open(ONE, 0, START).is_none());
    }

    #[test]
    fn a_silent_upload_counts_until_its_place_expires_and_a_renewed_one_goes_on() {
        let uploads = OpenInIsolate::new(SILENT_SECONDS);
        let place = uploads.open(ONE, 1, START);
        assert!(uploads.open(ONE, 1, START + (SILENT_SECONDS - 1)).is_none());
        let next = uploads.open(ONE, 1, START + SILENT_SECONDS);
        assert!(next.is_some());
        drop(next);
        // The first upload was only slow. It counts again from its next byte on.
        if let Some(place) = &place {
            place.renew(START + SILENT_SECONDS);
        }
        assert!(uploads.open(ONE, 1, START + SILENT_SECONDS).is_none());
        drop(place);
        assert!(uploads.open(ONE, 1, START + SILENT_SECONDS).is_some());
    }
}
