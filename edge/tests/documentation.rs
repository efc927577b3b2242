//! What is generated from the code stands in the tree as it would be generated now. `make docs` writes it anew.

use contract::ErrorCode;
use std::fmt::Write;
use std::path::Path;

/// Compares a committed file with what it should be, or writes it when asked to.
fn check(path: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == expected,
        "{} is out of date: run `make docs`",
        path.display()
    );
}

#[test]
fn the_error_catalogue_is_current() {
    let mut text = String::from(
        "# Error codes\n\n\
         Every failure is JSON with `success: false` and one of these in `error_message_code`. \
         Generated from `contract/src/error_code.rs` by `make docs`.\n\n\
         | Code | HTTP status | What to do |\n|---|---|---|\n",
    );
    for code in ErrorCode::ALL {
        writeln!(
            text,
            "| `{}` | {} | {} |",
            code.as_str(),
            code.status(),
            code.text()
        )
        .unwrap();
    }
    check("docs/errors.md", &text);
}

#[test]
fn the_api_description_is_current() {
    check("edge/site/openapi.json", &edge::openapi::document());
}
