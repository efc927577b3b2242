//! A page of contents is changed even if one of them cannot be changed, or if all their texts have the maximum length.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find, LeftOut};
use crate::contents::life::life::Life;
use crate::contents::life::testing::Set;
use crate::contents::life::{Command, Decision};
use crate::contents::schedule::publish_due;
use crate::jobs::tests::scene::Scene;
use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::Fault;
use contract::ContentState;
use futures_executor::block_on;

const PAGE: u32 = 100;

/// Returns a scene with this many approved contents whose publication is due.
fn with_scheduled(contents: u32) -> Scene {
    let scene = Scene::new();
    scene.world.database.run_script(&format!(
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         WITH RECURSIVE ids (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM ids WHERE id <= {contents})
         SELECT id, 'u' || id, 1, 20000, 'committed', 0 FROM ids;
         INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         SELECT id, 'c' || id, 1, 'processing', 's' || id, id || '.mp4', '{{\"size_bytes\":7}}', 5000, 'h', 0
         FROM uploads WHERE id > 1;
         UPDATE contents SET state = 'scheduled', media = '{{}}', media_generation = 1, scheduled_publish_at_unix = id
         WHERE id > 1"
    ));
    scene
}

fn published(scene: &Scene) -> u64 {
    scene.count("SELECT count(*) AS number FROM contents WHERE state = 'published'")
}

#[test]
fn a_content_that_cannot_be_read_or_written_does_not_stop_its_page() {
    let scene = with_scheduled(250);
    scene.world.database.run_script(
        "UPDATE contents SET thumbnail = '{\"seconds\":\"x\"}' WHERE id = 7;
         CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents WHEN new.id = 50
         BEGIN SELECT raise(ABORT, 'not this one'); END",
    );
    for _ in 0..2 {
        let process = scene.world.process(None);
        let error = block_on(publish_due(&process, scene.now())).unwrap_err();
        assert!(error.to_string().contains("expected shape") || error.to_string().contains("not this one"), "{error}");
        assert_eq!(published(&scene), 248);
        assert!(process.operations() <= 25, "{} calls", process.operations());
    }
    scene.world.database.run_script("DROP TRIGGER refuse; UPDATE contents SET thumbnail = '{}' WHERE id = 7");
    assert_eq!(block_on(publish_due(&scene.world.database, scene.now())), Ok(2));
    assert_eq!(published(&scene), 250);
}

#[test]
fn a_page_of_which_everything_fails_is_given_up_early() {
    let scene = with_scheduled(PAGE);
    scene.world.database.run_script(
        "CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents BEGIN SELECT raise(ABORT, 'none of them'); END",
    );
    let process = scene.world.process(None);
    let error = block_on(publish_due(&process, scene.now())).unwrap_err();
    assert!(error.to_string().contains("none of them"), "{error}");
    assert!(process.operations() <= 30, "{} calls", process.operations());
    assert_eq!(published(&scene), 0);
}

/// Runs the sweep once a minute until the content is published. Returns the number of runs, and the most database calls
/// that one of them made.
fn runs_until_published(scene: &Scene, id: u64) -> (u32, usize) {
    let mut most_calls = 0;
    for run in 1..50 {
        let process = scene.world.process(None);
        block_on(publish_due(&process, scene.now())).unwrap_err();
        most_calls = most_calls.max(process.operations());
        if scene.count(&format!("SELECT state = 'published' AS number FROM contents WHERE id = {id}")) == 1 {
            return (run, most_calls);
        }
        scene.pass(60);
    }
    panic!("never published");
}

#[test]
fn a_content_behind_many_that_cannot_be_read_is_published_in_the_same_run() {
    let scene = with_scheduled(251);
    scene.world.database.run_script("UPDATE contents SET thumbnail = '{\"seconds\":\"x\"}' WHERE id BETWEEN 2 AND 251");
    let (runs, calls) = runs_until_published(&scene, 252);
    assert_eq!(runs, 1);
    assert!(calls <= 5, "{calls} calls");
}

/// A run tries the first 11 contents of each page alone, and begins at another place each minute. So it needs ten runs
/// for a whole page, and five for the 51 contents of the third page.
#[test]
fn a_content_behind_many_that_cannot_be_written_is_published_within_ten_runs() {
    for (contents, at_most) in [(251, 5), (100, 10), (451, 5), (12, 2)] {
        let scene = with_scheduled(contents);
        let last = u64::from(contents) + 1;
        scene.world.database.run_script(&format!(
            "CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents WHEN new.id < {last}
             BEGIN SELECT raise(ABORT, 'not this one'); END"
        ));
        let (runs, calls) = runs_until_published(&scene, last);
        assert!(runs <= at_most, "{contents} contents: {runs} runs");
        assert!(calls <= 150, "{calls} calls");
    }
}

