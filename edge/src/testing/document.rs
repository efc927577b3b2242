//! Documents that tests generate.

/// Compares a committed file with its expected text, or writes it if `UPDATE_DOCS` is set.
pub(crate) fn check_document(path: &str, expected: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == expected, "{} is out of date: run `make docs`", path.display());
}
