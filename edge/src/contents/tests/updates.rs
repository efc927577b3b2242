//! Tests of updates: the changes in each state, the updates that are refused as a whole, and repeated updates.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, delete, reschedule};
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::{ContentChanges, update};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::platform::database::{Database, Statement};
use contract::api::{ContentStatus, Metadata, UpdateContent};
use contract::moderation::Recommendation::Pass;
use contract::{ContentState, ErrorCode, Label, Texts, Visibility};
use futures_executor::block_on;
use serde_json::{Value, json};

const SITE: &str = "https://site.example";

/// Returns a content that is scheduled 1,000 seconds ahead, in a service with category 3.
fn scheduled() -> Scene {
    let scene = Scene::scheduled(Some(NOON + 1_000));
    let category = Statement::new("INSERT INTO super_categories (id, name) VALUES (3, 'Dogs')");
    block_on(scene.world.database.batch(vec![category])).unwrap();
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Pass]));
    scene
}

fn changes(request: Value) -> Result<ContentChanges, ErrorCode> {
    let mut request = request;
    request["content_uuid"] = "c".into();
    let request: UpdateContent = serde_json::from_value(request).unwrap();
    ContentChanges::new(request).map_err(|refusal| refusal.code)
}

fn update_as(scene: &Scene, channel: u64, request: Value) -> Result<ContentStatus, Option<ErrorCode>> {
    let changes = changes(request).map_err(Some)?;
    let owned = OwnedContent { channel_id: ChannelId(channel), content_uuid: &uuid() };
    match block_on(update(&scene.world.database, owned, &changes, scene.now())).unwrap() {
        UpdateOutcome::Done { content, .. } => Ok(content.status(SITE, scene.now())),
        UpdateOutcome::Refused { code, .. } => Err(Some(code)),
        UpdateOutcome::UnknownContent => Err(None),
    }
}

fn change(scene: &Scene, request: Value) -> Result<ContentStatus, Option<ErrorCode>> {
    update_as(scene, 1, request)
}

fn purges(scene: &Scene) -> u64 {
    scene.count("SELECT coalesce(sum(changes), 0) AS number FROM cache_purges")
}

fn whole() -> Value {
    json!({
        "caption": "New", "super_category_id": 3, "ai_summary_of_content": "A dog.",
        "scheduled_publish_at_unix": NOON + 5_000, "external_id": "7", "metadata": { "a": "1" },
    })
}

/// A text that is added to the table of fields needs no test of its own for this.
#[test]
fn every_text_can_be_changed_and_removed_and_is_deleted_with_its_video() {
    let scene = scheduled();
    for (field, _) in ContentStatus::default().texts() {
        let text_after = |text| change(&scene, json!({ field.name(): text })).unwrap().text(field).cloned().flatten();
        assert_eq!(text_after("a word").as_deref(), Some("a word"), "{field:?}");
        assert_eq!(text_after(""), None, "{field:?}");
        assert_eq!(text_after("a word").as_deref(), Some("a word"), "{field:?}");
    }
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    for (field, _) in ContentStatus::default().texts() {
        let kept = format!("SELECT count(*) AS number FROM contents WHERE {} IS NOT NULL", field.name());
        assert_eq!(scene.count(kept.leak()), 0, "{field:?}");
    }
}

#[test]
fn an_update_changes_what_it_names_and_nothing_else() {
    let scene = scheduled();
    let status = change(&scene, whole()).unwrap();
    assert_eq!(status.caption.as_deref(), Some("New"));
    assert_eq!(status.super_category_id, Some(3));
    assert_eq!(status.ai_summary_of_content.as_deref(), Some("A dog."));
    assert_eq!(status.scheduled_publish_at_unix, Some(NOON + 5_000));
    assert_eq!(status.external_id.as_deref(), Some("7"));
    assert_eq!(status.metadata, [("a", "1")].into_iter().collect());
    let cleared = change(&scene, json!({ "caption": null, "external_id": "", "metadata": {} })).unwrap();
    let expected = ContentStatus { caption: None, external_id: None, metadata: Metadata::default(), ..status };
    assert_eq!(cleared, expected);
    assert_eq!(scene.count("SELECT count(*) AS number FROM contents WHERE metadata IS NULL"), 1);
    assert_eq!(change(&scene, json!({})).unwrap(), expected);
}

