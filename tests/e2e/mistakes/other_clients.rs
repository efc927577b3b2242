//! The habits of other clients: axios, requests, PHP, Postman, shells, encodings, hosts, clocks and zones.

use super::told::{Mistake, Program, ensure_told};
use anyhow::Result;
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use std::sync::Arc;
use tests::{Channel, TestStack, e2e, now_unix};

const FORMAT: &str = "content_file_invalid_format";
const MALFORMED: &str = "request_malformed";

/// Texts and forms that programs send in place of the file.
fn files(user: &Program<'_>, video: &[u8]) -> Vec<Mistake> {
    let file = |text: &str| user.upload(Form::new().text("file", text));
    let path = paths::UPLOAD_VIDEO;
    vec![
        Mistake(
            "axios: Content-Type set by hand",
            user.post(path, "multipart/form-data", "--x--"),
            400,
            MALFORMED,
            "The boundary is missing in `Content-Type`. Do not set this header",
        ),
        Mistake("axios: an object in the form", file("[object Object]"), 415, FORMAT, "Append a `Blob` or a `File`"),
        Mistake(
            "requests: data= for files=",
            file("<_io.BufferedReader name='clip.mp4'>"),
            415,
            FORMAT,
            "Pass it in `files=`, not in `data=`",
        ),
        Mistake(
            "requests: a name in files=",
            user.upload(Form::new().file("file", "file", b"clip.mp4")),
            415,
            FORMAT,
            "Not a supported video: plain text. Send the video itself, not its name or address.",
        ),
        Mistake("PHP: @ without CURLFile", file("@clip.mp4"), 415, FORMAT, "in PHP, `new CURLFile('clip.mp4')`"),
        Mistake(
            "PHP: http_build_query",
            user.post(path, "application/x-www-form-urlencoded", "file=clip.mp4"),
            400,
            MALFORMED,
            "`application/x-www-form-urlencoded`, which curl's `-d` sends",
        ),
        Mistake(
            "Postman: a URL as text",
            file("https://a.example/b.mp4"),
            415,
            FORMAT,
            "this service does not fetch URLs",
        ),
        Mistake(
            "Postman: the file in `video`",
            user.upload(Form::new().file("video", "clip.mp4", video)),
            400,
            "file_not_found",
            "The file is in `video`. Send the video in a form field named `file`",
        ),
        Mistake(
            "a form with `video_url`",
            user.upload(Form::new().text("video_url", "https://a.example/b")),
            400,
            "file_not_found",
            "this service does not fetch URLs",
        ),
        Mistake(
            "a data URL",
            file("data:video/mp4;base64,AAAA"),
            415,
            FORMAT,
            "this is a data URL. Send the bytes of the file",
        ),
        Mistake("the variable is undefined", file("undefined"), 415, FORMAT, "the variable is undefined"),
        Mistake(
            "a form without the file",
            user.upload(Form::new().text("caption", "a")),
            400,
            "file_not_found",
            "The form has no field `file` with the video.",
        ),
        Mistake(
            "no content type",
            user.request(Method::POST, path).body(video.to_vec()),
            400,
            MALFORMED,
            "The request has no `Content-Type`.",
        ),
    ]
}

