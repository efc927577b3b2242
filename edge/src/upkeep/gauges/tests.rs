//! The gauges match the tables, and no query scans a table.

use super::catalogue::GAUGES;
use super::*;
use crate::jobs::tests::scene::{Scene, processed};
use contract::moderation::Recommendation;
use contract::{ContentState, Stage};
use futures_executor::block_on;
use proptest::prelude::*;

/// Reads every number of the scene, as `name{labels} value`.
fn page(scene: &Scene) -> String {
    let mut page = Exposition::default();
    block_on(add_gauges(&mut page, &scene.world.database, scene.now())).unwrap();
    page.into_text()
}

/// Returns the value of a series.
fn value(page: &str, series: &str) -> Option<u64> {
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("clipgate_edge_{series} ")))?;
    // Ages are computed from a bound number, which is a double.
    Some(line.trim_end_matches(".0").parse().unwrap())
}

/// Fails unless each series has its value.
fn assert_values(scene: &Scene, expected: &[(&str, u64)]) {
    let page = page(scene);
    for (series, number) in expected {
        assert_eq!(value(&page, series), Some(*number), "{series} in\n{page}");
    }
}

#[test]
fn no_query_reads_a_table_row_by_row() {
    let scene = Scene::new();
    // These tables have a row for each state, each part of the sweep, or each value of a label.
    let is_small = |step: &str| {
        let small = ["SCAN content_counts", "SCAN sweep_parts", "SCAN one", "SCAN (subquery-", "SCAN CONSTANT ROW"];
        small.iter().any(|small| step.starts_with(small))
    };
    let mut searches = 0;
    for gauge in GAUGES {
        for step in scene.world.database.plan(&gauge.statement(scene.now())).lines() {
            assert!(!step.starts_with("SCAN") || is_small(step), "{}: {step}", gauge.name);
            searches += usize::from(step.starts_with("SEARCH"));
        }
    }
    assert!(searches > 10, "the plans have no searches");
}

#[test]
fn numbers_are_counted_from_an_index_without_the_rows_of_its_table() {
    let scene = Scene::new();
    let jobs = GAUGES.iter().find(|gauge| gauge.name == "jobs").unwrap();
    let plan = scene.world.database.plan(&jobs.statement(scene.now()));
    assert!(plan.contains("USING COVERING INDEX jobs_by_stage"), "{plan}");
}

/// An outage leaves thousands of rows to count.
#[test]
fn a_series_counts_at_most_a_thousand_rows() {
    let scene = Scene::new();
    scene.world.database.run_script(
        "CREATE TEMP TABLE numbers AS
             WITH RECURSIVE n (value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n LIMIT 3000) SELECT value FROM n;
         INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT value, 'u' || value, 1, 20000, 'reserved', 5 FROM numbers;
         INSERT INTO garbage (upload_uuid, lease_ends_at_unix) SELECT 'g' || value, 5 FROM numbers;
         INSERT INTO cache_purges (tag) SELECT 't' || value FROM numbers",
    );
    let thousand = ["open_uploads", "backlog{of=\"garbage\"}", "backlog{of=\"purges\"}"].map(|series| (series, 1_000));
    assert_values(&scene, &thousand);
    for gauge in GAUGES.iter().filter(|gauge| gauge.sql.contains("count(")) {
        assert_eq!(gauge.sql.matches("count(").count(), gauge.sql.matches("LIMIT 1000)").count(), "{}", gauge.name);
        assert!(gauge.help.ends_with("Counted up to 1000."), "{}", gauge.name);
    }
}

#[test]
fn every_stage_of_the_contract_is_a_series() {
    let page = page(&Scene::new());
    for stage in Stage::ALL {
        for name in ["jobs", "job_oldest_seconds"] {
            let series = format!("{name}{{stage=\"{}\"}}", stage.as_str());
            assert!(value(&page, &series).is_some(), "no {series} in\n{page}");
        }
    }
}

#[test]
fn a_job_is_counted_in_its_stage_with_its_age() {
    let scene = Scene::new();
    scene.pass(100);
    assert_values(&scene, &[("jobs{stage=\"queued\"}", 1), ("job_oldest_seconds{stage=\"queued\"}", 100)]);
    scene.claim("a", 1);
    scene.progress("a", 1, Stage::Transcode, 10);
    let moved = [("jobs{stage=\"queued\"}", 0), ("jobs{stage=\"transcode\"}", 1)];
    assert_values(&scene, &moved);
    assert_values(&scene, &[("job_oldest_seconds{stage=\"transcode\"}", 100)]);
}

#[test]
fn a_content_that_waits_for_a_person_is_in_the_review_queue() {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Recommendation::Review]));
    scene.pass(70);
    assert_values(
        &scene,
        &[
            ("waiting_contents{for=\"person\"}", 1),
            ("waiting_oldest_seconds{for=\"person\"}", 70),
            ("waiting_contents{for=\"check\"}", 0),
            ("jobs{stage=\"queued\"}", 0),
            ("contents{state=\"processing\"}", 1),
        ],
    );
}

