//! Plans the R2 parts of an upload's file when the file begins.
//!
//! R2 takes a part as a stream only if its length is announced. The length of the file is not known before its end, but
//! the length of the whole body is, and few bytes follow the file in a usual form. So all parts but the last are chosen
//! such that the file fills them, and they stream into R2. Only the tail is held.
//!
//! Let `left` be the bytes of the body from the first byte of the file on, and `likely` the most bytes that follow the
//! last byte of the file in a usual form. The file of such a form has at least `left - likely` bytes, and the streamed
//! parts have at most that many together. R2 requires parts of equal size, so this amount is divided evenly, into as
//! few parts as their largest size allows. The tail has less than `likely` bytes plus one byte per part, or less than
//! one smallest part plus `likely` if nothing is streamed.
//!
//! More than usual may follow the file: unknown fields, long headers, or a picture of two megabytes. Holding so much of
//! every file would be a waste. In such a form the file ends before the last streamed part is full, and `streamed`
//! repairs that.

use crate::base::limits::PartSizes;

/// The plan for a file in a body of known length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartPlan {
    /// The size of each streamed part.
    part_bytes: u64,
    streamed_parts: u64,
    /// The fewest and the most bytes that the file of a valid form can have.
    min_file_bytes: u64,
    max_file_bytes: u64,
}

/// The sizes of the rest of the body, as far as the headers of the request and the fields before the file determine
/// them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyAhead {
    /// The bytes of the body from the first byte of the file on.
    pub left: u64,
    /// The fewest bytes that can follow the last byte of the file: the closing boundary.
    pub min_after_file: u64,
    /// The most bytes that follow the last byte of the file in a usual form.
    pub likely_after_file: u64,
    /// The most bytes that can follow the last byte of the file in a valid form.
    pub max_after_file: u64,
}

impl PartPlan {
    /// Plans the parts of the file that begins here: as few as the largest size allows.
    pub(crate) fn new(ahead: BodyAhead, sizes: PartSizes) -> Self {
        let (smallest, largest) = (sizes.smallest as u64, sizes.largest as u64);
        let expected = ahead.left.saturating_sub(ahead.likely_after_file);
        let streamed_parts = if expected < smallest { 0 } else { expected.div_ceil(largest) };
        Self {
            part_bytes: expected.checked_div(streamed_parts).unwrap_or(smallest),
            streamed_parts,
            min_file_bytes: ahead.left.saturating_sub(ahead.max_after_file),
            max_file_bytes: ahead.left.saturating_sub(ahead.min_after_file),
        }
    }

    /// Returns the fewest bytes that the file of a valid form can have.
    pub(crate) fn min_file_bytes(&self) -> u64 {
        self.min_file_bytes
    }

    /// Whether the file has parts that stream.
    pub(crate) fn has_streamed_parts(&self) -> bool {
        self.streamed_parts > 0
    }

    pub(crate) fn part_bytes(&self) -> u64 {
        self.part_bytes
    }

    /// Returns the bytes in all streamed parts together. The file has at least as many if the form is a usual one.
    pub(crate) fn streamed_bytes(&self) -> u64 {
        self.part_bytes * self.streamed_parts
    }

    /// Returns the most bytes that the file can have after its streamed parts.
    pub(crate) fn max_tail_bytes(&self) -> u64 {
        self.max_file_bytes.saturating_sub(self.streamed_bytes())
    }

    /// Returns the bytes from this position in the file to the end of its streamed part, or `None` in the tail.
    pub(crate) fn left_in_part(&self, position: u64) -> Option<u64> {
        (position < self.streamed_bytes()).then(|| self.part_bytes - position % self.part_bytes)
    }

