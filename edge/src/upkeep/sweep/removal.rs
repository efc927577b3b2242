//! Deletes objects in bulk. One object that cannot be deleted does not block the rest.

use crate::platform::error::PlatformError;
use crate::platform::object_store::{DELETE_LENGTH, ObjectStore};
use std::ops::Range;

/// The maximum number of failed calls before the rest is left to the next run. Finding one bad group among 500 takes
/// nine; with many more, the store itself has failed.
const MAX_FAILURES: u32 = 30;

/// The outcome of deleting some groups of objects.
#[derive(Debug)]
pub(super) struct Removal {
    /// Whether each group is deleted.
    pub(super) is_deleted: Vec<bool>,
    pub(super) first_error: Option<PlatformError>,
}

/// Deletes groups of objects. A group has at most `DELETE_LENGTH`, and is deleted as a whole or counts as not deleted.
///
/// If a call fails, each half of its groups is tried alone, down to single groups.
pub(super) async fn delete_groups(objects: &impl ObjectStore, groups: &[Vec<String>]) -> Removal {
    let mut removal = Removal { is_deleted: vec![false; groups.len()], first_error: None };
    let mut failures = 0;
    let mut open = calls(groups);
    while let Some(range) = open.pop() {
        let keys = groups.get(range.clone()).unwrap_or_default().concat();
        let outcome = if keys.is_empty() { Ok(()) } else { objects.delete(&keys).await };
        let Err(error) = outcome else {
            removal.set_deleted(range);
            continue;
        };
        removal.first_error.get_or_insert(error);
        failures += 1;
        if failures < MAX_FAILURES && range.len() > 1 {
            let middle = range.start.midpoint(range.end);
            open.extend([middle..range.end, range.start..middle]);
        }
    }
    removal
}

impl Removal {
    fn set_deleted(&mut self, range: Range<usize>) {
        self.is_deleted.get_mut(range).unwrap_or_default().fill(true);
    }
}

/// Divides the groups into calls of at most `DELETE_LENGTH` keys, in reverse order.
fn calls(groups: &[Vec<String>]) -> Vec<Range<usize>> {
    let mut calls: Vec<Range<usize>> = Vec::new();
    let mut length = 0;
    for (number, group) in groups.iter().enumerate() {
        length += group.len();
        if let Some(call) = calls.last_mut().filter(|_| length <= DELETE_LENGTH) {
            call.end = number + 1;
        } else {
            length = group.len();
            calls.push(number..number + 1);
        }
    }
    calls.reverse();
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fake_platform::World;
    use futures_executor::block_on;
    use proptest::prelude::*;

    fn groups(lengths: &[usize]) -> Vec<Vec<String>> {
        let group = |(number, length): (usize, &usize)| (0..*length).map(|key| format!("g{number}/{key}")).collect();
        lengths.iter().enumerate().map(group).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(40, 1_000)))]
        #[test]
        fn every_group_is_in_one_call_and_no_call_is_too_long(lengths in prop::collection::vec(0..=DELETE_LENGTH, 0..8)) {
            let groups = groups(&lengths);
            let mut calls = calls(&groups);
            calls.reverse();
            prop_assert!(calls.iter().flat_map(Clone::clone).eq(0..groups.len()));
            for call in calls {
                prop_assert!(groups[call].concat().len() <= DELETE_LENGTH);
            }
        }

        #[test]
        fn only_the_groups_that_cannot_be_deleted_are_left(
            lengths in prop::collection::vec(0..5_usize, 1..200), broken in prop::collection::btree_set(0..200_usize, 0..3),
        ) {
            let (world, groups) = (World::new(1), groups(&lengths));
            for key in groups.concat() {
                world.objects.borrow_mut().insert(key, b"x".to_vec());
            }
            world.broken_prefixes.borrow_mut().extend(broken.iter().map(|number| format!("g{number}/")));
            let removal = block_on(delete_groups(&world.process(None), &groups));
            for (number, group) in groups.iter().enumerate() {
                let is_left = broken.contains(&number) && !group.is_empty();
                prop_assert_eq!(removal.is_deleted[number], !is_left);
                prop_assert!(group.iter().all(|key| world.objects.borrow().contains_key(key) == is_left));
            }
        }
    }

    #[test]
    fn a_store_that_fails_altogether_is_left_alone_soon() {
        let world = World::new(1);
        world.broken_prefixes.borrow_mut().insert(String::new());
        let process = world.process(None);
        let removal = block_on(delete_groups(&process, &groups(&[3; 500])));
        assert!(removal.first_error.is_some() && !removal.is_deleted.contains(&true));
        assert_eq!(process.operations(), 36);
    }
}