#[test]
fn an_update_that_succeeded_succeeds_again_whatever_has_passed() {
    let scene = scheduled();
    let first = change(&scene, whole()).unwrap();
    let remove = Statement::new("DELETE FROM super_categories");
    block_on(scene.world.database.batch(vec![remove])).unwrap();
    scene.pass(4_990);
    assert_eq!(change(&scene, whole()).map(|status| status.state), Ok(first.state));
    scene.pass(100);
    scene.sweep();
    assert_eq!(change(&scene, whole()).map(|status| status.state), Ok(ContentState::Published));
}

#[test]
fn one_invalid_change_refuses_all_of_them() {
    let scene = scheduled();
    for (name, value, code) in [
        ("caption", json!("x".repeat(2_201)), ErrorCode::ContentCaptionInvalid),
        ("caption", json!("a\0b"), ErrorCode::ContentCaptionInvalid),
        ("ai_summary_of_content", json!("x".repeat(5_001)), ErrorCode::ContentAiSummaryInvalid),
        ("super_category_id", json!(4), ErrorCode::ContentCategoryInvalid),
        ("scheduled_publish_at_unix", json!(NOON + 299), ErrorCode::ContentScheduleInvalid),
        ("scheduled_publish_at_unix", json!(NOON + 180 * 86_400 + 1), ErrorCode::ContentScheduleInvalid),
        ("external_id", json!("a\nb"), ErrorCode::ContentExternalIdInvalid),
        ("metadata", json!({ "a b": "1" }), ErrorCode::ContentMetadataInvalid),
    ] {
        let before = change(&scene, json!({})).unwrap();
        let mut request = whole();
        request[name] = value;
        assert_eq!(change(&scene, request), Err(Some(code)), "{name}");
        assert_eq!(change(&scene, json!({})).unwrap(), before, "{name}");
    }
}

#[test]
fn a_schedule_of_null_publishes_and_a_published_content_has_no_new_schedule() {
    let scene = scheduled();
    let published = change(&scene, json!({ "scheduled_publish_at_unix": null })).unwrap();
    assert_eq!((published.state, published.published_at_unix), (ContentState::Published, Some(NOON)));
    scene.pass(60);
    assert_eq!(change(&scene, json!({ "scheduled_publish_at_unix": null })).unwrap(), published);
    let later = json!({ "scheduled_publish_at_unix": NOON + 1_000 });
    assert_eq!(change(&scene, later), Err(Some(ErrorCode::ContentStateConflict)));
}

#[test]
fn only_a_new_caption_of_a_published_content_is_purged_and_only_once() {
    let scene = scheduled();
    change(&scene, json!({ "caption": "Scheduled" })).unwrap();
    assert_eq!(purges(&scene), 0);
    change(&scene, json!({ "scheduled_publish_at_unix": null })).unwrap();
    for (request, changes) in [
        (json!({ "caption": "Published" }), 1),
        (json!({ "caption": "Published" }), 1),
        (json!({ "metadata": { "a": "1" }, "external_id": "x" }), 1),
        (json!({ "caption": null }), 2),
    ] {
        change(&scene, request).unwrap();
        assert_eq!(purges(&scene), changes);
    }
}

#[test]
fn a_removed_content_keeps_its_texts_and_a_deleted_one_has_none_left() {
    let scene = scheduled();
    change(&scene, whole()).unwrap();
    scene.set_state(ContentState::TakenDown).unwrap();
    assert_eq!(change(&scene, json!({ "caption": "x" })), Err(Some(ErrorCode::ContentStateConflict)));
    assert_eq!(change(&scene, json!({ "external_id": "8" })).unwrap().external_id.as_deref(), Some("8"));
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    assert_eq!(change(&scene, json!({ "external_id": "9" })), Err(Some(ErrorCode::ContentStateConflict)));
    let left = "SELECT count(*) AS number FROM contents
        WHERE coalesce(caption, ai_summary_of_content, external_id, metadata) IS NOT NULL";
    assert_eq!(scene.count(left), 0);
}

