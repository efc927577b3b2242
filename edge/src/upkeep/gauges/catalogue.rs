//! Every gauge that is read from the database: its name, its explanation, and its query.
//!
//! Each query returns the labels and the value of each series. It reads counts that triggers keep, another table with a
//! handful of rows, or an index of what is in progress or due now. Of an index it reads at most 1,000 rows for each
//! series: a larger number is reported as 1,000, and the help says so. The oldest entry is found by one step into an
//! index. `?1` is now.

use super::Kind;

/// A metric that is read from the database.
pub(super) struct Gauge {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) help: &'static str,
    pub(super) sql: &'static str,
}

const fn gauge(name: &'static str, help: &'static str, sql: &'static str) -> Gauge {
    Gauge { name, kind: Kind::Gauge, help, sql }
}

const fn counter(name: &'static str, help: &'static str, sql: &'static str) -> Gauge {
    Gauge { name, kind: Kind::Counter, help, sql }
}

/// A query with one row for each value of a label. The value of the series may refer to it as `one.value`.
macro_rules! for_each {
    ($label:literal, $values:expr, $value:expr) => {
        constcat::concat!(
            "SELECT '",
            $label,
            "=\"' || one.value || '\"' AS labels, ",
            $value,
            " AS value
             FROM json_each('",
            $values,
            "') AS one"
        )
    };
}

/// A query with one row and no label.
macro_rules! alone {
    ($value:expr) => {
        constcat::concat!("SELECT '' AS labels, ", $value, " AS value")
    };
}

/// The number of rows, capped at 1,000: a scrape must not cost more in an outage, when thousands of rows wait. Counting
/// by triggers would cost each job and each upload several more writes.
macro_rules! number_of {
    ($rows:literal) => {
        constcat::concat!("(SELECT count(*) FROM (SELECT 1 FROM ", $rows, " LIMIT 1000))")
    };
}

/// The seconds since the earliest of some times: 0 if it is in the future, or if there is none.
macro_rules! seconds_since_first {
    ($times:literal) => {
        constcat::concat!("coalesce(max(0, ?1 - (SELECT min", $times, ")), 0)")
    };
}

/// A column of the sweep's record, for each of its parts.
macro_rules! of_each_part {
    ($column:literal) => {
        constcat::concat!("SELECT 'part=\"' || part || '\"' AS labels, ", $column, " AS value FROM sweep_parts")
    };
}

const STAGES: &str = r#"["queued","download","inspect","transcode","moderate","store"]"#;

pub(super) const GAUGES: &[Gauge] = &[
    gauge(
        "contents",
        "Contents, by state.",
        "SELECT 'state=\"' || state || '\"' AS labels, contents AS value FROM content_counts",
    ),
    gauge(
        "jobs",
        "Contents that wait for an origin or are being processed, by the stage of their job. Counted up to 1000.",
        for_each!(
            "stage",
            STAGES,
            number_of!("jobs WHERE state IN ('held', 'due', 'claimed') AND kind = 'video' AND stage = one.value")
        ),
    ),
    gauge(
        "job_oldest_seconds",
        "Age of the oldest job in each stage.",
        for_each!(
            "stage",
            STAGES,
            seconds_since_first!(
                "(enqueued_at_unix) FROM jobs
                     WHERE state IN ('held', 'due', 'claimed') AND kind = 'video' AND stage = one.value"
            )
        ),
    ),
    gauge(
        "waiting_contents",
        "Contents that wait for a person (the review queue) or for a moderation check.",
        for_each!("for", r#"["check","person"]"#, "(SELECT number FROM row_counts WHERE name = one.value)"),
    ),
    gauge(
        "waiting_oldest_seconds",
        "How long the first of them has been waiting.",
        for_each!(
            "for",
            r#"["check","person"]"#,
            seconds_since_first!("(waits_since_unix) FROM contents WHERE waits_for = one.value")
        ),
    ),
    gauge(
        "schedule_overdue_seconds",
        "How late the first scheduled content is that should be published by now.",
        alone!(seconds_since_first!(
            "(scheduled_publish_at_unix) FROM contents WHERE state = 'scheduled' AND needs_release = 0"
        )),
    ),
    gauge(
        "open_uploads",
        "Uploads that hold a slot. Counted up to 1000.",
        alone!(number_of!("uploads WHERE state = 'reserved' AND lease_ends_at_unix >= 0")),
    ),
    gauge(
        "lease_overdue_seconds",
        "How long ago the lease of an upload ended that still holds its slot.",
        alone!(seconds_since_first!("(lease_ends_at_unix) FROM uploads WHERE state = 'reserved'")),
    ),
    gauge(
        "held_jobs",
        "Jobs that wait for others of their channel before they are sent to the queue. Counted up to 1000.",
        alone!(number_of!("jobs WHERE state = 'held' AND state IN ('held', 'due', 'claimed') AND channel_id >= 0")),
    ),
    gauge(
        "later_jobs",
        "Published videos that wait to be completed until no new video waits. Counted up to 1000.",
        alone!(number_of!("jobs WHERE state = 'later' AND turn_unix >= 0")),
    ),
    gauge(
        "dead_letters",
        "Jobs that were given up although their files may be good, and were not started again.",
        alone!("(SELECT number FROM row_counts WHERE name = 'dead')"),
    ),
    gauge(
        "paused_webhooks",
        "Webhooks that the service has paused, because their receivers fail. Counted up to 1000.",
        alone!(number_of!("webhooks WHERE state = 'paused' AND paused_at_unix >= 0")),
    ),
    gauge(
        "backlog",
        "Rows that the sweep has to work on: jobs, uploads and contents with objects to delete, cache purges. Counted up to 1000.",
        constcat::concat!(
            "SELECT 'of=\"jobs\"' AS labels, ",
            number_of!("jobs WHERE due_at_unix <= ?1"),
            " AS value
             UNION ALL SELECT 'of=\"garbage\"', ",
            number_of!("garbage WHERE lease_ends_at_unix >= 0"),
            " UNION ALL SELECT 'of=\"cleanups\"', ",
            number_of!("cleanups WHERE due_at_unix IS NULL OR due_at_unix <= ?1"),
            " UNION ALL SELECT 'of=\"purges\"', ",
            number_of!("cache_purges WHERE due_at_unix >= 0"),
        ),
    ),
    gauge(
        "backlog_overdue_seconds",
        "How long ago the first of these rows became due.",
        constcat::concat!(
            "SELECT 'of=\"jobs\"' AS labels, ",
            seconds_since_first!("(due_at_unix) FROM jobs WHERE due_at_unix > 0"),
            " AS value UNION ALL SELECT 'of=\"garbage\"', ",
            seconds_since_first!("(lease_ends_at_unix) FROM garbage WHERE lease_ends_at_unix > 0"),
            " UNION ALL SELECT 'of=\"cleanups\"', ",
            seconds_since_first!("(due_at_unix) FROM cleanups WHERE due_at_unix > 0"),
            " UNION ALL SELECT 'of=\"purges\"', ",
            seconds_since_first!("(due_at_unix) FROM cache_purges WHERE due_at_unix > 0"),
        ),
    ),
    gauge(
        "uncompacted_oldest_seconds",
        "How long ago the first content was finished whose details are still in the database.",
        alone!(seconds_since_first!(
            "(finished_at_unix) FROM contents
             WHERE is_compacted = 0 AND state IN ('published', 'rejected', 'taken_down', 'deleted')"
        )),
    ),
    counter(
        "sweep_runs_total",
        "Runs of each part of the sweep; the part `whole` is all of it.",
        of_each_part!("runs"),
    ),
    counter("sweep_failures_total", "Runs of each part that met an error.", of_each_part!("failures")),
    gauge("sweep_duration_seconds", "Duration of the last run of each part.", of_each_part!("duration_ms / 1000.0")),
    gauge(
        "sweep_success_timestamp_seconds",
        "Unix time of the last run of each part that met no error.",
        of_each_part!("coalesce(succeeded_at_unix, 0)"),
    ),
];
