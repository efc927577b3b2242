//! The journal entries of changes: events for owners, the trail, the removal log, and the cache's purges.

use super::columns::Page;
use crate::contents::life::change::TrailLine;
use crate::journal;
use crate::journal::cache_tags::tag_of_content;
use crate::platform::database::{Batch, DatabaseError, json_text};
use serde_json::{Value, json as object};

pub(super) fn add(batch: &mut Batch, page: &Page<'_>) -> Result<(), DatabaseError> {
    let events: Vec<Value> = page
        .iter()
        .filter_map(|(_, change)| {
            let (content, event) = (&change.after.content, change.effects.event.as_ref()?);
            Some(object!({
                "channel_id": content.channel_id, "content_id": content.id, "content_sequence": content.events_count,
                "type": event.kind, "data": object!(event.data).to_string(),
            }))
        })
        .collect();
    if !events.is_empty() {
        journal::events::add(batch, &json_text(&events)?);
    }
    let lines: Vec<Value> = page.iter().flat_map(|(before, change)| {
        let subject = format!("content:{}", before.content.uuid);
        let line = move |line: &TrailLine| {
            object!({ "actor": line.actor, "action": line.action, "subject": subject, "detail": line.detail })
        };
        change.effects.trail.iter().map(line)
    }).collect();
    if !lines.is_empty() {
        batch.execute(journal::trail::insert(&json_text(&lines)?));
    }
    let removed: Vec<_> = page.iter().flat_map(|(_, change)| &change.effects.removals).collect();
    if !removed.is_empty() {
        batch.execute(journal::removals::insert(&json_text(&removed)?));
    }
    let purged: Vec<_> = page
        .iter()
        .filter(|(_, change)| change.effects.is_purged)
        .map(|(before, _)| tag_of_content(&before.content.uuid))
        .collect();
    if !purged.is_empty() {
        batch.execute(journal::purges::insert(&json_text(&purged)?));
    }
    Ok(())
}
