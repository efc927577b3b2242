//! The examples of the public document.

use super::{CONTENT_UUID, Example, NOW};
use crate::http::host_role::DOCUMENTED;
use contract::api::{
    CaptionsChange, Categories, Category, ContentChanged, ContentStatus, DeleteCaptions, DeleteContent, DeliveryState,
    Event, EventData, Events, EventsSentAgain, Health, KeyEnvelope, KeyMetadata, LimitState, NamedWebhook, Oembed,
    PauseReason, PublicUrls, RescheduleContent, Subtitles, Thumbnail, ThumbnailChange, UPLOAD_SUCCESS, UploadLimits,
    UploadResult, UploadRules, UploadStatus, Uploads, Webhook, WebhookChanged, WebhookDeleted, WebhookDeliveries,
    WebhookDelivery, WebhookResponse, WebhookState, WebhookTested, Webhooks,
};
use contract::limits::{
    DEFAULT_MAX_FILE_BYTES, KEY_REQUESTS_SECONDS, MAX_KEY_REQUESTS, MIN_UPLOAD_BYTES_PER_SECOND, UPLOAD_PACE_SECONDS,
};
use contract::subtitles::{DropReason, DroppedSubtitles};
use contract::{ContentState, ErrorCode, MediaFile, paths};
use serde_json::{Value, json};

const MEDIA_NAME: &str = "mXv2Vq0PzJ4cN8sT";
const SLUG_URL: &str = "my-first-video-k3x9";
const SITE: &str = DOCUMENTED.site;
const WEBHOOK_UUID: &str = "5d7b1c0e-93f4-4a55-8a1e-3f6c2b7d9e10";
const HOOK: &str = "https://hooks.shop.example/clipgate";
const TOMORROW: u64 = 1_795_305_600;

pub(super) fn of(operation_id: &str) -> Option<Example> {
    let example = match operation_id {
        "get_health" => Example::answer(Health {
            success: true,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: "0123456789ab".to_owned(),
        }),
        "create_api_key" => Example::answer(new_key(None)).request(json!({})),
        "rotate_api_key" => Example::answer(new_key(Some(NOW))).request(json!({})),
        "delete_api_key" => Example::answer(KeyEnvelope::deleted()).request(json!({})),
        "get_api_key" => Example::answer(KeyEnvelope::with_key(None, used_key())),
        "get_api_key_by_post" => Example::answer(KeyEnvelope::with_key(None, used_key())).request(json!({})),
        "list_categories" => Example::answer(categories()),
        "upload_video" => Example::answer(upload_result()),
        "get_upload_limits" => Example::answer(upload_limits()),
        "get_upload_status" => Example::answer(UploadStatus { success: true, content: status() }),
        "list_uploads" => Example::answer(Uploads { success: true, uploads: vec![status()], next_cursor: None }),
        "get_oembed" => Example::answer(oembed()),
        "report_leaked_key" => Example::answer(json!({ "success": true })).request(json!({
            "api_key": format!("cgk_{}", "0".repeat(46)),
        })),
        "report_page" => Example::answer(json!({ "success": true })).request(json!({
            "page": format!("{SITE}{}a-dog-that-surfs-x1y2z3", paths::PAGE),
            "reason": "violence",
            "text": "They fight for real.",
        })),
        "delete_content" => Example::answer(changed(ContentState::Deleted, None))
            .request(DeleteContent { content_uuid: CONTENT_UUID.to_owned() }),
        "update_content" => Example::answer(UploadStatus { success: true, content: status() }).request(json!({
            "content_uuid": CONTENT_UUID, "caption": "My first video #fun", "metadata": { "campaign": "spring" },
        })),
        "update_thumbnail" => {
            let content = ContentStatus { thumbnail_change: Some(ThumbnailChange::Pending), ..status() };
            Example::answer(UploadStatus { success: true, content })
        }
        "update_captions" => Example::answer(with_pending_captions()),
        "delete_captions" => Example::answer(with_pending_captions())
            .request(DeleteCaptions { content_uuid: CONTENT_UUID.to_owned(), language: "de".to_owned() }),
        "list_channel_events" => {
            Example::answer(Events { success: true, events: vec![event()], next_after: 12, has_more: false })
        }
        "reschedule_content" => {
            Example::answer(changed(ContentState::Scheduled, Some(TOMORROW))).request(RescheduleContent {
                content_uuid: CONTENT_UUID.to_owned(),
                scheduled_publish_at_unix: Some(TOMORROW),
            })
        }
        _ => return of_webhooks(operation_id),
    };
    Some(example)
}

fn with_pending_captions() -> UploadStatus {
    let content = ContentStatus { captions_change: Some(CaptionsChange::Pending), ..status() };
    UploadStatus { success: true, content }
}

