//! Exports everything that is stored about an account, table by table, each in the order of its keys.
//!
//! The export omits hashes and secrets, the state of unfinished work, and data about other people: reports by viewers,
//! and the names of moderators.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::slug::{SLUG_VALUE, Slug};
use crate::contents::compaction::{DETAILS_GENERATION, read_details};
use crate::contents::life::packed_media::read_long_form;
use crate::platform::database::{Database, DatabaseError, Statement, read_column, read_row};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A place in the export: a table, and the key of the last row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    table: usize,
    major: u64,
    minor: u64,
}

/// A line of the export.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ExportedRow {
    #[serde(skip)]
    pub position: Position,
    pub(super) table: &'static str,
    row: Map<String, Value>,
    /// The generation whose folder in R2 holds the details, if the content is compacted.
    #[serde(skip)]
    details_in: Option<u64>,
}

#[derive(Deserialize)]
struct Row {
    major: u64,
    minor: u64,
    data: String,
}

/// A table, and the query of the rows of the channel `?1` after the key `?2`, `?3`.
struct Table {
    name: &'static str,
    sql: &'static str,
}

/// Returns the next rows after a position. Empty only at the end.
pub(crate) async fn rows_after(
    database: &impl Database,
    channel_id: ChannelId,
    after: Position,
    at_most: u32,
) -> Result<Vec<ExportedRow>, DatabaseError> {
    let mut after = after;
    while let Some(table) = TABLES.get(after.table) {
        let select = Statement::new(table.sql).bind(channel_id).bind(after.major).bind(after.minor).bind(at_most);
        let rows: Vec<Row> = database.all(select).await?;
        if !rows.is_empty() {
            return rows.into_iter().map(|row| table.exported(row, after.table)).collect();
        }
        after = Position { table: after.table + 1, major: 0, minor: 0 };
    }
    Ok(Vec::new())
}

impl Table {
    fn exported(&self, Row { major, minor, data }: Row, table: usize) -> Result<ExportedRow, DatabaseError> {
        let position = Position { table, major, minor };
        let mut row: Map<String, Value> = read_column(&data)?;
        if let Some(slug_url) = row.get_mut("slug_url") {
            let slug: Slug = read_row(slug_url)?;
            *slug_url = slug.into_string().into();
        }
        let details_in = row.remove("details_in").and_then(|generation| generation.as_u64());
        Ok(ExportedRow { position, table: self.name, row, details_in })
    }
}

/// Adds the details that the rows of compacted contents no longer have.
pub(crate) async fn add_details(objects: &impl ObjectStore, rows: &mut [ExportedRow]) -> Result<(), PlatformError> {
    for exported in rows {
        let Some(generation) = exported.details_in else { continue };
        let row = &mut exported.row;
        if let Some(Ok(media)) = row.get("media").map(|media| read_long_form(&media.to_string())) {
            row.insert("media".to_owned(), media);
        }
        let uuid = ContentUuid::new(row.get("content_uuid").and_then(Value::as_str).unwrap_or_default());
        let details = read_details(objects, &uuid, generation).await?;
        row.insert("file_sha256".to_owned(), details.file_sha256().into());
        let findings: Vec<_> = details.findings().iter().map(exported_finding).collect();
        let findings = format!("[{}]", findings.join(","));
        row.insert("findings".to_owned(), findings.into());
    }
    Ok(())
}

/// Returns a finding as the query writes it.
fn exported_finding(finding: &Value) -> String {
    let column = |name| finding.get(name).map_or_else(|| "null".to_owned(), Value::to_string);
    let (check, recommendation, note) = (column("check_name"), column("recommendation"), column("note"));
    format!("{{\"check\":{check},\"recommendation\":{recommendation},\"note\":{note}}}")
}

/// Selects the next entries of the trail that meet a condition, in the order of its index.
macro_rules! trail_about {
    ($condition:literal) => {
        constcat::concat!("SELECT id FROM trail WHERE ", $condition, " AND id > ?2 + ?3 ORDER BY id LIMIT ?4")
    };
}