#[test]
fn a_video_that_its_owner_has_to_release_is_never_overdue() {
    let scene = Scene::unreleased(Some(crate::jobs::tests::scene::NOON + 600));
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[]));
    scene.pass(900);
    assert_values(&scene, &[("schedule_overdue_seconds", 0), ("contents{state=\"scheduled\"}", 1)]);
}

#[test]
fn what_the_sweep_has_to_do_is_counted_with_its_delay() {
    let scene = Scene::scheduled(Some(crate::jobs::tests::scene::NOON + 600));
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[]));
    for sql in [
        "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES ('a', unixepoch('2024-10-04 12:00:00')), ('b', 1)",
        "INSERT INTO cache_purges (tag) VALUES ('t')",
        "UPDATE jobs SET state = 'due', due_at_unix = 10 WHERE kind = 'video'",
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix)
         VALUES (1, 1, 'captions', 'held', 2, 1)",
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix, attempt, error_code)
         VALUES (1, 1, 'thumbnail', 'due', 3, 1, 6, 'e')",
        "UPDATE jobs SET state = 'dead' WHERE kind = 'thumbnail'",
        "INSERT INTO webhooks (uuid, channel_id, url, state, pause_reason, paused_at_unix, created_at_unix)
         VALUES ('w', 1, 'https://receiver.example', 'paused', 'gone', 5, 5)",
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix) VALUES ('open', 1, 1, 'reserved', 100)",
    ] {
        scene.attempt(sql).unwrap();
    }
    scene.pass(900);
    let now = scene.world.now_unix.get();
    assert_values(
        &scene,
        &[
            ("schedule_overdue_seconds", 300),
            ("open_uploads", 1),
            ("lease_overdue_seconds", now - 100),
            ("held_jobs", 1),
            ("dead_letters", 1),
            ("paused_webhooks", 1),
            ("backlog{of=\"garbage\"}", 2),
            ("backlog{of=\"jobs\"}", 1),
            ("backlog{of=\"purges\"}", 1),
            ("backlog{of=\"cleanups\"}", 1),
            ("backlog_overdue_seconds{of=\"garbage\"}", now - 1),
            ("backlog_overdue_seconds{of=\"jobs\"}", now - 10),
        ],
    );
}

#[test]
fn each_run_of_the_sweep_is_recorded_by_part() {
    let scene = Scene::new();
    scene.sweep();
    scene.pass(60);
    scene.world.broken_prefixes.borrow_mut().insert("sources/x/".to_owned());
    scene.attempt("INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES ('x', 1)").unwrap();
    assert!(block_on(crate::testing::sweep(&scene.world.process(None))).is_err());
    let now = scene.world.now_unix.get();
    assert_values(
        &scene,
        &[
            ("sweep_runs_total{part=\"whole\"}", 2),
            ("sweep_runs_total{part=\"held_jobs\"}", 2),
            ("sweep_failures_total{part=\"garbage\"}", 1),
            ("sweep_failures_total{part=\"whole\"}", 1),
            ("sweep_failures_total{part=\"held_jobs\"}", 0),
            ("sweep_success_timestamp_seconds{part=\"garbage\"}", now - 60),
            ("sweep_success_timestamp_seconds{part=\"held_jobs\"}", now),
        ],
    );
}

/// Performs one of the possible actions on the scene's content.
fn act(scene: &Scene, action: u8) {
    let generation = scene.row().generation;
    match action {
        0 => drop(scene.claim("a", generation)),
        1 => drop(scene.progress("a", generation, Stage::Moderate, 5)),
        2 => drop(scene.report("a", generation, processed(&[Recommendation::Review]))),
        3 => drop(scene.report("a", generation, processed(&[]))),
        4 => drop(scene.requeue()),
        5 => drop(scene.sweep()),
        6 => scene.pass(4_000),
        7 => drop(scene.set_state(ContentState::Failed)),
        8 => drop(scene.set_state(ContentState::TakenDown)),
        _ => scene.begin(None),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(60, 2_000)))]
    /// The triggers' counters match the counted table after any actions.
    #[test]
    fn the_counted_contents_are_the_contents(actions in prop::collection::vec(0..10_u8, 1..25)) {
        let scene = Scene::new();
        for action in actions {
            act(&scene, action);
            scene.pass(1);
        }
        let differences = scene.count(
            "SELECT count(*) AS number FROM content_counts WHERE contents <>
                 (SELECT count(*) FROM contents WHERE contents.state = content_counts.state)",
        );
        prop_assert_eq!(differences, 0);
        let jobs = "SELECT count(*) AS number FROM contents WHERE state = 'processing' AND waits_for IS NULL";
        let page = page(&scene);
        let in_stages: u64 =
            Stage::ALL.iter().filter_map(|stage| value(&page, &format!("jobs{{stage=\"{}\"}}", stage.as_str()))).sum();
        prop_assert_eq!(in_stages, scene.count(jobs));
    }
}