fn of_webhooks(operation_id: &str) -> Option<Example> {
    let named = || NamedWebhook { webhook_uuid: WEBHOOK_UUID.to_owned() };
    let changed = |secret: Option<&str>| {
        Example::answer(WebhookChanged { success: true, webhook: webhook(HOOK), secret: secret.map(str::to_owned) })
    };
    let list = |url| Example::answer(Webhooks { success: true, webhooks: vec![webhook(url)] });
    let example = match operation_id {
        "list_webhooks" => list(HOOK),
        "list_webhooks_by_key" => list("https://hooks.shop.example"),
        "create_webhook" => changed(Some("whsec_…")).request(json!({ "url": HOOK })),
        "update_webhook" => changed(None).request(json!({ "webhook_uuid": WEBHOOK_UUID, "is_active": true })),
        "delete_webhook" => Example::answer(WebhookDeleted { success: true }).request(named()),
        "rotate_webhook_secret" => changed(Some("whsec_…")).request(named()),
        "test_webhook" => Example::answer(tested()).request(named()),
        "list_webhook_deliveries" => {
            Example::answer(WebhookDeliveries { success: true, deliveries: vec![delivery()], next_before: None })
        }
        "send_events_again" => Example::answer(EventsSentAgain { success: true, queued: 3, next_after: None })
            .request(json!({ "webhook_uuid": WEBHOOK_UUID, "since_unix": NOW })),
        _ => return None,
    };
    Some(example)
}

fn webhook(url: &str) -> Webhook {
    Webhook {
        webhook_uuid: WEBHOOK_UUID.to_owned(),
        url: url.to_owned(),
        event_types: None,
        state: WebhookState::Active,
        pause_reason: None,
        paused_at_unix: None,
        created_at_unix: NOW,
        previous_secret_ends_at_unix: None,
        last_delivered_at_unix: Some(NOW + 21),
        failures: 0,
    }
}

fn response() -> WebhookResponse {
    WebhookResponse { status: Some(200), failure: None, latency_ms: 84, body_start: Some("ok".to_owned()) }
}

fn tested() -> WebhookTested {
    let event_id = "evt_test_4gC1sYH0q7vJb2kLmN8pRt".to_owned();
    WebhookTested { success: true, event_id, is_delivered: true, response: response() }
}

fn delivery() -> WebhookDelivery {
    let Event { id, kind, sequence, .. } = event();
    WebhookDelivery {
        event_id: id,
        event_type: kind,
        sequence,
        state: DeliveryState::Delivered,
        attempts: 1,
        next_attempt_at_unix: None,
        last_attempt_at_unix: Some(NOW + 21),
        response: Some(response()),
    }
}

pub(super) fn categories() -> Categories {
    let category = |id, name: &str| Category { id, name: name.to_owned() };
    Categories { success: true, categories: vec![category(1, "Animals"), category(2, "Sports")] }
}

fn new_key(rotated_at_unix: Option<u64>) -> KeyEnvelope {
    let key = KeyMetadata { rotated_at_unix, last_used_at_unix: None, uses_count: 0, ..used_key() };
    KeyEnvelope::with_key(Some("cgk_…".to_owned()), key)
}

fn used_key() -> KeyMetadata {
    KeyMetadata {
        key_hint: "cgk_0c4R…Z96C".to_owned(),
        created_at_unix: NOW,
        rotated_at_unix: None,
        last_used_at_unix: Some(NOW + 60),
        uses_count: 3,
    }
}

fn limit() -> LimitState {
    LimitState {
        ui_limit_failure_translation_key: "content_upload_limit_failure".to_owned(),
        is_limit_activated: false,
        limit_reset_time_unix: None,
        limit_amount: 50,
    }
}

fn upload_limits() -> UploadLimits {
    let accepts = UploadRules::new(DEFAULT_MAX_FILE_BYTES, MIN_UPLOAD_BYTES_PER_SECOND, UPLOAD_PACE_SECONDS);
    UploadLimits {
        success: true,
        limit: limit(),
        remaining: 42,
        max_open_uploads: 10,
        max_daily_changes: 200,
        remaining_changes: 197,
        changes_reset_time_unix: 1_795_305_600,
        max_requests: MAX_KEY_REQUESTS,
        request_period_seconds: KEY_REQUESTS_SECONDS,
        accepts,
    }
}

fn upload_result() -> UploadResult {
    UploadResult {
        success: true,
        id: 7,
        content_id: 7,
        content_uuid: CONTENT_UUID.to_owned(),
        media_name: format!("{MEDIA_NAME}.mp4"),
        message_code: UPLOAD_SUCCESS.to_owned(),
        scheduled_publish_at_unix: None,
        limit: limit(),
        slug_url: SLUG_URL.to_owned(),
        content_state: None,
    }
}

