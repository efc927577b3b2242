//! The generated documents in the repository are up to date. `make docs` generates them.

mod limits_table;

use contract::job::REFUSAL_CODES;
use contract::{ErrorCode, TestOutcome};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Compares a committed file with its expected text, or writes it if `UPDATE_DOCS` is set.
fn check(path: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == expected, "{} is out of date: run `make docs`", path.display());
}

/// Returns a table of error codes, with or without their HTTP status.
fn table(codes: impl Iterator<Item = ErrorCode>, has_status: bool) -> String {
    let (head, line) = if has_status { (" HTTP status |", "---|") } else { ("", "") };
    let mut text = format!("| Code |{head} What to do |\n|---|{line}---|\n");
    for code in codes {
        let status = if has_status { format!(" {} |", code.status()) } else { String::new() };
        writeln!(text, "| `{}` |{status} {} |", code.as_str(), code.text()).unwrap();
    }
    text
}

#[test]
fn the_error_catalogue_is_up_to_date() {
    let of_answers = ErrorCode::ALL.iter().filter(|code| !ErrorCode::ONLY_IN_STATUS.contains(code));
    let moderated = [ErrorCode::ContentModerationRejected];
    let of_contents = moderated.iter().chain(ErrorCode::ONLY_IN_STATUS).chain(REFUSAL_CODES);
    let text = format!(
        "# Error codes\n\n\
         Generated from `crates/contract/src/error_code.rs` by `make docs`. New codes may be added: treat an unknown \
         code as final.\n\n\
         ## Codes of responses\n\n\
         A failed request returns the status in this table and JSON with `success: false` and the code in \
         `error_message_code`.\n\n\
         `detail` is more specific than this table: it says what was received, what was expected, and what to send \
         instead. `field` is the name of the field. Decide by the code, because the texts may change. `detail` may \
         show a shortened value, but never a key, a cookie or the content of a file.\n\n{}\n\
         ## Codes of videos\n\n\
         A video that was accepted can still be rejected, or fail, while it is processed. Then `upload_status` and \
         `uploads` still return 200: `state` is `rejected` or `failed`, and one of these codes is in the \
         `error_message_code` of the video.\n\n{}",
        table(of_answers.copied(), true),
        table(of_contents.copied(), false),
    );
    check("docs/errors.md", &text);
}

/// The end of the generated part of a document that is written by hand otherwise.
const END: &str = "<!-- The end of the generated part. -->\n";

/// Compares or writes the part of a document that begins with this line.
fn check_part(path: &str, begin: &str, part: &str) {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap();
    let (before, rest) = text.split_once(begin).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    check(path, &format!("{before}{begin}{part}{END}{after}"));
}

#[test]
fn the_table_of_limits_is_up_to_date() {
    let begin = "<!-- Generated from `crates/contract` by `make docs`. -->\n\n";
    check_part("docs/publish/limits.md", begin, &limits_table::tables());
}

/// The tables of the guide are written by hand.
#[test]
fn the_guide_to_test_mode_has_each_outcome_and_no_other() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/publish/test-mode.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("| `")).collect();
    for outcome in TestOutcome::all() {
        let name = outcome.as_str();
        let row = if let TestOutcome::Refused(code) = outcome {
            format!("| `{name}` | {} | ", code.status())
        } else {
            format!("| `{name}` | ")
        };
        assert!(rows.iter().any(|line| line.starts_with(&row)), "docs/publish/test-mode.md has no row `{row}`");
    }
    assert_eq!(rows.len(), TestOutcome::all().count(), "{rows:#?}");
}

/// The paths that a site may keep for itself on a host that it shares with the Worker.
const KEPT_BY_THE_SITE: [&str; 4] = ["/", "/robots.txt", "/favicon.svg", "/favicon.ico"];

/// Returns a pattern for the paths that are routed together with this one.
fn pattern(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match segments[..] {
        ["api", first, second, _, ..] => format!("/api/{first}/{second}/*"),
        ["api", ..] | [_] => path.to_owned(),
        [first, ..] => format!("/{first}/*"),
        [] => unreachable!("a path begins with a slash"),
    }
}

#[test]
fn the_paths_of_a_shared_host_are_up_to_date() {
    let routes = edge::openapi::route_list();
    let routes = routes.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let paths = routes.filter(|route| route[2] != "upload").map(|route| route[1].to_owned());
    let patterns: BTreeSet<_> =
        paths.filter(|path| !KEPT_BY_THE_SITE.contains(&path.as_str())).map(|path| pattern(&path)).collect();
    let list: Vec<_> = patterns.iter().map(|pattern| format!("   {pattern}\n")).collect();
    let begin = "   <!-- Generated from the table of routes by `make docs`. -->\n\n";
    check_part("docs/sessions.md", begin, &format!("   ```text\n{}   ```\n\n   ", list.concat()));
}

#[test]
fn the_api_description_is_up_to_date() {
    check("edge/site/openapi.json", &edge::openapi::public());
    check("docs/routes.txt", &edge::openapi::route_list());
    check("docs/internal-openapi.json", &edge::openapi::internal());
}