const TABLES: [Table; 10] = [
    Table {
        name: "channels",
        sql: "SELECT id AS major, 0 AS minor, json_object('account_id', account_id, 'channel_id', id, 'name', name,
                  'daily_upload_limit', daily_upload_limit, 'created_at_unix', created_at_unix,
                  'suspended_at_unix', suspended_at_unix, 'erased_at_unix', erased_at_unix) AS data
              FROM channels WHERE id = ?1 AND id > ?2 + ?3 LIMIT ?4",
    },
    Table {
        name: "api_keys",
        sql: "SELECT channel_id AS major, 0 AS minor, json_object('key_hint', key_hint,
                  'created_at_unix', created_at_unix, 'rotated_at_unix', rotated_at_unix,
                  'last_used_at_unix', last_used_at_unix, 'uses_count', uses_count,
                  'previous_key_ends_at_unix', previous_ends_at_unix) AS data
              FROM api_keys WHERE channel_id = ?1 AND channel_id > ?2 + ?3 LIMIT ?4",
    },
    Table {
        name: "daily_usage",
        sql: "SELECT day AS major, 0 AS minor, json_object('day', date(day * 86400, 'unixepoch'), 'used', used,
                  'new_keys', new_keys, 'webhook_changes', webhook_changes, 'content_changes', content_changes) AS data
              FROM daily_usage WHERE channel_id = ?1 AND day > ?2 + ?3 ORDER BY day LIMIT ?4",
    },
    Table {
        name: "contents",
        sql: constcat::concat!(
            "SELECT contents.created_at_unix AS major, contents.id AS minor, json_object('content_id', contents.id,
                  'content_uuid', contents.uuid, 'state', contents.state, 'slug_url', ",
            SLUG_VALUE,
            ", 'details_in', iif(is_compacted = 1 AND contents.state <> 'deleted', ",
            DETAILS_GENERATION,
            ", NULL),
                  'media_name', media_name, 'caption', contents.caption, 'super_category_id', super_category_id,
                  'ai_summary_of_content', ai_summary_of_content, 'external_id', external_id,
                  'metadata', json(metadata), 'thumbnail_time_seconds', thumbnail ->> '$.seconds',
                  'scheduled_publish_at_unix', contents.scheduled_publish_at_unix,
                  'visibility', iif(is_unlisted = 1, 'unlisted', 'public'),
                  'is_sensitive', json(iif(is_sensitive > 0, 'true', 'false')),
                  'is_ai_generated', json(iif(is_ai_generated > 0, 'true', 'false')),
                  'needs_release', json(iif(needs_release = 1, 'true', 'false')),
                  'container', source ->> '$.container', 'duration_ms', duration_ms, 'width', source ->> '$.width',
                  'height', source ->> '$.height', 'size_bytes', source ->> '$.size_bytes',
                  'file_sha256', file_sha256, 'created_at_unix', contents.created_at_unix,
                  'published_at_unix', published_at_unix, 'finished_at_unix', finished_at_unix,
                  'error_message_code', error_code, 'detail', error_detail, 'policy_code', policy_code, 'media', json(media),
                  'captions', (SELECT json_group_array(json_object('language', language, 'sha256', sha256))
                      FROM captions WHERE content_id = contents.id AND is_wanted = 1),
                  'upload', json_object('id', uploads.id, 'upload_token', upload_token),
                  'appeal', (SELECT json_object('text', text, 'state', appeals.state, 'made_at_unix', made_at_unix,
                      'decided_at_unix', decided_at_unix) FROM appeals WHERE content_id = contents.id),
                  'evidence', (SELECT json_object('caption', evidence.caption, 'summary', summary,
                      'deleted_at_unix', deleted_at_unix, 'kept_until_unix', kept_until_unix)
                      FROM evidence WHERE content_id = contents.id),
                  'findings', (SELECT json_group_array(json_object('check', check_name,
                      'recommendation', recommendation, 'note', note)) FROM findings WHERE content_id = contents.id),
                  'decisions', (SELECT json_group_array(json_object('action', action, 'reason', reason, 'policy_code', decisions.policy_code,
                      'decided_at_unix', decided_at_unix)) FROM decisions WHERE content_id = contents.id)) AS data
              FROM contents JOIN uploads ON uploads.id = contents.id
              WHERE contents.channel_id = ?1 AND (contents.created_at_unix, contents.id) > (?2, ?3)
              ORDER BY contents.created_at_unix, contents.id LIMIT ?4"
        ),
    },
    Table {
        name: "direct_uploads",
        sql: "SELECT id AS major, 0 AS minor, json_object('direct_upload_id', uuid, 'state', state,
                  'rules', json(rules), 'created_at_unix', created_at_unix, 'expires_at_unix', expires_at_unix,
                  'ended_at_unix', ended_at_unix) AS data
              FROM direct_uploads WHERE channel_id = ?1 AND id > ?2 + ?3 ORDER BY id LIMIT ?4",
    },
    Table {
        name: "events",
        sql: "SELECT sequence AS major, 0 AS minor, json_object('id', public_id, 'type', type, 'sequence', sequence,
                  'happened_at_unix', happened_at_unix, 'data', json(data)) AS data
              FROM events WHERE channel_id = ?1 AND sequence > ?2 + ?3 ORDER BY sequence LIMIT ?4",
    },
    Table {
        name: "webhooks",
        sql: "SELECT id AS major, 0 AS minor, json_object('webhook_uuid', uuid, 'url', url,
                  'event_types', json(event_types), 'state', state, 'created_at_unix', created_at_unix,
                  'last_delivered_at_unix', last_delivered_at_unix) AS data
              FROM webhooks WHERE channel_id = ?1 AND id > ?2 + ?3 ORDER BY id LIMIT ?4",
    },
    Table {
        name: "webhook_deliveries",
        sql: "SELECT webhook_id AS major, event_id AS minor, json_object('webhook_uuid', webhooks.uuid,
                  'event_id', (SELECT public_id FROM events WHERE events.id = event_id),
                  'state', webhook_deliveries.state, 'attempts', attempts,
                  'last_attempt_at_unix', last_attempt_at_unix, 'status', status, 'failure', failure,
                  'body_start', body_start) AS data
              FROM webhooks CROSS JOIN webhook_deliveries ON webhook_id = webhooks.id
              WHERE channel_id = ?1 AND webhooks.id >= ?2 AND event_id > iif(webhooks.id > ?2, 0, ?3)
              ORDER BY webhooks.id, event_id LIMIT ?4",
    },
    Table {
        name: "trail",
        sql: constcat::concat!(
            "SELECT trail.id AS major, 0 AS minor, json_object('happened_at_unix', happened_at_unix,
                  'action', action, 'detail', detail, 'network', network, 'route', route) AS data
              FROM trail LEFT JOIN trail_places ON trail_id = trail.id
              WHERE trail.id IN (SELECT id FROM (",
            trail_about!("actor = (SELECT 'account:' || account_id FROM channels WHERE id = ?1)"),
            ") UNION SELECT id FROM (",
            trail_about!("subject = 'channel:' || CAST(?1 AS INTEGER)"),
            ")) ORDER BY trail.id LIMIT ?4"
        ),
    },
    Table {
        name: "removals",
        sql: "SELECT removals.id AS major, 0 AS minor, json_object('kind', kind,
                  'happened_at_unix', happened_at_unix) AS data
              FROM channels JOIN removals ON kind IN ('key', 'channel') AND subject = CAST(account_id AS TEXT)
              WHERE channels.id = ?1 AND removals.id > ?2 + ?3 ORDER BY removals.id LIMIT ?4",
    },
];
