//! The evidence that an owner left, and the publications that one postponed.

use super::{backup, compare, restore};
use crate::jobs::tests::scene::Scene;

/// The evidence that stays when an owner deletes a removed content.
macro_rules! keep_evidence {
    ($until:literal) => {
        concat!(
            "INSERT INTO evidence (content_id, state, caption, deleted_at_unix, kept_until_unix)
             SELECT id, state, caption, 5, ",
            $until,
            " FROM contents"
        )
    };
}

#[test]
fn evidence_is_kept_again_until_its_retention_ends() {
    for (keep, kept) in [(keep_evidence!("9000000000"), 1), (keep_evidence!(6), 0)] {
        let lost = backup();
        lost.attempt("UPDATE contents SET state = 'taken_down'").unwrap();
        lost.attempt(keep).unwrap();
        lost.attempt("UPDATE contents SET state = 'deleted', caption = NULL").unwrap();
        compare(&lost);
        let restored = restore(&lost);
        assert!(compare(&restored) > 0);
        assert_eq!(restored.count("SELECT state = 'deleted' AND caption IS NULL AS number FROM contents"), 1);
        let evidence = "SELECT count(*) AS number FROM evidence
            WHERE caption = 'words' AND state = 'taken_down' AND deleted_at_unix = 5 AND kept_until_unix = 9000000000";
        assert_eq!(restored.count(evidence), kept);
    }
}

#[test]
fn the_evidence_of_a_flagged_content_is_kept_again_unless_a_moderator_dismissed_the_flag() {
    const FLAG: &str = "INSERT INTO flags (content_id, flagged_at_unix) SELECT id, 1 FROM contents";
    const DISMISS: &str = "DELETE FROM flags";
    const TAKE_DOWN: &str = "UPDATE evidence SET state = 'taken_down'";
    let cases: [(&[&'static str], [u64; 3]); 3] = [(&[], [1, 0, 1]), (&[TAKE_DOWN], [0, 1, 0]), (&[DISMISS], [0; 3])];
    for (decision, expected) in cases {
        let lost = backup();
        let delete = "UPDATE contents SET state = 'deleted', caption = NULL";
        for change in [FLAG, keep_evidence!("9000000000"), delete].iter().chain(decision) {
            lost.attempt(change).unwrap();
        }
        compare(&lost);
        let restored = restore(&lost);
        assert!(compare(&restored) > 0);
        assert_eq!(restored.count("SELECT state = 'deleted' AND caption IS NULL AS number FROM contents"), 1);
        let found = [
            "SELECT count(*) AS number FROM evidence WHERE state = 'published' AND caption = 'words'",
            "SELECT count(*) AS number FROM evidence WHERE state = 'taken_down' AND caption = 'words'",
            "SELECT count(*) AS number FROM flags",
        ];
        assert_eq!(found.map(|sql| restored.count(sql)), expected, "{decision:?}");
    }
}

macro_rules! schedule {
    ($time:literal) => {
        concat!("UPDATE contents SET scheduled_publish_at_unix = ", $time)
    };
}

#[test]
fn a_publication_that_was_postponed_does_not_get_its_earlier_time_back() {
    // What the owner did after the backup, and the time that holds afterwards.
    let cases: [(&[&'static str], u64); 5] = [
        (&[schedule!(200)], 200),
        (&[schedule!(200), schedule!(150)], 150),
        (&[schedule!(50)], 100),
        (&[schedule!(200), schedule!("NULL")], 100),
        (&[schedule!("NULL"), schedule!(300)], 300),
    ];
    for (changes, expected) in cases {
        let [lost, restored] = [Scene::new(), Scene::new()];
        for scene in [&lost, &restored] {
            scene.attempt(schedule!(100)).unwrap();
            compare(scene);
        }
        for change in changes {
            lost.attempt(change).unwrap();
        }
        compare(&lost);
        restored.world.objects.replace(lost.world.objects.borrow().clone());
        compare(&restored);
        let time = restored.count("SELECT scheduled_publish_at_unix AS number FROM contents");
        assert_eq!(time, expected, "{changes:?}");
    }
}