fn fields(user: &Program<'_>, video: &[u8]) -> Vec<Mistake> {
    let form = || Form::new().file("file", "clip.mp4", video);
    let field = |name: &str, value: &str| user.upload(form().text(name, value));
    let thumbnail = "content_thumbnail_invalid";
    vec![
        Mistake(
            "Latin-1",
            user.upload(form().raw_text("caption", b"caf\xe9")),
            422,
            "content_caption_invalid",
            "is not UTF-8. Encode it as UTF-8.",
        ),
        Mistake(
            "a field twice",
            user.upload(form().text("caption", "a").text("caption", "b")),
            400,
            MALFORMED,
            "`caption`",
        ),
        Mistake(
            "a thumbnail time in seconds",
            field("thumbnail_time", "5"),
            422,
            "content_thumbnail_time_invalid",
            "Send `00:00:05`",
        ),
        Mistake(
            "a thumbnail time without hours",
            field("thumbnail_time", "1:02"),
            422,
            "content_thumbnail_time_invalid",
            "Send `00:01:02`",
        ),
        Mistake(
            "a thumbnail with a forgotten @",
            user.upload(form().text("thumbnail_file", "cover.jpg")),
            422,
            thumbnail,
            "use `-F thumbnail_file=@cover.jpg`",
        ),
        Mistake(
            "a GIF as the thumbnail",
            user.upload(form().file("thumbnail_file", "a.gif", b"GIF89a")),
            422,
            thumbnail,
            "`thumbnail_file` is a GIF. Send a JPEG",
        ),
        Mistake(
            "captions with a forgotten @",
            user.upload(form().text("captions_file_en", "talk.srt")),
            422,
            "content_captions_invalid",
            "-F captions_file_en=@talk.srt",
        ),
        Mistake(
            "a UUID without hyphens",
            field("upload_token", "0190f0a87c3b7d1e8a111b2c3d4e5f60"),
            422,
            "upload_token_invalid",
            "as `0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60`",
        ),
        Mistake(
            "a word as Idempotency-Key",
            user.upload(form()).header("Idempotency-Key", "order 7"),
            422,
            "upload_token_invalid",
            "`order 7` is not a UUID.",
        ),
        Mistake(
            "two lines of external_id",
            field("external_id", "a\nb"),
            422,
            "content_external_id_invalid",
            "has several lines. Send it as one line.",
        ),
    ]
}