fn status() -> ContentStatus {
    ContentStatus {
        content_id: 7,
        content_uuid: CONTENT_UUID.to_owned(),
        state: ContentState::Published,
        stage: None,
        progress_percent: 100,
        error_message_code: None,
        detail: None,
        created_at_unix: NOW,
        finished_at_unix: Some(NOW + 20),
        scheduled_publish_at_unix: None,
        published_at_unix: Some(NOW + 20),
        duration_ms: 5_000,
        width: Some(1280),
        height: Some(720),
        caption: Some("My first video #fun".to_owned()),
        super_category_id: Some(3),
        ai_summary_of_content: Some("A cat jumps off a chair.".to_owned()),
        external_id: Some("order-7".to_owned()),
        metadata: [("campaign", "spring")].into_iter().collect(),
        media_name: format!("{MEDIA_NAME}.mp4"),
        slug_url: SLUG_URL.to_owned(),
        thumbhash: Some("1QcSHQRnh493V4dIh4eXh1h4kJUI".to_owned()),
        thumbnail_change: None,
        thumbnail_error_message_code: None,
        captions: vec!["en".to_owned()],
        captions_change: None,
        captions_error_message_code: None,
        thumbnails: vec![Thumbnail { width: 320, url: file(MediaFile::Thumbnail(320)) }],
        subtitles: vec![Subtitles {
            language: Some("en".to_owned()),
            label: "English".to_owned(),
            is_default: true,
            is_forced: false,
            is_for_hearing_impaired: false,
            url: Some(file(MediaFile::Subtitles(1))),
        }],
        dropped_subtitles: vec![DroppedSubtitles {
            format: "hdmv_pgs_subtitle".to_owned(),
            language: Some("fr".to_owned()),
            reason: DropReason::Pictures,
        }],
        urls: Some(PublicUrls {
            page: format!("{SITE}{}{SLUG_URL}", paths::PAGE),
            embed: format!("{SITE}{}{SLUG_URL}", paths::EMBED),
            video: media_url(".mp4"),
            hls: file(MediaFile::MasterPlaylist),
            dash: Some(file(MediaFile::DashManifest)),
            poster: file(MediaFile::Poster),
            storyboard: Some(file(MediaFile::Storyboard)),
            storyboard_track: Some(file(MediaFile::StoryboardTrack)),
            preview: Some(file(MediaFile::Preview)),
        }),
        check_after_seconds: None,
    }
}

fn event() -> Event {
    Event {
        id: "evt_0b9c2b62a1f24f6f8e5ab1d2c3f40516".to_owned(),
        kind: "content.published".to_owned(),
        timestamp: "2026-11-20T20:39:05Z".to_owned(),
        happened_at_unix: NOW + 20,
        sequence: 12,
        content_sequence: Some(1),
        data: EventData {
            content_id: Some(7),
            content_uuid: Some(CONTENT_UUID.to_owned()),
            slug_url: Some(SLUG_URL.to_owned()),
            external_id: Some("order-7".to_owned()),
            published_at_unix: Some(NOW + 20),
            ..EventData::default()
        },
    }
}

/// Returns an event of a content.
pub(in super::super) fn example_event() -> Value {
    json!(event())
}

/// Returns all members that the data of an event can have.
pub(in super::super) fn event_data() -> Value {
    json!(EventData {
        scheduled_publish_at_unix: Some(TOMORROW),
        error_message_code: Some(ErrorCode::ContentModerationRejected.as_str().to_owned()),
        detail: Some(ErrorCode::ContentModerationRejected.text().to_owned()),
        waits_for: Some("person".to_owned()),
        key_hint: Some("cgk_AbCd…wXyZ".to_owned()),
        limit_amount: Some(50),
        limit_reset_time_unix: Some(TOMORROW),
        webhook_uuid: Some(WEBHOOK_UUID.to_owned()),
        pause_reason: Some(PauseReason::Failing),
        ..event().data
    })
}

fn oembed() -> Oembed {
    let player = format!("{SITE}{}{SLUG_URL}", paths::EMBED);
    Oembed {
        version: "1.0".to_owned(),
        kind: "video".to_owned(),
        title: "My first video #fun".to_owned(),
        author_name: Some("Surfing dogs".to_owned()),
        provider_name: "clipgate.example".to_owned(),
        provider_url: SITE.to_owned(),
        cache_age: 60,
        thumbnail_url: Some(file(MediaFile::Poster)),
        thumbnail_width: Some(1280),
        thumbnail_height: Some(720),
        html: format!("<iframe src=\"{player}\" width=\"640\" height=\"360\" allowfullscreen></iframe>"),
        width: 640,
        height: 360,
    }
}

fn changed(state: ContentState, scheduled_publish_at_unix: Option<u64>) -> ContentChanged {
    let content_uuid = CONTENT_UUID.to_owned();
    ContentChanged { success: true, content_uuid, state, scheduled_publish_at_unix, published_at_unix: None }
}

/// Returns the address of a file of the example's video.
fn file(file: MediaFile) -> String {
    media_url(&format!("/{file}"))
}

fn media_url(path: &str) -> String {
    format!("{SITE}{}{MEDIA_NAME}{path}", paths::MEDIA)
}
