//! Tests of the owner's rules.

use super::*;
use probe::judge::FileJudge;
use proptest::prelude::*;

const NOW: UnixSeconds = UnixSeconds(1_000_000);

fn read(request: CreateDirectUpload) -> Result<Rules, (&'static str, Option<String>)> {
    Rules::of(request, context(&[1, 7], NOW))
        .map_err(|refusal| (refusal.code.as_str(), refusal.field.map(String::from)))
}

fn field(refused: Result<Rules, (&'static str, Option<String>)>) -> Option<String> {
    let (code, field) = refused.err()?;
    assert_eq!(code, "direct_upload_invalid");
    field
}

fn with_fields(fields: &[(&str, &str)]) -> CreateDirectUpload {
    let fields = fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    CreateDirectUpload { fields, ..CreateDirectUpload::default() }
}

fn settable(names: &[&str]) -> CreateDirectUpload {
    let user_may_set = names.iter().map(|name| (*name).to_owned()).collect();
    CreateDirectUpload { user_may_set, ..CreateDirectUpload::default() }
}

#[test]
fn an_origin_is_written_as_browsers_send_it() {
    let is_refused = |origin: &str| {
        let request = CreateDirectUpload { allowed_origin: Some(origin.to_owned()), ..CreateDirectUpload::default() };
        field(read(request)).is_some()
    };
    for origin in ["https://app.example", "https://app.example:8443", "http://localhost:3000", "http://127.0.0.1"] {
        assert!(!is_refused(origin), "{origin}");
    }
    for origin in [
        "",
        "*",
        "null",
        "app.example",
        "http://app.example",
        "https://app.example/",
        "https://app.example/path",
        "https://APP.example",
        "HTTPS://app.example",
        "https://app.example:443",
        "https://user@app.example",
        "https://a.example,https://b.example",
        "ftp://app.example",
    ] {
        assert!(is_refused(origin), "{origin}");
    }
}

#[test]
fn limits_lie_within_those_of_the_service() {
    let request = CreateDirectUpload { max_bytes: Some(0), ..CreateDirectUpload::default() };
    assert_eq!(field(read(request)).as_deref(), Some("max_bytes"));
    for (duration, is_allowed) in [(1_999, false), (2_000, true), (120_000, true), (120_001, false)] {
        let request = CreateDirectUpload { max_duration_ms: Some(duration), ..CreateDirectUpload::default() };
        assert_eq!(read(request).is_ok(), is_allowed, "{duration}");
    }
    let rules = Rules { max_bytes: Some(200), ..Rules::default() };
    assert_eq!((rules.largest(100), rules.largest(300), Rules::default().largest(100)), (100, 200, 100));
}

#[test]
fn a_fixed_field_is_a_valid_text_of_the_form() {
    let rules = read(with_fields(&[("caption", "Hello"), ("super_category_id", "7")])).unwrap();
    assert_eq!(rules.fixed_fields().unwrap().super_category_id, Some(7));
    for name in ["file", "thumbnail_file", "captions_file", "captions_file_de", "upload_token", "unknown"] {
        assert_eq!(field(read(with_fields(&[(name, "a")]))).as_deref(), Some("fields"), "{name}");
    }
    let too_long = "a".repeat(2_201);
    for (name, text, code) in [
        ("super_category_id", "2", "content_category_invalid"),
        ("caption", &too_long, "content_caption_invalid"),
        ("scheduled_publish_at_unix", "1", "content_schedule_invalid"),
    ] {
        assert_eq!(read(with_fields(&[(name, text)])).unwrap_err().0, code);
    }
}

#[test]
fn an_external_id_is_a_fixed_field() {
    let request = CreateDirectUpload { external_id: Some("order-7".to_owned()), ..CreateDirectUpload::default() };
    assert_eq!(read(request).unwrap().fields["external_id"], "order-7");
    let request = CreateDirectUpload { external_id: Some("a\nb".to_owned()), ..CreateDirectUpload::default() };
    assert_eq!(read(request).unwrap_err().0, "content_external_id_invalid");
}

#[test]
fn a_user_sets_what_the_owner_names_and_nothing_else() {
    let owner = read(settable(&["caption", "thumbnail_file", "captions_file"])).unwrap().owner_fields().unwrap();
    for (name, is_settable) in [
        ("file", true),
        ("caption", true),
        ("thumbnail_file", true),
        ("captions_file", true),
        ("captions_file_de", true),
        ("external_id", false),
        ("upload_token", false),
        ("super_category_id", false),
    ] {
        let refused = owner.require_settable(name).err().map(|refusal| refusal.code.as_str());
        assert_eq!(refused, (!is_settable).then_some("direct_upload_field_forbidden"), "{name}");
    }
    for name in ["file", "upload_token", "unknown", "captions_file_de"] {
        assert_eq!(field(read(settable(&[name]))).as_deref(), Some("user_may_set"), "{name}");
    }
    let both = CreateDirectUpload { user_may_set: vec!["caption".to_owned()], ..with_fields(&[("caption", "a")]) };
    assert_eq!(field(read(both)).as_deref(), Some("user_may_set"));
}

#[test]
fn a_page_needs_the_origin_that_the_owner_allows_and_a_program_needs_none() {
    let code = |allowed: Option<&str>, sent| {
        let rules = Rules { allowed_origin: allowed.map(str::to_owned), ..Rules::default() };
        rules.require_origin(sent).err().map(|refusal| refusal.code.as_str())
    };
    let app = "https://app.example";
    let forbidden = Some("direct_upload_origin_forbidden");
    assert_eq!((code(Some(app), Some(app)), code(Some(app), None), code(None, None)), (None, None, None));
    for other in ["null", "https://app.example.evil", "http://app.example"] {
        assert_eq!((code(Some(app), Some(other)), code(None, Some(other))), (forbidden, forbidden), "{other}");
    }
}

proptest! {
    #[test]
    fn any_origin_is_accepted_or_refused_and_an_accepted_one_has_no_path(origin in "[ -~]{0,40}") {
        if is_origin(&origin) {
            prop_assert_eq!(origin.matches('/').count(), 2, "{}", origin);
        }
    }
}

#[test]
fn the_last_frame_may_end_a_little_later_than_the_owner_allows() {
    let mut judge = FileJudge::default();
    judge.feed(&fixtures::mp4(5_000, 8_000, 1)).unwrap();
    let media = judge.finish().unwrap();
    let is_allowed = |least_ms: u64, most: u64| {
        let rules = read(CreateDirectUpload { max_duration_ms: Some(most), ..CreateDirectUpload::default() }).unwrap();
        rules.require_duration(&Media { least_ms, ..media.clone() }).is_ok()
    };
    assert!(is_allowed(4_980, 4_990) && is_allowed(5_000, 5_000));
    assert!(!is_allowed(4_991, 4_990) && !is_allowed(4_800, 4_849));
}