fn times_and_data(user: &Program<'_>, channel: &Channel, video: &[u8]) -> Vec<Mistake> {
    let field = |name: &str, value: &str| user.upload(Form::new().file("file", "clip.mp4", video).text(name, value));
    let at = |time: String| field("scheduled_publish_at_unix", &time);
    let schedule = "content_schedule_invalid";
    vec![
        Mistake(
            "a date without a zone",
            at("2027-01-01 00:00".into()),
            422,
            schedule,
            "a date without a time zone. Send Unix seconds: `1798761600`",
        ),
        Mistake(
            "JavaScript: Date.now() / 1000",
            at("1798761600.123".into()),
            422,
            schedule,
            "in whole seconds: `1798761600`",
        ),
        Mistake(
            "a delay in place of a time",
            at("3600".into()),
            422,
            schedule,
            "is a time in 1970 or soon after. Send Unix seconds, such as",
        ),
        Mistake(
            "local time taken for UTC",
            at((now_unix() - 7_200).to_string()),
            422,
            schedule,
            "This time was 2 hours ago; the earliest is 5 minutes from now. If you meant a local time",
        ),
        Mistake(
            "a time next year",
            at((now_unix() + 365 * 86_400 + 43_200).to_string()),
            422,
            schedule,
            "This time is 365 days from now; the latest is 180 days from now.",
        ),
        Mistake(
            "Python: a dict as metadata",
            field("metadata", "{'a': '1'}"),
            422,
            "content_metadata_invalid",
            "JSON needs double quotes.",
        ),
        Mistake(
            "metadata encoded twice",
            field("metadata", r#""{\"a\":\"1\"}""#),
            422,
            "content_metadata_invalid",
            "It may have been encoded twice.",
        ),
        Mistake(
            "a name of metadata with a space",
            field("metadata", r#"{"a b":"1"}"#),
            422,
            "content_metadata_invalid",
            "The name `a b` in `metadata` is not allowed.",
        ),
        Mistake(
            "the key in a field",
            field("super_category_id", &channel.key),
            422,
            "content_category_invalid",
            "(hidden) is not a category id.",
        ),
        Mistake(
            "title in the form",
            field("title", "My clip"),
            422,
            "field_unknown",
            "Unknown field `title`. Did you mean `caption`?",
        ),
    ]
}

fn requests(user: &Program<'_>) -> Vec<Mistake> {
    let body = |bytes: &[u8]| user.json(paths::DELETE_CONTENT, bytes);
    let utf16: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let uploads = |query: &str| user.get(&format!("{}?{query}", paths::UPLOADS));
    let swapped = user.get(paths::UPLOAD_LIMITS).header("Host", "127.0.0.1:1");
    vec![
        Mistake("Python: a dict as the body", body(b"{'content_uuid': 'c'}"), 400, MALFORMED, "it has single quotes"),
        Mistake("JSON encoded twice", body(b"\"{}\""), 400, MALFORMED, "It may have been encoded twice."),
        Mistake("PowerShell: UTF-16", body(&utf16), 400, MALFORMED, "The body is UTF-16. Encode it as UTF-8."),
        Mistake("Windows: a byte order mark", body(b"\xef\xbb\xbf{}"), 400, MALFORMED, "byte order mark"),
        Mistake("Windows: single quotes in cmd", body(b"'{content_uuid:c}'"), 400, MALFORMED, "In Windows' cmd"),
        Mistake(
            "a comma after the last member",
            body(b"{\"content_uuid\":\"c\",}"),
            400,
            MALFORMED,
            "a comma after the last member",
        ),
        Mistake("a list of one object", body(b"[{}]"), 400, MALFORMED, "The body is an array, not an object."),
        Mistake("no body", body(b""), 400, MALFORMED, "The body is empty or `{}`. Send JSON with `content_uuid`"),
        Mistake(
            "a number as the UUID",
            body(b"{\"content_uuid\":5}"),
            400,
            MALFORMED,
            "`content_uuid` is `5`. Send a string in double quotes.",
        ),
        Mistake(
            "content_id as the UUID",
            body(b"{\"content_uuid\":\"5\"}"),
            404,
            "content_not_found",
            "`5` is a number, not a UUID.",
        ),
        Mistake(
            "a member twice",
            body(b"{\"content_uuid\":\"c\",\"content_uuid\":\"d\"}"),
            400,
            MALFORMED,
            "Duplicate `content_uuid`. Send it once.",
        ),
        Mistake(
            "a page that is too long",
            uploads("limit=1000"),
            400,
            MALFORMED,
            "`1000` is too large. Send `limit` from 1 to 100.",
        ),
        Mistake("a page by its number", uploads("page=2"), 400, MALFORMED, "Did you mean `cursor`?"),
        Mistake(
            "a date in a filter",
            uploads("created_from_unix=2026-01-01T00:00:00Z"),
            400,
            MALFORMED,
            "Send Unix seconds: `1767225600`.",
        ),
        Mistake("a parameter twice", uploads("limit=1&limit=2"), 400, MALFORMED, "Duplicate `limit`."),
        Mistake("a host that is not the API's", swapped, 404, "not_found", "Did you mean `http://"),
        Mistake(
            "hyphens in the path",
            user.get("/api/php/developer/upload-limits"),
            404,
            "not_found",
            "/upload_limits`?",
        ),
        Mistake("a version in the path", user.get("/api/v1/upload_limits"), 404, "not_found", "/upload_limits`?"),
        Mistake(
            "a slip in the path",
            user.get("/api/php/developer/upload_limts"),
            404,
            "not_found",
            "/upload_limits`?",
        ),
        Mistake("an internal path", user.get("/internal/sweeps"), 404, "not_found", "/docs for all addresses."),
        Mistake(
            "POST upload_status",
            user.json(paths::UPLOAD_STATUS, "{}"),
            405,
            "method_not_allowed",
            "does not support `POST`. Use `GET`.",
        ),
    ]
}

#[e2e]
async fn the_habits_of_other_clients_are_answered_with_what_to_send(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (user, video) = (Program(&channel), stack.small_video());
    for mistakes in
        [files(&user, &video), fields(&user, &video), times_and_data(&user, &channel, &video), requests(&user)]
    {
        ensure_told(&channel, mistakes).await?;
    }
    Ok(())
}