    /// Whether a streamed part begins at this position in the file.
    pub(crate) fn begins_part(&self, position: u64) -> bool {
        position < self.streamed_bytes() && position.is_multiple_of(self.part_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::{LARGEST_PART_BYTES, PART_BYTES, PART_SIZES, SEGMENT_BYTES};
    use crate::uploads::form::Form;
    use proptest::prelude::*;

    const MIN_PART_BYTES: u64 = PART_BYTES as u64;
    const MAX_PART_BYTES: u64 = LARGEST_PART_BYTES as u64;

    const MORE_THAN_LIKELY: u64 = 2_100_000;

    fn plan(left: u64, likely: u64) -> PartPlan {
        let (min_after_file, max_after_file) = (10.min(likely), likely + MORE_THAN_LIKELY);
        PartPlan::new(BodyAhead { left, min_after_file, likely_after_file: likely, max_after_file }, PART_SIZES)
    }

    const LONGEST_BOUNDARY: usize = 70;

    /// So a file that does not fill its streamed parts still fills all of them but the last.
    #[test]
    fn less_than_one_part_can_follow_a_file() {
        let after = Form::default().max_bytes_after_file(LONGEST_BOUNDARY);
        assert!(after + 10_000 < PART_BYTES as u64, "{after}");
    }

    /// So a crowd of uploads needs no memory for its tails.
    #[test]
    fn the_tail_of_a_streamed_file_fits_into_a_segment() {
        let likely = Form::default().likely_bytes_after_file(LONGEST_BOUNDARY);
        let plan = plan(200_000_000, likely);
        assert!(plan.max_tail_bytes() <= SEGMENT_BYTES as u64, "{}", plan.max_tail_bytes());
    }

    proptest! {
        #[test]
        fn the_file_ends_short_of_its_streamed_parts_only_by_what_follows_it_beyond_the_likely(
            file in 0..200_000_000_u64, likely in 0..300_000_u64, after in 0..2_100_000_u64,
        ) {
            let plan = plan(file + after, likely);
            prop_assert!(plan.streamed_bytes() <= file + after.saturating_sub(likely));
            prop_assert!(plan.min_file_bytes() <= file);
        }

        #[test]
        fn r2_accepts_the_sizes(left in 0..200_000_000_u64, likely in 0..3_000_000_u64) {
            let plan = plan(left, likely);
            prop_assert!((MIN_PART_BYTES..=MAX_PART_BYTES).contains(&plan.part_bytes));
            // The last part may not be larger than the others.
            prop_assert!(plan.streamed_parts == 0 || plan.max_tail_bytes() <= plan.part_bytes);
        }

        #[test]
        fn the_tail_is_hardly_longer_than_what_is_likely_to_follow_the_file(
            left in 2 * MIN_PART_BYTES..200_000_000_u64, likely in 0..3_000_000_u64,
        ) {
            let plan = plan(left, likely);
            prop_assert!(plan.max_tail_bytes() <= likely + plan.streamed_parts);
        }

        #[test]
        fn parts_follow_each_other_without_gaps(left in MIN_PART_BYTES..50_000_000_u64, position in 0..50_000_000_u64) {
            let plan = plan(left, 1_000);
            match plan.left_in_part(position) {
                Some(rest) => {
                    prop_assert!((1..=plan.part_bytes).contains(&rest));
                    prop_assert!((position + rest).is_multiple_of(plan.part_bytes));
                    prop_assert_eq!(plan.begins_part(position), rest == plan.part_bytes);
                }
                None => prop_assert!(position >= plan.streamed_bytes() && !plan.begins_part(position)),
            }
        }
    }

    #[test]
    fn a_small_body_is_held_as_a_whole() {
        let plan = plan(MIN_PART_BYTES, 1_000);
        assert_eq!((plan.streamed_bytes(), plan.max_tail_bytes()), (0, MIN_PART_BYTES - 10));
    }

    #[test]
    fn no_part_begins_at_the_end_of_the_streamed_ones() {
        let plan = plan(MAX_PART_BYTES + 5_001, 1_000);
        let part = plan.part_bytes();
        let begins = [0, 1, part, 2 * part - 1, 2 * part, 3 * part].map(|position| plan.begins_part(position));
        assert_eq!(begins, [true, false, true, false, false, false]);
    }

    #[test]
    fn two_parts_share_what_the_file_certainly_has() {
        let plan = plan(MAX_PART_BYTES + 5_001, 1_000);
        assert_eq!((plan.part_bytes(), plan.streamed_bytes()), (MAX_PART_BYTES / 2 + 2_000, MAX_PART_BYTES + 4_000));
        assert_eq!(plan.max_tail_bytes(), 991);
    }

    #[test]
    fn a_video_of_95_megabytes_has_three_parts_and_a_tail() {
        let plan = plan(95_000_000, 31_000);
        assert_eq!((plan.streamed_parts, plan.part_bytes()), (3, 31_656_333));
    }

    #[test]
    fn a_file_of_up_to_the_largest_size_is_one_part() {
        for file in [MIN_PART_BYTES, MIN_PART_BYTES + 1, MAX_PART_BYTES] {
            let plan = plan(file + 1_000, 1_000);
            assert_eq!((plan.streamed_parts, plan.part_bytes()), (1, file));
        }
        assert_eq!(plan(MIN_PART_BYTES + 999, 1_000).streamed_parts, 0);
        assert_eq!(plan(MAX_PART_BYTES + 1_001, 1_000).streamed_parts, 2);
    }
}
