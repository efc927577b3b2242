//! The numbers of R2's parts. Each request that appends numbers its parts so that no part of an older request, which
//! may still be on its way to R2, can replace one of them.

use crate::base::limits::PART_BYTES;
use contract::limits::DEFAULT_MAX_RESUMABLE_BYTES;
use serde::{Deserialize, Serialize};

/// R2's limit on the parts of one object, and on their numbers.
const MAX_NUMBER: u64 = 10_000;

/// The maximum number of parts that a request stores between two checkpoints.
pub(super) const MOST_UNSAVED: u64 = 8;

/// A request takes its numbers after all that an older one can use before it must notice that it was overtaken: the
/// unsaved parts, and the one that is streaming.
const NUMBERS_OF_EPOCH: u64 = MOST_UNSAVED + 2;

/// A stored part: its number, the epoch of the request that stored it, and R2's entity tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedPart(pub u16, pub u64, pub String);

/// Returns the number of the next part, after a part with this number and epoch. If so many requests were interrupted
/// that the numbers run out, they follow without gaps; R2 compares the entity tags, so a part that was replaced then
/// fails the upload and never spoils it.
pub(super) fn next_number(last: Option<(u16, u64)>, epoch: u64, parts_left: u64) -> Option<u16> {
    let (number, last_epoch) = last.map_or((0, 0), |(number, epoch)| (u64::from(number), epoch));
    let gap = NUMBERS_OF_EPOCH.saturating_mul(epoch.saturating_sub(last_epoch)).max(1);
    let most = MAX_NUMBER.saturating_sub(parts_left.saturating_sub(1));
    let next = number.saturating_add(gap).min(most.max(number + 1));
    u16::try_from(next).ok().filter(|next| u64::from(*next) <= MAX_NUMBER)
}

// Hundreds of interruptions leave numbers for the parts of the largest file.
const _: () = assert!(DEFAULT_MAX_RESUMABLE_BYTES / PART_BYTES as u64 + 900 * NUMBERS_OF_EPOCH < MAX_NUMBER);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_of_two_requests_never_meet(last in 0..500_u16, epochs in 1..20_u64, unsaved in 0..=MOST_UNSAVED) {
            let old = Some((last, 3));
            let mut overtaken = next_number(old, 4, 100).unwrap();
            for _ in 0..unsaved {
                overtaken = next_number(Some((overtaken, 4)), 4, 100).unwrap();
            }
            prop_assert!(next_number(old, 4 + epochs, 100).unwrap() > overtaken);
        }

        #[test]
        fn there_is_a_number_for_every_part(last in 0..9_000_u16, epoch in 0..5_000_u64, parts in 1..900_u64) {
            let mut number = last;
            for left in (1..=parts).rev() {
                let next = next_number(Some((number, 0)), epoch, left).unwrap();
                prop_assert!(next > number);
                number = next;
            }
        }
    }
}
