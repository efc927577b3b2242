//! Every operation fails in every way: a removal is kept, and a restoration is completed.

use super::{REMOVALS, Repeating, backup, compare, compare_log, restore};
use crate::testing::fake_platform::Fault;
use contract::ContentState;
use futures_util::FutureExt;

#[test]
fn a_restoration_is_repeated_until_it_is_complete_whatever_fails() {
    let lost = backup();
    lost.happen(REMOVALS[3].0).unwrap();
    lost.happen(REMOVALS[0].0).unwrap();
    compare(&lost);
    for fault in Fault::ALL {
        for operation in 0.. {
            let restored = restore(&lost);
            let process = restored.world.process(Some((operation, fault)));
            let _ = compare_log(&process, Repeating::IfRestored).now_or_never();
            let was_reached = process.operations() > operation;
            compare(&restored);
            assert_eq!(restored.row().state, ContentState::Deleted, "{fault:?} at {operation}");
            assert_eq!(restored.count("SELECT count(*) AS number FROM api_keys"), 0, "{fault:?} at {operation}");
            if !was_reached {
                assert!(operation > 5, "the run has more operations");
                break;
            }
        }
    }
}

#[test]
fn a_removal_is_kept_whatever_fails() {
    for fault in Fault::ALL {
        for operation in 0..4 {
            let lost = backup();
            lost.happen(REMOVALS[0].0).unwrap();
            let _ = compare_log(&lost.world.process(Some((operation, fault))), Repeating::IfRestored).now_or_never();
            compare(&lost);
            let restored = restore(&lost);
            compare(&restored);
            assert_eq!(restored.count("SELECT count(*) AS number FROM api_keys"), 0, "{fault:?} at {operation}");
        }
    }
}