#[test]
fn a_run_in_which_page_after_page_fails_ends_early() {
    let scene = with_scheduled(PAGE * 8);
    scene.world.database.run_script(
        "CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents BEGIN SELECT raise(ABORT, 'none of them'); END",
    );
    let process = scene.world.process(None);
    block_on(publish_due(&process, scene.now())).unwrap_err();
    assert!(process.operations() <= 150, "{} calls", process.operations());
}

/// Makes every text of every content as long as it may be, with characters that are long in JSON.
fn lengthen(scene: &Scene) {
    let text = |characters: usize, unit: &str| unit.repeat(characters);
    let statement = Statement::new(
        "UPDATE contents SET caption = ?1, ai_summary_of_content = ?2, metadata = json_object('a', ?3), error_detail = ?4,
             external_id = ?5, media = json_object('a', ?6)",
    );
    let statement = statement
        .bind(text(2_200, "\u{1}"))
        .bind(text(5_000, "\u{1}"))
        .bind(text(1_900, "\""))
        .bind(text(500, "\u{1}"));
    let statement = statement.bind(text(128, "\"")).bind(text(20_000, "\""));
    block_on(scene.world.database.execute(statement)).unwrap();
}

/// Changes these contents, and returns the number of operations on the database.
fn operations<C: Decision>(scene: &Scene, ids: &[u64], command: impl Fn() -> C) -> usize {
    let mut left_out = LeftOut::default();
    let process = scene.world.process(None);
    let command = |_: &Life| Some(command());
    let page = block_on(door::apply_to_all(&process, Find::Ids(ids), command, &mut left_out, scene.now())).unwrap();
    left_out.into_result().unwrap();
    assert_eq!(page.lives.len(), ids.len());
    process.operations()
}

#[test]
fn a_page_of_the_longest_texts_is_written_in_several_parts() {
    let scene = with_scheduled(PAGE);
    lengthen(&scene);
    let all: Vec<u64> = (1..=u64::from(PAGE) + 1).collect();
    assert_eq!(operations(&scene, &all, || Command::PublishDue), 2, "a change of a few numbers is one transaction");
    let rewrite = |life: &mut Life| {
        for text in [&mut life.content.caption, &mut life.content.ai_summary_of_content, &mut life.content.media] {
            text.as_mut().unwrap().push(' ');
        }
    };
    let calls = operations(&scene, &all, || Set(rewrite));
    assert!(calls > 2, "the page was not too large to begin with");
    let changed = "SELECT count(*) AS number FROM contents WHERE caption LIKE '% ' AND media LIKE '% '";
    assert_eq!(scene.count(changed), u64::from(PAGE) + 1);
}

#[test]
fn a_page_whose_answer_is_lost_is_changed_once() {
    let scene = with_scheduled(PAGE);
    let process = scene.world.process(Some((1, Fault::LoseConnection)));
    assert_eq!(block_on(publish_due(&process, scene.now())), Ok(u64::from(PAGE)));
    assert_eq!(scene.count("SELECT count(*) AS number FROM events"), u64::from(PAGE));
    assert!(process.operations() <= 5, "{} calls", process.operations());
}

#[test]
fn a_content_that_changes_meanwhile_is_changed_alone() {
    let scene = with_scheduled(PAGE);
    let process = scene.world.process(None).yielding();
    let owner = Command::Reschedule(scene.now() + 3_600);
    let other = Set(|life: &mut Life| life.content.external_id = Some("a".to_owned()));
    let changes = futures_util::future::join3(
        publish_due(&process, scene.now()),
        door::apply(&process, Find::Ids(&[5]), &other, scene.now()),
        door::apply(&process, Find::Ids(&[9]), &owner, scene.now()),
    );
    let (published_now, ..) = block_on(changes);
    let state = |id: u64| -> ContentState {
        let life = block_on(door::read_one(&scene.world.database, Find::Ids(&[id]), UnixSeconds(0))).unwrap().unwrap();
        life.content.state
    };
    assert!(published_now.unwrap() >= u64::from(PAGE) - 1);
    assert_eq!(state(5), ContentState::Published);
    assert!(matches!(state(9), ContentState::Published | ContentState::Scheduled));
}
