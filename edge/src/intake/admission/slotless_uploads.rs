//! Counts the uploads of this isolate that hold no slot: those that can only succeed as replays, on a day whose slots
//! are used up. The database has no rows for them, so without this count a channel could open any number.
//!
//! Each isolate counts its own. These uploads store nothing and use up only what belongs to the isolate. The platform
//! cancels requests without notice, so an upload that sends nothing for the length of a lease is no longer counted.

use crate::ids::ChannelId;
use crate::isolate::{Holding, Holdings};
use crate::limits::LEASE_SECONDS;
use crate::unix_seconds::UnixSeconds;

pub(super) struct SlotlessUploads(Holdings<ChannelId>);

/// The place of an open upload. Dropping it frees the place.
pub(super) type SlotlessLease<'a> = Holding<'a, ChannelId>;

impl SlotlessUploads {
    pub(super) const fn new() -> Self {
        Self(Holdings::new(LEASE_SECONDS))
    }

    /// Counts one more upload of the channel, or returns `None` if `at_most` are open already.
    pub(super) fn open(&self, channel_id: ChannelId, at_most: u32, now: UnixSeconds) -> Option<SlotlessLease<'_>> {
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

    #[test]
    fn a_channel_has_at_most_its_number_open_and_other_channels_have_their_own() {
        let uploads = SlotlessUploads::new();
        let (first, second) = (uploads.open(ONE, 2, START), uploads.open(ONE, 2, START));
        assert!(first.is_some() && second.is_some() && uploads.open(ONE, 2, START).is_none());
        assert!(uploads.open(ChannelId(2), 2, START).is_some());
        drop(first);
        assert!(uploads.open(ONE, 2, START).is_some());
    }

    #[test]
    fn a_channel_whose_slots_leave_nothing_has_none_open() {
        assert!(SlotlessUploads::new().open(ONE, 0, START).is_none());
    }

    #[test]
    fn a_silent_upload_counts_until_its_lease_ends_and_a_renewed_one_goes_on() {
        let uploads = SlotlessUploads::new();
        let lease = uploads.open(ONE, 1, START);
        assert!(uploads.open(ONE, 1, START + (LEASE_SECONDS - 1)).is_none());
        let next = uploads.open(ONE, 1, START + LEASE_SECONDS);
        assert!(next.is_some());
        drop(next);
        // The first one was only slow. It counts again from its next byte on.
        if let Some(lease) = &lease {
            lease.renew(START + LEASE_SECONDS);
        }
        assert!(uploads.open(ONE, 1, START + LEASE_SECONDS).is_none());
        drop(lease);
        assert!(uploads.open(ONE, 1, START + LEASE_SECONDS).is_some());
    }
}
