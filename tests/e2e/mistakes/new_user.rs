//! The mistakes of a first hour with the API: each response says what was wrong with this request, and what to send.

use super::told::{Mistake, Program, ensure_told};
use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, TestContent, TestStack, e2e, now_unix};

const UUID: &str = "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60";

/// The forms of credentials that no caller can be told apart by.
fn credentials(channel: &Channel) -> Vec<Mistake> {
    let get = || channel.stack.request(Method::GET, paths::UPLOAD_LIMITS);
    let refused = |name, request| {
        Mistake(name, request, 401, "api_key_invalid", "without the word `Bearer`, and to a key sent with `curl -u`")
    };
    vec![
        refused("no key", get()),
        refused("a key without Bearer", get().header("Authorization", &channel.key)),
        refused("a key as the user of curl -u", get().basic_auth(&channel.key, None::<&str>)),
        refused("a key in X-Api-Key", get().header("X-Api-Key", &channel.key)),
        refused(
            "a key in the query",
            channel.stack.request(Method::GET, "/api/php/developer/upload_limits?api_key=cgk_1"),
        ),
    ]
}

fn uploads(user: &Program<'_>, video: &[u8]) -> Vec<Mistake> {
    let form = || Form::new().file("file", "clip.mp4", video);
    let field = |name: &str, value: &str| user.upload(form().text(name, value));
    let at = |time: &str| field("scheduled_publish_at_unix", time);
    let (schedule, category, metadata) =
        ("content_schedule_invalid", "content_category_invalid", "content_metadata_invalid");
    let past = (now_unix() - 190).to_string();
    let json_type = "application/json";
    vec![
        Mistake(
            "GET upload_video",
            user.get(paths::UPLOAD_VIDEO),
            405,
            "method_not_allowed",
            "does not support `GET`. Use `POST`.",
        ),
        Mistake(
            "PUT upload_video",
            user.request(Method::PUT, paths::UPLOAD_VIDEO),
            405,
            "method_not_allowed",
            "Use `POST`.",
        ),
        Mistake(
            "the bare video as the body",
            user.post(paths::UPLOAD_VIDEO, "video/mp4", video),
            400,
            "request_malformed",
            "With curl, use `-F file=@clip.mp4`.",
        ),
        Mistake(
            "JSON with a URL",
            user.post(paths::UPLOAD_VIDEO, json_type, r#"{"url":"https://a.example/b.mp4"}"#),
            400,
            "request_malformed",
            "this service does not fetch URLs",
        ),
        Mistake(
            "a forgotten @",
            user.upload(Form::new().text("file", "clip.mp4")),
            415,
            "content_file_invalid_format",
            "`file` is the text `clip.mp4`, not a file. With curl, use `-F file=@clip.mp4`.",
        ),
        Mistake(
            "a schedule as a date",
            at("2027-01-01T00:00:00Z"),
            422,
            schedule,
            "`2027-01-01T00:00:00Z` is a date. Send Unix seconds: `1798761600`.",
        ),
        Mistake(
            "a schedule in milliseconds",
            at("1799999999000"),
            422,
            schedule,
            "looks like milliseconds. Send `1799999999`.",
        ),
        Mistake(
            "a schedule in the past",
            at(&past),
            422,
            schedule,
            "This time was 3 minutes ago; the earliest is 5 minutes from now.",
        ),
        Mistake(
            "a category by its name",
            field("super_category_id", "music"),
            422,
            category,
            "`music` is not a category id. Did you mean 4 (Music)? `GET /api/php/developer/categories` lists all.",
        ),
        Mistake(
            "an unknown category",
            field("super_category_id", "99"),
            422,
            category,
            "`99` is not in the category list. `GET ",
        ),
        Mistake(
            "metadata that is not JSON",
            field("metadata", "campaign=spring"),
            422,
            metadata,
            "`metadata` is not JSON. Send an object such as `{\"campaign\":\"spring\"}`.",
        ),
        Mistake(
            "metadata with a number",
            field("metadata", r#"{"n":5}"#),
            422,
            metadata,
            "`n` in `metadata` is a number, not a string.",
        ),
        Mistake(
            "a caption that is too long",
            field("caption", &"x".repeat(3_000)),
            422,
            "content_caption_invalid",
            "`caption` has 3,000 characters; 2,200 are allowed.",
        ),
    ]
}

fn addresses(user: &Program<'_>) -> Vec<Mistake> {
    let status = format!("{}/{UUID}", paths::UPLOAD_STATUS);
    let there = "Did you mean `http://";
    vec![
        Mistake(
            "a status without its UUID",
            user.get(paths::UPLOAD_STATUS),
            400,
            "request_malformed",
            "`content_uuid` is missing. Send the UUID that the upload returned.",
        ),
        Mistake(
            "a status by content_id",
            user.get("/api/php/developer/upload_status?content_id=5"),
            400,
            "request_malformed",
            "Unknown query parameter `content_id`. Did you mean `content_uuid`?",
        ),
        Mistake("a status by its path", user.get(&status), 404, "not_found", "/upload_status?content_uuid=…`."),
        Mistake(
            "an unknown state",
            user.get("/api/php/developer/uploads?state=done"),
            400,
            "request_malformed",
            "`done` is not a state. The states are `processing`, `scheduled`,",
        ),
        Mistake(
            "DELETE delete_content",
            user.request(Method::DELETE, paths::DELETE_CONTENT),
            405,
            "method_not_allowed",
            "does not support `DELETE`. Use `POST`.",
        ),
        Mistake("a path with v1", user.get("/v1/videos"), 404, "not_found", there),
        Mistake("a path of the site", user.get("/upload"), 404, "not_found", "/api/php/developer/upload_video`?"),
        Mistake(
            "a trailing slash",
            user.get("/api/php/developer/upload_limits/"),
            404,
            "not_found",
            "/api/php/developer/upload_limits`?",
        ),
        Mistake(
            "an address that is near nothing",
            user.get("/api/php/developer/xyzzy"),
            404,
            "not_found",
            "/docs for all addresses.",
        ),
    ]
}

fn bodies(user: &Program<'_>, channel: &Channel) -> Vec<Mistake> {
    let form = "application/x-www-form-urlencoded";
    let session = |path: &str| channel.stack.request(Method::POST, path).header("Cookie", &channel.account.cookie);
    let event = json!({ "url": "https://example.com/hook", "event_types": ["video.ready"] });
    let link = "rel=\"help\"";
    vec![
        Mistake(
            "a form in place of JSON",
            user.post(paths::DELETE_CONTENT, form, "content_uuid=5"),
            400,
            "request_malformed",
            "The body is form data such as `a=b`, not JSON. Send JSON with `Content-Type: application/json`.",
        ),
        Mistake(
            "an update of title",
            user.json(paths::UPDATE_CONTENT, r#"{"content_uuid":"c","title":"New"}"#),
            422,
            "field_unknown",
            "Unknown field `title`. Did you mean `caption`?",
        ),
        Mistake(
            "JSON without quotes",
            user.json(paths::UPDATE_CONTENT, "{content_uuid: 5}"),
            400,
            "request_malformed",
            "a shell may have removed",
        ),
        Mistake(
            "key management with an API key",
            user.json(paths::CREATE_API_KEY, "{}"),
            401,
            "session_required",
            link,
        ),
        Mistake("a second key", session(paths::CREATE_API_KEY).json(&json!({})), 409, "api_key_already_exists", link),
        Mistake(
            "a new key without a content type",
            session(paths::CREATE_API_KEY),
            415,
            "json_content_type_required",
            link,
        ),
        Mistake(
            "an unknown event type",
            session(paths::CREATE_WEBHOOK).json(&event),
            400,
            "request_malformed",
            "`video.ready` is not a value of `event_types`. Send `content.published`",
        ),
    ]
}

#[e2e]
async fn the_mistakes_of_a_new_user_are_answered_with_what_to_send(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let user = Program(&channel);
    // The names of the categories are known once they were read.
    ensure!(stack.get_with_key(paths::CATEGORIES, &channel.key).await?.status == 200);
    for mistakes in
        [credentials(&channel), uploads(&user, &stack.small_video()), addresses(&user), bodies(&user, &channel)]
    {
        ensure_told(&channel, mistakes).await?;
    }
    Ok(())
}

/// The same value is refused by an update of a video, whose fields are JSON.
#[e2e]
async fn an_update_is_explained_as_an_upload_is(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let channel = &content.job.channel;
    let user = Program(channel);
    let update = |name: &str, value: serde_json::Value| {
        let body = json!({ "content_uuid": content.job.content_uuid, name: value });
        user.json(paths::UPDATE_CONTENT, body.to_string())
    };
    let past = now_unix() - 190;
    ensure_told(
        channel,
        vec![
            Mistake(
                "a caption that is too long",
                update("caption", json!("x".repeat(3_000))),
                422,
                "content_caption_invalid",
                "`caption` has 3,000 characters; 2,200 are allowed.",
            ),
            Mistake(
                "a schedule as a date",
                update("scheduled_publish_at_unix", json!("2027-01-01T00:00:00Z")),
                400,
                "request_malformed",
                "Send Unix seconds: `1798761600`.",
            ),
            Mistake(
                "a schedule in the past",
                update("scheduled_publish_at_unix", json!(past)),
                422,
                "content_schedule_invalid",
                "This time was 3 minutes ago",
            ),
            Mistake(
                "an unknown category",
                update("super_category_id", json!(99)),
                422,
                "content_category_invalid",
                "`99` is not in the category list.",
            ),
            Mistake(
                "a thumbnail time in seconds",
                update("thumbnail_time", json!("5")),
                422,
                "content_thumbnail_time_invalid",
                "Send `00:00:05`",
            ),
            Mistake(
                "a time as a number",
                update("thumbnail_time", json!(5)),
                400,
                "request_malformed",
                "`thumbnail_time` is `5`. Send a string in double quotes.",
            ),
            Mistake(
                "metadata with a number",
                update("metadata", json!({ "n": 5 })),
                400,
                "request_malformed",
                "`n` in `metadata` is a number",
            ),
        ],
    )
    .await
}