/// A database restored from before the change must not publish the video at the earlier time.
#[test]
fn a_postponed_publication_is_in_the_removal_log_before_and_after_the_approval() {
    let processing = Scene::new();
    for scene in [processing, scheduled()] {
        change(&scene, json!({ "scheduled_publish_at_unix": NOON + 5_000 })).unwrap();
        let logged = format!(
            "SELECT count(*) AS number FROM removals
             WHERE kind = 'schedule' AND is_removed = 1 AND data ->> '$.publish_at_unix' = {}",
            NOON + 5_000
        );
        assert_eq!(scene.count(&logged), 1, "{:?}", scene.row().state);
    }
}

#[test]
fn captions_and_schedules_that_are_replaced_leave_a_bounded_number_of_rows() {
    let scene = scheduled();
    let soon = scene.now().0 + 1_000;
    let requests = (0..150).flat_map(|number| {
        [json!({ "caption": number.to_string() }), json!({ "scheduled_publish_at_unix": soon + number })]
    });
    let refused =
        requests.filter(|request| change(&scene, request.clone()) == Err(Some(ErrorCode::DailyChangeLimitReached)));
    assert!((97..=100).contains(&refused.count()));
    assert!(scene.count("SELECT count(*) AS number FROM removals") <= 200);
    // A change that replaces no text and no time is not limited.
    assert!(change(&scene, json!({ "external_id": "a", "ai_summary_of_content": "b" })).is_ok());
    let content_uuid = uuid();
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &content_uuid };
    let again = block_on(reschedule(&scene.world.database, content, UnixSeconds(soon + 9_000), scene.now()));
    assert_eq!(again.unwrap().outcome, ChangeOutcome::LimitReached);
    assert!(change(&scene, json!({ "scheduled_publish_at_unix": null })).is_ok(), "publishing now is not limited");
}

#[test]
fn labels_and_visibility_change_in_both_directions_and_are_shown_at_once() {
    let scene = scheduled();
    change(&scene, json!({ "scheduled_publish_at_unix": null })).unwrap();
    let all = json!({ "visibility": "unlisted", "is_sensitive": true, "is_ai_generated": true });
    let shown = |status: ContentStatus| (status.visibility, status.is_sensitive, status.is_ai_generated);
    for (request, expected, changes) in [
        (all.clone(), (Visibility::Unlisted, true, true), 1),
        (all, (Visibility::Unlisted, true, true), 1),
        (json!({ "is_sensitive": null }), (Visibility::Unlisted, false, true), 2),
        (json!({ "visibility": null, "is_ai_generated": false }), (Visibility::Public, false, false), 3),
    ] {
        let status = change(&scene, request.clone()).unwrap();
        assert_eq!(status.moderator_labels, []);
        assert_eq!((shown(status), purges(&scene)), (expected, changes), "{request}");
    }
    let wrong = change(&scene, json!({ "visibility": "private" }));
    assert_eq!(wrong, Err(Some(ErrorCode::ContentVisibilityInvalid)));
}

#[test]
fn the_label_of_a_moderator_stays() {
    let scene = scheduled();
    scene.attempt("UPDATE contents SET is_sensitive = 2").unwrap();
    for (request, code) in [
        (json!({ "is_sensitive": false }), Some(ErrorCode::ContentLabelLocked)),
        (json!({ "is_sensitive": null, "caption": "x" }), Some(ErrorCode::ContentLabelLocked)),
        (json!({ "is_sensitive": true }), None),
        (json!({ "is_ai_generated": false }), None),
    ] {
        assert_eq!(change(&scene, request.clone()).err().flatten(), code, "{request}");
    }
    let status = change(&scene, json!({})).unwrap();
    assert_eq!((status.caption, status.is_sensitive), (None, true));
    assert_eq!(status.moderator_labels, [Label::Sensitive]);
}

#[test]
fn the_content_of_another_channel_is_unknown() {
    assert_eq!(update_as(&scheduled(), 2, whole()), Err(None));
}
